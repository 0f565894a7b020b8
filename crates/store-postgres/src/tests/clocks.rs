//! Nodes over one database whose clocks are a month off in either direction: everything ages by the database's clock.

use std::sync::Arc;

use tidings_model::wire::{Change, Op};
use tidings_model::{Clock, Mark, MsgId, Stamp, SystemClock, View};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::file::{FileQuota, UploadedFile};
use tidings_store::prelude::*;
use tidings_store::{Idempotency, Outcome, Post, RequestedOp, StoredResponse, Visit};
use tidings_testkit::clock::ManualClock;

use super::database;
use super::redis::add_user;
use crate::{PostgresOptions, PostgresStore};

/// Longer than anything is kept that ages: keys, receipts, operations, files.
const MONTH: i64 = 32 * 24 * 3_600;

/// A node whose clock is off by so many seconds.
async fn node(url: &str, off: i64) -> PostgresStore {
    let clock = ManualClock::running();
    clock.advance(off);
    PostgresStore::connect(url, Arc::new(clock), PostgresOptions::default()).await.unwrap()
}

/// Nodes whose clocks are ahead, right and behind.
async fn nodes(url: &str) -> [PostgresStore; 3] {
    [node(url, MONTH).await, node(url, 0).await, node(url, -MONTH).await]
}

fn key<T>(key: &str) -> Idempotency<T> {
    let answer = |_: &T| StoredResponse { status: 201, body: b"first".to_vec(), token_salt: String::new() };
    Idempotency { token: "t".into(), key: key.into(), answer: Box::new(answer) }
}

fn draft(text: &str) -> Draft {
    let mut draft = Draft::on_topic("job", None);
    draft.content.body = text.to_owned();
    draft
}

async fn post(node: &PostgresStore, draft: Draft, name: &str) -> Outcome<Vec<Post>> {
    node.post(vec![draft], Some(key(name))).await.unwrap()
}

/// Lets nodes delete what has expired, each as if the others had ended.
async fn prune(url: &str, nodes: &[PostgresStore]) {
    for node in nodes {
        tidings_testkit::postgres::Database::sql_at(url, "DELETE FROM leases");
        while node.prune(None, 100).await.unwrap() {}
    }
}

#[tokio::test]
async fn a_key_is_done_once_whatever_the_clocks_of_the_nodes_say() {
    let database = database().await;
    let nodes = nodes(&database.url).await;
    for (n, first) in nodes.iter().enumerate() {
        let (posted, waits) = (format!("post {n}"), format!("schedule {n}"));
        assert!(matches!(post(first, draft("one"), &posted).await, Outcome::Done(_)));
        let due = first.clock().now().plus_secs(3_600);
        first.schedule(draft("later"), due, Some(key::<MsgId>(&waits))).await.unwrap();
        let user = first.add_user(&format!("u{n}"), "User", Some(key(&format!("user {n}")))).await.unwrap();
        assert!(matches!(user, Outcome::Done(_)));
        prune(&database.url, &nodes).await;
        for other in &nodes {
            let again = post(other, draft("one"), &posted).await;
            assert!(matches!(again, Outcome::Replayed(answer) if answer.body == b"first"), "{posted}");
            let again = other.schedule(draft("later"), due, Some(key::<MsgId>(&waits))).await.unwrap();
            assert!(matches!(again, Outcome::Replayed(_)), "{waits}");
            let again =
                other.add_user(&format!("u{n}"), "User", Some(key(&format!("user {n}")))).await.unwrap();
            assert!(matches!(again, Outcome::Replayed(_)));
            assert!(other.stored_response("t", &posted).await.unwrap().is_some());
        }
    }
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "3");
}

#[tokio::test]
async fn what_is_delayed_is_delivered_at_its_time_by_whichever_node() {
    let database = database().await;
    let [ahead, right, behind] = nodes(&database.url).await;
    let now = right.clock().now();
    ahead.schedule(draft("in an hour"), now.plus_secs(3_600), None).await.unwrap();
    for node in [&ahead, &right, &behind] {
        assert_eq!(node.deliver_due().await.unwrap(), (vec![], Some(now.plus_secs(3_600))));
    }
    right.schedule(draft("now"), now, None).await.unwrap();
    let (posts, next) = behind.deliver_due().await.unwrap();
    assert_eq!((posts.len(), next), (1, Some(now.plus_secs(3_600))));
}

#[tokio::test]
async fn stamps_receipts_operations_and_files_age_by_the_clock_of_the_database() {
    let database = database().await;
    let nodes = nodes(&database.url).await;
    let [ahead, right, behind] = &nodes;
    let (alice, bob) = (add_user(right, "alice").await, add_user(behind, "bob").await);
    right.add_group(alice, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    let mut last = Stamp::ZERO;
    let mut to_group = async |node: &PostgresStore| {
        let by = tidings_model::Actor { id: "alice".into(), name: "alice".into() };
        let audience = tidings_store::Audience::Group("crew".into());
        let draft = Draft::new(tidings_model::Kind::Message, audience, by);
        let Outcome::Done(posts) = node.post(vec![draft], None).await.unwrap() else { panic!("no key") };
        let posted = posts[0].posted.clone();
        let off = posted.stamp.as_micros().abs_diff(SystemClock.now().as_micros());
        assert!(posted.stamp > last && off < 3_600 * 1_000_000, "{posted:?}");
        last = posted.stamp;
        posted.msgid
    };
    let first = to_group(ahead).await;
    to_group(behind).await;

    while ahead.fan_in(bob).await.unwrap() {}
    let view = View::Conversation("group:crew".into());
    ahead.visit(bob, &view, Visit::Now, 99).await.unwrap();
    assert_eq!(right.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.len(), 2);

    let op = |node: &PostgresStore, mark: Mark| {
        let (node, msgids) = (node.clone(), vec![first.clone()]);
        async move {
            let op = Op { id: "op".into(), change: Change::Mark { mark, msgids, at: None } };
            let requested = RequestedOp { id: "op".into(), op: Some(op) };
            node.apply(bob, vec![requested], 99, None).await.unwrap();
        }
    };
    op(behind, Mark::Archive).await;

    let mut with_file = draft("with a file");
    with_file.file = Some(UploadedFile {
        name: "file".to_owned(),
        file_name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        bytes: 10,
        uploader: Some(alice),
        expires_at: right.clock().now().plus_secs(24 * 3_600),
        quota: FileQuota::default(),
    });
    behind.post(vec![with_file], None).await.unwrap();

    prune(&database.url, &nodes).await;
    for node in &nodes {
        assert_eq!(node.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.len(), 2);
        assert_eq!(node.expired_files(true, 10).await.unwrap(), Vec::<String>::new());
        assert_eq!(node.file_usage(Some(alice)).await.unwrap().bytes, 10);
        // It was applied already: an operation that came again would take the archiving back.
        op(node, Mark::Unarchive).await;
        assert!(archived(node, bob).await);
    }
    assert_eq!(right.check().await.unwrap(), []);
}

async fn archived(node: &PostgresStore, user: UserKey) -> bool {
    let items = node.sync(user, Stamp::ZERO, 100).await.unwrap().items().unwrap();
    items.iter().any(|item| item.archived_at.is_some())
}

//! Tests of the search of fan-in, of operations in portions and of shared commits, at the bounds themselves.

use std::slice::from_ref;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::wire::{Change, Op};
use tidings_model::{Choice, Clock, Kind, Mark, MsgId, Question, Stamp, View};
use tidings_store::domain::file::{FileQuota, UploadedFile};
use tidings_store::prelude::*;
use tidings_store::{
    Audience, Bounds, Draft, Outcome, PostedBy, RequestedOp, SequenceChange, UserKey, Visit,
};

use super::work_bounds::{Fixture, actor, message, on_topic, to_group};
use crate::fan_in::rows_examined;
use crate::portions::{Budget, LongWrite, Stopwatch};
use crate::publishing::Sharing;
use crate::read_state::{marks::VisitWrite, ops::OpsWrite};

/// The rows that the next search of an inbox examines one by one.
async fn examined(fixture: &Fixture, user: UserKey) -> i64 {
    fixture.store.read(move |c| rows_examined(c, user)).await.unwrap()
}

fn announcement() -> Draft {
    Draft::new(Kind::Announcement, Audience::Everyone, actor("bob"))
}

fn requested(id: &str, change: Change) -> RequestedOp {
    RequestedOp { id: id.to_owned(), op: Some(Op { id: id.to_owned(), change }) }
}

#[tokio::test]
async fn candidates_that_just_fit_into_a_search_are_all_that_there_is() {
    let fixture = Fixture::within(&Bounds { candidates: 1, ..Bounds::default() });
    let ann = fixture.user("ann").await;
    fixture.post(vec![announcement()]).await;
    assert!(!fixture.store.fan_in(ann).await.unwrap(), "there is no more");
    fixture.post(vec![announcement(), announcement()]).await;
    assert!(fixture.store.fan_in(ann).await.unwrap(), "there is one more");
    assert!(!fixture.store.fan_in(ann).await.unwrap());
    assert_eq!(fixture.store.sync(ann, Stamp::ZERO, 9).await.unwrap().items.len(), 3);
}

#[tokio::test]
async fn what_was_cleared_and_what_is_said_in_groups_is_examined_beside_what_is_new() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    fixture.post(vec![on_topic("other", "a")]).await;
    fixture.store.sequence("other", "a", SequenceChange::Clear, PostedBy::default()).await.unwrap();
    assert_eq!(examined(&fixture, ann).await, 2, "the publication and its clear");
    let bob = fixture.user("bob").await;
    fixture.store.add_group(bob, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    fixture.post(vec![to_group("bob", "crew"); 256]).await;
    assert_eq!(examined(&fixture, ann).await, 258, "and the messages of all groups, while they are few");
    fixture.post(vec![to_group("bob", "crew")]).await;
    assert_eq!(examined(&fixture, ann).await, 2, "many are searched from one's own groups");
}

#[tokio::test]
async fn new_reminders_are_examined_while_they_are_few_or_fewer_than_what_one_subscribes_to() {
    let fixture = Fixture::new();
    let mut users = Vec::new();
    for (id, follows) in [("ann", 0), ("bob", 299), ("carol", 300), ("dan", 400)] {
        let user = fixture.user(id).await;
        let follow = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT ?2)
                      INSERT INTO follows SELECT ?1, 'u' || n, 1 FROM n WHERE n <= ?2";
        fixture.change(move |w| Ok(w.tx.execute(follow, [user.0, follows])?)).await;
        users.push(user);
    }
    let reminders =
        |names: std::ops::Range<usize>| names.map(|n| on_topic("other", &n.to_string())).collect();
    for (names, expected) in
        [(0..256, [256, 256, 256, 256]), (256..257, [0, 257, 257, 257]), (257..300, [0, 0, 300, 300])]
    {
        fixture.post(reminders(names)).await;
        let mut found = Vec::new();
        for user in &users {
            found.push(examined(&fixture, *user).await);
        }
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_position_moves_once_more_was_looked_at_in_vain_than_a_write_is_worth() {
    let fixture = Fixture::within(&Bounds { worth_a_write: 2, ..Bounds::default() });
    let ann = fixture.user("ann").await;
    for (name, left) in [("a", 1), ("b", 2), ("c", 0)] {
        fixture.post(vec![on_topic("other", name)]).await;
        assert!(!fixture.store.fan_in(ann).await.unwrap());
        assert_eq!(examined(&fixture, ann).await, left);
    }
}

async fn archive(fixture: &Fixture, user: UserKey, msgids: Vec<MsgId>) -> bool {
    let id = format!("archive {}", fixture.count("SELECT count(*) FROM applied_ops").await);
    let archive = Change::Mark { mark: Mark::Archive, msgids, at: None };
    match fixture.store.apply(user, vec![requested(&id, archive)], 9, None).await.unwrap() {
        Outcome::Done(applied) => applied.changed,
        Outcome::Replayed(_) => unreachable!(),
    }
}

#[tokio::test]
async fn operations_have_changed_an_inbox_however_many_portions_they_take() {
    for count in 1..=12 {
        let fixture = Fixture::within(&Bounds { portion_units: 0, ..Bounds::default() });
        let ann = fixture.user("ann").await;
        let msgids = fixture.post(vec![message("bob", "ann"); count]).await;
        assert!(archive(&fixture, ann, msgids.clone()).await, "{count} items");
        assert!(!archive(&fixture, ann, msgids).await, "the time of a mark alone is no change");
    }
}

#[test]
fn a_post_shares_a_commit_unless_it_is_long_and_is_undone_alone_if_it_may_be_refused() {
    let sure = Draft { sequence: None, ..on_topic("nas", "disk") };
    assert_eq!(Sharing::of(from_ref(&sure), false), Sharing::Sure);
    assert_eq!(Sharing::of(&[sure.clone(), announcement()], false), Sharing::Sure);
    assert_eq!(Sharing::of(from_ref(&sure), true), Sharing::Undone);
    let file = UploadedFile {
        name: "f".into(),
        file_name: "f.txt".into(),
        media_type: "text/plain".into(),
        bytes: 1,
        uploader: None,
        expires_at: Stamp::MAX,
        quota: FileQuota::default(),
    };
    let with_file = Draft { file: Some(file), ..sure.clone() };
    for unsure in [message("bob", "ann"), to_group("bob", "crew"), on_topic("nas", "disk"), with_file] {
        assert_eq!(Sharing::of(&[sure.clone(), unsure], false), Sharing::Undone);
    }
    let sharing = |count: usize| Sharing::of(&vec![sure.clone(); count], false);
    assert_eq!((sharing(16), sharing(17)), (Sharing::Sure, Sharing::Alone));
    let of_bytes = |title: usize, body: usize| {
        let mut long = sure.clone();
        (long.content.title, long.content.body) = ("x".repeat(title), "x".repeat(body));
        Sharing::of(&[long, sure.clone()], false)
    };
    let most = 256 * 1024;
    assert_eq!((of_bytes(2, most - 2), of_bytes(2, most - 1)), (Sharing::Sure, Sharing::Alone));
}

#[tokio::test]
async fn an_operation_waits_for_all_that_is_to_be_brought_in_before_it() {
    let fixture = Fixture::within(&Bounds { candidates: 1, ..Bounds::default() });
    let ann = fixture.user("ann").await;
    let mut last = fixture.post(vec![announcement(), announcement(), announcement()]).await;
    let archive = Change::Mark { mark: Mark::Archive, msgids: last.split_off(2), at: None };
    match fixture.store.apply_fresh(ann, vec![requested("a", archive)], 9, None).await.unwrap() {
        Outcome::Done(applied) => assert_eq!((applied.changed, applied.unread.total.count), (true, 2)),
        Outcome::Replayed(_) => unreachable!(),
    }
}

#[tokio::test]
async fn a_question_that_ended_is_told_beside_what_is_due_at_the_same_time() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let due = fixture.clock.now().plus_secs(60);
    let answers = vec![Choice { id: "yes".into(), label: "Yes".into(), style: None }];
    let mut asks = announcement();
    asks.content.question = Some(Question { answers, expires_at: Some(due), ..Question::default() });
    fixture.post(vec![asks]).await;
    let later = Draft { sequence: None, ..on_topic("nas", "disk") };
    fixture.store.schedule(later, due, None).await.unwrap();
    let told = async || fixture.store.deliver_due().await.unwrap().0.len();
    assert_eq!(told().await, 0, "it is not time");
    fixture.clock.advance(60);
    while fixture.store.fan_in(ann).await.unwrap() {}
    assert_eq!((told().await, told().await, told().await), (1, 1, 0), "the question, and then what was due");
}

/// A stopwatch by which no time passes.
struct Standing;

impl Stopwatch for Standing {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Does long work in a portion that nothing bounds, and so ends with it.
async fn at_once(fixture: &Fixture, mut work: impl LongWrite) {
    let mut budget = Budget::new(usize::MAX, Arc::new(Standing));
    assert!(fixture.change(move |w| work.portion(w, &mut budget)).await);
}

#[tokio::test]
async fn what_nothing_bounds_is_done_in_one_portion() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let msgids = fixture.post(vec![message("bob", "ann"); 120]).await;
    let unread = async || fixture.store.unread(ann, 999).await.unwrap().total.count;
    let view = View::Conversation("user:bob".into());
    at_once(&fixture, VisitWrite::new(ann, view.clone(), Visit::Now)).await;
    assert_eq!(unread().await, 0);
    at_once(&fixture, VisitWrite::new(ann, view, Visit::Now)).await;
    let mark = |mark, nth: usize| Change::Mark { mark, msgids: vec![msgids[nth].clone()], at: None };
    for (id, change, left) in [
        ("back", mark(Mark::Unread, 0), 120),
        ("forward", mark(Mark::Read, 9), 110),
        ("all", Change::ReadAll { kind: None, through: Stamp::MAX }, 0),
    ] {
        at_once(&fixture, OpsWrite::new(ann, vec![requested(id, change)])).await;
        assert_eq!(unread().await, left, "{id}");
    }
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

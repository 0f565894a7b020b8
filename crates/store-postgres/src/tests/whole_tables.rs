//! No question about one inbox reads a whole table, whatever the planner expects of it: a table of every inbox grows
//! without bound.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings_model::wire::{Change, Op};
use tidings_model::{Kind, Mark, Stamp, View};
use tidings_store::prelude::*;
use tidings_store::{
    ConversationQuery, InboxQuery, ListQuery, Outcome, Recipients, RequestedOp, Store, TargetRef, UserKey,
    Visit,
};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;
use tidings_testkit::redis::Redis;

use super::redis::cached;
use super::{connect, database};

/// Twenty inboxes of 2,000 items each; what is new for all of them are 200 notifications.
const ROWS: &str = "
    INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
            target_details, content)
        SELECT 1000000 + n, lpad(n::text, 12, '0'), n % 3 + 1, 'press', 'Press', CASE n % 3 WHEN 1 THEN 'like' ELSE '' END,
            CASE n % 3 WHEN 1 THEN 'article' ELSE '' END, CASE n % 3 WHEN 1 THEN (n % 50)::text ELSE '' END, '', '{}'
        FROM generate_series(1, 40000) n;
    INSERT INTO items (user_key, created_at, stamp, version, kind, unread, auto, own, view, action)
        SELECT u.key, n.created_at, n.created_at, 1, n.kind, 1, n.kind <> 2, false,
            CASE n.kind WHEN 1 THEN 'all' WHEN 2 THEN 'article:' || n.target_id ELSE 'group:crew' END, n.action
        FROM users u JOIN notifications n ON n.created_at <= 1039800 AND n.created_at % 20 = u.key % 20;
    INSERT INTO conversations SELECT user_key, view, max(created_at) FROM items WHERE kind = 3 GROUP BY 1, 2;
    INSERT INTO group_messages SELECT created_at, (SELECT key FROM groups), 0, 20, 0 FROM notifications WHERE kind = 3;
    INSERT INTO subscriptions SELECT u.key, 'article', n::text, 'like', '', 1 FROM users u, generate_series(1, 200) n;
    UPDATE memberships SET joined_at = 1;
    UPDATE log SET last = greatest(last, 1040000);
    UPDATE inboxes SET last = greatest(last, 1040000), pulled_to = 1039800;
    ANALYZE;";

/// Rows that were read by reading tables from their beginning.
const READ: &str = "SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables
    WHERE relname LIKE 'items%' OR relname LIKE 'notifications%' OR relname = 'subscriptions'";

/// The number, after the last connection has ended and so counted.
async fn rows_read_in_order(database: &Database) -> u64 {
    let others =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend'";
    let deadline = Instant::now() + Duration::from_secs(30);
    while database.sql(others) != "0" {
        assert!(Instant::now() < deadline, "connections stay open");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    database.sql(READ).parse().unwrap()
}

async fn use_inbox(store: &dyn Store, user: UserKey) {
    while store.fan_in(user).await.unwrap() {}
    let page = store.sync(user, Stamp::ZERO, 1_000).await.unwrap();
    assert_eq!((page.items.len(), page.more), (1_000, true));
    store.sync(user, page.next, 10).await.unwrap();
    assert!(store.changes_after(user, page.next).await.unwrap() > 1_000);
    assert!(store.unread(user, 99).await.unwrap().total.capped);
    assert!(store.fresh_unread(user, 99).await.unwrap().total.capped);
    for query in [
        InboxQuery::default(),
        InboxQuery { unread: Some(true), ..InboxQuery::default() },
        InboxQuery { archived: true, ..InboxQuery::default() },
        InboxQuery { kind: Some(Kind::Reminder), ..InboxQuery::default() },
        InboxQuery { thread: Some("article:1#like".into()), ..InboxQuery::default() },
        InboxQuery { conversation: Some("group:crew".into()), ..InboxQuery::default() },
    ] {
        store.inbox(user, InboxQuery { limit: 50, ..query }).await.unwrap();
    }
    let query = ConversationQuery { before: None, limit: 100, cap: 99 };
    assert_eq!(store.conversations(user, query).await.unwrap().len(), 1);
    let view = View::Conversation("group:crew".into());
    assert!(store.view(user, &view, 99).await.unwrap().1.capped);
    let items = page.items().unwrap();
    let message = items.iter().find(|item| item.conversation.is_some()).unwrap().msgid.clone();
    store.visit(user, &view, Visit::Item(message), 99).await.unwrap();
    let msgids: Vec<_> = items.into_iter().take(100).map(|item| item.msgid).collect();
    store.visit(user, &View::Announcements, Visit::Now, 99).await.unwrap();
    let marks = [Mark::Read, Mark::Unread, Mark::Archive, Mark::Delete];
    let mut changes: Vec<Change> =
        marks.map(|mark| Change::Mark { mark, msgids: msgids.clone(), at: None }).to_vec();
    changes.push(Change::ReadAll { kind: None, through: Stamp::MAX });
    for (nth, change) in changes.into_iter().enumerate() {
        let id = nth.to_string();
        let op = RequestedOp { id: id.clone(), op: Some(Op { id, change }) };
        assert!(
            matches!(store.apply(user, vec![op], 99, None).await.unwrap(), Outcome::Done(done) if done.changed)
        );
    }
    let recipients = Recipients::Subscribers {
        kind: "article".into(),
        id: "1".into(),
        action: "like".into(),
        actor: "press".into(),
    };
    assert_eq!(store.recipients_among(&[recipients], &[user]).await.unwrap(), [user]);
    let target = TargetRef { kind: "article".into(), id: "201".into() };
    store.subscribe(user, target, vec!["like".into()], None).await.unwrap();
    store.subscriptions(user, None, None, ListQuery::first(10)).await.unwrap();
}

#[tokio::test]
async fn no_question_about_an_inbox_reads_a_whole_table() {
    let database = database().await;
    let clock = Arc::new(ManualClock::at(Stamp::from_micros(900_000)));
    let store = connect(&database.url, clock.clone()).await;
    let mut members = Vec::new();
    let mut first = None;
    for n in 0..20 {
        let Outcome::Done(user) = store.add_user(&format!("u{n}"), "U", None).await.unwrap() else {
            panic!()
        };
        first.get_or_insert(user.key);
        members.push(user.id);
    }
    let user = first.unwrap();
    store.add_group(user, Some("crew".into()), "Crew".into(), members, None).await.unwrap();
    database.sql(ROWS);
    let redis = Redis::start();
    // What made the rows was counted when its connection ended.
    database.sql("SELECT pg_stat_reset()");
    let store = {
        drop(store);
        cached(&database, &redis, clock).await
    };
    use_inbox(&store, user).await;
    drop(store);
    assert_eq!(rows_read_in_order(&database).await, 0);
}

/// 60,000 unread items in one inbox, a third of them in 150 conversations.
const UNREAD_ROWS: &str = "
    INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
            target_details, content)
        SELECT 1000000 + n, lpad(n::text, 12, '0'), n % 3 + 1, 'press', 'Press', '', '', '', '', '{}'
        FROM generate_series(1, 60000) n;
    INSERT INTO items (user_key, created_at, stamp, version, kind, unread, auto, own, view, action)
        SELECT u.key, n.created_at, n.created_at, 1, n.kind, 1, n.kind <> 2, false,
            CASE n.kind WHEN 1 THEN 'all' WHEN 2 THEN '' ELSE 'user:u' || n.created_at % 450 END, ''
        FROM users u, notifications n WHERE u.id = 'ann';
    INSERT INTO conversations SELECT user_key, view, max(created_at) FROM items WHERE kind = 3 GROUP BY 1, 2;
    UPDATE log SET last = greatest(last, 1060000);
    UPDATE inboxes SET last = greatest(last, 1060000), pulled_to = 1060000";

/// Entries of indexes of items that were read.
const ENTRIES: &str =
    "SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE relname LIKE 'items%'";

#[tokio::test]
async fn reading_ends_at_its_cap_or_its_page_however_large_the_inbox_is_and_whatever_the_database_knows_of_it()
 {
    let database = database().await;
    let clock = Arc::new(ManualClock::at(Stamp::from_micros(900_000)));
    let user = {
        let store = connect(&database.url, clock.clone()).await;
        let Outcome::Done(user) = store.add_user("ann", "Ann", None).await.unwrap() else { panic!() };
        user.key
    };
    // It knows that the tables are empty, then how large they are, then what is in them.
    database.sql("ANALYZE");
    for (nth, learn) in [UNREAD_ROWS, "VACUUM items", "ANALYZE"].into_iter().enumerate() {
        database.sql(learn);
        rows_read_in_order(&database).await;
        database.sql("SELECT pg_stat_reset()");
        let store = connect(&database.url, clock.clone()).await;
        let unread = store.unread(user, 9).await.unwrap();
        assert!(unread.total.capped && unread.conversations.len() == 150 - nth);
        let view = View::Conversation("user:u3".into());
        assert!(store.view(user, &view, 9).await.unwrap().1.capped);
        let query = ConversationQuery { before: None, limit: 100, cap: 9 };
        assert_eq!(store.conversations(user, query).await.unwrap().len(), 100);
        for thread in [None, Some("user:u300".into())] {
            let query = InboxQuery { unread: Some(true), thread, limit: 50, ..InboxQuery::default() };
            assert_eq!(store.inbox(user, query).await.unwrap().items.len(), 50);
        }
        let page = store.sync(user, Stamp::from_micros(1_000_000), 100).await.unwrap();
        assert_eq!((page.items.len(), page.more), (100, true));
        let read = View::Conversation(format!("user:u{}", 6 * (nth + 1)));
        store.visit(user, &read, Visit::Now, 9).await.unwrap();
        drop(store);
        assert_eq!(rows_read_in_order(&database).await, 0);
        let entries: u64 = database.sql(ENTRIES).parse().unwrap();
        assert!(entries < 6_000, "{entries} after {learn}");
    }
}

/// 10,000 reminders and as many group messages of others.
const FOR_OTHERS: &str = "
    INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
            target_details, content)
        SELECT 1000000 + n, lpad(n::text, 12, '0'), n % 2 + 2, 'press', 'Press', 'like', 'article', n::text, '', '{}'
        FROM generate_series(1, 20000) n;
    INSERT INTO group_messages SELECT created_at, 7, 0, 20, 0 FROM notifications WHERE kind = 3;
    UPDATE log SET last = greatest(last, 1020000)";

#[tokio::test]
async fn what_is_new_for_others_alone_is_looked_at_once() {
    let database = database().await;
    let clock = Arc::new(ManualClock::at(Stamp::from_micros(900_000)));
    let store = connect(&database.url, clock.clone()).await;
    let Outcome::Done(user) = store.add_user("ann", "Ann", None).await.unwrap() else { panic!() };
    database.sql(FOR_OTHERS);
    while store.fan_in(user.key).await.unwrap() {}
    drop(store);
    rows_read_in_order(&database).await;
    database.sql("SELECT pg_stat_reset()");
    let store = connect(&database.url, clock).await;
    for _ in 0..10 {
        assert!(!store.fan_in(user.key).await.unwrap());
    }
    drop(store);
    rows_read_in_order(&database).await;
    let entries: u64 = database
        .sql(
            "SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE relname LIKE 'notifications%' OR relname LIKE 'group_messages%'",
        )
        .parse()
        .unwrap();
    assert!(entries < 1_000, "{entries}");
}

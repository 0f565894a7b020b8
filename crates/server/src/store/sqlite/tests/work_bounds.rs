//! Tests of the work of single transactions, counted in rows, portions and examined rows, never in time.

use std::sync::Arc;

use tidings_model::wire::{Change, Op, Scope};
use tidings_model::{Actor, Clock, Kind, Mark, MsgId, Stamp, Target, View};

use crate::domain::limits;
use crate::error::Error;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::fan_in::rows_examined;
use crate::store::sqlite::groups::pending;
use crate::store::sqlite::portions::{Budget, LongWrite, Monotonic};
use crate::store::sqlite::publishing::recipients;
use crate::store::sqlite::tables::{receipts, users};
use crate::store::sqlite::upkeep::{prune, removal, repair};
use crate::store::sqlite::write_tx::WriteTx;
use crate::store::{
    Audience, Draft, ListQuery, NewToken, Outcome, Recipients, RequestedOp, Store, TargetRef, UserKey, Visit,
};
use tidings_testkit::clock::ManualClock;

struct Place {
    store: SqliteStore,
    clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
        let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
        Self { store, clock, _dir: dir }
    }

    async fn user(&self, id: &str) -> UserKey {
        match self.store.add_user(id, id, None).await.unwrap() {
            Outcome::Done(user) => user.key,
            Outcome::Replayed(_) => unreachable!(),
        }
    }

    async fn post(&self, drafts: Vec<Draft>) -> Vec<MsgId> {
        match self.store.post(drafts, None).await.unwrap() {
            Outcome::Done(posts) => posts.into_iter().map(|p| p.posted.msgid).collect(),
            Outcome::Replayed(_) => unreachable!(),
        }
    }

    /// The count that a query returns.
    async fn count(&self, sql: &'static str) -> usize {
        self.store.read(move |c| Ok(c.query_row(sql, [], |r| r.get(0))?)).await.unwrap()
    }

    async fn change<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.store.write(job).await.unwrap()
    }
}

/// A budget without a limit, for portions that are limited by their arguments alone.
fn endless() -> Budget {
    Budget::new(usize::MAX, Arc::new(Monotonic::default()))
}

fn by(id: &str) -> Actor {
    Actor { id: id.into(), name: id.into() }
}

fn message(from: &str, to: &str) -> Draft {
    Draft::new(Kind::Message, Audience::User(to.into()), by(from))
}

fn to_group(from: &str, group: &str) -> Draft {
    Draft::new(Kind::Message, Audience::Group(group.into()), by(from))
}

fn on_topic(topic: &str, name: &str) -> Draft {
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by(topic));
    draft.action = "publish".into();
    draft.target = Some(Target { kind: "topic".into(), id: topic.into(), ..Target::default() });
    draft.sequence = Some(name.into());
    draft
}

#[tokio::test]
async fn retention_deletes_by_age_in_portions_and_nobody_brings_in_what_it_passed() {
    let p = Place::new();
    let (ann, bob) = (p.user("ann").await, p.user("bob").await);
    for _ in 0..10 {
        p.post(vec![message("ann", "bob"); 10]).await;
    }
    let announcement = Draft::new(Kind::Announcement, Audience::Everyone, by("ann"));
    p.post(vec![announcement]).await;
    p.clock.advance(3_600);
    let before = p.clock.now();
    let rows = || p.count("SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM notifications)");
    let (mut left, mut portions) = (rows().await, 0);
    while p.change(move |w| prune::portion(w, Some(before), 40, &mut endless())).await {
        let now = rows().await;
        assert!(left - now <= 40, "{left} {now}");
        (left, portions) = (now, portions + 1);
        // During retention, nothing that it removes is added to an inbox.
        assert!(!p.store.fan_in(bob).await.unwrap());
    }
    assert_eq!((rows().await, portions), (0, 301 / 40));
    for user in [ann, bob] {
        assert!(
            p.store
                .sync(user, Stamp::ZERO, 10)
                .await
                .unwrap()
                .forgotten_before
                .is_some_and(|at| at <= before)
        );
    }
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_removed_user_is_gone_at_once_and_its_rows_go_in_portions() {
    let p = Place::new();
    let ann = p.user("ann").await;
    p.user("bob").await;
    let token = NewToken { id: "t".into(), hash: [1; 32], label: String::new(), scopes: vec![Scope::Inbox] };
    p.store.add_token("ann", token, None).await.unwrap();
    p.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    for n in 0..40 {
        p.store.follow(ann, &format!("u{n}")).await.unwrap();
    }
    p.post(vec![message("bob", "ann"); 100]).await;
    p.change(|w| users::remove(w, "ann")).await;
    assert!(p.store.user("ann").await.unwrap().is_none() && p.store.bearer([1; 32]).await.unwrap().is_none());
    assert_eq!(p.store.meta().await.unwrap().users, 1);
    assert_eq!(p.store.users(ListQuery::first(9)).await.unwrap().0.len(), 1);
    assert!(p.store.fan_in(ann).await.is_err());
    let again = p.user("ann").await;
    assert_ne!(again, ann, "the id is free, the place is not");
    let mut portions = vec![];
    while portions.last().is_none_or(|n| *n == 30) {
        portions.push(p.change(move |w| removal::portion(w, ann, 30)).await);
    }
    assert_eq!(portions, [30, 30, 30, 30, 22], "100 items, 40 follows, a token and a membership");
    assert_eq!(p.count("SELECT count(*) FROM users WHERE id > '~'").await, 0);
    assert_eq!(p.store.group("crew").await.unwrap().unwrap().owner, "bob");
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn what_was_left_of_a_removed_user_goes_with_the_next_upkeep() {
    let p = Place::new();
    p.user("ann").await;
    p.user("bob").await;
    p.post(vec![message("bob", "ann"); 100]).await;
    p.change(|w| users::remove(w, "ann")).await;
    while p.store.prune(None, 30).await.unwrap() {}
    assert_eq!(p.count("SELECT count(*) FROM users").await, 1);
    assert_eq!(p.count("SELECT count(*) FROM items").await, 100, "those that bob sent");
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_group_that_is_being_made_is_seen_by_nobody_until_it_is_whole() {
    let p = Place::new();
    let (ann, bob) = (p.user("ann").await, p.user("bob").await);
    let group = p.change(move |w| pending::begin(w, ann, "crew", "Crew")).await;
    let first = group.clone();
    p.change(move |w| pending::add(w, &first, &[ann, bob])).await;
    assert!(p.store.group("crew").await.unwrap().is_none());
    assert!(p.store.groups_of(bob, ListQuery::first(9)).await.unwrap().0.is_empty());
    p.change(move |w| pending::reveal(w, &group)).await;
    assert_eq!(p.store.groups_of(bob, ListQuery::first(9)).await.unwrap().0.len(), 1);
    // An abandoned group is deleted after an hour, and nothing else with it.
    p.change(move |w| pending::begin(w, ann, "left", "Left").and_then(|m| pending::add(w, &m, &[ann, bob])))
        .await;
    while p.store.prune(None, 100).await.unwrap() {}
    assert_eq!(p.count("SELECT count(*) FROM groups").await, 2, "it may still be in the making");
    p.clock.advance(2 * 3_600);
    while p.store.prune(None, 100).await.unwrap() {}
    assert_eq!(
        (p.count("SELECT count(*) FROM groups").await, p.count("SELECT count(*) FROM memberships").await),
        (1, 2)
    );
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn revisions_of_what_others_have_are_looked_at_once() {
    let p = Place::new();
    let ann = p.user("ann").await;
    for name in ["a", "b"] {
        p.post(vec![on_topic("other", name)]).await;
    }
    while p.store.fan_in(ann).await.unwrap() {}
    for _ in 0..3 {
        p.post(vec![on_topic("other", "a"), on_topic("other", "b")]).await;
    }
    let examined = p.store.read(move |c| rows_examined(c, ann)).await.unwrap();
    assert_eq!(examined, 4, "two publications and their two revisions, however often they were revised");
    let p = Place::new();
    let ann = p.user("ann").await;
    let names: Vec<Draft> = (0..2_500).map(|n| on_topic("other", &n.to_string())).collect();
    p.post(names.clone()).await;
    while p.store.fan_in(ann).await.unwrap() {}
    p.post(names).await;
    assert_eq!(p.store.read(move |c| rows_examined(c, ann)).await.unwrap(), 2_000, "no more at once");
    while p.store.fan_in(ann).await.unwrap() {}
    let left = p.store.read(move |c| rows_examined(c, ann)).await.unwrap();
    assert!(left <= 1_024, "what was looked at in vain is passed: {left}");
}

#[tokio::test]
async fn delivered_receipts_are_forgotten_in_portions_and_old_ones_by_age() {
    let p = Place::new();
    let (ann, bob) = (p.user("ann").await, p.user("bob").await);
    p.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    let view = View::Conversation("group:crew".into());
    let read = async || {
        while p.store.fan_in(bob).await.unwrap() {}
        p.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
    };
    p.post(vec![to_group("ann", "crew"); 25]).await;
    read().await;
    assert_eq!(p.change(move |w| receipts::delete(w, ann, Stamp::MAX, 10)).await, 10);
    assert_eq!(p.count("SELECT count(*) FROM receipts").await, 15);
    p.store.ack_receipts(ann, Stamp::MAX, None).await.unwrap();
    assert_eq!(p.count("SELECT count(*) FROM receipts").await, 0);
    p.post(vec![to_group("ann", "crew"); 25]).await;
    read().await;
    p.clock.advance((limits::RECEIPT_DAYS + 1) * 24 * 3_600);
    while p.store.prune(None, 10).await.unwrap() {}
    assert_eq!(p.count("SELECT count(*) FROM receipts").await, 0);
    assert_eq!(p.count("SELECT min(read_count) FROM group_messages").await, 1, "the counts stay");
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn looking_again_and_coming_and_going_leave_nothing_behind() {
    let p = Place::new();
    let (ann, bob) = (p.user("ann").await, p.user("bob").await);
    p.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    p.post(vec![to_group("ann", "crew")]).await;
    let view = View::Conversation("group:crew".into());
    for _ in 0..20 {
        p.clock.advance(1);
        p.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
        p.store
            .subscribe(ann, TargetRef { kind: "a".into(), id: "1".into() }, vec!["like".into()], None)
            .await
            .unwrap();
    }
    assert_eq!(p.count("SELECT count(*) FROM acks").await, 1, "nothing new was read");
    p.user("cat").await;
    for _ in 0..20 {
        p.store.join("crew", "cat").await.unwrap();
        p.store.leave("crew", "cat").await.unwrap();
    }
    assert_eq!(p.count("SELECT count(*) FROM memberships").await, 2, "nothing was posted meanwhile");
    p.store.join("crew", "cat").await.unwrap();
    p.post(vec![to_group("ann", "crew")]).await;
    p.store.leave("crew", "cat").await.unwrap();
    assert_eq!(p.count("SELECT count(*) FROM memberships").await, 3);
    p.post(vec![to_group("ann", "crew")]).await;
    p.clock.advance(3_600);
    let before = p.clock.now();
    while p.store.prune(Some(before), 100).await.unwrap() {}
    p.post(vec![to_group("ann", "crew")]).await;
    while p.store.fan_in(bob).await.unwrap() {}
    p.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
    assert_eq!(p.count("SELECT count(*) FROM memberships").await, 2, "what it counted for is gone");
    assert_eq!(p.count("SELECT count(*) FROM acks").await, 1);
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn operations_are_remembered_for_a_month() {
    let p = Place::new();
    let ann = p.user("ann").await;
    let read = |n: usize| {
        let op = Op { id: n.to_string(), change: Change::Mark { mark: Mark::Read, msgids: vec![] } };
        RequestedOp { id: op.id.clone(), op: Some(op) }
    };
    p.store.apply(ann, (0..25).map(read).collect(), 9, None).await.unwrap();
    p.clock.advance((limits::OPERATION_DAYS - 1) * 24 * 3_600);
    while p.store.prune(None, 10).await.unwrap() {}
    assert_eq!(p.count("SELECT count(*) FROM applied_ops").await, 25);
    p.clock.advance(2 * 24 * 3_600);
    while p.store.prune(None, 10).await.unwrap() {}
    assert_eq!(p.count("SELECT count(*) FROM applied_ops").await, 0);
}

#[tokio::test]
async fn whom_many_publications_concern_is_found_from_the_smaller_side_and_within_a_bound() {
    let p = Place::new();
    let ann = p.user("ann").await;
    let target = TargetRef { kind: "article".into(), id: "7".into() };
    p.store.subscribe(ann, target, vec!["like".into()], None).await.unwrap();
    let all_recipients: Vec<Recipients> = (0..1_000)
        .map(|n| Recipients::Subscribers {
            kind: "article".into(),
            id: n.to_string(),
            action: "like".into(),
            actor: format!("u{n}"),
        })
        .collect();
    let online: Vec<UserKey> = (0..4_000).map(UserKey).collect();
    let asked = online.clone();
    let (found, work) =
        p.store.read(move |c| recipients::within(c, &all_recipients, &asked, 100_000)).await.unwrap();
    assert_eq!((found, work), (vec![ann], 1), "one row, not four million probes");
    // A target with more subscribers than connected users is looked up for each of them; beyond the bound all of them
    // are named.
    let everybody = Recipients::Subscribers {
        kind: "a".into(),
        id: "1".into(),
        action: "like".into(),
        actor: "x".into(),
    };
    for n in 0..30 {
        let user = p.user(&format!("u{n}")).await;
        let target = TargetRef { kind: "a".into(), id: "1".into() };
        p.store.subscribe(user, target, vec!["like".into()], None).await.unwrap();
    }
    let few: Vec<UserKey> = online[..5].to_vec();
    let (all_recipients, asked) = (vec![everybody], few.clone());
    let (found, work) =
        p.store.read(move |c| recipients::within(c, &all_recipients, &asked, 1_000)).await.unwrap();
    assert_eq!((found, work), (online[2..5].to_vec(), 8), "six rows, then the two who are left");
    let again = vec![
        Recipients::Group("nope".into()),
        Recipients::Subscribers {
            kind: "a".into(),
            id: "1".into(),
            action: "like".into(),
            actor: "x".into(),
        },
    ];
    let asked = few.clone();
    let (found, _) = p.store.read(move |c| recipients::within(c, &again, &asked, 3)).await.unwrap();
    assert_eq!(found, few);
}

#[tokio::test]
async fn a_full_disk_refuses_writes_and_never_reads() {
    let p = Place::new();
    let ann = p.user("ann").await;
    p.user("bob").await;
    p.post(vec![message("bob", "ann")]).await;
    p.post((0..1_000).map(|_| Draft::new(Kind::Announcement, Audience::Everyone, by("bob"))).collect()).await;
    let pages = |n: i64| {
        move |tx: &rusqlite::Transaction<'_>| -> Result<(), tidings_sqlite::Error> {
            Ok(tx.pragma_update(None, "max_page_count", n)?)
        }
    };
    // The database can't grow beyond its present number of pages.
    p.store.db.write(pages(1)).await.unwrap();
    let full = |result: Result<(), Error>| {
        let problem = result.unwrap_err().into_problem();
        assert_eq!(problem.status, 503);
        assert!(problem.detail.contains("disk is full"), "{}", problem.detail);
    };
    let mut large = message("bob", "ann");
    large.content.body = "x".repeat(200_000);
    full(p.store.post(vec![large.clone()], None).await.map(drop));
    assert!(!p.store.fan_in(ann).await.unwrap(), "what would be brought in has to wait");
    assert_eq!(p.store.sync(ann, Stamp::ZERO, 10).await.unwrap().items.len(), 1, "what is there is read");
    assert_eq!(p.store.unread(ann, 9).await.unwrap().message.count, 1);
    p.store.db.write(pages(1_000_000)).await.unwrap();
    p.post(vec![large]).await;
    while p.store.fan_in(ann).await.unwrap() {}
    assert_eq!(p.store.sync(ann, Stamp::ZERO, 5_000).await.unwrap().items.len(), 1_002, "nothing was lost");
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn reading_everything_in_portions_covers_what_is_ones_own() {
    let mut p = Place::new();
    p.store.units = 1;
    let (ann, bob) = (p.user("ann").await, p.user("bob").await);
    p.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    p.post(vec![to_group("ann", "crew"), to_group("bob", "crew")]).await;
    while p.store.fan_in(bob).await.unwrap() {}
    let all = Op { id: "1".into(), change: Change::ReadAll { kind: None, through: Stamp::MAX } };
    p.store.apply(bob, vec![RequestedOp { id: all.id.clone(), op: Some(all) }], 9, None).await.unwrap();
    let items = p.store.sync(bob, Stamp::ZERO, 9).await.unwrap().items().unwrap();
    assert_eq!(items.iter().map(|i| i.read_at.is_some()).collect::<Vec<_>>(), [true, true]);
}

#[tokio::test]
async fn a_list_of_conversations_is_put_right_in_portions_whatever_is_wrong_with_it() {
    let p = Place::new();
    let ann = p.user("ann").await;
    for n in 0..40 {
        p.post(vec![message(&format!("peer{n}"), "ann"); 2]).await;
    }
    let gone = p.post(vec![message("gone", "ann")]).await;
    p.change(move |w| {
        // A missing row, a stale row, and a row of a conversation whose only item was deleted.
        for sql in [
            "DELETE FROM conversations WHERE view LIKE 'user:peer1%'",
            "UPDATE conversations SET newest_at = (SELECT min(created_at) FROM items i WHERE i.view = conversations.view)
             WHERE view LIKE 'user:peer2%'",
            "UPDATE items SET deleted = 1, unread = 0 WHERE view = 'user:gone'",
        ] {
            w.tx.execute(sql, [])?;
        }
        Ok(())
    })
    .await;
    assert_eq!(gone.len(), 1);
    let (found, _) = p.store.reconcile(UserKey(0), Stamp::ZERO, 9).await.unwrap();
    assert_eq!(found.len(), 11 + 11 + 1, "{found:?}");
    assert_eq!(p.store.check().await.unwrap(), []);
    assert_eq!(p.count("SELECT count(*) FROM conversations").await, 40);
    assert_eq!(p.store.reconcile(UserKey(0), Stamp::ZERO, 9).await.unwrap(), (vec![], Some(ann)));
    // A portion repairs only some of them.
    p.change(|w| Ok(w.tx.execute("DELETE FROM conversations", [])?)).await;
    let (repaired, portions) = p
        .change(move |w| {
            let (mut repair, mut portions) = (repair::Repair::new(ann), 1);
            while !repair.portion(w, &mut Budget::new(40, Arc::new(Monotonic::default())))? {
                portions += 1;
            }
            Ok((w.tx.query_row("SELECT count(*) FROM conversations", [], |r| r.get::<_, i64>(0))?, portions))
        })
        .await;
    assert_eq!(repaired, 40);
    assert!(portions > 10, "{portions}");
}

#[tokio::test]
async fn marks_and_acknowledgements_go_with_what_they_speak_of() {
    let p = Place::new();
    let (ann, bob) = (p.user("ann").await, p.user("bob").await);
    p.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    p.user("cat").await;
    p.store.join("crew", "cat").await.unwrap();
    let group = View::Conversation("group:crew".into());
    for n in 0..20 {
        p.clock.advance(1);
        p.post(vec![to_group("ann", "crew"), message(&format!("peer{n}"), "bob")]).await;
        while p.store.fan_in(bob).await.unwrap() {}
        let peer = View::Conversation(format!("user:peer{n}"));
        for view in [&group, &peer] {
            p.store.visit(bob, view, Visit::Now, 9).await.unwrap();
        }
    }
    p.store.leave("crew", "bob").await.unwrap();
    p.clock.advance(3_600);
    p.post(vec![to_group("ann", "crew"), message("peer0", "bob")]).await;
    let kept = p.store.unread(bob, 9).await.unwrap();
    let rows = || p.count("SELECT (SELECT count(*) FROM read_marks) + (SELECT count(*) FROM acks)");
    assert_eq!(rows().await, 21 + 20);
    while p.store.prune(None, 10).await.unwrap() {}
    assert_eq!(rows().await, 21 + 20, "without retention everything that they speak of is there");
    let before = p.clock.now();
    while p.store.prune(Some(before), 10).await.unwrap() {
        assert_eq!(p.store.check().await.unwrap(), [], "in between as well");
    }
    assert_eq!(rows().await, 0);
    assert_eq!(p.store.unread(bob, 9).await.unwrap(), kept);
    assert_eq!(p.store.check().await.unwrap(), []);
    p.store.visit(bob, &View::Conversation("user:peer0".into()), Visit::Now, 9).await.unwrap();
    assert_eq!(p.store.unread(bob, 9).await.unwrap().total.count, 0);
}

#[tokio::test]
async fn whoever_comes_looks_and_goes_leaves_no_acknowledgements() {
    let p = Place::new();
    let ann = p.user("ann").await;
    let bob = p.user("bob").await;
    p.store.add_group(ann, Some("crew".into()), "Crew".into(), vec![], None).await.unwrap();
    let view = View::Conversation("group:crew".into());
    for _ in 0..20 {
        p.clock.advance(1);
        p.store.join("crew", "bob").await.unwrap();
        p.post(vec![message("ann", "bob")]).await;
        p.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
        p.store.leave("crew", "bob").await.unwrap();
    }
    assert_eq!(p.count("SELECT count(*) FROM acks").await, 0, "nothing was posted to the group");
    p.store.join("crew", "bob").await.unwrap();
    p.post(vec![to_group("ann", "crew")]).await;
    while p.store.fan_in(bob).await.unwrap() {}
    p.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
    p.store.leave("crew", "bob").await.unwrap();
    assert_eq!(p.count("SELECT count(*) FROM acks").await, 1, "one was read");
    assert_eq!(p.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn what_can_not_be_delivered_keeps_nothing_behind_it_waiting() {
    let p = Place::new();
    let ann = p.user("ann").await;
    let due = p.clock.now().plus_secs(60);
    let odd = "INSERT INTO scheduled (msgid, deliver_at, draft) VALUES ('a', 1, '{}'), ('b', 2, 'none')";
    p.change(|w| Ok(w.tx.execute(odd, [])?)).await;
    p.store.schedule(message("ghost", "nobody"), None, due, None).await.unwrap();
    p.store.schedule(message("bob", "ann"), None, due.plus_micros(1), None).await.unwrap();
    p.clock.advance(61);
    let (posts, next) = p.store.deliver_due().await.unwrap();
    assert_eq!((posts.len(), next), (1, None));
    assert_eq!(p.store.unread(ann, 9).await.unwrap().total.count, 1);
}

#[tokio::test]
async fn large_ones_that_are_due_are_delivered_a_few_at_a_time() {
    let p = Place::new();
    let ann = p.user("ann").await;
    let due = p.clock.now().plus_secs(60);
    for _ in 0..20 {
        let mut large = message("bob", "ann");
        large.content.body = "x".repeat(256 * 1024);
        p.store.schedule(large, None, due, None).await.unwrap();
    }
    p.clock.advance(60);
    let mut portions = vec![];
    while let (posts, Some(_)) = p.store.deliver_due().await.unwrap() {
        portions.push(posts.len());
    }
    assert!(!portions.is_empty() && portions.iter().all(|n| (1..20).contains(n)), "{portions:?}");
    assert_eq!(p.store.unread(ann, 99).await.unwrap().total.count, 20);
}

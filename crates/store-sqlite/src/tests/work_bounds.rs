//! Tests of the work of single transactions, counted in rows, portions and examined rows, never in time.

use std::sync::Arc;

use tidings_model::wire::{Change, Op, Scope};
use tidings_model::{Actor, Clock, Kind, Mark, MsgId, Stamp, Target, View};
use tidings_store::domain::limits;
use tidings_store::prelude::*;
use tidings_store::{
    Audience, Bounds, Draft, Error, ListQuery, NewToken, Outcome, Receipts, Recipients, RequestedOp,
    TargetRef, UserKey, Visit, WrittenContent,
};

use crate::SqliteStore;
use crate::fan_in::rows_examined;
use crate::groups::pending;
use crate::portions::{Budget, LongWrite, Monotonic};
use crate::publishing::recipients;
use crate::tables::{receipts, users};
use crate::upkeep::{prune, removal, repair};
use crate::write_tx::WriteTx;
use tidings_testkit::clock::ManualClock;

pub(super) struct Fixture {
    pub(super) store: SqliteStore,
    pub(super) clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

impl Fixture {
    /// With other bounds than the usual ones.
    pub(super) fn within(bounds: &Bounds) -> Self {
        let fixture = Self::new();
        Self { store: fixture.store.with_bounds(*bounds), ..fixture }
    }

    pub(super) fn new() -> Self {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
        let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
        Self { store, clock, _dir: dir }
    }

    pub(super) async fn user(&self, id: &str) -> UserKey {
        match self.store.add_user(id, id, None).await.unwrap() {
            Outcome::Done(user) => user.key,
            Outcome::Replayed(_) => unreachable!(),
        }
    }

    pub(super) async fn post(&self, drafts: Vec<Draft>) -> Vec<MsgId> {
        match self.store.post(drafts, None).await.unwrap() {
            Outcome::Done(posts) => posts.into_iter().map(|post| post.posted.msgid).collect(),
            Outcome::Replayed(_) => unreachable!(),
        }
    }

    /// The count that a query returns.
    pub(super) async fn count(&self, sql: &'static str) -> usize {
        self.store.read(move |c| Ok(c.query_row(sql, [], |r| r.get(0))?)).await.unwrap()
    }

    pub(super) async fn change<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.store.write(job).await.unwrap()
    }
}

/// A budget without a limit, for portions that are limited by their arguments alone.
fn unlimited_budget() -> Budget {
    Budget::new(usize::MAX, Arc::new(Monotonic::default()))
}

pub(super) fn actor(id: &str) -> Actor {
    Actor { id: id.into(), name: id.into() }
}

pub(super) fn message(from: &str, to: &str) -> Draft {
    Draft::new(Kind::Message, Audience::User(to.into()), actor(from))
}

pub(super) fn to_group(from: &str, group: &str) -> Draft {
    Draft::new(Kind::Message, Audience::Group(group.into()), actor(from))
}

pub(super) fn on_topic(topic: &str, name: &str) -> Draft {
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, actor(topic));
    draft.action = "publish".into();
    draft.target = Some(Target { kind: "topic".into(), id: topic.into(), ..Target::default() });
    draft.sequence = Some(name.into());
    draft
}

#[tokio::test]
async fn retention_deletes_by_age_in_portions_and_nobody_brings_in_what_it_passed() {
    let fixture = Fixture::new();
    let (ann, bob) = (fixture.user("ann").await, fixture.user("bob").await);
    for _ in 0..10 {
        fixture.post(vec![message("ann", "bob"); 10]).await;
    }
    let announcement = Draft::new(Kind::Announcement, Audience::Everyone, actor("ann"));
    fixture.post(vec![announcement]).await;
    fixture.clock.advance(3_600);
    let before = fixture.clock.now();
    let rows = || fixture.count("SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM notifications)");
    let (mut left, mut portions) = (rows().await, 0);
    while fixture
        .change(move |w| prune::portion(w, Some(before), Receipts::Deleted, 100, 40, &mut unlimited_budget()))
        .await
    {
        let now = rows().await;
        assert!(left - now <= 40, "{left} {now}");
        (left, portions) = (now, portions + 1);
        // During retention, nothing that it removes is added to an inbox.
        assert!(!fixture.store.fan_in(bob).await.unwrap());
    }
    assert_eq!((rows().await, portions), (0, 301 / 40));
    for user in [ann, bob] {
        assert!(
            fixture
                .store
                .sync(user, Stamp::ZERO, 10)
                .await
                .unwrap()
                .forgotten_before
                .is_some_and(|at| at <= before)
        );
    }
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_removed_user_is_gone_at_once_and_its_rows_go_in_portions() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    fixture.user("bob").await;
    let token = NewToken {
        id: "t".into(),
        hash: [1; 32],
        label: String::new(),
        scopes: vec![Scope::Inbox],
        made_by: None,
    };
    fixture.store.add_token("ann", token, None).await.unwrap();
    fixture.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    for n in 0..40 {
        fixture.store.follow(ann, &format!("u{n}")).await.unwrap();
    }
    fixture.post(vec![message("bob", "ann"); 100]).await;
    fixture.change(|w| users::remove(w, "ann", WrittenContent::Keep)).await;
    assert!(
        fixture.store.user("ann").await.unwrap().is_none()
            && fixture.store.bearer([1; 32]).await.unwrap().is_none()
    );
    assert_eq!(fixture.store.meta().await.unwrap().users, 1);
    assert_eq!(fixture.store.users(ListQuery::first(9)).await.unwrap().0.len(), 1);
    assert!(fixture.store.fan_in(ann).await.is_err());
    assert!(fixture.store.add_user("ann", "Ann", None).await.is_err(), "the id stays taken");
    let mut portions = vec![];
    while portions.last().is_none_or(|n| *n == 30) {
        portions.push(fixture.change(move |w| removal::portion(w, ann, 30)).await);
    }
    assert_eq!(portions, [30, 30, 30, 30, 22], "100 items, 40 follows, a token and a membership");
    assert_eq!(fixture.count("SELECT count(*) FROM users WHERE id > '~'").await, 0);
    assert_eq!(fixture.store.group("crew").await.unwrap().unwrap().owner, "bob");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn what_was_left_of_a_removed_user_goes_with_the_next_upkeep() {
    let fixture = Fixture::new();
    fixture.user("ann").await;
    fixture.user("bob").await;
    fixture.post(vec![message("bob", "ann"); 100]).await;
    fixture.change(|w| users::remove(w, "ann", WrittenContent::Keep)).await;
    while fixture.store.prune(None, 30).await.unwrap() {}
    assert_eq!(fixture.count("SELECT count(*) FROM users").await, 1);
    assert_eq!(fixture.count("SELECT count(*) FROM items").await, 100, "those that bob sent");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_group_that_is_being_made_is_seen_by_nobody_until_it_is_whole() {
    let fixture = Fixture::new();
    let (ann, bob) = (fixture.user("ann").await, fixture.user("bob").await);
    let group = fixture.change(move |w| pending::begin(w, ann, "crew", "Crew")).await;
    let first = group.clone();
    fixture.change(move |w| pending::add(w, &first, &[ann, bob])).await;
    assert!(fixture.store.group("crew").await.unwrap().is_none());
    assert!(fixture.store.groups_of(bob, ListQuery::first(9)).await.unwrap().0.is_empty());
    fixture.change(move |w| pending::reveal(w, &group)).await;
    assert_eq!(fixture.store.groups_of(bob, ListQuery::first(9)).await.unwrap().0.len(), 1);
    // An abandoned group is deleted after an hour, and nothing else with it.
    fixture
        .change(move |w| {
            pending::begin(w, ann, "left", "Left").and_then(|m| pending::add(w, &m, &[ann, bob]))
        })
        .await;
    while fixture.store.prune(None, 100).await.unwrap() {}
    assert_eq!(fixture.count("SELECT count(*) FROM groups").await, 2, "it may still be in the making");
    fixture.clock.advance(2 * 3_600);
    while fixture.store.prune(None, 100).await.unwrap() {}
    assert_eq!(
        (
            fixture.count("SELECT count(*) FROM groups").await,
            fixture.count("SELECT count(*) FROM memberships").await
        ),
        (1, 2)
    );
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn revisions_of_what_others_have_are_looked_at_once() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    for name in ["a", "b"] {
        fixture.post(vec![on_topic("other", name)]).await;
    }
    while fixture.store.fan_in(ann).await.unwrap() {}
    for _ in 0..3 {
        fixture.post(vec![on_topic("other", "a"), on_topic("other", "b")]).await;
    }
    let examined = fixture.store.read(move |c| rows_examined(c, ann)).await.unwrap();
    assert_eq!(examined, 4, "two publications and their two revisions, however often they were revised");
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let names: Vec<Draft> = (0..2_500).map(|n| on_topic("other", &n.to_string())).collect();
    fixture.post(names.clone()).await;
    while fixture.store.fan_in(ann).await.unwrap() {}
    fixture.post(names).await;
    assert_eq!(fixture.store.read(move |c| rows_examined(c, ann)).await.unwrap(), 2_000, "no more at once");
    while fixture.store.fan_in(ann).await.unwrap() {}
    let left = fixture.store.read(move |c| rows_examined(c, ann)).await.unwrap();
    assert!(left <= 1_024, "what was looked at in vain is passed: {left}");
}

#[tokio::test]
async fn delivered_receipts_are_forgotten_in_portions_and_old_ones_by_age() {
    let fixture = Fixture::new();
    let (ann, bob) = (fixture.user("ann").await, fixture.user("bob").await);
    fixture.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    let view = View::Conversation("group:crew".into());
    let read = async || {
        while fixture.store.fan_in(bob).await.unwrap() {}
        fixture.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
    };
    fixture.post(vec![to_group("ann", "crew"); 25]).await;
    read().await;
    assert_eq!(fixture.change(move |w| receipts::delete(w, ann, Stamp::MAX, 10)).await, 10);
    assert_eq!(fixture.count("SELECT count(*) FROM receipts").await, 15);
    fixture.store.ack_receipts(ann, Stamp::MAX, None).await.unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM receipts").await, 0);
    fixture.post(vec![to_group("ann", "crew"); 25]).await;
    read().await;
    fixture.clock.advance((limits::RECEIPT_DAYS + 1) * 24 * 3_600);
    while fixture.store.prune(None, 10).await.unwrap() {}
    assert_eq!(fixture.count("SELECT count(*) FROM receipts").await, 0);
    assert_eq!(fixture.count("SELECT min(read_count) FROM group_messages").await, 1, "the counts stay");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn looking_again_and_coming_and_going_leave_nothing_behind() {
    let fixture = Fixture::new();
    let (ann, bob) = (fixture.user("ann").await, fixture.user("bob").await);
    fixture.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    fixture.post(vec![to_group("ann", "crew")]).await;
    let view = View::Conversation("group:crew".into());
    for _ in 0..20 {
        fixture.clock.advance(1);
        fixture.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
        fixture
            .store
            .subscribe(ann, TargetRef { kind: "a".into(), id: "1".into() }, vec!["like".into()], None)
            .await
            .unwrap();
    }
    assert_eq!(fixture.count("SELECT count(*) FROM acks").await, 1, "nothing new was read");
    fixture.user("cat").await;
    for _ in 0..20 {
        fixture.store.join("crew", "cat").await.unwrap();
        fixture.store.leave("crew", "cat").await.unwrap();
    }
    assert_eq!(fixture.count("SELECT count(*) FROM memberships").await, 2, "nothing was posted meanwhile");
    fixture.store.join("crew", "cat").await.unwrap();
    fixture.post(vec![to_group("ann", "crew")]).await;
    fixture.store.leave("crew", "cat").await.unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM memberships").await, 3);
    fixture.post(vec![to_group("ann", "crew")]).await;
    fixture.clock.advance(3_600);
    let before = fixture.clock.now();
    while fixture.store.prune(Some(before), 100).await.unwrap() {}
    fixture.post(vec![to_group("ann", "crew")]).await;
    while fixture.store.fan_in(bob).await.unwrap() {}
    fixture.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM memberships").await, 2, "what it counted for is gone");
    assert_eq!(fixture.count("SELECT count(*) FROM acks").await, 1);
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn operations_are_remembered_for_a_month() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let read = |n: usize| {
        let op =
            Op { id: n.to_string(), change: Change::Mark { mark: Mark::Read, msgids: vec![], at: None } };
        RequestedOp { id: op.id.clone(), op: Some(op) }
    };
    fixture.store.apply(ann, (0..25).map(read).collect(), 9, None).await.unwrap();
    fixture.clock.advance((limits::OPERATION_DAYS - 1) * 24 * 3_600);
    while fixture.store.prune(None, 10).await.unwrap() {}
    assert_eq!(fixture.count("SELECT count(*) FROM applied_ops").await, 25);
    fixture.clock.advance(2 * 24 * 3_600);
    while fixture.store.prune(None, 10).await.unwrap() {}
    assert_eq!(fixture.count("SELECT count(*) FROM applied_ops").await, 0);
}

#[tokio::test]
async fn whom_many_publications_concern_is_found_from_the_smaller_side_and_within_a_bound() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let target = TargetRef { kind: "article".into(), id: "7".into() };
    fixture.store.subscribe(ann, target, vec!["like".into()], None).await.unwrap();
    let all_recipients: Vec<Recipients> = (0..1_000)
        .map(|n| Recipients::Subscribers {
            kind: "article".into(),
            id: n.to_string(),
            action: "like".into(),
            actor: format!("u{n}"),
        })
        .collect();
    let online: Vec<UserKey> = (0..4_000).map(UserKey).collect();
    let among = online.clone();
    let (found, work) = fixture
        .store
        .read(move |c| recipients::recipients_within(c, &all_recipients, &among, 100_000))
        .await
        .unwrap();
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
        let user = fixture.user(&format!("u{n}")).await;
        let target = TargetRef { kind: "a".into(), id: "1".into() };
        fixture.store.subscribe(user, target, vec!["like".into()], None).await.unwrap();
    }
    let first_five: Vec<UserKey> = online[..5].to_vec();
    let (all_recipients, among) = (vec![everybody], first_five.clone());
    let (found, work) = fixture
        .store
        .read(move |c| recipients::recipients_within(c, &all_recipients, &among, 1_000))
        .await
        .unwrap();
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
    let among = first_five.clone();
    let (found, _) =
        fixture.store.read(move |c| recipients::recipients_within(c, &again, &among, 3)).await.unwrap();
    assert_eq!(found, first_five);
}

#[tokio::test]
async fn a_full_disk_refuses_writes_and_never_reads() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    fixture.user("bob").await;
    fixture.post(vec![message("bob", "ann")]).await;
    fixture
        .post((0..1_000).map(|_| Draft::new(Kind::Announcement, Audience::Everyone, actor("bob"))).collect())
        .await;
    let pages = |n: i64| {
        move |tx: &rusqlite::Transaction<'_>| -> Result<(), tidings_sqlite::Error> {
            Ok(tx.pragma_update(None, "max_page_count", n)?)
        }
    };
    // The database can't grow beyond its present number of pages.
    fixture.store.db.write(pages(1)).await.unwrap();
    let full = |result: Result<(), Error>| {
        let problem = result.unwrap_err().into_problem();
        assert_eq!(problem.status, 503);
        assert!(problem.detail.contains("disk is full"), "{}", problem.detail);
    };
    let mut large = message("bob", "ann");
    large.content.body = "x".repeat(200_000);
    full(fixture.store.post(vec![large.clone()], None).await.map(drop));
    // A portion ends by the clock too: a few rows may find room in pages that are there.
    while fixture.store.fan_in(ann).await.unwrap() {}
    let there = fixture.store.sync(ann, Stamp::ZERO, 5_000).await.unwrap().items.len();
    assert!((1..1_001).contains(&there), "what is there is read, the rest has to wait: {there}");
    assert_eq!(fixture.store.unread(ann, 9).await.unwrap().message.count, 1);
    fixture.store.db.write(pages(1_000_000)).await.unwrap();
    fixture.post(vec![large]).await;
    while fixture.store.fan_in(ann).await.unwrap() {}
    assert_eq!(
        fixture.store.sync(ann, Stamp::ZERO, 5_000).await.unwrap().items.len(),
        1_002,
        "nothing was lost"
    );
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn reading_everything_in_portions_covers_what_is_ones_own() {
    let mut fixture = Fixture::new();
    fixture.store.bounds.portion_units = 1;
    let (ann, bob) = (fixture.user("ann").await, fixture.user("bob").await);
    fixture.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    fixture.post(vec![to_group("ann", "crew"), to_group("bob", "crew")]).await;
    while fixture.store.fan_in(bob).await.unwrap() {}
    let all = Op { id: "1".into(), change: Change::ReadAll { kind: None, through: Stamp::MAX } };
    fixture.store.apply(bob, vec![RequestedOp { id: all.id.clone(), op: Some(all) }], 9, None).await.unwrap();
    let items = fixture.store.sync(bob, Stamp::ZERO, 9).await.unwrap().items().unwrap();
    assert_eq!(items.iter().map(|i| i.read_at.is_some()).collect::<Vec<_>>(), [true, true]);
}

#[tokio::test]
async fn a_list_of_conversations_is_put_right_in_portions_whatever_is_wrong_with_it() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    for n in 0..40 {
        fixture.post(vec![message(&format!("peer{n}"), "ann"); 2]).await;
    }
    let deleted_message = fixture.post(vec![message("gone", "ann")]).await;
    fixture.change(move |w| {
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
    assert_eq!(deleted_message.len(), 1);
    let (found, _) = fixture.store.reconcile(UserKey(0), Stamp::ZERO, 9).await.unwrap();
    assert_eq!(found.len(), 11 + 11 + 1, "{found:?}");
    assert_eq!(fixture.store.check().await.unwrap(), []);
    assert_eq!(fixture.count("SELECT count(*) FROM conversations").await, 40);
    assert_eq!(fixture.store.reconcile(UserKey(0), Stamp::ZERO, 9).await.unwrap(), (vec![], Some(ann)));
    // A portion repairs only some of them.
    fixture.change(|w| Ok(w.tx.execute("DELETE FROM conversations", [])?)).await;
    let (repaired, portions) = fixture
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
    let fixture = Fixture::new();
    let (ann, bob) = (fixture.user("ann").await, fixture.user("bob").await);
    fixture.store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    fixture.user("cat").await;
    fixture.store.join("crew", "cat").await.unwrap();
    let group = View::Conversation("group:crew".into());
    for n in 0..20 {
        fixture.clock.advance(1);
        fixture.post(vec![to_group("ann", "crew"), message(&format!("peer{n}"), "bob")]).await;
        while fixture.store.fan_in(bob).await.unwrap() {}
        let peer = View::Conversation(format!("user:peer{n}"));
        for view in [&group, &peer] {
            fixture.store.visit(bob, view, Visit::Now, 9).await.unwrap();
        }
    }
    fixture.store.leave("crew", "bob").await.unwrap();
    fixture.clock.advance(3_600);
    fixture.post(vec![to_group("ann", "crew"), message("peer0", "bob")]).await;
    let unread_before = fixture.store.unread(bob, 9).await.unwrap();
    let rows = || fixture.count("SELECT (SELECT count(*) FROM read_marks) + (SELECT count(*) FROM acks)");
    assert_eq!(rows().await, 21 + 20);
    while fixture.store.prune(None, 10).await.unwrap() {}
    assert_eq!(rows().await, 21 + 20, "without retention everything that they speak of is there");
    let before = fixture.clock.now();
    while fixture.store.prune(Some(before), 10).await.unwrap() {
        assert_eq!(fixture.store.check().await.unwrap(), [], "in between as well");
    }
    assert_eq!(rows().await, 0);
    assert_eq!(fixture.store.unread(bob, 9).await.unwrap(), unread_before);
    assert_eq!(fixture.store.check().await.unwrap(), []);
    fixture.store.visit(bob, &View::Conversation("user:peer0".into()), Visit::Now, 9).await.unwrap();
    assert_eq!(fixture.store.unread(bob, 9).await.unwrap().total.count, 0);
}

#[tokio::test]
async fn whoever_comes_looks_and_goes_leaves_no_acknowledgements() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let bob = fixture.user("bob").await;
    fixture.store.add_group(ann, Some("crew".into()), "Crew".into(), vec![], None).await.unwrap();
    let view = View::Conversation("group:crew".into());
    for _ in 0..20 {
        fixture.clock.advance(1);
        fixture.store.join("crew", "bob").await.unwrap();
        fixture.post(vec![message("ann", "bob")]).await;
        fixture.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
        fixture.store.leave("crew", "bob").await.unwrap();
    }
    assert_eq!(fixture.count("SELECT count(*) FROM acks").await, 0, "nothing was posted to the group");
    fixture.store.join("crew", "bob").await.unwrap();
    fixture.post(vec![to_group("ann", "crew")]).await;
    while fixture.store.fan_in(bob).await.unwrap() {}
    fixture.store.visit(bob, &view, Visit::Now, 9).await.unwrap();
    fixture.store.leave("crew", "bob").await.unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM acks").await, 1, "one was read");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn what_can_not_be_delivered_keeps_nothing_behind_it_waiting() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let due = fixture.clock.now().plus_secs(60);
    let invalid_drafts =
        "INSERT INTO scheduled (msgid, deliver_at, draft) VALUES ('a', 1, '{}'), ('b', 2, 'none')";
    fixture.change(|w| Ok(w.tx.execute(invalid_drafts, [])?)).await;
    fixture.store.schedule(message("ghost", "nobody"), due, None).await.unwrap();
    fixture.store.schedule(message("bob", "ann"), due.plus_micros(1), None).await.unwrap();
    fixture.clock.advance(61);
    let mut delivered = 0;
    loop {
        // On a busy machine one portion may end before the next row.
        let (posts, next) = fixture.store.deliver_due().await.unwrap();
        delivered += posts.len();
        if next.is_none() {
            break;
        }
    }
    assert_eq!(delivered, 1);
    assert_eq!(fixture.store.unread(ann, 9).await.unwrap().total.count, 1);
}

#[tokio::test]
async fn large_ones_that_are_due_are_delivered_a_few_at_a_time() {
    let fixture = Fixture::new();
    let ann = fixture.user("ann").await;
    let due = fixture.clock.now().plus_secs(60);
    for _ in 0..20 {
        let mut large = message("bob", "ann");
        large.content.body = "x".repeat(256 * 1024);
        fixture.store.schedule(large, due, None).await.unwrap();
    }
    fixture.clock.advance(60);
    let mut portions = vec![];
    while let (posts, Some(_)) = fixture.store.deliver_due().await.unwrap() {
        portions.push(posts.len());
    }
    assert!(!portions.is_empty() && portions.iter().all(|n| (1..20).contains(n)), "{portions:?}");
    assert_eq!(fixture.store.unread(ann, 99).await.unwrap().total.count, 20);
}

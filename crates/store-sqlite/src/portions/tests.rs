//! Tests with large inboxes: the cost of a write or a page, counted in steps of SQLite's virtual machine, and the
//! writes of others that go between portions.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use tidings_model::wire::{Change, Op};
use tidings_model::{Actor, Class, Clock, Kind, Mark, MsgId, Stamp, Target, View};
use tidings_store::prelude::*;
use tidings_store::{
    Applied, Audience, Bounds, ConversationQuery, Draft, Outcome, RequestedOp, TargetRef, UserKey, Visit,
};

use super::super::SqliteStore;
use super::super::catalog_cache::CatalogCache;
use super::super::inbox::{conversations, counts};
use super::super::read_state::marks::VisitWrite;
use super::super::read_state::ops::OpsWrite;
use super::super::tables::meta;
use super::super::write_tx::WriteTx;
use super::{Budget, LongWrite, MAX_BATCH_ROWS, MAX_PORTION_TIME, Monotonic, Stopwatch};
use tidings_testkit::clock::ManualClock;

/// The units of a portion if no test says otherwise.
fn usual_units() -> usize {
    Bounds::default().portion_units
}

/// A server with alice, bob and a group of the two.
struct Fixture {
    store: SqliteStore,
    alice: UserKey,
    bob: UserKey,
    dir: tempfile::TempDir,
}

impl Fixture {
    /// A fixture whose portions have `units`.
    async fn new(units: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::default());
        let mut store = SqliteStore::open(&dir.path().join("server.db"), clock).unwrap();
        store.bounds.portion_units = units;
        let mut keys = Vec::new();
        for id in ["alice", "bob"] {
            match store.add_user(id, id, None).await.unwrap() {
                Outcome::Done(user) => keys.push(user.key),
                Outcome::Replayed(_) => unreachable!(),
            }
        }
        store
            .add_group(keys[1], Some("crew".into()), "Crew".into(), vec!["alice".into()], None)
            .await
            .unwrap();
        Self { store, alice: keys[0], bob: keys[1], dir }
    }

    async fn post(&self, drafts: Vec<Draft>) -> Vec<MsgId> {
        match self.store.post(drafts, None).await.unwrap() {
            Outcome::Done(posts) => posts.into_iter().map(|p| p.posted.msgid).collect(),
            Outcome::Replayed(_) => unreachable!(),
        }
    }

    async fn fan_in(&self) {
        while self.store.fan_in(self.alice).await.unwrap() {}
    }

    async fn unread(&self) -> u64 {
        self.store.unread(self.alice, 1_000_000).await.unwrap().total.count
    }

    async fn apply(&self, id: &str, change: Change) -> Applied {
        match self.store.apply(self.alice, op_request(id, change), 99, None).await.unwrap() {
            Outcome::Done(applied) => applied,
            Outcome::Replayed(_) => unreachable!(),
        }
    }

    /// The steps that a write takes.
    fn count_write_steps(&self, change: impl FnOnce(&mut WriteTx<'_>)) -> u64 {
        let (mut conn, steps) = self.counting_connection();
        conn.pragma_update(None, "foreign_keys", true).unwrap();
        let (tx, cache) = (conn.transaction().unwrap(), CatalogCache::default());
        let mut ctx = WriteTx::begin(&tx, ManualClock::default().now(), &cache).unwrap();
        change(&mut ctx);
        ctx.end().unwrap();
        tx.commit().unwrap();
        steps.load(Ordering::SeqCst)
    }

    /// The number of statements that a long write runs.
    fn count_statements(&self, mut change: impl LongWrite) -> usize {
        thread_local! {
            static RUN: Cell<usize> = const { Cell::new(0) };
        }
        let mut conn = Connection::open(self.dir.path().join("server.db")).unwrap();
        conn.pragma_update(None, "foreign_keys", true).unwrap();
        conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(|_: TraceEvent<'_>| RUN.set(RUN.get() + 1)))
            .unwrap();
        let (tx, cache) = (conn.transaction().unwrap(), CatalogCache::default());
        let mut ctx = WriteTx::begin(&tx, ManualClock::default().now(), &cache).unwrap();
        let before = RUN.get();
        let budget = || Budget::new(usize::MAX, Arc::new(Monotonic::default()));
        while !change.portion(&mut ctx, &mut budget()).unwrap() {}
        let run = RUN.get() - before;
        ctx.end().unwrap();
        tx.commit().unwrap();
        run
    }

    /// The creation time and the stamp of each item of alice, in stamp order.
    async fn stamps(&self) -> Vec<(Stamp, Stamp)> {
        let page = self.store.sync(self.alice, Stamp::ZERO, 5_000).await.unwrap();
        page.items().unwrap().into_iter().map(|n| (n.created_at, n.stamp)).collect()
    }

    /// The steps that a read takes.
    fn count_read_steps(&self, read: impl FnOnce(&Connection)) -> u64 {
        let (conn, steps) = self.counting_connection();
        read(&conn);
        steps.load(Ordering::SeqCst)
    }

    /// A separate connection, and the number of virtual machine steps run on it.
    fn counting_connection(&self) -> (Connection, Arc<AtomicU64>) {
        let mut conn = Connection::open(self.dir.path().join("server.db")).unwrap();
        let steps = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&steps);
        let step = move || {
            count.fetch_add(1, Ordering::SeqCst);
            false
        };
        conn.progress_handler(1, Some(step)).unwrap();
        (conn, steps)
    }

    /// Bob posts several messages, one after the other, while a long write of alice runs; asserts that each is answered
    /// before the long write is done. That goes on only between two posts, however slow the machine is.
    async fn assert_others_write_during(&self, change: impl Future<Output = ()>) {
        let mut change = pin!(change);
        for _ in 0..4 {
            let goes_on = poll_fn(|cx| Poll::Ready(change.as_mut().poll(cx).is_pending())).await;
            assert!(goes_on, "the posts waited for all of it");
            self.post(vec![to_group("bob")]).await;
        }
        change.await;
        self.fan_in().await;
        assert_eq!(self.store.check().await.unwrap(), []);
    }

    /// Drops a long write after its first portions, as when the server is killed.
    async fn interrupt(&self, change: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = change => panic!("it was done at once"),
            () = async {
                for _ in 0..2 {
                    self.post(vec![Draft::new(Kind::Message, Audience::User("bob".into()), actor("bob"))]).await;
                }
            } => {}
        }
        assert_eq!(self.store.check().await.unwrap(), [], "what the portions left behind is valid");
    }
}

fn op_request(id: &str, change: Change) -> Vec<RequestedOp> {
    vec![RequestedOp { id: id.into(), op: Some(Op { id: id.into(), change }) }]
}

fn actor(id: &str) -> Actor {
    Actor { id: id.into(), name: id.into() }
}

fn message(from: &str) -> Draft {
    Draft::new(Kind::Message, Audience::User("alice".into()), actor(from))
}

fn to_group(from: &str) -> Draft {
    Draft::new(Kind::Message, Audience::Group("crew".into()), actor(from))
}

fn announcement() -> Draft {
    Draft::new(Kind::Announcement, Audience::Everyone, actor("press"))
}

fn like_reminder() -> Draft {
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, actor("carol"));
    draft.action = "like".into();
    draft.target = Some(Target { kind: "article".into(), id: "1".into(), ..Target::default() });
    draft
}

fn repeat(n: usize, new_draft: impl Fn() -> Draft) -> Vec<Draft> {
    std::iter::repeat_with(new_draft).take(n).collect()
}

const READ_ALL: Change = Change::ReadAll { kind: None, through: Stamp::MAX };

/// An inbox with many unread items of every kind.
async fn full_inbox(units: usize) -> Fixture {
    let fixture = Fixture::new(units).await;
    let target = TargetRef { kind: "article".into(), id: "1".into() };
    fixture.store.subscribe(fixture.alice, target, vec!["like".into()], None).await.unwrap();
    for make in [announcement, like_reminder, || message("bob"), || to_group("bob")] {
        fixture.post(repeat(200, make)).await;
    }
    fixture.fan_in().await;
    assert_eq!(fixture.unread().await, 800);
    fixture
}

#[tokio::test]
async fn others_write_between_the_portions_of_whatever_takes_long() {
    let fixture = full_inbox(100).await;
    fixture.assert_others_write_during(async { drop(fixture.apply("all", READ_ALL).await) }).await;
    assert_eq!(fixture.unread().await, 4, "what was posted meanwhile");

    let first = fixture.post(repeat(200, || message("bob"))).await.remove(0);
    let view = View::Conversation("user:bob".into());
    let visit = async { drop(fixture.store.visit(fixture.alice, &view, Visit::Now, 9).await.unwrap()) };
    fixture.assert_others_write_during(visit).await;
    let back = Change::Mark { mark: Mark::Unread, msgids: vec![first], at: None };
    fixture.assert_others_write_during(async { drop(fixture.apply("back", back).await) }).await;
    assert_eq!(fixture.store.view(fixture.alice, &view, 1_000).await.unwrap().1.count, 200);

    fixture.post(repeat(200, announcement)).await;
    fixture.assert_others_write_during(fixture.fan_in()).await;

    let msgids = (0..1_000).map(|i| MsgId(format!("unknown{i}"))).collect();
    fixture
        .assert_others_write_during(async {
            drop(fixture.apply("in vain", Change::Mark { mark: Mark::Read, msgids, at: None }).await);
        })
        .await;
}

#[tokio::test]
async fn acknowledging_many_messages_of_a_group_lets_others_write_and_makes_one_receipt_each() {
    let fixture = Fixture::new(100).await;
    fixture.post(repeat(300, || to_group("bob"))).await;
    fixture.fan_in().await;
    let view = View::Conversation("group:crew".into());
    let visit = async {
        let (_, left, affected) = fixture.store.visit(fixture.alice, &view, Visit::Now, 9).await.unwrap();
        assert_eq!((left.count, affected), (0, [fixture.bob].into()));
    };
    fixture.assert_others_write_during(visit).await;
    let page = fixture.store.receipts(fixture.bob, Stamp::ZERO, 1_000).await.unwrap();
    assert_eq!(page.receipts.len(), 300);
}

#[tokio::test]
async fn what_was_interrupted_is_valid_and_a_repetition_finishes_it() {
    let fixture = full_inbox(100).await;
    fixture.interrupt(async { drop(fixture.apply("all", READ_ALL).await) }).await;
    let left = fixture.unread().await;
    assert!(left > 0 && left < 800, "{left}");
    assert!(fixture.apply("all", READ_ALL).await.changed);
    assert_eq!(fixture.unread().await, 0);
    assert!(!fixture.apply("all", READ_ALL).await.changed, "now it was applied");

    let first = fixture.post(repeat(200, || message("bob"))).await.remove(0);
    let view = View::Conversation("user:bob".into());
    fixture.store.visit(fixture.alice, &view, Visit::Now, 9).await.unwrap();
    let back = || Change::Mark { mark: Mark::Unread, msgids: vec![first.clone()], at: None };
    fixture.interrupt(async { drop(fixture.apply("back", back()).await) }).await;
    fixture.apply("back", back()).await;
    assert_eq!(fixture.unread().await, 200);

    fixture.post(repeat(200, announcement)).await;
    fixture.interrupt(fixture.fan_in()).await;
    fixture.fan_in().await;
    assert_eq!(fixture.unread().await, 400, "each once");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_key_is_answered_when_everything_is_done_and_again_with_the_same_words() {
    use tidings_store::{Idempotency, StoredResponse};
    let fixture = full_inbox(100).await;
    let idempotency = || {
        let answer = |applied: &Applied| StoredResponse {
            status: 200,
            body: applied.unread.total.count.to_string().into_bytes(),
            token_salt: String::new(),
        };
        Some(Idempotency { token: "t".into(), key: "k".into(), answer: Box::new(answer) })
    };
    let apply_with_key = || async {
        fixture.store.apply(fixture.alice, op_request("all", READ_ALL), 99, idempotency()).await.unwrap()
    };
    fixture.interrupt(async { drop(apply_with_key().await) }).await;
    assert_eq!(fixture.store.stored_response("t", "k").await.unwrap(), None);
    assert!(matches!(apply_with_key().await, Outcome::Done(applied) if applied.unread.total.count == 0));
    assert!(matches!(apply_with_key().await, Outcome::Replayed(answer) if answer.body == b"0"));
}

#[tokio::test]
async fn one_user_has_one_long_change_under_way_and_the_others_wait_for_it_alone() {
    let fixture = full_inbox(100).await;
    let all = || async { drop(fixture.apply("all", READ_ALL).await) };
    let three = async {
        tokio::join!(all(), all(), all());
    };
    fixture.assert_others_write_during(three).await;
    assert_eq!(fixture.unread().await, 4);
}

#[tokio::test]
async fn reading_costs_what_is_unread_however_much_there_is() {
    let mut costs = Vec::new();
    for read in [20, 2_000] {
        let fixture = Fixture::new(usual_units()).await;
        let target = TargetRef { kind: "article".into(), id: "1".into() };
        fixture.store.subscribe(fixture.alice, target, vec!["like".into()], None).await.unwrap();
        for make in [announcement, like_reminder, || message("bob"), || to_group("bob")] {
            for _ in 0..read / 20 {
                fixture.post(repeat(5, make)).await;
            }
        }
        fixture.fan_in().await;
        fixture.apply("before", READ_ALL).await;
        let msgids =
            fixture.post(vec![announcement(), like_reminder(), message("bob"), message("carol")]).await;
        fixture.fan_in().await;
        let unread = Change::Mark { mark: Mark::Unread, msgids: msgids.clone(), at: None };
        let changes = [
            ("all", READ_ALL),
            ("unread", unread),
            ("read", Change::Mark { mark: Mark::Read, msgids, at: None }),
        ];
        costs.push(fixture.count_write_steps(|ctx| {
            for (id, change) in changes {
                let mut ops_write = OpsWrite::new(fixture.alice, op_request(id, change));
                while !ops_write
                    .portion(ctx, &mut Budget::new(usual_units(), Arc::new(Monotonic::default())))
                    .unwrap()
                {}
            }
        }));
        assert_eq!(fixture.unread().await, 0);
    }
    assert!(costs[1] < costs[0] * 2, "with 2,000 items {} steps, with 20 {}", costs[1], costs[0]);
}

#[tokio::test]
async fn a_class_that_changes_costs_nothing_per_item() {
    let mut costs = Vec::new();
    for items in [10, 1_000] {
        let fixture = Fixture::new(usual_units()).await;
        let target = TargetRef { kind: "article".into(), id: "1".into() };
        fixture.store.subscribe(fixture.alice, target, vec!["like".into()], None).await.unwrap();
        fixture.post(repeat(items, like_reminder)).await;
        fixture.fan_in().await;
        let mut catalog = (*fixture.store.catalog().await.unwrap()).clone();
        catalog.actions.get_mut("like").unwrap().class = Class::Auto;
        costs.push(fixture.count_write_steps(|ctx| meta::replace_catalog(ctx, &catalog).unwrap()));
    }
    assert_eq!(costs[0], costs[1]);
}

#[tokio::test]
async fn a_page_of_conversations_costs_what_it_holds_however_many_there_are() {
    let mut costs = Vec::new();
    for conversations in [20, 1_000] {
        let fixture = Fixture::new(usual_units()).await;
        let drafts = (0..conversations).map(|i| message(&format!("peer{i}"))).collect();
        let Outcome::Done(posts) = fixture.store.post(drafts, None).await.unwrap() else { panic!() };
        let mut max_cost = 0;
        for before in [None, Some(posts[posts.len() - 5].posted.stamp), Some(posts[15].posted.stamp)] {
            let query = ConversationQuery { before, limit: 10, cap: 99 };
            max_cost = max_cost.max(fixture.count_read_steps(|conn| {
                let page = conversations::page(conn, fixture.alice, &query, Stamp::MAX).unwrap();
                assert_eq!(page.len(), 10);
            }));
        }
        costs.push(max_cost);
        let named = fixture.count_read_steps(|conn| {
            let counts = counts::unread(conn, fixture.alice, 99, Stamp::MAX).unwrap();
            assert!(counts.conversations.len() <= 1_000);
        });
        assert!(named < 150_000, "{named} steps for the numbers");
    }
    assert!(costs[1] < costs[0] * 2, "with 1,000 conversations {} steps, with 20 {}", costs[1], costs[0]);
}

#[tokio::test]
async fn a_page_of_conversations_ends_at_four_mebibytes() {
    let fixture = Fixture::new(usual_units()).await;
    for i in 0..6 {
        let mut draft = message(&format!("peer{i}"));
        draft.content.body = "x".repeat(1024 * 1024);
        fixture.post(vec![draft]).await;
    }
    let query = |before| ConversationQuery { before, limit: 100, cap: 99 };
    let first = fixture.store.conversations(fixture.alice, query(None)).await.unwrap();
    assert_eq!(first.len(), 3);
    let before = first.last().map(|c| c.last.created_at);
    assert_eq!(fixture.store.conversations(fixture.alice, query(before)).await.unwrap().len(), 3);
    let mut draft = message("long");
    draft.content.body = "x".repeat(5 * 1024 * 1024);
    fixture.post(vec![draft]).await;
    assert_eq!(
        fixture.store.conversations(fixture.alice, query(None)).await.unwrap().len(),
        1,
        "at least one"
    );
}

/// A stopwatch that advances by `step` at every reading.
struct Ticking {
    step: Duration,
    readings: AtomicU64,
}

impl Ticking {
    fn every(step: Duration) -> Arc<Self> {
        Arc::new(Self { step, readings: AtomicU64::new(0) })
    }
}

impl Stopwatch for Ticking {
    fn elapsed(&self) -> Duration {
        self.step * u32::try_from(self.readings.fetch_add(1, Ordering::SeqCst)).unwrap()
    }
}

const MILLISECOND: Duration = Duration::from_millis(1);

#[tokio::test]
async fn a_portion_ends_when_its_time_is_used_up_however_few_its_rows_are() {
    let fixture = full_inbox(usize::MAX).await;
    let mut portions = Vec::new();
    let mut ops_write = OpsWrite::new(fixture.alice, op_request("all", READ_ALL));
    fixture.count_write_steps(|ctx| {
        loop {
            let watch = Ticking::every(MILLISECOND);
            let done =
                ops_write.portion(ctx, &mut Budget::new(usize::MAX, Arc::clone(&watch) as Arc<_>)).unwrap();
            portions.push(watch.elapsed());
            if done {
                break;
            }
        }
    });
    assert_eq!(fixture.unread().await, 0);
    assert!(portions.len() > 1, "with no end to its rows: {portions:?}");
    let longest = portions.iter().max().unwrap();
    assert!(*longest <= MAX_PORTION_TIME + 3 * MILLISECOND, "no further batch once it is over: {portions:?}");
}

#[tokio::test]
async fn others_write_between_portions_that_end_by_their_time() {
    let mut fixture = full_inbox(usize::MAX).await;
    fixture.store.stopwatch = Ticking::every(MAX_PORTION_TIME);
    fixture.assert_others_write_during(async { drop(fixture.apply("all", READ_ALL).await) }).await;
    assert_eq!(fixture.unread().await, 4, "what was posted meanwhile");
    fixture.post(repeat(200, announcement)).await;
    fixture.assert_others_write_during(fixture.fan_in()).await;
    let view = View::Conversation("group:crew".into());
    fixture.post(repeat(800, || to_group("bob"))).await;
    fixture.fan_in().await;
    let visit = async { drop(fixture.store.visit(fixture.alice, &view, Visit::Now, 9).await.unwrap()) };
    fixture.assert_others_write_during(visit).await;
}

#[tokio::test]
async fn a_portion_gets_on_where_its_time_is_over_before_it_began() {
    let mut fixture = full_inbox(usize::MAX).await;
    fixture.store.stopwatch = Ticking::every(MAX_PORTION_TIME);
    fixture.apply("all", READ_ALL).await;
    assert_eq!(fixture.unread().await, 0);
}

#[tokio::test]
async fn everything_is_read_with_one_statement_for_each_item_and_a_few_for_each_hundred() {
    let fixture = Fixture::new(usize::MAX).await;
    let target = TargetRef { kind: "article".into(), id: "1".into() };
    fixture.store.subscribe(fixture.alice, target, vec!["like".into()], None).await.unwrap();
    for _ in 0..4 {
        fixture.post(repeat(500, like_reminder)).await;
    }
    fixture.fan_in().await;
    let before = fixture.stamps().await;
    let ops_write = OpsWrite::new(fixture.alice, op_request("all", READ_ALL));
    let statements = fixture.count_statements(ops_write);
    let most = 2_000 + 2_000 / MAX_BATCH_ROWS * 4 + 20;
    assert!(statements < most, "{statements} statements for 2,000 items");
    let after = fixture.stamps().await;
    assert_eq!(fixture.unread().await, 0);
    assert!(after[0].1 > before.last().unwrap().1, "each changed anew");
    let order = |stamps: &[(Stamp, Stamp)]| stamps.iter().map(|s| s.0).collect::<Vec<_>>();
    assert_eq!(order(&after), order(&before), "in the order in which they came");
    assert!(after.windows(2).all(|w| w[0].1 < w[1].1), "each at a stamp of its own");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn messages_of_a_group_are_read_with_a_few_statements_for_each_hundred() {
    let fixture = Fixture::new(usize::MAX).await;
    fixture.post(repeat(1_000, || to_group("bob"))).await;
    fixture.fan_in().await;
    let view = View::Conversation("group:crew".into());
    let statements = fixture.count_statements(VisitWrite::new(fixture.alice, view, Visit::Now));
    assert!(statements < 1_000 / MAX_BATCH_ROWS * 20 + 20, "{statements} statements for 1,000 messages");
    let page = fixture.store.receipts(fixture.bob, Stamp::ZERO, 2_000).await.unwrap();
    assert_eq!(page.receipts.len(), 1_000);
    let sent = fixture.store.sync(fixture.bob, Stamp::ZERO, 2_000).await.unwrap().items().unwrap();
    assert_eq!(sent.len(), 1_000);
    assert!(sent.iter().all(|n| n.version == 2 && n.receipt.is_some_and(|r| r.read == 1)));
    assert_eq!(page.next, sent.last().unwrap().stamp, "a receipt and its message have one stamp");
    assert_eq!(fixture.store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_thread_costs_what_the_inbox_holds_of_it_however_much_others_published_to_it() {
    use super::super::inbox::list;
    use tidings_store::InboxQuery;
    let mut costs = Vec::new();
    for others in [10, 2_000] {
        let fixture = Fixture::new(usual_units()).await;
        // Alice receives carol's actions and not those of others.
        fixture.store.follow(fixture.alice, "carol").await.unwrap();
        let dave = || Draft { actor: "dave".into(), ..like_reminder() };
        fixture.post(repeat(5, like_reminder)).await;
        for _ in 0..others / 10 {
            fixture.post(repeat(10, dave)).await;
        }
        fixture.post(repeat(5, like_reminder)).await;
        fixture.fan_in().await;
        costs.push(fixture.count_read_steps(|conn| {
            for (thread, holds) in [("article:1#like", 10), ("article:1#comment", 0), ("article:2#like", 0)] {
                let query = InboxQuery { limit: 50, thread: Some(thread.into()), ..InboxQuery::default() };
                let page = list::inbox(conn, fixture.alice, &query, Stamp::MAX).unwrap();
                assert_eq!((page.items.len(), page.next), (holds, None), "{thread}");
            }
        }));
    }
    assert!(costs[1] < costs[0] * 2, "beside 2,000 others {} steps, beside 10 {}", costs[1], costs[0]);
}

#[tokio::test]
async fn a_page_of_the_inbox_costs_what_it_holds_whatever_else_is_there() {
    use super::super::inbox::list;
    use tidings_store::InboxQuery;
    let mut costs = Vec::new();
    for others in [10, 2_000] {
        let fixture = Fixture::new(usual_units()).await;
        for _ in 0..others / 10 {
            fixture.post(repeat(10, || message("bob"))).await;
        }
        fixture.apply("all", READ_ALL).await;
        let pages = [
            InboxQuery { archived: true, ..InboxQuery::default() },
            InboxQuery { unread: Some(true), ..InboxQuery::default() },
            InboxQuery { kind: Some(Kind::Announcement), ..InboxQuery::default() },
            InboxQuery { archived: true, unread: Some(true), ..InboxQuery::default() },
        ];
        costs.push(fixture.count_read_steps(|conn| {
            for query in pages {
                let query = InboxQuery { limit: 50, ..query };
                let page = list::inbox(conn, fixture.alice, &query, Stamp::MAX).unwrap();
                assert_eq!((page.items.len(), page.next), (0, None), "{query:?}");
            }
        }));
    }
    assert!(costs[1] < costs[0] * 2, "beside 2,000 others {} steps, beside 10 {}", costs[1], costs[0]);
}

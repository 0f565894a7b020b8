//! Random histories of users who publish, subscribe, read, join and leave, compared at the end with the reference rules
//! of the test kit. Every store has to pass them, whatever the bounds of its pages and portions are.

mod harness;
mod steps;

use std::sync::Arc;

use proptest::prelude::*;
use tidings_store::{Bounds, Store};
use tidings_store_sqlite::SqliteStore;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::lot;
use tidings_testkit::redis::Redis;

use self::harness::Harness;
use self::steps::{Step, YEAR, step};
use crate::databases::{cached, connect, database as new_database};
use crate::migrate::{Location, migrate};

fn in_runtime(history: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(history);
}

/// The bounds with which a program serves.
fn usual() -> [Bounds; 2] {
    Default::default()
}

/// The bounds of a store for this seed, and of another one for the next.
fn bounds(seed: u64) -> Bounds {
    lot::drawn(seed, |lot| Bounds::picked(|least, usual| lot.bound(least, usual)))
}

/// A store in a file of its own, both of which have the bounds of this seed.
fn sqlite(dir: &tempfile::TempDir, clock: &Arc<ManualClock>, seed: u64) -> SqliteStore {
    let of_file =
        lot::drawn(seed, |lot| tidings_sqlite::Bounds::picked(|least, usual| lot.bound(least, usual)));
    let path = dir.path().join("server.db");
    SqliteStore::open_within(&path, clock.clone(), of_file).unwrap().with_bounds(bounds(seed))
}

async fn run(store: Arc<dyn Store>, clock: Arc<ManualClock>, steps: &[Step]) {
    let mut harness = Harness::new(store, clock).await;
    for step in steps {
        harness.run(step).await;
    }
    harness.assert_matches_rules().await;
}

/// Runs a history on SQLite and on PostgreSQL, which show the same to whoever pulls, at each step and in the end.
async fn run_on_both(steps: &[Step], bounds: &[Bounds; 2]) {
    let (dir, database) = (tempfile::tempdir().unwrap(), new_database().await);
    let clocks = [(); 2].map(|()| Arc::new(ManualClock::default()));
    let here = SqliteStore::open(&dir.path().join("server.db"), clocks[0].clone()).unwrap();
    let there = connect(&database.url, clocks[1].clone()).await;
    let (here, there) = (here.with_bounds(bounds[0]), there.with_bounds(bounds[1]));
    let mut here = Harness::new(Arc::new(here), clocks[0].clone()).await;
    let mut there = Harness::new(Arc::new(there), clocks[1].clone()).await;
    for step in steps {
        here.run(step).await;
        there.run(step).await;
        if let Some(user) = step.reader() {
            assert_eq!(here.seen(user).await, there.seen(user).await, "after {step:?}");
        }
    }
    here.assert_matches_rules().await;
    there.assert_matches_rules().await;
    for user in here.present() {
        assert_eq!(here.seen(user).await, there.seen(user).await, "in the end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_where_the_rules_say(
        steps in proptest::collection::vec(step(), 1..60),
        seed in any::<u64>(),
    ) {
        in_runtime(async {
            let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
            run(Arc::new(sqlite(&dir, &clock, seed)), clock, &steps).await;
        });
    }

    #[test]
    fn any_history_in_postgres_ends_where_the_rules_say(
        steps in proptest::collection::vec(step(), 1..60),
        seed in any::<u64>(),
    ) {
        in_runtime(async {
            let (database, clock) = (new_database().await, Arc::new(ManualClock::default()));
            let store = connect(&database.url, clock.clone()).await;
            run(Arc::new(store.with_bounds(bounds(seed))), clock, &steps).await;
        });
    }

    #[test]
    fn at_each_step_of_a_history_the_cache_tells_what_a_recount_tells(
        steps in proptest::collection::vec(step(), 1..60),
        seed in any::<u64>(),
    ) {
        in_runtime(async {
            let (database, clock) = (new_database().await, Arc::new(ManualClock::default()));
            let redis = Redis::start();
            let here = cached(&database, &redis, clock.clone()).await;
            let there = cached(&database, &redis, clock.clone()).await;
            let here = Arc::new(here.with_bounds(bounds(seed)));
            let mut harness = Harness::new(here.clone(), clock).await;
            for (nth, step) in steps.iter().enumerate() {
                harness.run(step).await;
                // Each of them is the first to ask after every other step.
                let both: [&dyn Store; 2] = if nth % 2 == 0 { [&*here, &there] } else { [&there, &*here] };
                harness.assert_counts_are_recounts(&both).await;
            }
            harness.assert_matches_rules().await;
        });
    }
}

/// A history whose clock stands: the revision has a later time than the clock, and so has what is done to it.
#[test]
fn what_is_archived_in_the_moment_of_its_revision_is_put_away() {
    let revise = || Step::Revise { actor: 0, action: 1, target: 1 };
    let steps = [
        revise(),
        Step::Subscribe { user: 2, target: 1, action: 1 },
        revise(),
        revise(),
        Step::Pull { user: 2 },
        Step::Mark { user: 2, item_index: 0, mark_index: 3, secs_ago: 0 },
    ];
    in_runtime(run_on_both(&steps, &usual()));
}

/// A mark that changes nothing gets no stamp, so only the clock says when it was put.
#[test]
fn what_was_marked_by_a_clock_that_was_a_year_ahead_is_marked_anew_when_it_is_right() {
    let mark = |mark_index, secs_ago| Step::Mark { user: 2, item_index: 0, mark_index, secs_ago };
    let steps = [
        Step::Subscribe { user: 2, target: 0, action: 0 },
        Step::Remind { actor: 0, action: 0, target: 0 },
        Step::Pull { user: 2 },
        mark(0, 0),
        Step::Advance { secs: YEAR },
        mark(0, 0),
        Step::Advance { secs: 5 - YEAR },
        mark(1, 1),
    ];
    in_runtime(run_on_both(&steps, &usual()));
}

/// What a clock gave that was a year ahead stays the newest, and whatever comes later has later stamps.
#[test]
fn an_inbox_goes_on_in_its_order_after_a_year_is_taken_back() {
    let revise = || Step::Revise { actor: 0, action: 1, target: 1 };
    let steps = [
        Step::Subscribe { user: 2, target: 1, action: 1 },
        Step::Message { from: 0, to: 2 },
        revise(),
        Step::Ask { from: 0, to: 2, secs: 5 },
        Step::Advance { secs: YEAR },
        Step::Pull { user: 2 },
        Step::Mark { user: 2, item_index: 1, mark_index: 5, secs_ago: 0 },
        Step::Ask { from: 1, to: 2, secs: 5 },
        Step::Advance { secs: -YEAR },
        revise(),
        Step::Withdraw { action: 1, target: 1, delete: false },
        Step::Answer { user: 2, item_index: 3 },
        Step::Message { from: 1, to: 2 },
        Step::Visit { user: 2, item_index: 4 },
        revise(),
        Step::Mark { user: 2, item_index: 1, mark_index: 0, secs_ago: 1 },
    ];
    in_runtime(run_on_both(&steps, &usual()));
}

/// Runs a history on SQLite, on PostgreSQL and on SQLite again, to each of which the data was moved.
async fn run_across(parts: [&[Step]; 3], bounds: &Bounds) {
    let (here, there, clock) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
    let database = tidings_testkit::postgres::Database::empty();
    let open = |dir: &tempfile::TempDir| -> Arc<dyn Store> {
        Arc::new(
            SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap().with_bounds(*bounds),
        )
    };
    let locations = [&here, &there].map(|dir| Location::Folder(dir.path().to_owned()));
    let between = Location::Database(database.url.parse().unwrap());
    let mut harness = Harness::new(open(&here), clock.clone()).await;
    for step in parts[0] {
        harness.run(step).await;
    }
    migrate(&locations[0], &between, clock.clone(), &|_, _| {}).await.unwrap();
    let store = connect(&database.url, clock.clone()).await;
    harness.go_on_with(Arc::new(store.with_bounds(*bounds)));
    for step in parts[1] {
        harness.run(step).await;
    }
    harness.assert_matches_rules().await;
    // A process that has the database open would keep it from being moved.
    harness.go_on_with(open(&here));
    migrate(&between, &locations[1], clock.clone(), &|_, _| {}).await.unwrap();
    harness.go_on_with(open(&there));
    for step in parts[2] {
        harness.run(step).await;
    }
    harness.assert_matches_rules().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn at_each_step_of_a_history_both_stores_show_the_same(
        steps in proptest::collection::vec(step(), 1..60),
        seed in any::<u64>(),
    ) {
        in_runtime(run_on_both(&steps, &[bounds(seed), bounds(seed.wrapping_add(1))]));
    }

    #[test]
    fn any_history_goes_on_after_it_was_moved_to_another_database_and_back(
        on_sqlite in proptest::collection::vec(step(), 1..40),
        on_postgres in proptest::collection::vec(step(), 0..30),
        back in proptest::collection::vec(step(), 0..20),
        seed in any::<u64>(),
    ) {
        in_runtime(run_across([&on_sqlite, &on_postgres, &back], &bounds(seed)));
    }
}

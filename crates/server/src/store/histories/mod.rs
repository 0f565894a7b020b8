//! Random histories of users who publish, subscribe, read, join and leave, compared at the end with the reference rules
//! of the test kit. Every store has to pass them, in the smallest portions.

mod harness;
mod steps;

use std::sync::Arc;

use proptest::prelude::*;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::redis::Redis;

use self::harness::Harness;
use self::steps::{Step, step};
use super::Store;
use super::migrate::{Place, migrate};
use super::postgres;
use super::sqlite::SqliteStore;

fn in_runtime(history: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(history);
}

async fn run(store: Arc<dyn Store>, clock: Arc<ManualClock>, steps: &[Step]) {
    let mut harness = Harness::new(store, clock).await;
    for step in steps {
        harness.run(step).await;
    }
    harness.assert_matches_rules().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_where_the_rules_say(steps in proptest::collection::vec(step(), 1..60)) {
        in_runtime(async {
            let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
            let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
            run(Arc::new(store.with_small_portions()), clock, &steps).await;
        });
    }

    #[test]
    fn any_history_in_postgres_ends_where_the_rules_say(steps in proptest::collection::vec(step(), 1..60)) {
        in_runtime(async {
            let (database, clock) = (postgres::tests::database().await, Arc::new(ManualClock::default()));
            let store = postgres::tests::connect(&database.url, clock.clone()).await;
            run(Arc::new(store.with_small_portions()), clock, &steps).await;
        });
    }

    #[test]
    fn at_each_step_of_a_history_the_cache_tells_what_a_recount_tells(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        in_runtime(async {
            let (database, clock) = (postgres::tests::database().await, Arc::new(ManualClock::default()));
            let redis = Redis::start();
            let here = postgres::tests::redis::cached(&database, &redis, clock.clone()).await;
            let there = postgres::tests::redis::cached(&database, &redis, clock.clone()).await;
            let here = Arc::new(here.with_small_portions());
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
    in_runtime(async {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
        let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
        run(Arc::new(store), clock, &steps).await;
        let (database, clock) = (postgres::tests::database().await, Arc::new(ManualClock::default()));
        let store = postgres::tests::connect(&database.url, clock.clone()).await;
        run(Arc::new(store), clock, &steps).await;
    });
}

/// Runs a history on SQLite, on PostgreSQL and on SQLite again, to each of which the data was moved.
async fn run_across(parts: [&[Step]; 3]) {
    let (here, there, clock) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
    let database = tidings_testkit::postgres::Database::empty();
    let open = |dir: &tempfile::TempDir| -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap())
    };
    let places = [&here, &there].map(|dir| Place::Folder(dir.path().to_owned()));
    let between = Place::Database(database.url.parse().unwrap());
    let mut harness = Harness::new(open(&here), clock.clone()).await;
    for step in parts[0] {
        harness.run(step).await;
    }
    migrate(&places[0], &between, clock.clone(), &|_, _| {}).await.unwrap();
    harness.go_on_with(Arc::new(postgres::tests::connect(&database.url, clock.clone()).await));
    for step in parts[1] {
        harness.run(step).await;
    }
    harness.assert_matches_rules().await;
    // A process that has the database open would keep it from being moved.
    harness.go_on_with(open(&here));
    migrate(&between, &places[1], clock.clone(), &|_, _| {}).await.unwrap();
    harness.go_on_with(open(&there));
    for step in parts[2] {
        harness.run(step).await;
    }
    harness.assert_matches_rules().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn any_history_goes_on_after_it_was_moved_to_another_database_and_back(
        on_sqlite in proptest::collection::vec(step(), 1..40),
        on_postgres in proptest::collection::vec(step(), 0..30),
        back in proptest::collection::vec(step(), 0..20),
    ) {
        in_runtime(run_across([&on_sqlite, &on_postgres, &back]));
    }
}

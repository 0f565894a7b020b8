//! Random histories of users who publish, subscribe, read, join and leave, compared at the end with the reference rules
//! of the test kit. Every store has to pass them, in the smallest portions.

mod harness;
mod steps;

use std::sync::Arc;

use proptest::prelude::*;
use tidings_testkit::clock::ManualClock;

use self::harness::Harness;
use self::steps::{Step, step};
use super::Store;
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
}

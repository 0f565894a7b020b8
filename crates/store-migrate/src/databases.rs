//! Databases for tests, with their clock in the place of the database's.

use std::sync::Arc;

use tidings_model::Clock;
use tidings_store::UnreadStore;
use tidings_store_postgres::{PostgresOptions, PostgresStore};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;
use tidings_testkit::redis::Redis;
use tidings_testkit::wait;

/// A database with the tables of a server, and no rows.
pub(crate) async fn database() -> Database {
    Database::from_template("tidings_tables", |url| async move {
        drop(connect(&url, Arc::new(ManualClock::default())).await);
        Database::sql_at(&url, "TRUNCATE meta, counters, log");
    })
    .await
}

/// A handle on the database at this address, as another process has one.
pub(crate) async fn connect(url: &str, clock: Arc<dyn Clock>) -> PostgresStore {
    PostgresStore::connect_under(url, clock, PostgresOptions::default()).await.unwrap()
}

/// A handle on a database with a cache that is connected.
pub(crate) async fn cached(database: &Database, redis: &Redis, clock: Arc<dyn Clock>) -> PostgresStore {
    // On a busy machine an answer takes longer than a reader waits.
    let (cache_timeout, cache) = (wait::TEST_TIMEOUT, Some(redis.url().parse().unwrap()));
    let options = PostgresOptions { cache_timeout, cache, ..PostgresOptions::default() };
    let store = PostgresStore::connect_under(&database.url, clock, options).await.unwrap();
    wait::until("the cache is connected", || async { !store.cache_figures().unwrap().is_open }).await;
    store
}

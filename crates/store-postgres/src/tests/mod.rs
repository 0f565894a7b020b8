//! Tests of the store on a PostgreSQL of their own: the conformance suite, and what several processes see.

mod bus;
mod clocks;
mod ending;
mod inboxes;
mod links;
mod posting;
mod redis;
mod stamps;
mod upkeep;
mod whole_tables;

use std::sync::Arc;

use tidings_conformance::small_bounds;
use tidings_model::Clock;
use tidings_store::Store;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use super::{PostgresOptions, PostgresStore};

/// A database with the tables of a server, and no rows.
async fn database() -> Database {
    Database::from_template("tidings_tables", |url| async move {
        let store = connect(&url, Arc::new(ManualClock::default())).await;
        drop(store);
        let tables = "TRUNCATE meta, counters, log";
        Database::sql_at(&url, tables);
    })
    .await
}

/// A handle on the database at this address, as another process has one. The clock takes the place of the database's.
async fn connect(url: &str, clock: Arc<dyn Clock>) -> PostgresStore {
    PostgresStore::connect_under(url, clock, PostgresOptions::default()).await.unwrap()
}

/// A store in a database of its own.
async fn make(clock: Arc<ManualClock>) -> (Arc<dyn Store>, Database) {
    let database = database().await;
    let store = connect(&database.url, clock).await;
    (Arc::new(store), database)
}

/// The same with the smallest bounds.
async fn make_small(clock: Arc<ManualClock>) -> (Arc<dyn Store>, Database) {
    let database = database().await;
    let store = connect(&database.url, clock).await;
    (Arc::new(store.with_bounds(small_bounds())), database)
}

tidings_conformance::store_conformance!(make, make_small);

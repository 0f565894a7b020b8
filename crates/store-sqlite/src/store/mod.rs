//! The implementation of [`Store`](tidings_store::Store), a file for each concern: each method calls the modules beside
//! this one in a transaction or snapshot.

mod topic_events;
mod upkeep;

use tidings_store::Store;

use super::SqliteStore;

impl Store for SqliteStore {}

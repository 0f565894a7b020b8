//! What many threads use at once, compiled anew with threads, locks and counters by which [`shuttle`] decides who takes the next
//! step. Each scenario fails if its order of steps loses something, does it twice or ends with everybody waiting.
//!
//! The files are those of the server, of `tidings-store` and of `tidings-sqlite`. What they need of their crates and is not tried
//! here has a short stand-in.

// The files have more than the scenarios use.
#![allow(dead_code, unreachable_pub, unused_imports)]
// A scenario that fails ends its test at once, with a message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::missing_panics_doc)]

// What the server's files take from the store is here, too.
extern crate self as tidings_store;

mod domain;
mod of_sqlite;
mod scenarios;
mod store;
mod threads;

#[path = "../../../crates/server-core/src/access.rs"]
mod access;
#[path = "../../../crates/sqlite/src/bounds.rs"]
mod bounds;
#[path = "../../../crates/server-core/src/live/mod.rs"]
mod live;
#[path = "../../../crates/server-core/src/maps.rs"]
mod maps;
#[path = "../../../crates/server-core/src/domain/limits.rs"]
mod server_limits;
#[path = "../../../crates/sqlite/src/error.rs"]
mod sqlite_error;
#[path = "../../../crates/store/src/worker_pool.rs"]
mod worker_pool;
#[path = "../../../crates/sqlite/src/writer/mod.rs"]
mod writer;

pub use scenarios::{access as access_scenarios, live as live_scenarios, pool, writer as writer_scenarios};

use bounds::Bounds;
use of_sqlite::{Durability, checkpoint, log};
use sqlite_error::Error;
use store::{AffectedSenders, ChangedInbox, Post, Recipients, Store, UserKey};

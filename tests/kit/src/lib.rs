//! The parts that the tests of all crates share: a clock, bounded waiting, an HTTP client, a scripted HTTP server, a session
//! bus, and services of other protocols. There are also a PostgreSQL and the links to it, a Redis, a disk that fails,
//! pages to damage, names without an address, and a collector of traces. A real server, icons, inputs for parsers, a
//! model of the protocol's rules and audits of SQL statements are here, too. A report says what was tried.
//!
//! Only for `[dev-dependencies]`. The clock uses no types of the project but those of `tidings-model`, so that unit
//! tests inside a crate can use it; [`server`] is for integration tests.

// A helper that fails ends the test at once, with a message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::missing_panics_doc)]

pub mod bus;
pub mod client;
pub mod clock;
pub mod collector;
#[cfg(target_os = "linux")]
pub mod disk;
pub mod fuzz;
pub mod ico;
#[cfg(target_os = "linux")]
mod library;
#[cfg(unix)]
pub mod link;
pub mod lot;
#[cfg(target_os = "linux")]
pub mod names;
pub mod pages;
#[cfg(unix)]
pub mod pooler;
pub mod port;
#[cfg(unix)]
pub mod postgres;
#[cfg(unix)]
pub mod redis;
pub mod report;
pub mod rules;
pub mod scripted;
#[cfg(feature = "server")]
pub mod server;
pub mod services;
pub mod statements;
pub mod tls;
pub mod wait;
#[cfg(target_os = "linux")]
pub mod wrong_clock;

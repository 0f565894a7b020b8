//! What the tests of every crate share: a clock, bounded waiting, an HTTP client, a scripted HTTP server, a real server,
//! and a model of the rules.
//!
//! Only for `[dev-dependencies]`. Of the project's types the clock knows those of `tidings-model` alone, so that unit tests
//! inside a crate can use it; [`server`] is for integration tests.

// A helper that cannot do its part fails the test, at once and with words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::missing_panics_doc)]

pub mod client;
pub mod clock;
pub mod rules;
pub mod scripted;
#[cfg(feature = "server")]
pub mod server;
pub mod wait;

//! What the stories stand on: real programs, a real desktop, and waiting with a bound.
//! Refuses to know what Tidings does inside; everything here looks at it from outside.

// A support that cannot do its part fails the test, at once and with words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::missing_panics_doc)]

pub mod app;
pub mod client;
pub mod desktop;
pub mod forms;
pub mod hands;
pub mod launcher;
pub mod listener;
pub mod page;
pub mod program;
pub mod server;
pub mod toasts;
pub mod tray;
pub mod wait;

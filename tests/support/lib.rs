//! Drives the built programs from outside: a virtual desktop, the page through `WebDriver`, tray, toasts and launcher.

// A helper that fails ends the test at once, with a message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::missing_panics_doc)]

pub use tidings_testkit::{client, scripted, wait};

pub mod app;
pub mod browser;
pub mod clients;
pub mod desktop;
pub mod forms;
pub mod input;
pub mod launcher;
pub mod page;
pub mod page_work;
pub mod program;
mod screen;
pub mod screen_reader;
pub mod server;
pub mod toasts;
pub mod tray;
pub mod usage;

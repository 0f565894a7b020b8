//! What the engine does when a server misbehaves, and when it behaves. Refuses a real server: these say by hand what
//! a real one says only on a bad day.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, unreachable_pub)]

mod backlog;
mod bounds;
mod faults;
mod live;
mod progress;
mod reaching;
mod sending;
mod support;
mod talk;

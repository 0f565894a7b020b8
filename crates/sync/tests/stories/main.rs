//! The engine against scripted servers, which answer what real ones answer only on a bad day.
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

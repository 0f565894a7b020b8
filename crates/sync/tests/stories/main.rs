//! Tests of the engine against scripted servers, with answers that real servers give only in case of faults.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, unreachable_pub)]

mod backlog;
mod bounds;
mod faults;
mod files;
mod live;
mod progress;
mod reaching;
mod sending;
mod support;
mod talk;

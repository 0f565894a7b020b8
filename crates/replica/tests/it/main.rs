//! The local inbox over its public API: what is in it came by a page or was done by its reader.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // also in what the tests share

mod badge;
mod classes;
mod desk;
mod forgotten;
mod histories;
mod keeping;
mod marking;
mod opening;
mod plans;
mod portions;
mod pulling;
mod rules;
mod search;
mod server;
mod talk;
mod waking;

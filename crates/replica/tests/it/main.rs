//! Tests of the replica through its public API: items arrive in pages, and readers mark them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // also in what the tests share

mod archiving;
mod badge;
mod classes;
mod clocks;
mod device;
mod digest;
mod forgotten;
mod histories;
mod keeping;
mod marking;
mod muting;
mod noise;
mod opening;
mod plans;
mod portions;
mod pulling;
mod questions;
mod rules;
mod salvage;
mod search;
mod server;
mod service;
mod subscriptions;
mod talk;
mod waking;

//! Stories over real HTTP and real processes, without a display.
//! Refuses to reach into a crate: what a user or a program can see is what is checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod any_sequence;
mod arrows;
mod device;
mod figures;
mod front_doors;
mod groups;
mod killed;
mod oracle;
mod replicas;
mod serving;
mod supervised;
mod supply;
mod talk;

//! The `tidings` program as people and scripts run it. Refuses to reach into a crate: what is typed and what is
//! printed is what is checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod data_folder;
mod inbox;
mod keeping;
mod refusing;
mod restoring;
mod running;
mod serving;
mod sources;
mod strangers;

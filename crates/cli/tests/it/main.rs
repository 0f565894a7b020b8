//! The `tidings` program as people and scripts run it: what is typed and what is printed.

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

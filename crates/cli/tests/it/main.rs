//! Tests of the `tidings` program as people and scripts run it, by its arguments and its output.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod asking;
mod certificates;
mod clocks;
mod core_dumps;
mod data_folder;
#[cfg(target_os = "linux")]
mod diagnosing;
mod doing;
mod full_disk;
mod inbox;
mod keeping;
mod passing;
mod progress;
mod quiet_calendars;
mod reference;
mod refusing;
mod repairing;
mod restoring;
mod running;
mod sending;
mod sentences;
mod serving;
mod sources;
mod strangers;
#[cfg(target_os = "linux")]
mod supervised;
mod telling;
mod terminal;
mod topics;

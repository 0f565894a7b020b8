//! Tests over real HTTP and real processes, without a display, and checks of the repository's own rules.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arrows;
mod benches;
mod clients;
mod conversations;
mod damaged;
mod device;
#[cfg(target_os = "linux")]
mod disk_errors;
mod documents;
mod doors;
mod dumps;
mod durability;
mod floors;
mod groups;
mod hostile_feeds;
mod hostile_senders;
mod kept_inputs;
mod lengths;
mod migrating;
mod operating;
mod oracle;
mod packages;
mod packaging;
#[cfg(target_os = "linux")]
mod power;
mod proxies;
mod redis;
mod released;
mod released_wire;
mod releasing;
mod replicas;
mod schemas;
#[cfg(target_os = "linux")]
mod secrets;
mod servers;
mod serving;
mod shared_files;
mod simulation;
mod soak;
mod supervision;
mod supply_chain;
mod terminal_json;
mod traces;
mod unsafe_code;

//! Tests over real HTTP and real processes, without a display, and checks of the repository's own rules.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arrows;
mod benches;
mod conversations;
mod device;
mod documents;
mod durability;
mod groups;
mod ntfy_clients;
mod ntfy_libraries;
mod ntfy_reconnects;
mod oracle;
mod publish_guide;
mod replicas;
mod serving;
mod supervision;
mod supply_chain;

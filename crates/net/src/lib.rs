//! HTTP for the whole program: the clients, the certificates of origins, proxies, and addresses as people type them. It
//! also has the rules for addresses that may be connected to, downloads, and the waits that servers ask for.

pub mod address;
pub mod download;
pub mod egress;
pub mod hosts;
pub mod http;
pub(crate) mod proxy;
pub(crate) mod trust;
pub(crate) mod waits;

/// Drops all shared clients with their connections, and the recorded addresses: after a sleep or on another network
/// they may be outdated.
pub(crate) fn start_over() {
    http::reset_clients();
    egress::clear_addresses();
}

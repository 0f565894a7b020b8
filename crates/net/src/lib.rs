//! What every request of the program needs. It has HTTP clients and their limits, addresses as people type them, and the
//! rules for addresses that may be connected to. It also has certificates, proxies, downloads, and the waits that servers
//! ask for.
//!
//! It knows no inbox. Beside requests it has what they stand on: secrets, files that only their owner can read, and the
//! supervision of tasks.

pub mod address;
mod certificate_fault;
pub mod certificates;
pub mod download;
pub mod egress;
mod error;
pub mod hosts;
pub mod http;
pub mod private_files;
pub mod proxies;
mod proxy;
pub mod route;
pub mod secrets;
pub mod supervise;
mod trust;
pub mod waits;

pub use certificate_fault::CertificateFault;
pub use error::{Error, Result};

/// Drops all shared clients with their connections, and the recorded addresses: after a sleep or on another network
/// they may be outdated.
pub fn start_over() {
    http::reset_clients();
    egress::clear_addresses();
}

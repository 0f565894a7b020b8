//! HTTP for the whole program: the clients, the certificates of origins, proxies, what people type as an address, the addresses
//! that may be connected to, downloads, and the waits that servers ask for.

pub mod address;
pub mod download;
pub mod egress;
pub(crate) mod handshake;
pub mod http;
pub(crate) mod proxy;
pub(crate) mod trust;
pub(crate) mod waits;

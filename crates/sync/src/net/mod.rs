//! HTTP for the whole program: the clients, what people type as an address, the addresses that may be connected to, and
//! downloads.

pub mod address;
pub mod download;
pub mod egress;
pub mod http;

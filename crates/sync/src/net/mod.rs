//! HTTP for the whole program: the clients, the addresses that they may connect to, and downloads.

pub mod download;
pub mod egress;
pub mod http;

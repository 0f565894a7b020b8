//! What the API of the server and its doors stand on. It has the open server with its state, what is decided about
//! publications and files, and who may do what. What all handlers of HTTP share is here, too.
//!
//! It has no route and no listener. `tidings-doors` has the doors for programs of others; `tidings-server` has the API,
//! and puts everything together.

pub mod access;
mod applications;
pub mod budgets;
mod clock_watch;
pub mod config;
pub mod connections;
pub mod domain;
pub mod endpoint;
pub mod export;
pub mod files;
pub mod http;
pub mod live;
pub mod maps;
pub mod marks;
pub mod peer_user;
mod publishing;
pub mod rate_limit;
pub mod reader_counts;
pub mod removal;
pub mod request_metrics;
pub mod server;
pub mod state;
pub mod task_failures;
mod threads;
mod topics;
pub mod traces;

pub use server::Server;

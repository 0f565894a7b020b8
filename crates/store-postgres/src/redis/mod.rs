//! Redis beside the database: a bus for the hints of many processes, and a cache of unread counts. Both may be missing,
//! come back and lose everything at any time; what is right is in PostgreSQL alone. Keys and channels begin with
//! `tidings:` and the random name that the database keeps, so that several systems may share one Redis.
//!
//! What a server of Redis says in an error is neither logged nor shown. An old one repeats the command that it does not
//! know, and the first command has the password.
//!
//! Nobody waits for Redis longer than 20 ms. After five failures in a row it is left alone for a growing while.

mod address;
mod breaker;
pub(super) mod bus;
mod connection;
pub(super) mod counts;
mod flights;
mod link;
mod scripts;
pub(super) mod unread_cache;

pub use self::address::RedisAddress;

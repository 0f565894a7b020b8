//! The scenarios, by what they use.

pub mod access;
pub mod live;
pub mod pool;
pub mod writer;

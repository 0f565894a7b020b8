//! Limits on the rate of requests, and on the memory and processor time of all requests together.

pub mod budgets;
pub mod rate_limit;

//! Limits on the rate of requests, and on the memory and processor time of all requests together.

pub(crate) mod budgets;
pub(crate) mod rate_limit;

//! Limits: how often somebody may ask, and how much memory and time requests may take together.

pub(crate) mod budgets;
pub(crate) mod rate_limit;

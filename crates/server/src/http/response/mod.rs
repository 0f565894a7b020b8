//! What handlers answer with: JSON, pages, errors, and responses that are kept for a repetition.

pub(crate) mod error;
pub(crate) mod idempotency;
pub(crate) mod page;

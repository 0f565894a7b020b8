//! The responses of handlers: JSON, pages, errors, and responses that are stored for repeated requests.

pub(crate) mod error;
pub(crate) mod idempotency;
pub(crate) mod page;

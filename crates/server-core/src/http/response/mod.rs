//! The responses of handlers: JSON, pages, errors, and responses that are stored for repeated requests.

pub mod error;
pub mod idempotency;
pub mod page;

//! Tables of what was published, and of what waits to be.

pub(crate) mod notifications;
pub(crate) mod scheduled;
pub(crate) mod sequences;

//! Decides which toasts there are, and in which hours there are none. Nothing here knows a desktop or reads a clock.

pub mod policy;
pub mod quiet;

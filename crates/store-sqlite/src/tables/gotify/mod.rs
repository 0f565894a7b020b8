//! The tables of Gotify's API: applications, clients, and messages.

pub(crate) mod applications;
pub(crate) mod clients;
pub(crate) mod messages;

//! The tables of Gotify's API: applications with their pictures, clients, and messages.

pub(crate) mod applications;
pub(crate) mod clients;
pub(crate) mod images;
pub(crate) mod messages;

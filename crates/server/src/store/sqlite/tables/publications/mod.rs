//! The tables of publications, of their sequences, and of delayed publications.

pub(crate) mod notifications;
pub(crate) mod scheduled;
pub(crate) mod sequences;

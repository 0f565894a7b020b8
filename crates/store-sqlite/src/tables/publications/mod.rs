//! The tables of publications, of their sequences and files, and of delayed publications.

pub(crate) mod files;
pub(crate) mod notifications;
pub(crate) mod open_questions;
pub(crate) mod revision_ids;
pub(crate) mod scheduled;
pub(crate) mod sequences;

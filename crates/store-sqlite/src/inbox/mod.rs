//! Reads of an inbox, each in one snapshot.

pub(super) mod announcement_readers;
pub(super) mod conversations;
pub(super) mod counts;
pub(super) mod list;
pub(super) mod pull;
mod row;

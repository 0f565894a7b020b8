//! Maintenance of the database: recounts, repairs, retention, removal of users' data, and restores.

pub(super) mod check;
pub(super) mod mend;
pub(super) mod prune;
pub(super) mod removal;
pub(super) mod repair;
pub(super) mod restore;

//! What keeps the database right and small: recounts, repairs, retention, removal of users, and restores.

pub(super) mod check;
pub(super) mod prune;
pub(super) mod removal;
pub(super) mod repair;
pub(super) mod restore;

//! What changed in a store, by whichever process.

use tidings_model::Stamp;

use crate::domain::account::UserKey;
use crate::domain::draft::Recipients;

/// What changed in the store since a position, by whichever process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The position up to which publications are listed: the next call goes on from here.
    pub upto: Stamp,
    /// What was published or revised for more than named users, and groups that changed, in the order of their stamps.
    pub posts: Vec<(Stamp, Recipients)>,
    /// Whether that is all of it; else it was too much to name, and may be for everyone.
    pub is_complete: bool,
    /// Of the inboxes that were asked about, those with a newer stamp than the one that is known.
    pub inboxes: Vec<ChangedInbox>,
}

/// An inbox with a newer stamp than the one that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedInbox {
    /// Its user.
    pub user: UserKey,
    /// Its newest stamp.
    pub stamp: Stamp,
    /// Whether there are read receipts for the user since the known stamp.
    pub has_receipts: bool,
}

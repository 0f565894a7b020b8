//! Changes of groups and of publications at a server, and its answers.

use serde::Serialize;
use tidings_model::group::Group;
use tidings_model::wire::NotificationEdit;

/// A group to create.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct NewGroup {
    /// The display name.
    pub name: String,
    /// The ids of the other members; the user is a member without being listed.
    pub members: Vec<String>,
}

/// The answer to [`Source::group`](super::Source::group).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupView {
    /// The group.
    Shown(Group),
    /// The server does not show it: the user is no member any more.
    Hidden,
    /// There is no such group any more.
    Ended,
}

/// The answer to [`Source::make_group`](super::Source::make_group).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupAnswer {
    /// The group, created now or by an earlier try.
    Created(Group),
    /// No group was created, because the server does not know these users; empty if it did not name them.
    Unknown(Vec<String>),
}

/// A change of a group. Only its owner may make it, except one's own removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupChange {
    /// Gives it another name.
    Rename(String),
    /// Adds the user with this id.
    Add(String),
    /// Removes the member with this id; one's own id leaves the group.
    Remove(String),
    /// Makes the member with this id the owner.
    HandOver(String),
    /// Ends it.
    End,
}

/// A change of this user's publications.
#[derive(Debug, Clone, PartialEq)]
pub enum PublishedChange {
    /// Gives it other content; what is absent stays.
    Edit(NotificationEdit),
    /// Takes it back, from every inbox.
    Recall,
}

/// The answer to [`Source::change_group`](super::Source::change_group) and
/// [`Source::change_published`](super::Source::change_published).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeAnswer {
    /// The change was made.
    Done,
    /// There is no such user or member, or no such notification of this user.
    Unknown,
    /// Only the owner may, or the user is no member any more.
    Forbidden,
    /// The server cannot do that.
    Unsupported,
}

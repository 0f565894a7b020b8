//! The bounds of one search, of one page and of one portion of upkeep, which both stores share. A test makes them small, so
//! that what lies one past each of them is tried.
//!
//! What a bound of a pull leaves out lies after the position that is stored, never before it.

use crate::domain::limits;

/// How much one search looks at, and how much one page of a pull has beside its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Candidates that one search returns at most; they are then added in portions. PostgreSQL has its portions instead.
    pub(crate) candidates: usize,
    /// With at most this many new rows of a kind, testing each of them is cheaper than going from what the user subscribes
    /// to, or is in.
    pub(crate) tested_rows: usize,
    /// New reminders, and new group messages, that one search considers at most, which bounds its cost however long the user
    /// did not pull.
    pub(crate) new_rows: usize,
    /// Revisions that one search examines at most, of new content and of other changes each.
    pub(crate) revisions: usize,
    /// With more rows examined than this, a write that advances the position is worth its cost, because it saves examining
    /// them again.
    pub(crate) worth_a_write: usize,
    /// Groups that one page of a pull names.
    pub(crate) page_groups: usize,
    /// Read marks on one page of a pull, of the user's own and of others' each, and closed conversations.
    pub(crate) page_marks: usize,
    /// Memberships that are examined for one page of a message's readers.
    pub(crate) memberships: usize,
    /// Publications of a topic among which one look for its newest one goes; there are as many looks as it takes.
    pub(crate) latest_rows: usize,
    /// Target types that are searched for one page of the subscriptions to an id of any type. With more of them, a page that
    /// is not full asks for the type.
    pub(crate) target_types: usize,
    /// Rows and look-ups that finding the recipients of one batch of publications may cost. Beyond it all users in question
    /// get a hint: a needless pull is cheap.
    pub(crate) recipients: usize,
    /// Users whose last change is looked up for one batch of a recount. PostgreSQL has an index of those that changed instead.
    pub(crate) recounted_users: usize,
    /// The most differences of one kind that are listed.
    pub(crate) differences: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            candidates: 5_000,
            tested_rows: 256,
            new_rows: 20_000,
            revisions: 2_000,
            worth_a_write: 1_024,
            page_groups: limits::CHANGED_GROUPS,
            page_marks: limits::SYNC_LIMIT,
            memberships: 20_000,
            latest_rows: 1_000,
            target_types: 10_000,
            recipients: 100_000,
            recounted_users: 20_000,
            differences: 1_000,
        }
    }
}

impl Bounds {
    /// The smallest bounds that go on.
    #[cfg(test)]
    pub(crate) const SMALLEST: Self = Self {
        candidates: 1,
        tested_rows: 1,
        new_rows: 1,
        revisions: 1,
        worth_a_write: 1,
        page_groups: 1,
        page_marks: 1,
        // Those of the group's owner, and of a member who left twice.
        memberships: 4,
        latest_rows: 1,
        target_types: 2,
        recipients: 2,
        recounted_users: 1,
        differences: 1,
    };
}

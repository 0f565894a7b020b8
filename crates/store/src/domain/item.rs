//! The rules of items: what an operation changes in an item of an inbox, and when an item counts as unread. Every code
//! path that changes an item uses them.

mod marking;
mod revisions;

use tidings_model::{Kind, Mark, Stamp, State, content_at, is_covered, is_unread};

pub use self::marking::{MarkClock, MarkTimes};
pub use self::revisions::{Revision, Revisions};

/// The state of an item that the rules depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// When it was created.
    pub created_at: Stamp,
    /// Whether its class is `auto`: read by the mark of its view.
    pub auto: bool,
    /// Whether it is a message or an announcement by the inbox's user.
    pub own: bool,
    /// When it was first shown in a list.
    pub seen_at: Option<Stamp>,
    /// When it was marked read individually.
    pub read_at: Option<Stamp>,
    /// When it was archived.
    pub archived_at: Option<Stamp>,
    /// When its snooze ends.
    pub snoozed_until: Option<Stamp>,
    /// Whether it is a tombstone.
    pub deleted: bool,
    /// The read mark of its view.
    pub mark: Option<Stamp>,
    /// When the reader last moved that mark forward by marking an item as read. A visit does not say when it was.
    pub mark_read_at: Option<Stamp>,
    /// The stamp of its last revision by its publisher; `None` for a message, whose revisions move nothing.
    pub revised_at: Option<Stamp>,
    /// Of a message: the stamp of its last revision.
    pub edited_at: Option<Stamp>,
    /// Whether it asks a question that is answered or expired.
    pub closed: bool,
    /// When the reader last put marks on it.
    pub marked: MarkTimes,
}

/// Whether an item counts as unread, regardless of snoozing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadState {
    /// Read, deleted, own, or a question that is closed.
    Read,
    /// Unread.
    Unread,
    /// Unread, but not counted because it is archived.
    Archived,
}

impl UnreadState {
    /// The number that the database stores for this state; it never changes.
    pub const fn as_row(self) -> i64 {
        match self {
            Self::Read => 0,
            Self::Unread => 1,
            Self::Archived => 2,
        }
    }
}

/// An inbox that a revision comes into.
#[derive(Debug, Clone, Copy)]
pub struct RevisedIn {
    /// The stamp of the change in the inbox.
    pub stamp: Stamp,
    /// The kind of the item.
    pub kind: Kind,
    /// The class of the item by the catalog of today.
    pub auto: bool,
    /// The read mark of its view.
    pub mark: Option<Stamp>,
    /// Whether the inbox would get the revision as a new publication, so that a tombstone gives way to it.
    pub is_entitled: bool,
}

/// The effect of an operation on one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// No change: the item already has this state, or is deleted.
    Unchanged,
    /// The item gets this state.
    Update(Item),
    /// The read mark of the item's view moves forward to this time.
    AdvanceMark(Stamp),
    /// The read mark of the item's view moves back to this time, and the item's own `read_at` is removed.
    RewindMark(Stamp),
}

impl Item {
    /// When it was read: the read mark of its view if the mark covers it, otherwise the individual `read_at`.
    pub fn read_at(&self) -> Option<Stamp> {
        self.covering_mark().or(self.read_at)
    }

    /// The read mark of its view, if it covers the item.
    fn covering_mark(&self) -> Option<Stamp> {
        self.mark.filter(|mark| self.auto && is_covered(self.created_at, self.revised_at, *mark))
    }

    /// The smallest read mark that covers it: its creation or its last revision.
    pub fn content_at(&self) -> Stamp {
        content_at(self.created_at, self.revised_at)
    }

    /// Whether it counts as unread, by the shared definition. Snoozing is ignored, because a snooze ends without a
    /// write; queries compare `snoozed_until` with the time themselves.
    pub fn unread_state(&self) -> UnreadState {
        let unsnoozed = State {
            read: self.read_at().is_some(),
            archived: false,
            deleted: self.deleted,
            own: self.own,
            snoozed_until: None,
            closed: self.closed,
        };
        if !is_unread(&unsnoozed, Stamp::MAX) {
            UnreadState::Read
        } else if self.archived_at.is_some() {
            UnreadState::Archived
        } else {
            UnreadState::Unread
        }
    }

    /// This item after what its publisher did. New content makes it unread and lifts archiving; an edited message keeps
    /// its read state. A snooze stays, unless the item was deleted and comes anew.
    #[must_use]
    pub fn revised(self, by: Revisions, inbox: RevisedIn) -> Self {
        if by.is_deleted() {
            return Self { deleted: true, ..self };
        }
        let mut after = self;
        if let Some(at) = by.content_at
            && !self.has_content_of(at)
        {
            if self.deleted && !inbox.is_entitled {
                return self;
            }
            after = self.with_content_of(at, inbox);
        }
        after.closed = by.is_closed && !after.deleted;
        if by.is_cleared() && !after.deleted {
            after.read_at = after.read_at.or(Some(inbox.stamp));
        }
        after
    }

    /// Whether the item came with this new content, or got it.
    fn has_content_of(&self, at: Stamp) -> bool {
        self.revised_at.max(self.edited_at).is_some_and(|known| known >= at)
    }

    fn with_content_of(self, at: Stamp, inbox: RevisedIn) -> Self {
        if inbox.kind == Kind::Message {
            return Self { archived_at: None, edited_at: Some(at), ..self };
        }
        Self {
            auto: inbox.auto,
            seen_at: self.seen_at.filter(|_| !self.deleted),
            read_at: None,
            archived_at: None,
            snoozed_until: self.snoozed_until.filter(|_| !self.deleted),
            deleted: false,
            mark: if inbox.auto { inbox.mark } else { None },
            revised_at: Some(at),
            ..self
        }
    }

    /// The effect of a mark on this item, which the reader put at this time. What was read before a revision does not read
    /// the revision.
    pub fn effect(&self, mark: Mark, at: Stamp) -> Effect {
        if self.deleted {
            return Effect::Unchanged;
        }
        let mut after = *self;
        match mark {
            Mark::Read if self.auto => {
                let to = if self.revised_at <= Some(at) { self.content_at() } else { self.created_at };
                return if self.mark.is_none_or(|mark| mark < to) {
                    Effect::AdvanceMark(to)
                } else {
                    Effect::Unchanged
                };
            }
            Mark::Unread if self.auto => {
                return if self.read_at().is_some() {
                    Effect::RewindMark(self.created_at.plus_micros(-1))
                } else {
                    Effect::Unchanged
                };
            }
            Mark::Read if self.revised_at > Some(at) => {}
            Mark::Read => after.read_at = self.read_at.or(Some(at)),
            Mark::Unread => after.read_at = None,
            Mark::Seen => after.seen_at = self.seen_at.or(Some(at)),
            Mark::Archive => after.archived_at = self.archived_at.or(Some(at)),
            Mark::Unarchive => after.archived_at = None,
            Mark::Snooze { until } => after.snoozed_until = Some(until),
            Mark::Unsnooze => after.snoozed_until = None,
            Mark::Delete => after.deleted = true,
            Mark::Pin
            | Mark::Unpin
            | Mark::Mute { .. }
            | Mark::Unmute
            | Mark::Subscribe
            | Mark::Unsubscribe
            | Mark::Ignore => {}
        }
        if after == *self { Effect::Unchanged } else { Effect::Update(after) }
    }
}

#[cfg(test)]
#[path = "item_tests.rs"]
mod tests;

//! When marks were put, and which of two opposites holds.
//!
//! An operation may say when the reader did it. An item keeps the last time of each pair of opposites (read, archived,
//! snoozed), and [`Item::put`] lets an operation pass only if it is not older. A read from before a revision does not
//! read the revision. Those times alone are no change: they give no new version and no stamp. One that is still to come is
//! of a clock that was wrong, and is forgotten ([`MarkTimes::until`]).

use tidings_model::{Mark, Stamp};

use super::Item;

/// When the reader last put marks that can be taken back; `None` before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkTimes {
    /// Read, or unread again.
    pub read: Option<Stamp>,
    /// Archived, or taken out of the archive.
    pub archive: Option<Stamp>,
    /// Snoozed, or woken.
    pub snooze: Option<Stamp>,
}

impl MarkTimes {
    /// These times without those that are still to come: a clock that was wrong gave them, and no mark waits until then.
    #[must_use]
    pub fn until(self, now: Stamp) -> Self {
        let past = |at: Option<Stamp>| at.filter(|at| *at <= now);
        Self { read: past(self.read), archive: past(self.archive), snooze: past(self.snooze) }
    }

    /// The time of the last mark of the same pair; `None` if a mark has no opposite.
    fn of(&mut self, mark: Mark) -> Option<&mut Option<Stamp>> {
        match mark {
            Mark::Read | Mark::Unread => Some(&mut self.read),
            Mark::Archive | Mark::Unarchive => Some(&mut self.archive),
            Mark::Snooze { .. } | Mark::Unsnooze => Some(&mut self.snooze),
            _ => None,
        }
    }
}

/// The times by which a server takes a mark.
#[derive(Debug, Clone, Copy)]
pub struct MarkClock {
    /// The time by the clock, which may be behind stamps that were handed out.
    pub now: Stamp,
    /// The newest stamp that was handed out: no mark is put after both.
    pub newest: Stamp,
}

impl Item {
    /// This item with the time of a mark, and that time. `None` if the mark gives way to a later one.
    ///
    /// A mark that does not say when it was put is put now, and never gives way. If the clock is behind, it is put when the
    /// item last changed, not at the server's newest stamp. A device puts its marks at the newest stamp of its inbox, so that
    /// they would give way to a stamp of another inbox.
    #[must_use]
    pub fn put(mut self, mark: Mark, at: Option<Stamp>, clock: MarkClock) -> Option<(Self, Stamp)> {
        let latest = clock.now.max(clock.newest);
        self.marked = self.marked.until(latest);
        self.mark_read_at = self.mark_read_at.filter(|at| *at <= latest);
        let at = at.map_or_else(|| clock.now.max(self.last_change(mark)), |at| at.min(latest));
        Some((self.marked(mark, at)?, at))
    }

    /// This item after the reader answered its question, which reads it at that time. If it was marked as unread later, it
    /// stays unread.
    #[must_use]
    pub fn answered(self, at: Option<Stamp>, clock: MarkClock) -> Self {
        let closed = Self { closed: true, ..self };
        let read = closed.put(Mark::Read, at, clock);
        read.map_or(closed, |(item, at)| Self { read_at: item.read_at.or(Some(at)), ..item })
    }

    /// When its content or the state that a mark sets changed last.
    fn last_change(&self, mark: Mark) -> Stamp {
        let content = self.content_at().max(self.edited_at.unwrap_or(self.created_at));
        self.later_than(mark).map_or(content, |state| state.max(content))
    }

    /// This item with the time of a mark that the reader put. `None` if the mark gives way, because the item was read,
    /// archived or snoozed later, or the opposite was done later.
    pub(super) fn marked(mut self, mark: Mark, at: Stamp) -> Option<Self> {
        if self.later_than(mark).is_some_and(|later| at < later) {
            return None;
        }
        if let Some(known) = self.marked.of(mark) {
            *known = Some(at);
        }
        Some(self)
    }

    /// The time to which a mark gives way if it was put before. New content lifts archiving. What its view's mark covers was
    /// read with the item up to which that mark moved.
    fn later_than(&self, mark: Mark) -> Option<Stamp> {
        let state = match mark {
            Mark::Read => self.read_at,
            Mark::Unread => self.read_at.max(self.covering_mark().and(self.mark_read_at)),
            Mark::Archive => self.archived_at.max(self.revised_at).max(self.edited_at),
            Mark::Unarchive => self.archived_at,
            _ => None,
        };
        let mut known = self.marked;
        known.of(mark).and_then(|known| *known).max(state)
    }
}

//! What is counted: the flags of an item, the counts of a thread, and what a thread adds to the counters.

use tidings_model::{Kind, Stamp};

use crate::tables::columns::ThreadPlace;
use crate::tables::counters::{Counters, UnreadCounters};
use crate::{NotifyLevel, NotifySettings};

/// What counts of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ItemFlags {
    pub(crate) id: i64,
    pub(crate) kind: Kind,
    pub(crate) created_at: Stamp,
    pub(crate) priority: u8,
    pub(crate) unread: bool,
    pub(crate) seen: bool,
    pub(crate) archived: bool,
    /// When it wakes, if it sleeps.
    pub(crate) asleep: Option<Stamp>,
}

/// The counts of a thread's items, and the settings that decide by which counters they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadCounts {
    pub(crate) kind: Kind,
    pub(crate) total: i64,
    pub(crate) archived: i64,
    /// Asleep and not archived.
    pub(crate) asleep: i64,
    pub(crate) unread: i64,
    pub(crate) unseen: i64,
    /// Unread items of priority 1, 2, 3, 4, 5.
    pub(crate) by_priority: [i64; 5],
    pub(crate) pinned: bool,
    pub(crate) muted: bool,
    /// What it may notify of when it is not muted.
    pub(crate) notify: NotifySettings,
    /// A message that the user wrote is on its way in it: lists show it even without items.
    pub(crate) is_new: bool,
}

impl ThreadCounts {
    pub(crate) fn empty(kind: Kind) -> Self {
        Self {
            kind,
            total: 0,
            archived: 0,
            asleep: 0,
            unread: 0,
            unseen: 0,
            by_priority: [0; 5],
            pinned: false,
            muted: false,
            notify: NotifySettings::default(),
            is_new: false,
        }
    }

    pub(crate) fn place(&self) -> ThreadPlace {
        match (self.total, self.total - self.archived - self.asleep) {
            (0, _) if self.is_new => ThreadPlace::Inbox,
            (0, _) => ThreadPlace::Unlisted,
            (_, 1..) => ThreadPlace::Inbox,
            _ if self.asleep > 0 => ThreadPlace::Snoozed,
            _ => ThreadPlace::Done,
        }
    }

    /// What it adds to the counters; its items are counted one by one.
    pub(crate) fn counters(&self) -> Counters {
        let place = self.place();
        let mut counters = Counters {
            inbox_threads: i64::from(place == ThreadPlace::Inbox),
            unread_threads: i64::from(place == ThreadPlace::Inbox && self.unread > 0),
            pinned_threads: i64::from(place != ThreadPlace::Unlisted && self.pinned),
            snoozed_threads: i64::from(place == ThreadPlace::Snoozed),
            done_threads: i64::from(place == ThreadPlace::Done),
            ..Counters::default()
        };
        match (self.muted, self.notify.level) {
            (true, _) => {}
            (false, None) => counters.inherited = self.unread_counters(),
            (false, Some(_)) => counters.explicit = self.unread_counters(),
        }
        counters
    }

    fn unread_counters(&self) -> UnreadCounters {
        let (unseen, by_priority) = (self.unseen, self.by_priority);
        match self.notify.from_priority {
            Some(least) => {
                let badge = by_priority.iter().skip(usize::from(least).saturating_sub(1)).sum();
                UnreadCounters { badge, unseen, ..UnreadCounters::default() }
            }
            None => UnreadCounters { badge: 0, by_priority, unseen },
        }
    }

    /// What it may notify of.
    pub(crate) fn notify(&self) -> NotifySettings {
        if self.muted {
            NotifySettings { level: Some(NotifyLevel::Nothing), ..self.notify }
        } else {
            self.notify
        }
    }

    /// Whether its row is kept without any item.
    pub(crate) fn is_kept(&self) -> bool {
        self.pinned || self.muted || self.notify != NotifySettings::default()
    }

    /// Adds an item, or with a negative sign takes it off.
    pub(crate) fn add(&mut self, item: &ItemFlags, sign: i64) {
        self.total += sign;
        self.archived += sign * i64::from(item.archived);
        self.asleep += sign * i64::from(item.asleep.is_some() && !item.archived);
        if item.unread {
            self.unread += sign;
            self.unseen += sign * i64::from(!item.seen);
            if let Some(n) = self.by_priority.get_mut(usize::from(item.priority).saturating_sub(1)) {
                *n += sign;
            }
        }
    }
}

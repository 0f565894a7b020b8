//! The counted values: the flags of an item, the counts of a thread, and the thread's share of the counters.

use tidings_model::{Kind, Stamp};

use super::columns::ThreadPlace;
use super::counters::{Counters, UnreadCounters};
use super::flags::Flags;
use crate::{NotifyLevel, NotifySettings};

/// The properties of an item on which counts depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemFlags {
    pub(crate) id: i64,
    pub(crate) kind: Kind,
    /// The time by which lists go.
    pub(crate) listed_at: Stamp,
    pub(crate) priority: u8,
    pub(crate) unread: bool,
    pub(crate) seen: bool,
    pub(crate) archived: bool,
    /// The time at which it wakes; `None` if it is not snoozed.
    pub(crate) asleep: Option<Stamp>,
    /// The time at which it came back from its last snooze.
    pub(crate) woken: Option<Stamp>,
}

impl ItemFlags {
    /// The place in which it puts its thread, if no other item puts it in one before.
    #[inline]
    pub(crate) fn place(&self) -> ThreadPlace {
        match (self.archived, self.asleep) {
            (true, _) => ThreadPlace::Done,
            (false, Some(_)) => ThreadPlace::Snoozed,
            (false, None) => ThreadPlace::Inbox,
        }
    }
}

/// The counts of a thread's items, and the settings that decide in which counters they are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadCounts {
    pub(crate) kind: Kind,
    pub(crate) total: i64,
    pub(crate) archived: i64,
    /// Items that are snoozed and not archived.
    pub(crate) asleep: i64,
    pub(crate) unread: i64,
    pub(crate) unseen: i64,
    /// Unread items of priority 1, 2, 3, 4 and 5.
    pub(crate) by_priority: [i64; 5],
    pub(crate) flags: Flags,
    /// The notify settings while the thread is not muted.
    pub(crate) notify: NotifySettings,
    /// A message of the user waits to be sent in this thread: lists show the thread even without items.
    pub(crate) has_outgoing: bool,
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
            flags: Flags::default(),
            notify: NotifySettings::default(),
            has_outgoing: false,
        }
    }

    pub(crate) fn place(&self) -> ThreadPlace {
        match (self.total, self.total - self.archived - self.asleep) {
            (0, _) if self.has_outgoing => ThreadPlace::Inbox,
            (0, _) => ThreadPlace::Unlisted,
            (_, 1..) => ThreadPlace::Inbox,
            _ if self.asleep > 0 => ThreadPlace::Snoozed,
            _ => ThreadPlace::Done,
        }
    }

    /// The thread's share of the counters, except `items` and `unread`, which are counted item by item.
    pub(crate) fn counters(&self) -> Counters {
        let place = self.place();
        let mut counters = Counters {
            inbox_threads: i64::from(place == ThreadPlace::Inbox),
            unread_threads: i64::from(place == ThreadPlace::Inbox && self.unread > 0),
            pinned_threads: i64::from(place != ThreadPlace::Unlisted && self.flags.pinned),
            snoozed_threads: i64::from(place == ThreadPlace::Snoozed),
            done_threads: i64::from(self.archived > 0),
            archived_threads: i64::from(place == ThreadPlace::Done),
            ..Counters::default()
        };
        match (self.flags.muted, self.notify.level) {
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

    /// The notify settings in force: the level is `Nothing` while the thread is muted.
    pub(crate) fn notify(&self) -> NotifySettings {
        if self.flags.muted {
            NotifySettings { level: Some(NotifyLevel::Nothing), ..self.notify }
        } else {
            self.notify
        }
    }

    /// Whether its row is kept even without items, for its settings.
    pub(crate) fn has_settings(&self) -> bool {
        self.flags != Flags::default() || self.notify != NotifySettings::default()
    }

    /// Adds an item (`sign` 1) or subtracts it (`sign` -1).
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

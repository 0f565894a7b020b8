//! What counts of an item, of a thread, and of a thread in the counters. Refuses the database: numbers only.

use tidings_model::{Kind, Stamp};

use crate::{NotifyLevel, NotifySettings};

/// What counts of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
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

/// The countable part of a thread's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) kind: Kind,
    pub(super) total: i64,
    pub(super) archived: i64,
    pub(super) asleep: i64,
    pub(super) unread: i64,
    pub(super) unseen: i64,
    pub(super) by_priority: [i64; 5],
    pub(super) pinned: bool,
    pub(super) muted: bool,
    /// What it may tell when it is not muted.
    pub(super) notify: NotifySettings,
    /// A message that the user wrote is on its way in it: it has a place also while there is no item in it.
    pub(super) begun: bool,
}

/// A thread's share of the counters, as [`SHARES`] has them.
pub(super) type Share = [i64; 19];

/// The counters that come from threads, in the order of a [`Share`].
pub(crate) const SHARES: [&str; 19] = [
    "inbox",
    "unread_threads",
    "pinned",
    "snoozed",
    "done",
    "follow0",
    "follow1",
    "follow2",
    "follow3",
    "follow4",
    "follow5",
    "follow_unseen",
    "heard0",
    "heard1",
    "heard2",
    "heard3",
    "heard4",
    "heard5",
    "heard_unseen",
];

impl Tally {
    /// Unread items by priority, behind those that count by the thread's own least priority, and what is unseen.
    fn heard(&self) -> [i64; 7] {
        let [n1, n2, n3, n4, n5] = self.by_priority;
        match self.notify.from_priority {
            Some(least) => {
                let own = self.by_priority.iter().skip(usize::from(least).saturating_sub(1)).sum();
                [own, 0, 0, 0, 0, 0, self.unseen]
            }
            None => [0, n1, n2, n3, n4, n5, self.unseen],
        }
    }

    /// 0 inbox, 1 snoozed, 2 done, 3 without items.
    pub(super) fn place(&self) -> i64 {
        match (self.total, self.total - self.archived - self.asleep) {
            (0, _) if self.begun => 0,
            (0, _) => 3,
            (_, 1..) => 0,
            _ if self.asleep > 0 => 1,
            _ => 2,
        }
    }

    /// Its share of the counters.
    pub(super) fn share(&self) -> Share {
        let place = self.place();
        let mut share = [0; 19];
        let (places, heard) = share.split_at_mut(5);
        places.copy_from_slice(&[
            i64::from(place == 0),
            i64::from(place == 0 && self.unread > 0),
            i64::from(place < 3 && self.pinned),
            i64::from(place == 1),
            i64::from(place == 2),
        ]);
        let (follow, own) = heard.split_at_mut(7);
        match (self.muted, self.notify.level) {
            (true, _) => {}
            (false, None) => follow.copy_from_slice(&self.heard()),
            (false, Some(_)) => own.copy_from_slice(&self.heard()),
        }
        share
    }

    /// What it may tell.
    pub(super) fn notify(&self) -> NotifySettings {
        if self.muted {
            NotifySettings { level: Some(NotifyLevel::Nothing), ..self.notify }
        } else {
            self.notify
        }
    }

    /// Its row is kept while there is no item in it.
    pub(super) fn is_kept(&self) -> bool {
        self.pinned || self.muted || self.notify != NotifySettings::default()
    }

    pub(super) fn add(&mut self, item: &Facts, sign: i64) {
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

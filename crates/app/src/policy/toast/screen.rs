//! The toasts on screen: what each stands for, until it is looked at or read elsewhere. Refuses to show one.

use std::collections::VecDeque;

use tidings_model::{MsgId, Stamp};
use tidings_replica::{SourceId, ThreadId};

use super::{Heard, NAMES, Order, ToastKey, Toasting, Urgency, WINDOW};

/// A toast on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnScreen {
    /// What it is about.
    pub key: ToastKey,
    /// Where its items come from.
    pub source: SourceId,
    /// The items that it stands for, the newest first.
    pub names: Vec<MsgId>,
}

#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) source: SourceId,
    /// The newest last, each once, at most [`NAMES`].
    pub(super) names: VecDeque<MsgId>,
    /// How many it stands for.
    pub(super) count: u64,
    pub(super) priority: u8,
    pub(super) sounded: Option<Stamp>,
    /// Of what the screen was given; 0 where it has yet to be given what this stands for.
    pub(super) serial: u64,
}

impl Shown {
    pub(super) fn of(source: SourceId) -> Self {
        Self { source, names: VecDeque::new(), count: 0, priority: 1, sounded: None, serial: 0 }
    }

    pub(super) fn add(&mut self, heard: Heard) {
        self.priority = self.priority.max(heard.priority);
        self.serial = 0;
        let known = self.names.iter().position(|name| *name == heard.msgid);
        match known {
            Some(at) => drop(self.names.remove(at)),
            None => self.count += 1,
        }
        if self.names.len() >= NAMES {
            self.names.pop_front();
        }
        self.names.push_back(heard.msgid);
    }

    /// Whether it may be heard again already.
    pub(super) fn sounds(&mut self, wanted: bool, now: Stamp) -> bool {
        let long_ago = self.sounded.is_none_or(|at| at <= now.plus_micros(-WINDOW));
        if wanted && long_ago {
            self.sounded = Some(now);
        }
        wanted && long_ago
    }
}

impl Toasting {
    /// A toast is about to be shown. Gives its serial.
    pub fn shows(&mut self, key: ToastKey) -> u64 {
        self.serial += 1;
        if let Some(shown) = self.shown.get_mut(&key) {
            shown.serial = self.serial;
        }
        self.serial
    }

    /// A toast was taken away by its reader or by the desktop. It stays where it was shown anew meanwhile.
    pub fn closed(&mut self, key: ToastKey, serial: u64) {
        if self.shown.get(&key).is_some_and(|shown| shown.serial == serial) {
            self.shown.remove(&key);
        }
    }

    /// The newest item that a toast stands for.
    pub fn newest(&self, key: ToastKey) -> Option<MsgId> {
        self.shown.get(&key).and_then(|shown| shown.names.back().cloned())
    }

    /// The items that a toast stood for, for its button; it is taken away. None where it stood for too many to show.
    pub fn take(&mut self, key: ToastKey) -> Vec<MsgId> {
        let Some(shown) = self.shown.remove(&key) else { return Vec::new() };
        if shown.count > NAMES as u64 { Vec::new() } else { shown.names.into() }
    }

    /// The toasts on screen.
    pub fn on_screen(&self) -> Vec<OnScreen> {
        let mut all: Vec<OnScreen> = self
            .shown
            .iter()
            .map(|(key, shown)| OnScreen {
                key: *key,
                source: shown.source,
                names: shown.names.iter().rev().cloned().collect(),
            })
            .collect();
        all.sort_by_key(|toast| toast.key);
        all
    }

    /// Whether something insists on being looked at.
    pub fn insists(&self) -> bool {
        self.shown.values().any(|shown| Urgency::of(shown.priority) == Urgency::Critical)
    }

    /// Takes away the toasts behind which nothing is unread any more, unless they grew meanwhile.
    pub fn settle(&mut self, read: &[OnScreen]) -> Vec<Order> {
        let mut orders = Vec::new();
        for toast in read {
            if self.newest(toast.key).as_ref() == toast.names.first() {
                self.shown.remove(&toast.key);
                orders.push(Order::Close(toast.key));
            }
        }
        orders
    }

    /// Whether a thread's toast on the screen tells of an item.
    pub(super) fn stands_for(&self, thread: ThreadId, item: &MsgId) -> bool {
        self.shown.get(&ToastKey::Thread(thread)).is_some_and(|shown| shown.names.contains(item))
    }
}

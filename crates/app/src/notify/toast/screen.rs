//! The toasts on screen: which items each stands for, until it is used or they were read elsewhere.

use std::collections::VecDeque;

use tidings_model::{MsgId, Stamp};
use tidings_replica::{SourceId, ThreadId};

use super::{Candidate, NAMES, Order, ToastContent, ToastKey, ToastPolicy, Urgency, WINDOW};
use crate::desktop::ports::ToastRef;
use crate::ipc::ActionView;

/// A toast on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToastOnScreen {
    /// What it is about.
    pub key: ToastKey,
    /// Where its items come from.
    pub source: SourceId,
    /// The items that it stands for, the newest first.
    pub names: Vec<MsgId>,
}

/// The buttons in a toast, as its reader sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedButtons {
    /// The item that offers them.
    pub item: MsgId,
    /// In their order.
    pub buttons: Vec<ActionView>,
}

/// A toast that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissedToast {
    /// The newest item that it showed.
    pub newest: Option<MsgId>,
    /// The items that it stood for; none where they are too many to name.
    pub names: Vec<MsgId>,
    /// The buttons that stood in it; none where that is not known any more.
    pub offer: Option<OfferedButtons>,
    /// What becomes of its place on the screen.
    pub then: Order,
}

impl DismissedToast {
    const fn nothing(key: ToastKey) -> Self {
        Self { newest: None, names: Vec::new(), offer: None, then: Order::Close(key) }
    }
}

/// What a toast offered is remembered for so many of its last versions: a desktop draws a toast that changes fast only
/// about once a second.
const VERSIONS: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) source: SourceId,
    /// The newest last, each once, at most [`NAMES`]; each with the serial of the first toast that showed it, 0 before.
    pub(super) names: VecDeque<(MsgId, u64)>,
    /// How many it stands for.
    pub(super) count: u64,
    pub(super) priority: u8,
    pub(super) sounded: Option<Stamp>,
    /// Of what the screen was given; 0 where it has yet to be given what this stands for.
    pub(super) serial: u64,
    /// The buttons of what the screen was given, by its serial, the newest last, at most [`VERSIONS`].
    pub(super) offered: VecDeque<(u64, OfferedButtons)>,
}

impl Shown {
    pub(super) fn of(source: SourceId) -> Self {
        Self {
            source,
            names: VecDeque::new(),
            count: 0,
            priority: 1,
            sounded: None,
            serial: 0,
            offered: VecDeque::new(),
        }
    }

    pub(super) fn add(&mut self, candidate: Candidate) {
        self.priority = self.priority.max(candidate.priority);
        self.serial = 0;
        let known = self.names.iter().position(|(name, _)| *name == candidate.msgid);
        match known {
            Some(at) => drop(self.names.remove(at)),
            None => self.count += 1,
        }
        if self.names.len() >= NAMES {
            self.names.pop_front();
        }
        self.names.push_back((candidate.msgid, 0));
    }

    /// Whether it plays a sound: at most one within [`WINDOW`].
    pub(super) fn sounds(&mut self, wanted: bool, now: Stamp) -> bool {
        let long_ago = self.sounded.is_none_or(|at| at <= now.plus_micros(-WINDOW));
        if wanted && long_ago {
            self.sounded = Some(now);
        }
        wanted && long_ago
    }
}

impl ToastPolicy {
    /// A toast is about to be shown, with these buttons. Gives its serial.
    pub fn shows(&mut self, key: ToastKey, offer: Option<OfferedButtons>) -> u64 {
        self.serial += 1;
        if let Some(shown) = self.shown.get_mut(&key) {
            shown.serial = self.serial;
            if shown.offered.len() >= VERSIONS {
                shown.offered.pop_front();
            }
            shown.offered.extend(offer.map(|offer| (self.serial, offer)));
            // What is fresh is at the end.
            for (_, first) in shown.names.iter_mut().rev().take_while(|(_, first)| *first == 0) {
                *first = self.serial;
            }
        }
        self.serial
    }

    /// A toast was taken away by its reader or by the desktop. It stays where it was shown anew meanwhile.
    pub fn closed(&mut self, toast: ToastRef) {
        if self.shown.get(&toast.key).is_some_and(|shown| shown.serial == toast.serial) {
            self.shown.remove(&toast.key);
        }
    }

    /// A toast was used, and goes. What came after it was drawn has a toast of its own.
    pub fn take(&mut self, toast: ToastRef) -> DismissedToast {
        let key = toast.key;
        let Some(mut shown) = self.shown.remove(&key) else { return DismissedToast::nothing(key) };
        let all = std::mem::take(&mut shown.names).into_iter();
        let (seen, fresh): (Vec<_>, Vec<_>) = all.partition(|(_, first)| (1..=toast.serial).contains(first));
        let newest = seen.last().map(|(name, _)| name.clone());
        let version = shown.offered.iter().find(|(serial, _)| *serial == toast.serial);
        let offer = version.map(|(_, offer)| offer.clone());
        let too_many = shown.count > NAMES as u64;
        let names = if too_many { Vec::new() } else { seen.into_iter().map(|(name, _)| name).collect() };
        let Some((item, _)) = fresh.last().cloned() else {
            return DismissedToast { newest, names, offer, then: Order::Close(key) };
        };
        let count = fresh.len() as u64;
        let (source, urgency) = (shown.source, Urgency::of(shown.priority));
        self.shown.insert(key, Shown { names: fresh.into(), count, serial: 0, ..shown });
        let content = match key {
            ToastKey::Thread(_) => ToastContent::Thread { count, item },
            ToastKey::Source(_) => ToastContent::Gap(count),
        };
        DismissedToast {
            newest,
            names,
            offer,
            then: Order::Show { key, source, content, urgency, sound: false },
        }
    }

    /// The toasts on screen.
    pub fn on_screen(&self) -> Vec<ToastOnScreen> {
        let mut all: Vec<ToastOnScreen> = self
            .shown
            .iter()
            .map(|(key, shown)| ToastOnScreen {
                key: *key,
                source: shown.source,
                names: shown.names.iter().rev().map(|(name, _)| name.clone()).collect(),
            })
            .collect();
        all.sort_by_key(|toast| toast.key);
        all
    }

    /// Whether something insists on being looked at.
    pub fn has_critical(&self) -> bool {
        self.shown.values().any(|shown| Urgency::of(shown.priority) == Urgency::Critical)
    }

    /// Takes away the toasts behind which nothing is unread any more, unless they grew meanwhile.
    pub fn settle(&mut self, read: &[ToastOnScreen]) -> Vec<Order> {
        let mut orders = Vec::new();
        for toast in read {
            let newest = self.shown.get(&toast.key).and_then(|shown| shown.names.back());
            if newest.map(|(name, _)| name) == toast.names.first() {
                self.shown.remove(&toast.key);
                orders.push(Order::Close(toast.key));
            }
        }
        orders
    }

    /// Whether a thread's toast on the screen tells of an item.
    pub(super) fn stands_for(&self, thread: ThreadId, item: &MsgId) -> bool {
        self.shown
            .get(&ToastKey::Thread(thread))
            .is_some_and(|shown| shown.names.iter().any(|(name, _)| name == item))
    }
}

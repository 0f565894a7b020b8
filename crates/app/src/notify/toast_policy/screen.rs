//! The toasts on screen, each with the items that it stands for.

use std::collections::VecDeque;

use tidings_model::{MsgId, Stamp};
use tidings_replica::{SourceId, ThreadId};

use super::{
    BURST_WINDOW_MICROS, Candidate, MAX_TOAST_ITEMS, ToastCommand, ToastContent, ToastKey, ToastPolicy,
    Urgency,
};
use crate::desktop::ports::ToastRef;
use crate::ipc::ActionView;

/// A toast on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToastOnScreen {
    /// The toast's key.
    pub key: ToastKey,
    /// The source of its items.
    pub source: SourceId,
    /// The items that it stands for, the newest first.
    pub msgids: Vec<MsgId>,
}

/// The item's own buttons in a toast, as the user sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedButtons {
    /// The item that offers them.
    pub item: MsgId,
    /// The buttons in their order.
    pub buttons: Vec<ActionView>,
}

/// A toast that was taken off the screen because the user used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissedToast {
    /// The newest item that this version showed.
    pub newest: Option<MsgId>,
    /// The items that this version stood for; empty where they are more than are kept.
    pub msgids: Vec<MsgId>,
    /// The buttons in this version; none where they are no longer known.
    pub offer: Option<OfferedButtons>,
    /// The command that follows: close the toast, or show what came after this version.
    pub then: ToastCommand,
}

impl DismissedToast {
    const fn unknown(key: ToastKey) -> Self {
        Self { newest: None, msgids: Vec::new(), offer: None, then: ToastCommand::Close(key) }
    }
}

/// Versions of a toast whose buttons are remembered. More than one is needed, because a desktop may redraw a toast that
/// changes fast only about once a second.
const MAX_VERSIONS: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct ShownToast {
    pub(super) source: SourceId,
    /// The items, newest last, each once, at most [`MAX_TOAST_ITEMS`]; with the serial of the first version that showed
    /// it, or 0.
    pub(super) msgids: VecDeque<(MsgId, u64)>,
    /// The number of items that the toast stands for.
    pub(super) count: u64,
    pub(super) priority: u8,
    pub(super) last_sound: Option<Stamp>,
    /// The serial of the version that was shown last; 0 where items were added since.
    pub(super) serial: u64,
    /// The buttons of the last versions, by serial, newest last, at most [`MAX_VERSIONS`].
    pub(super) offered: VecDeque<(u64, OfferedButtons)>,
}

impl ShownToast {
    pub(super) fn of(source: SourceId) -> Self {
        Self {
            source,
            msgids: VecDeque::new(),
            count: 0,
            priority: 1,
            last_sound: None,
            serial: 0,
            offered: VecDeque::new(),
        }
    }

    pub(super) fn add(&mut self, candidate: Candidate) {
        self.priority = self.priority.max(candidate.priority);
        self.serial = 0;
        let known = self.msgids.iter().position(|(msgid, _)| *msgid == candidate.msgid);
        match known {
            Some(at) => drop(self.msgids.remove(at)),
            None => self.count += 1,
        }
        if self.msgids.len() >= MAX_TOAST_ITEMS {
            self.msgids.pop_front();
        }
        self.msgids.push_back((candidate.msgid, 0));
    }

    /// Whether the toast plays a sound now: at most one within [`BURST_WINDOW_MICROS`].
    pub(super) fn claim_sound(&mut self, wants_sound: bool, now: Stamp) -> bool {
        let long_ago = self.last_sound.is_none_or(|at| at <= now.plus_micros(-BURST_WINDOW_MICROS));
        if wants_sound && long_ago {
            self.last_sound = Some(now);
        }
        wants_sound && long_ago
    }
}

impl ToastPolicy {
    /// Records that a toast is about to be shown with these buttons. Returns its serial.
    pub fn record_shown(&mut self, key: ToastKey, offer: Option<OfferedButtons>) -> u64 {
        self.serial += 1;
        if let Some(shown) = self.shown.get_mut(&key) {
            shown.serial = self.serial;
            if shown.offered.len() >= MAX_VERSIONS {
                shown.offered.pop_front();
            }
            shown.offered.extend(offer.map(|offer| (self.serial, offer)));
            // New items are at the end.
            for (_, first) in shown.msgids.iter_mut().rev().take_while(|(_, first)| *first == 0) {
                *first = self.serial;
            }
        }
        self.serial
    }

    /// Records that a toast is no longer on screen, unless a newer version was shown meanwhile.
    pub fn closed(&mut self, toast: ToastRef) {
        if self.shown.get(&toast.key).is_some_and(|shown| shown.serial == toast.serial) {
            self.shown.remove(&toast.key);
        }
    }

    /// Takes off a toast that was used. Items that came after the used version get a toast of their own.
    pub fn dismiss(&mut self, toast: ToastRef) -> DismissedToast {
        let key = toast.key;
        let Some(mut shown) = self.shown.remove(&key) else { return DismissedToast::unknown(key) };
        let all = std::mem::take(&mut shown.msgids).into_iter();
        let (seen, fresh): (Vec<_>, Vec<_>) = all.partition(|(_, first)| (1..=toast.serial).contains(first));
        let newest = seen.last().map(|(msgid, _)| msgid.clone());
        let version = shown.offered.iter().find(|(serial, _)| *serial == toast.serial);
        let offer = version.map(|(_, offer)| offer.clone());
        let too_many = shown.count > MAX_TOAST_ITEMS as u64;
        let msgids = if too_many { Vec::new() } else { seen.into_iter().map(|(msgid, _)| msgid).collect() };
        let Some((item, _)) = fresh.last().cloned() else {
            return DismissedToast { newest, msgids, offer, then: ToastCommand::Close(key) };
        };
        let count = fresh.len() as u64;
        let (source, urgency) = (shown.source, Urgency::of(shown.priority));
        self.shown.insert(key, ShownToast { msgids: fresh.into(), count, serial: 0, ..shown });
        let content = match key {
            ToastKey::Thread(_) => ToastContent::Thread { count, item },
            ToastKey::Source(_) => ToastContent::Gap(count),
        };
        DismissedToast {
            newest,
            msgids,
            offer,
            then: ToastCommand::Show { key, source, content, urgency, sound: false },
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
                msgids: shown.msgids.iter().rev().map(|(msgid, _)| msgid.clone()).collect(),
            })
            .collect();
        all.sort_by_key(|toast| toast.key);
        all
    }

    /// Whether a toast of critical urgency is on screen.
    pub fn has_critical(&self) -> bool {
        self.shown.values().any(|shown| Urgency::of(shown.priority) == Urgency::Critical)
    }

    /// Closes toasts whose items have all been read, unless newer items were added meanwhile.
    pub fn close_read(&mut self, read: &[ToastOnScreen]) -> Vec<ToastCommand> {
        let mut commands = Vec::new();
        for toast in read {
            let newest = self.shown.get(&toast.key).and_then(|shown| shown.msgids.back());
            if newest.map(|(msgid, _)| msgid) == toast.msgids.first() {
                self.shown.remove(&toast.key);
                commands.push(ToastCommand::Close(toast.key));
            }
        }
        commands
    }

    /// Whether the toast of a thread on screen stands for an item.
    pub(super) fn stands_for(&self, thread: ThreadId, item: &MsgId) -> bool {
        self.shown
            .get(&ToastKey::Thread(thread))
            .is_some_and(|shown| shown.msgids.iter().any(|(msgid, _)| msgid == item))
    }
}

//! The toasts on screen, each with the items that it stands for.

use tidings_ipc::Sound;
use tidings_model::MsgId;
use tidings_ports::{Toast, ToastKey, ToastRef, Urgency};
use tidings_replica::{SourceId, ThreadId};

use super::shown::{OfferedButtons, ShownItem, ShownToast};
use super::{MAX_TOAST_ITEMS, ToastCommand, ToastContent, ToastPolicy};

/// A toast on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToastOnScreen {
    /// The toast's key.
    pub key: ToastKey,
    /// The source of its items.
    pub source: SourceId,
    /// The items that it stands for, the newest first.
    pub msgids: Vec<MsgId>,
    /// The urgent ones of them.
    pub urgent: Vec<MsgId>,
}

/// A toast that was taken off the screen because the user used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissedToast {
    /// The newest item that this version showed.
    pub newest: Option<MsgId>,
    /// The items that this version stood for; empty if they are more than are kept.
    pub msgids: Vec<MsgId>,
    /// The buttons in this version; none if they are no longer known.
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
pub(super) const MAX_VERSIONS: usize = 32;
/// The priority of an urgent item once it was read.
const CALM_PRIORITY: u8 = 3;

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
            for item in shown.items.iter_mut().rev().take_while(|item| item.first == 0) {
                item.first = self.serial;
            }
        }
        self.serial
    }

    /// Records the text of a toast as it is shown.
    pub fn record_text(&mut self, toast: &Toast) {
        if let Some(shown) = self.shown.get_mut(&toast.key) {
            shown.text = Some(Toast { serial: 0, sound: Sound::SILENT, ..toast.clone() });
        }
    }

    /// Whether a toast is on screen with the same text, urgency and buttons.
    pub fn reads_as_before(&self, toast: &Toast, offer: Option<&OfferedButtons>) -> bool {
        let Some(shown) = self.shown.get(&toast.key).filter(|shown| shown.serial != 0) else { return false };
        let last_offer = shown.offered.back().filter(|(serial, _)| *serial == shown.serial);
        shown.text == Some(Toast { serial: 0, sound: Sound::SILENT, ..toast.clone() })
            && last_offer.map(|(_, offer)| offer) == offer
    }

    /// Moves the items of a source's toasts into its summary, but for those of urgent toasts. Returns the keys of these
    /// toasts, which are gone, each with whether it was on the screen.
    pub(super) fn fold_into(&mut self, source: SourceId, summary: &mut ShownToast) -> Vec<(ToastKey, bool)> {
        let is_folded = |key: &ToastKey, shown: &ShownToast| {
            matches!(key, ToastKey::Thread(_))
                && shown.source == source
                && shown.urgency() != Urgency::Critical
        };
        let mut folded: Vec<(ToastKey, ShownToast)> =
            self.shown.extract_if(|key, shown| is_folded(key, shown)).collect();
        folded.sort_by_key(|(key, _)| *key);
        let mut keys = Vec::with_capacity(folded.len());
        for (key, shown) in folded {
            summary.last_sound = summary.last_sound.max(shown.last_sound);
            // What was there but is not kept counts, too.
            summary.count += shown.count.saturating_sub(shown.items.len() as u64);
            for item in shown.items {
                summary.add_item(ShownItem { first: 0, ..item });
            }
            keys.push((key, shown.text.is_some()));
        }
        keys
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
        let all = std::mem::take(&mut shown.items).into_iter();
        let (seen, fresh): (Vec<ShownItem>, Vec<ShownItem>) =
            all.partition(|item| (1..=toast.serial).contains(&item.first));
        let newest = seen.last().map(|item| item.msgid.clone());
        let version = shown.offered.iter().find(|(serial, _)| *serial == toast.serial);
        let offer = version.map(|(_, offer)| offer.clone());
        let too_many = shown.count > MAX_TOAST_ITEMS as u64;
        let msgids = if too_many { Vec::new() } else { seen.into_iter().map(|item| item.msgid).collect() };
        let Some(item) = fresh.last().map(|item| item.msgid.clone()) else {
            return DismissedToast { newest, msgids, offer, then: ToastCommand::Close(key) };
        };
        let count = fresh.len() as u64;
        let rest = ShownToast { items: fresh.into(), count, serial: 0, text: None, ..shown };
        let (source, urgency) = (rest.source, rest.urgency());
        self.shown.insert(key, rest);
        let content = match key {
            ToastKey::Thread(_) => ToastContent::Thread { count, item },
            ToastKey::Source(_) | ToastKey::Program => ToastContent::Gap(count),
        };
        DismissedToast {
            newest,
            msgids,
            offer,
            then: ToastCommand::Show { key, source, content, urgency, sound: Sound::SILENT, news: true },
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
                msgids: shown.items.iter().rev().map(|item| item.msgid.clone()).collect(),
                urgent: shown
                    .items
                    .iter()
                    .rev()
                    .filter(|item| item.is_urgent())
                    .map(|item| item.msgid.clone())
                    .collect(),
            })
            .collect();
        all.sort_by_key(|toast| toast.key);
        all
    }

    /// Whether a toast of critical urgency is on screen.
    pub fn has_critical(&self) -> bool {
        self.shown.values().any(|shown| shown.urgency() == Urgency::Critical)
    }

    /// Takes the urgency of urgent items that were read.
    pub fn calm(&mut self, calm: &[ToastOnScreen]) {
        for toast in calm {
            if let Some(shown) = self.shown.get_mut(&toast.key) {
                let read = |item: &&mut ShownItem| toast.urgent.contains(&item.msgid);
                shown.items.iter_mut().filter(read).for_each(|item| item.priority = CALM_PRIORITY);
            }
        }
    }

    /// Closes toasts whose items have all been read, unless newer items were added meanwhile.
    pub fn close_read(&mut self, read: &[ToastOnScreen]) -> Vec<ToastCommand> {
        let mut commands = Vec::new();
        for toast in read {
            let newest = self.shown.get(&toast.key).and_then(ShownToast::newest);
            if newest == toast.msgids.first() {
                self.shown.remove(&toast.key);
                commands.push(ToastCommand::Close(toast.key));
            }
        }
        commands
    }

    /// Takes items that were deleted out of the toasts of threads. A toast goes on without news with the others, and closes
    /// if it has none.
    pub fn remove_deleted(&mut self, deleted: &[(ToastKey, Vec<MsgId>)]) -> Vec<ToastCommand> {
        let mut commands = Vec::new();
        for (key, msgids) in deleted {
            let Some(shown) = self.shown.get_mut(key) else { continue };
            shown.remove(msgids);
            let Some(item) = shown.newest().cloned() else {
                self.shown.remove(key);
                commands.push(ToastCommand::Close(*key));
                continue;
            };
            let content = ToastContent::Thread { count: shown.count, item };
            let (key, source, urgency) = (*key, shown.source, shown.urgency());
            commands.push(ToastCommand::Show {
                key,
                source,
                content,
                urgency,
                sound: Sound::SILENT,
                news: false,
            });
        }
        commands
    }

    /// Whether the toast of a thread on screen stands for an item.
    pub(super) fn stands_for(&self, thread: ThreadId, item: &MsgId) -> bool {
        self.shown
            .get(&ToastKey::Thread(thread))
            .is_some_and(|shown| shown.items.iter().any(|known| known.msgid == *item))
    }
}

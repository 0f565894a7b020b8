//! A toast on screen with its items, as the policy remembers it.

use std::collections::VecDeque;

use tidings_ipc::{ActionView, Sound};
use tidings_model::{Choice, MsgId, Stamp};
use tidings_ports::{Toast, Urgency};
use tidings_replica::SourceId;

use super::{BURST_WINDOW_MICROS, Candidate, MAX_TOAST_ITEMS};

/// The item's own buttons in a toast, as the user sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedButtons {
    /// The item that offers them.
    pub item: MsgId,
    /// The answers that it offers to its question, in their order.
    pub answers: Vec<Choice>,
    /// The buttons after them, in their order.
    pub buttons: Vec<ActionView>,
    /// What words that are written in the toast become; `None` if it takes none.
    pub reply: Option<Reply>,
}

/// What words that are written in a toast become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// A message in the conversation.
    Message,
    /// The answer to the item's question.
    Answer,
}

/// A button of an item that was pressed in a toast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pressed {
    /// An answer to its question.
    Answer(Choice),
    /// The button at this place among those of the item.
    Button(usize, ActionView),
}

impl OfferedButtons {
    /// What the button at a place is, with the item.
    pub fn at(self, index: usize) -> Option<(MsgId, Pressed)> {
        let answer = self.answers.get(index).cloned().map(Pressed::Answer);
        let place = index.checked_sub(self.answers.len());
        let button = place.and_then(|place| Some(Pressed::Button(place, self.buttons.get(place)?.clone())));
        Some((self.item, answer.or(button)?))
    }
}

/// An item that a toast on screen stands for.
#[derive(Debug, Clone)]
pub(super) struct ShownItem {
    pub(super) msgid: MsgId,
    pub(super) priority: u8,
    /// The serial of the first version that showed it, or 0.
    pub(super) first: u64,
}

impl ShownItem {
    pub(super) fn is_urgent(&self) -> bool {
        Urgency::of(self.priority) == Urgency::Critical
    }
}

#[derive(Debug, Clone)]
pub(super) struct ShownToast {
    pub(super) source: SourceId,
    /// The items, newest last, each once, at most [`MAX_TOAST_ITEMS`].
    pub(super) items: VecDeque<ShownItem>,
    /// The number of items that the toast stands for.
    pub(super) count: u64,
    /// When it played a sound last, and how urgent it was then.
    pub(super) last_sound: Option<(Stamp, Urgency)>,
    /// What was shown last.
    pub(super) text: Option<Toast>,
    /// The serial of the version that was shown last; 0 if items were added since.
    pub(super) serial: u64,
    /// The buttons of the last versions, by serial, newest last, at most [`super::screen::MAX_VERSIONS`].
    pub(super) offered: VecDeque<(u64, OfferedButtons)>,
}

impl ShownToast {
    pub(super) fn of(source: SourceId) -> Self {
        Self {
            source,
            items: VecDeque::new(),
            count: 0,
            last_sound: None,
            text: None,
            serial: 0,
            offered: VecDeque::new(),
        }
    }

    pub(super) fn add(&mut self, candidate: Candidate) {
        let Candidate { msgid, priority, .. } = candidate;
        self.add_item(ShownItem { msgid, priority, first: 0 });
    }

    pub(super) fn add_item(&mut self, item: ShownItem) {
        self.serial = 0;
        match self.items.iter().position(|known| known.msgid == item.msgid) {
            Some(at) => drop(self.items.remove(at)),
            None => self.count += 1,
        }
        if self.items.len() >= MAX_TOAST_ITEMS {
            self.items.pop_front();
        }
        self.items.push_back(item);
    }

    /// Removes items that were deleted.
    pub(super) fn remove(&mut self, deleted: &[MsgId]) {
        let before = self.items.len();
        self.items.retain(|item| !deleted.contains(&item.msgid));
        self.count = self.count.saturating_sub((before - self.items.len()) as u64);
    }

    /// The newest item.
    pub(super) fn newest(&self) -> Option<&MsgId> {
        self.items.back().map(|item| &item.msgid)
    }

    /// The urgency of its most urgent item.
    pub(super) fn urgency(&self) -> Urgency {
        Urgency::of(self.items.iter().map(|item| item.priority).max().unwrap_or_default())
    }

    pub(super) fn set_priority(&mut self, msgid: &MsgId, priority: u8) {
        for item in self.items.iter_mut().filter(|item| item.msgid == *msgid) {
            item.priority = priority;
        }
    }

    /// The sound that the toast plays now: at most one within [`BURST_WINDOW_MICROS`], and another if it became more urgent.
    pub(super) fn claim_sound(&mut self, wanted: Sound, now: Stamp) -> Sound {
        let urgency = self.urgency();
        let since = now.plus_micros(-BURST_WINDOW_MICROS);
        let is_due = self.last_sound.is_none_or(|(at, then)| at <= since || urgency > then);
        if wanted.is_silent() || !is_due {
            return Sound::SILENT;
        }
        self.last_sound = Some((now, urgency));
        wanted
    }
}

//! The commands of the toast policy: to show or close a toast.

use tidings_model::MsgId;
use tidings_replica::{SourceId, ThreadId};

/// Identifies a toast on screen; a newer toast with the same key replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToastKey {
    /// One thread.
    Thread(ThreadId),
    /// Everything that a source brought in a gap, a storm or a silence.
    Source(SourceId),
    /// A sentence of the program itself.
    Program,
}

/// The urgency of a toast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Priority 1 and 2.
    Low,
    /// Priority 3 and 4.
    Normal,
    /// Priority 5: the toast stays until the user closes it.
    Critical,
}

impl Urgency {
    pub(super) fn of(priority: u8) -> Self {
        match priority {
            0..=2 => Self::Low,
            3 | 4 => Self::Normal,
            _ => Self::Critical,
        }
    }
}

/// The content of a toast, before it is rendered as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToastContent {
    /// The newest item of a thread.
    Thread {
        /// The number of items that the toast stands for.
        count: u64,
        /// The newest item.
        item: MsgId,
    },
    /// The number of items that the toast stands for, after a gap or a silence.
    Gap(u64),
    /// The same in a storm.
    Storm(u64),
}

/// A command about a toast on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToastCommand {
    /// Show a toast, in place of one with the same key.
    Show {
        /// The toast's key.
        key: ToastKey,
        /// The source of its items.
        source: SourceId,
        /// The toast's content.
        content: ToastContent,
        /// The toast's urgency.
        urgency: Urgency,
        /// Whether it may play a sound.
        sound: bool,
        /// Whether it tells of something new. One that does not is shown only where it reads otherwise than before.
        news: bool,
    },
    /// Close the toast with this key.
    Close(ToastKey),
}

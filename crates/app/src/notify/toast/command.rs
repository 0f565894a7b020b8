//! What a toast is about, how urgent it is, and the orders to show or close one.

use tidings_model::MsgId;
use tidings_replica::{SourceId, ThreadId};

/// What a toast is about; a newer toast about the same replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToastKey {
    /// One thread.
    Thread(ThreadId),
    /// Everything that a source brought after a gap, in a storm or in a silence.
    Source(SourceId),
}

/// How much a toast may insist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Priority 2.
    Low,
    /// Priority 3 and 4.
    Normal,
    /// Priority 5: stays until it is looked at.
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

/// What a toast is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToastContent {
    /// The newest item of a thread.
    Thread {
        /// How many items the toast stands for.
        count: u64,
        /// The newest of them.
        item: MsgId,
    },
    /// So many are new after a gap or a silence.
    Gap(u64),
    /// So many came at once.
    Storm(u64),
}

/// What to do with the toasts on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Show it, in place of one with the same key.
    Show {
        /// What it is about.
        key: ToastKey,
        /// The source that it comes from.
        source: SourceId,
        /// What it tells.
        content: ToastContent,
        /// How much it may insist.
        urgency: Urgency,
        /// It may play a sound.
        sound: bool,
    },
    /// Take it away.
    Close(ToastKey),
}

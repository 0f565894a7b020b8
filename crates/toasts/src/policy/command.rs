//! The commands of the toast policy: to show or close a toast.

use tidings_ipc::Sound;
use tidings_model::MsgId;
use tidings_ports::{ToastKey, Urgency};
use tidings_replica::SourceId;

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
        /// The sound that it plays.
        sound: Sound,
        /// Whether it has something new. A toast without news is shown only if its text differs from before.
        news: bool,
    },
    /// Close the toast with this key.
    Close(ToastKey),
}

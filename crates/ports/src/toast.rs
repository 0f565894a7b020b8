//! A toast as a desktop gets it, and the desktop's answers to it.

use tidings_ipc::Sound;
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
    /// The urgency of a priority from 1 to 5.
    pub fn of(priority: u8) -> Self {
        match priority {
            0..=2 => Self::Low,
            3 | 4 => Self::Normal,
            _ => Self::Critical,
        }
    }
}

/// A toast, in plain text. The adapter escapes text if its desktop reads markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// The thread or source that the toast stands for; it replaces an older toast with the same key.
    pub key: ToastKey,
    /// Increases with every toast shown, over all keys: of two with the same key, the newer one has the greater serial.
    pub serial: u64,
    /// The source's name, the sender, or a heading with the number of new items.
    pub title: String,
    /// The text of the newest item or the number of new ones; may be empty.
    pub body: String,
    /// The urgency hint for the desktop.
    pub urgency: Urgency,
    /// The label of the button that opens the window, for desktops whose toasts cannot be clicked themselves.
    pub open: String,
    /// The label of the button that marks it read; none if there is nothing to mark.
    pub read: Option<String>,
    /// The label of the button that archives it; none if there is nothing to mark.
    pub archive: Option<String>,
    /// The labels of the newest item's own buttons; the position from 0 is the button's index.
    pub actions: Vec<String>,
    /// The label of the field for an answer in words; none if there is nothing to answer. Few desktops have such fields.
    pub reply: Option<String>,
    /// The sound that the toast plays.
    pub sound: Sound,
}

/// Identifies one version of a toast as it was on screen; a newer version with the same key may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToastRef {
    /// The toast's key.
    pub key: ToastKey,
    /// The toast's serial.
    pub serial: u64,
}

impl Toast {
    /// The reference to this version of the toast.
    pub const fn to_ref(&self) -> ToastRef {
        ToastRef { key: self.key, serial: self.serial }
    }
}

/// The desktop's answer to a toast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToastAnswer {
    /// It took it.
    Shown,
    /// It took it and keeps it back, as its do-not-disturb mode is on.
    DoNotDisturb,
    /// There is no notification daemon.
    NoDaemon,
    /// The daemon refused it or did not answer.
    Refused,
}

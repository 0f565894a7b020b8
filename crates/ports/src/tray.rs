//! The content of a tray, and the requests of its lines.

use tidings_replica::ThreadId;

use crate::badge::Badge;

/// The content of the tray.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrayView {
    /// The picture.
    pub badge: Badge,
    /// Whether the picture is fainter, because toasts are paused or quiet hours are in force.
    pub faint: bool,
    /// The numbers of unread items, and the reason why toasts are silent.
    pub tooltip: String,
    /// The menu, from top to bottom.
    pub menu: Vec<MenuLine>,
}

/// A line of the tray's menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MenuLine {
    /// A line that can be chosen.
    Item {
        /// The text of the line.
        label: String,
        /// The action of the line.
        action: MenuAction,
        /// Whether the line can be chosen now.
        enabled: bool,
    },
    /// A separator.
    Separator,
}

/// The action of a line of the tray's menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuAction {
    /// Show the window.
    Open,
    /// Show this thread.
    Thread(ThreadId),
    /// Show the form of a new conversation.
    NewMessage,
    /// Mark everything read.
    MarkAllRead,
    /// Pause toasts, or end the pause.
    TogglePause,
    /// Pause toasts for an hour.
    PauseHour,
    /// Pause toasts until eight the next morning.
    PauseTomorrow,
    /// End the program.
    Quit,
}

impl MenuAction {
    /// The actions of the desktop entry, by their words in the program's options, on the app's socket and on the bus.
    const WORDS: [(&'static str, Self); 3] = [
        ("new-message", Self::NewMessage),
        ("mark-all-read", Self::MarkAllRead),
        ("pause-hour", Self::PauseHour),
    ];

    /// The action of the desktop entry with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, action)| action)
    }

    /// Its word; `None` if the desktop entry does not have it.
    pub fn word(self) -> Option<&'static str> {
        Self::WORDS.into_iter().find(|(_, action)| *action == self).map(|(word, _)| word)
    }
}

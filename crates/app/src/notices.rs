//! What works less well than it could, each said once in the log and shown for as long as it is true. Refuses codes
//! and jargon: a notice is a sentence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tidings_model::Lang;

use crate::ipc::{Notice, NoticeCode};
use crate::strings::strings;

/// Something that does not work, with what its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degradation {
    /// No tray host.
    Tray,
    /// No notification daemon, or no session bus.
    Toasts,
    /// The token went into a file.
    Keyring,
    /// The usual port was taken.
    Port {
        /// The usual one.
        usual: u16,
        /// The one in use.
        now: u16,
    },
    /// The own server did not start, and why.
    Server(String),
    /// The data folder cannot be written.
    Folder(PathBuf),
    /// No room on the disk.
    Disk,
    /// The replica could not be opened, and why.
    Replica(String),
}

impl Degradation {
    /// What the page keys its banner by.
    pub const fn code(&self) -> NoticeCode {
        match self {
            Self::Tray => NoticeCode::NoTray,
            Self::Toasts => NoticeCode::NoToasts,
            Self::Keyring => NoticeCode::NoKeyring,
            Self::Port { .. } => NoticeCode::PortTaken,
            Self::Server(_) => NoticeCode::NoServer,
            Self::Folder(_) => NoticeCode::ReadOnly,
            Self::Disk => NoticeCode::DiskFull,
            Self::Replica(_) => NoticeCode::NoReplica,
        }
    }

    /// The sentence.
    pub fn text(&self, lang: Lang) -> String {
        let table = strings(lang);
        match self {
            Self::Tray => table.notice_no_tray.to_owned(),
            Self::Toasts => table.notice_no_toasts.to_owned(),
            Self::Keyring => table.notice_no_keyring.to_owned(),
            Self::Port { usual, now } => (table.notice_port_taken)(*usual, *now),
            Self::Server(why) => (table.notice_no_server)(why),
            Self::Folder(folder) => (table.notice_read_only)(&folder.display().to_string()),
            Self::Disk => table.notice_disk_full.to_owned(),
            Self::Replica(why) => (table.notice_no_replica)(why),
        }
    }

    /// Nothing new can be kept, as opposed to "works, but".
    pub const fn is_danger(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::Disk | Self::Replica(_))
    }
}

/// The notices in force.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    active: BTreeMap<NoticeCode, Degradation>,
    said: Vec<Degradation>,
}

impl Notices {
    /// It is true now. Says so in the log where it was not said before. Whether anything changed.
    pub(crate) fn raise(&mut self, degradation: &Degradation) -> bool {
        if !self.said.contains(degradation) {
            tracing::warn!("{}", degradation.text(Lang::En));
            self.said.push(degradation.clone());
        }
        self.active.insert(degradation.code(), degradation.clone()).as_ref() != Some(degradation)
    }

    /// It is no longer true. Whether anything changed.
    pub(crate) fn clear(&mut self, code: NoticeCode) -> bool {
        self.active.remove(&code).is_some()
    }

    /// Whether it is true now.
    pub(crate) fn has(&self, code: NoticeCode) -> bool {
        self.active.contains_key(&code)
    }

    /// All of them, the grave ones first.
    pub(crate) fn all(&self, lang: Lang) -> Vec<Notice> {
        let mut all: Vec<Notice> = self
            .active
            .values()
            .map(|degradation| Notice {
                code: degradation.code(),
                text: degradation.text(lang),
                danger: degradation.is_danger(),
            })
            .collect();
        all.sort_by_key(|notice| !notice.danger);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_stays_for_as_long_as_it_is_true() {
        let mut notices = Notices::default();
        assert!(notices.raise(&Degradation::Toasts));
        assert!(!notices.raise(&Degradation::Toasts), "the same twice is one");
        assert!(notices.raise(&Degradation::Folder("/data".into())));
        let all = notices.all(Lang::En);
        assert_eq!(all.len(), 2);
        assert!(all[0].danger && all[0].text.contains("/data"), "the grave one first");
        assert!(notices.clear(NoticeCode::NoToasts));
        assert!(!notices.clear(NoticeCode::NoToasts));
        assert_eq!(notices.all(Lang::ZhCn).len(), 1);
    }
}

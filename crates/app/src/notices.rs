//! What works less well than it could, each said once in the log and shown for as long as it is true. Refuses codes
//! and jargon: a notice is a sentence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tidings_model::Lang;

use crate::page::{Notice, NoticeCode};
use crate::words::words;

/// Something that does not work, with what its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
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

impl Lack {
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
        let table = words(lang);
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
    lacks: BTreeMap<NoticeCode, Lack>,
    said: Vec<Lack>,
}

impl Notices {
    /// It is true now. Says so in the log where it was not said before. Whether anything changed.
    pub(crate) fn raise(&mut self, lack: &Lack) -> bool {
        if !self.said.contains(lack) {
            tracing::warn!("{}", lack.text(Lang::En));
            self.said.push(lack.clone());
        }
        self.lacks.insert(lack.code(), lack.clone()).as_ref() != Some(lack)
    }

    /// It is no longer true. Whether anything changed.
    pub(crate) fn clear(&mut self, code: NoticeCode) -> bool {
        self.lacks.remove(&code).is_some()
    }

    /// Whether it is true now.
    pub(crate) fn has(&self, code: NoticeCode) -> bool {
        self.lacks.contains_key(&code)
    }

    /// All of them, the grave ones first.
    pub(crate) fn all(&self, lang: Lang) -> Vec<Notice> {
        let mut all: Vec<Notice> = self
            .lacks
            .values()
            .map(|lack| Notice { code: lack.code(), text: lack.text(lang), danger: lack.is_danger() })
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
        assert!(notices.raise(&Lack::Toasts));
        assert!(!notices.raise(&Lack::Toasts), "the same twice is one");
        assert!(notices.raise(&Lack::Folder("/data".into())));
        let all = notices.all(Lang::En);
        assert_eq!(all.len(), 2);
        assert!(all[0].danger && all[0].text.contains("/data"), "the grave one first");
        assert!(notices.clear(NoticeCode::NoToasts));
        assert!(!notices.clear(NoticeCode::NoToasts));
        assert_eq!(notices.all(Lang::ZhCn).len(), 1);
    }
}

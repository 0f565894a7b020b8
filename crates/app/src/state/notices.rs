//! Degradations of this desktop, each logged once and shown as a notice for as long as it lasts. A newer version has a
//! notice as well.
//!
//! Each of them has a path, is said in plain words, and keeps what there is:
//!
//! - no tray host: closing the window leaves the app running, and the icon appears when a host comes;
//! - no session bus or no notification daemon: no toasts, but badge, tray and window go on;
//! - no keyring: a token is kept in a file that only its owner can read;
//! - the usual port is taken: the own server takes a free one, and the first-run page names it;
//! - a session bus that lets nobody read along: new notifications of other programs are not kept, and earlier ones
//!   stay;
//! - a network without multicast: other devices do not find the own server by themselves, but its addresses work;
//! - no keys that hold everywhere (Wayland): the desktop's own keys can start the app, and a second start shows the
//!   window;
//! - a folder that can't be written: its items can be read, searched and counted, and nothing new is kept.

use std::collections::BTreeMap;
use std::path::PathBuf;

use parking_lot::Mutex;
use tidings_ipc::{Notice, NoticeCode};
use tidings_model::Lang;
use tidings_strings::strings;

/// A part of the app that does not work, with the values of its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degradation {
    /// No tray host.
    Tray {
        /// Whether closing the window ends the program, by the settings.
        quits: bool,
    },
    /// No notification daemon, or no session bus.
    Toasts,
    /// There is no keyring, so a token was stored in a file.
    Keyring,
    /// The usual port of the own server is in use by another program.
    Port {
        /// The usual port.
        usual: u16,
        /// The port that the server listens on instead.
        actual: u16,
    },
    /// The own server did not start, with the reason.
    Server(String),
    /// The data folder cannot be written.
    Folder(PathBuf),
    /// The disk is full.
    Disk,
    /// The disk fails.
    DiskFails,
    /// The replica could not be opened, with the reason.
    Replica(String),
    /// What these sources sent could not be read before, and is passed by.
    PassedBy(Vec<String>),
    /// The replica is damaged.
    Damaged,
    /// A wrong clock left stamps of the own server in the future.
    ClockAhead,
    /// The replica was repaired, and is used from the next start on.
    Repaired,
    /// There is this newer version.
    NewerVersion(String),
}

impl Degradation {
    /// The code of the notice.
    pub const fn code(&self) -> NoticeCode {
        match self {
            Self::Tray { .. } => NoticeCode::NoTray,
            Self::Toasts => NoticeCode::NoToasts,
            Self::Keyring => NoticeCode::NoKeyring,
            Self::Port { .. } => NoticeCode::PortTaken,
            Self::Server(_) => NoticeCode::NoServer,
            Self::Folder(_) => NoticeCode::ReadOnly,
            Self::Disk | Self::DiskFails => NoticeCode::DiskFull,
            Self::Replica(_) => NoticeCode::NoReplica,
            Self::PassedBy(_) => NoticeCode::PassedBy,
            Self::Damaged => NoticeCode::Damaged,
            Self::ClockAhead => NoticeCode::ClockAhead,
            Self::Repaired => NoticeCode::Repaired,
            Self::NewerVersion(_) => NoticeCode::NewerVersion,
        }
    }

    /// The sentence of the notice.
    pub fn text(&self, lang: Lang) -> String {
        let table = strings(lang);
        match self {
            Self::Tray { quits: true } => table.notice_no_tray.to_owned(),
            Self::Tray { quits: false } => table.notice_no_tray_goes_on.to_owned(),
            Self::Toasts => table.notice_no_toasts.to_owned(),
            Self::Keyring => table.notice_no_keyring.to_owned(),
            Self::Port { usual, actual } => (table.notice_port_taken)(*usual, *actual),
            Self::Server(why) => (table.notice_no_server)(why),
            Self::Folder(folder) => (table.notice_read_only)(&folder.display().to_string()),
            Self::Disk => table.notice_disk_full.to_owned(),
            Self::DiskFails => table.notice_disk_fails.to_owned(),
            Self::Replica(why) => (table.notice_no_replica)(why),
            Self::PassedBy(of) => (table.notice_passed_by)(of),
            Self::Damaged => table.notice_damaged.to_owned(),
            Self::ClockAhead => table.notice_clock_ahead.to_owned(),
            Self::Repaired => table.notice_repaired.to_owned(),
            Self::NewerVersion(version) => (table.notice_newer_version)(version),
        }
    }

    /// Whether new items cannot be stored; else the app works with less.
    pub const fn is_danger(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::Disk | Self::DiskFails | Self::Replica(_) | Self::Damaged)
    }
}

/// The notices in force.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<NoticeState>);

#[derive(Debug, Default)]
struct NoticeState {
    active: BTreeMap<NoticeCode, Degradation>,
    /// The degradations that were logged already.
    logged: Vec<Degradation>,
}

impl Notices {
    /// Adds a notice, and logs the degradation if that was not done yet. Returns whether anything changed.
    pub(crate) fn raise(&self, degradation: &Degradation) -> bool {
        let mut state = self.0.lock();
        if !state.logged.contains(degradation) {
            tracing::warn!("{}", degradation.text(Lang::En));
            state.logged.push(degradation.clone());
        }
        state.active.insert(degradation.code(), degradation.clone()).as_ref() != Some(degradation)
    }

    /// Removes a notice. Returns whether there was one.
    pub(crate) fn clear(&self, code: NoticeCode) -> bool {
        self.0.lock().active.remove(&code).is_some()
    }

    /// Whether a notice is in force.
    pub(crate) fn has(&self, code: NoticeCode) -> bool {
        self.0.lock().active.contains_key(&code)
    }

    /// All notices, the dangerous ones first.
    pub(crate) fn all(&self, lang: Lang) -> Vec<Notice> {
        let notice = |degradation: &Degradation| Notice {
            code: degradation.code(),
            text: degradation.text(lang),
            danger: degradation.is_danger(),
        };
        let mut all: Vec<Notice> = self.0.lock().active.values().map(notice).collect();
        all.sort_by_key(|notice| !notice.danger);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_stays_for_as_long_as_it_is_true() {
        let notices = Notices::default();
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

    #[test]
    fn a_disk_that_fails_and_is_full_after_that_has_one_notice_which_says_what_is_so_now() {
        let notices = Notices::default();
        assert!(notices.raise(&Degradation::DiskFails));
        assert!(notices.all(Lang::En)[0].text.contains("The disk has errors"));
        assert!(notices.raise(&Degradation::Disk));
        let all = notices.all(Lang::En);
        assert!(all.len() == 1 && all[0].danger && all[0].text.contains("The disk is full"));
        assert!(notices.clear(NoticeCode::DiskFull));
    }
}

//! Names what works on this computer and what does not, why, and what to do: one list, for the window and the terminal.
//!
//! A report for somebody else has no token, no address longer than its host, no name that the reader gave, and no name
//! of the reader's folder.

mod look;
#[cfg(test)]
mod tests;
mod words;

use std::fmt::Write as _;

use tidings_ipc::{Finding, FindingPart, FindingState};
use tidings_model::{Lang, Stamp};
use tidings_render::link;
use tidings_replica::Source;
use tidings_sources::releases::Release;
use tidings_strings::strings;
use tidings_sync::Trouble;
use tidings_sync::session::{Daemon, KeyringState};
use url::Url;

pub use self::look::{clock, databases, desktop, folder, port, server_failed, shared_database, source};

/// What was found of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// There is no desktop's session here, so that its parts were not looked at.
    NoSession,
    /// Whether there is a session bus.
    Bus(bool),
    /// Whether something shows tray icons.
    TrayHost(bool),
    /// What shows notifications.
    Notifications(Option<Daemon>),
    /// What plays the sounds of toasts; `None` if nothing does.
    Sounds(Option<String>),
    /// The state of the keyring.
    Keyring(KeyringState),
    /// The interfaces of the portal.
    Portals(Vec<String>),
    /// The web view.
    WebView(Option<String>),
    /// Whether the app starts at login.
    Autostart(bool),
    /// The data folder can be written, or is not there yet.
    Folder,
    /// The data folder can't be written, with the reason.
    FolderRefused(String),
    /// The free bytes of its disk.
    DiskFree(u64),
    /// So few bytes are free that nothing is fetched any more.
    DiskLow(u64),
    /// Nothing can be written any more.
    DiskFull,
    /// The disk has room for no more files.
    NoFilesLeft,
    /// The database of a part, which is [`FindingPart::Inbox`] or [`FindingPart::Server`].
    Database(FindingPart, Database),
    /// The own server's stamps are ahead of the clock.
    StampsAhead,
    /// The port on which the own server answers.
    Port(u16),
    /// Another program has the own server's port.
    PortTaken {
        /// The port.
        wanted: u16,
        /// The one on which the own server answers instead; `None` if it does not run.
        actual: Option<u16>,
    },
    /// No own server runs, with the reason if it failed.
    NoServer(Option<String>),
    /// The clock agrees with those of the servers.
    ClockRight,
    /// The clock differs from that of a server.
    ClockOff {
        /// The server's host.
        host: String,
        /// The server's clock minus this one, in seconds.
        seconds: i64,
    },
    /// The clock jumped, so that nothing is removed by age for so many hours of running.
    AgeHold(u64),
    /// There is this newer version, with the page about it.
    NewerVersion(Release),
    /// There is no newer version, as far as the feed of releases said.
    NewestVersion,
    /// The feed of releases did not answer when it was last asked.
    NoReleases,
    /// A source.
    Source(SourceFound),
}

/// What was found of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// There is none yet.
    Missing,
    /// Its pages are sound.
    Sound,
    /// It is damaged.
    Damaged,
    /// Another program has it for itself.
    InUse,
    /// It can't be opened, with the reason.
    Refused(String),
    /// It is one that several servers share, and answers.
    Answers,
    /// It is one that several servers share, and does not answer, with the reason.
    NoAnswer(String),
}

/// What was found of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFound {
    /// The name that the reader gave it; empty for the own server's.
    pub name: String,
    /// The label of its protocol.
    pub protocol: &'static str,
    /// Its host, with the port; empty if it has none.
    pub host: String,
    /// Whether the reader paused it.
    pub paused: bool,
    /// When something was last fetched.
    pub last_pull: Option<Stamp>,
    /// Why it is not up to date.
    pub trouble: Option<Trouble>,
}

impl SourceFound {
    fn of(row: &Source, trouble: Option<Trouble>) -> Self {
        let protocol = tidings_sources::protocol(&row.protocol).map_or("", |known| known.label);
        let url = row.url.parse::<Url>().ok();
        Self {
            name: row.name.clone(),
            protocol,
            host: url.as_ref().and_then(link::host).unwrap_or_default(),
            paused: row.paused,
            last_pull: row.last_pull,
            trouble,
        }
    }

    /// A name for somebody else.
    fn public_name(&self) -> String {
        format!("{} {}", self.protocol, self.host).trim().to_owned()
    }
}

/// For whom findings are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The reader, who knows the sources by their names.
    Reader,
    /// Somebody else.
    Others,
}

impl Found {
    /// The part that it is about.
    pub const fn part(&self) -> FindingPart {
        match self {
            Self::NoSession | Self::Bus(_) => FindingPart::Session,
            Self::TrayHost(_) => FindingPart::Tray,
            Self::Notifications(_) => FindingPart::Notifications,
            Self::Sounds(_) => FindingPart::Sounds,
            Self::Keyring(_) => FindingPart::Keyring,
            Self::Portals(_) => FindingPart::Portals,
            Self::WebView(_) => FindingPart::WebView,
            Self::Autostart(_) => FindingPart::Autostart,
            Self::Folder | Self::FolderRefused(_) => FindingPart::Folder,
            Self::DiskFree(_) | Self::DiskLow(_) | Self::DiskFull | Self::NoFilesLeft => FindingPart::Disk,
            Self::Database(part, _) => *part,
            Self::StampsAhead => FindingPart::Server,
            Self::Port(_) | Self::PortTaken { .. } | Self::NoServer(_) => FindingPart::Port,
            Self::ClockRight | Self::ClockOff { .. } | Self::AgeHold(_) => FindingPart::Clock,
            Self::NewerVersion(_) | Self::NewestVersion | Self::NoReleases => FindingPart::Version,
            Self::Source(_) => FindingPart::Source,
        }
    }

    /// Whether the part works.
    pub fn state(&self) -> FindingState {
        match self {
            Self::Bus(false)
            | Self::Notifications(None)
            | Self::WebView(None)
            | Self::FolderRefused(_)
            | Self::DiskLow(_)
            | Self::DiskFull
            | Self::NoFilesLeft
            | Self::Database(
                _,
                Database::Damaged | Database::InUse | Database::Refused(_) | Database::NoAnswer(_),
            )
            | Self::StampsAhead
            | Self::NoServer(Some(_))
            | Self::ClockOff { .. } => FindingState::Trouble,
            Self::NoSession
            | Self::TrayHost(false)
            | Self::Sounds(None)
            | Self::Keyring(KeyringState::Missing | KeyringState::Locked)
            | Self::PortTaken { .. }
            | Self::AgeHold(_)
            | Self::NewerVersion(_)
            | Self::NoReleases => FindingState::Limited,
            Self::Portals(names) if names.is_empty() => FindingState::Limited,
            Self::Notifications(Some(daemon)) if !offers(daemon, "actions") => FindingState::Limited,
            Self::Source(SourceFound { paused: false, trouble: Some(trouble), .. }) => match trouble {
                Trouble::Waiting(_) | Trouble::PullEnded(_) | Trouble::PassedBy => FindingState::Limited,
                _ => FindingState::Trouble,
            },
            _ => FindingState::Well,
        }
    }

    /// The finding in words.
    fn finding(&self, lang: Lang, audience: Audience) -> Finding {
        let (why, what_to_do) = words::of(self, lang);
        let name = match self {
            Self::Source(source) if audience == Audience::Others => source.public_name(),
            Self::Source(source) if source.name.is_empty() => strings(lang).this_computer.to_owned(),
            Self::Source(source) => source.name.clone(),
            _ => words::name(self.part(), lang).to_owned(),
        };
        Finding {
            what: self.part(),
            name,
            state: self.state(),
            why: match self {
                // It may have names of the database and of its users.
                Self::Database(_, Database::NoAnswer(reason)) if audience == Audience::Reader => {
                    format!("{why} ({reason})")
                }
                _ => why,
            },
            what_to_do: what_to_do.map(|advice| match self {
                Self::NewerVersion(newer) if audience == Audience::Reader => {
                    format!("{advice}: {}", newer.link)
                }
                _ => advice.to_owned(),
            }),
        }
    }
}

/// Whether a notification daemon has an ability.
fn offers(daemon: &Daemon, ability: &str) -> bool {
    daemon.capabilities.iter().any(|one| one == ability)
}

/// What was found, in words.
pub fn findings(found: &[Found], lang: Lang, audience: Audience) -> Vec<Finding> {
    found.iter().map(|one| one.finding(lang, audience)).collect()
}

/// Whether nothing needs somebody.
pub fn is_well(found: &[Found]) -> bool {
    found.iter().all(|one| one.state() != FindingState::Trouble)
}

/// Findings as text: a line for each, and one for what to do.
pub fn lines(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { name, state, why, what_to_do, .. } in findings {
        let sign = match state {
            FindingState::Well => '✓',
            FindingState::Limited => '○',
            FindingState::Trouble => '✗',
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{sign} {name}: {why}");
        if let Some(advice) = what_to_do {
            let _ = writeln!(text, "  → {advice}");
        }
    }
    text
}

/// What is sent to somebody else.
pub fn report(found: &[Found], version: &str, lang: Lang) -> String {
    format!("Tidings {version}\n{}", lines(&findings(found, lang, Audience::Others)))
}

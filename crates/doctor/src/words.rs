//! Findings in words: each is matched once, for all languages.

use tidings_ipc::FindingPart;
use tidings_model::{Lang, Stamp};
use tidings_net::CertificateFault;
use tidings_strings::doctor::{DoctorStrings, doctor_strings};
use tidings_strings::settings::bytes;
use tidings_strings::strings;
use tidings_sync::Trouble;
use tidings_sync::session::KeyringState;

use crate::{Database, Found, SourceFound, offers};

/// What was found, and what to do.
type Words = (String, Option<&'static str>);

/// The name of a part.
pub(super) const fn name(part: FindingPart, lang: Lang) -> &'static str {
    let table = doctor_strings(lang);
    match part {
        FindingPart::Session => table.part_session,
        FindingPart::Tray => table.part_tray,
        FindingPart::Notifications => table.part_notifications,
        FindingPart::Sounds => table.part_sounds,
        FindingPart::Keyring => table.part_keyring,
        FindingPart::Portals => table.part_portals,
        FindingPart::WebView => table.part_web_view,
        FindingPart::Autostart => table.part_autostart,
        FindingPart::Folder => table.part_folder,
        FindingPart::Disk => table.part_disk,
        FindingPart::Inbox => table.part_inbox,
        FindingPart::Server => table.part_server,
        FindingPart::Port => table.part_port,
        FindingPart::Clock => table.part_clock,
        FindingPart::Version => table.part_version,
        FindingPart::Source => table.part_source,
    }
}

/// The words of a finding.
pub(super) fn of(found: &Found, lang: Lang) -> Words {
    let t = doctor_strings(lang);
    let known = |text: &str| (text.to_owned(), None);
    let advised = |text: &str, advice| (text.to_owned(), Some(advice));
    match found {
        Found::NoSession => known(t.no_session),
        Found::Bus(true) => known(t.bus),
        Found::Bus(false) => advised(t.no_bus, t.no_bus_advice),
        Found::TrayHost(true) => known(t.tray_host),
        Found::TrayHost(false) => advised(t.no_tray_host, t.no_tray_host_advice),
        Found::Notifications(Some(daemon)) => {
            let said = (t.daemon)(&daemon.name, &daemon.version, &daemon.capabilities);
            if offers(daemon, "actions") {
                (said, None)
            } else {
                ((t.no_buttons)(&said), Some(t.no_buttons_advice))
            }
        }
        Found::Notifications(None) => advised(t.no_daemon, t.no_daemon_advice),
        Found::Sounds(Some(by)) => ((t.sounds)(by), None),
        Found::Sounds(None) => advised(t.no_sounds, t.no_sounds_advice),
        Found::Keyring(KeyringState::Open) => known(t.keyring_open),
        Found::Keyring(KeyringState::Locked) => advised(t.keyring_locked, t.keyring_locked_advice),
        Found::Keyring(KeyringState::Missing) => advised(t.no_keyring, t.no_keyring_advice),
        Found::Portals(names) if names.is_empty() => advised(t.no_portals, t.no_portals_advice),
        Found::Portals(names) => ((t.portals)(names), None),
        Found::WebView(Some(version)) => (version.clone(), None),
        Found::WebView(None) => advised(t.no_web_view, t.no_web_view_advice),
        Found::Autostart(true) => known(t.autostart_on),
        Found::Autostart(false) => known(t.autostart_off),
        Found::Folder => known(t.folder),
        Found::FolderRefused(why) => ((t.folder_refused)(why), Some(t.folder_refused_advice)),
        Found::DiskFree(free) => ((t.disk_free)(&bytes(*free)), None),
        Found::DiskLow(free) => ((t.disk_low)(&bytes(*free)), Some(t.disk_advice)),
        Found::DiskFull => advised(t.disk_full, t.disk_advice),
        Found::NoFilesLeft => advised(t.no_files_left, t.no_files_left_advice),
        Found::Database(part, database) => database_words(*part, database, t),
        Found::StampsAhead => advised(t.stamps_ahead, t.stamps_ahead_advice),
        Found::Port(port) => ((t.port)(*port), None),
        Found::PortTaken { wanted, actual } => {
            let actual = actual.map(|port| port.to_string());
            ((t.port_taken)(*wanted, actual.as_deref()), Some(t.port_taken_advice))
        }
        Found::NoServer(None) => known(t.server_off),
        Found::NoServer(Some(why)) => ((t.server_failed)(why), Some(t.server_failed_advice)),
        Found::ClockRight => known(t.clock_right),
        Found::ClockOff { host, seconds } => {
            let span = span(seconds.unsigned_abs(), t);
            ((t.clock_off)(*seconds > 0, &span, host), Some(t.clock_off_advice))
        }
        Found::AgeHold(hours) => ((t.age_hold)(*hours), Some(t.age_hold_advice)),
        Found::NewerVersion(newer) => ((t.newer_version)(&newer.version), Some(t.newer_version_advice)),
        Found::NewestVersion => known(t.newest_version),
        Found::NoReleases => advised(t.no_releases, t.no_releases_advice),
        Found::Source(source) => source_words(source, lang),
    }
}

fn database_words(part: FindingPart, database: &Database, t: &'static DoctorStrings) -> Words {
    let (text, advice) = match database {
        Database::Missing => (t.no_database, None),
        Database::Sound => (t.database_sound, None),
        Database::Damaged if part == FindingPart::Inbox => (t.database_damaged, Some(t.damaged_inbox_advice)),
        Database::Damaged => (t.database_damaged, Some(t.damaged_server_advice)),
        Database::InUse => (t.database_in_use, Some(t.database_in_use_advice)),
        Database::Refused(why) => return ((t.database_refused)(why), Some(t.database_refused_advice)),
        Database::Answers => (t.database_answers, None),
        Database::NoAnswer(_) => (t.database_silent, Some(t.database_silent_advice)),
    };
    (text.to_owned(), advice)
}

fn source_words(source: &SourceFound, lang: Lang) -> Words {
    let t = doctor_strings(lang);
    if source.paused {
        return (t.paused.to_owned(), None);
    }
    let fetched = match source.last_pull {
        Some(at) => (t.last_fetched)(&time(at)),
        None => t.nothing_fetched.to_owned(),
    };
    match source.trouble {
        None => (fetched, None),
        Some(trouble) => ((t.source_trouble)(&strings(lang).trouble(trouble), &fetched), advice(trouble, t)),
    }
}

const fn advice(trouble: Trouble, t: &'static DoctorStrings) -> Option<&'static str> {
    Some(match trouble {
        Trouble::SignIn => t.sign_in_advice,
        Trouble::Certificate(CertificateFault::UnknownAuthority) => t.unknown_authority_advice,
        Trouble::Certificate(CertificateFault::NotValidNow) => t.not_valid_now_advice,
        Trouble::Certificate(CertificateFault::ClientWanted | CertificateFault::ClientKey) => {
            t.client_certificate_advice
        }
        Trouble::Setup => t.setup_advice,
        Trouble::Offline => t.offline_advice,
        Trouble::NameNotFound => t.name_not_found_advice,
        Trouble::Unreachable | Trouble::Slow | Trouble::Unavailable(_) => t.unreachable_advice,
        Trouble::Waiting(_) | Trouble::PullEnded(_) | Trouble::PassedBy => return None,
        _ if trouble.is_local() => t.local_advice,
        _ => t.other_advice,
    })
}

/// A time as it is written everywhere.
fn time(at: Stamp) -> String {
    at.to_datetime().with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M").to_string()
}

/// A duration in the largest unit of which it has at least two: days, hours or minutes.
fn span(seconds: u64, t: &DoctorStrings) -> String {
    match seconds {
        172_800.. => (t.days)(seconds / 86_400),
        7_200.. => (t.hours)(seconds / 3_600),
        _ => (t.minutes)(seconds / 60),
    }
}

//! Findings in English.

use tidings_ipc::FindingPart;
use tidings_model::Lang;
use tidings_net::CertificateFault;
use tidings_strings::settings::bytes;
use tidings_strings::strings;
use tidings_sync::Trouble;
use tidings_sync::session::KeyringState;

use super::{Span, Words, time};
use crate::{Database, Found, SourceFound, offers};

pub(super) const fn name(part: FindingPart) -> &'static str {
    match part {
        FindingPart::Session => "Desktop session",
        FindingPart::Tray => "Tray",
        FindingPart::Notifications => "Notification service",
        FindingPart::Sounds => "Sounds",
        FindingPart::Keyring => "Keyring",
        FindingPart::Portals => "Desktop portal",
        FindingPart::WebView => "Web view",
        FindingPart::Autostart => "Start at login",
        FindingPart::Folder => "Data folder",
        FindingPart::Disk => "Disk",
        FindingPart::Inbox => "Inbox",
        FindingPart::Server => "Server’s database",
        FindingPart::Port => "This computer’s server",
        FindingPart::Clock => "Clock",
        FindingPart::Version => "Version",
        FindingPart::Source => "Source",
    }
}

pub(super) fn words(found: &Found) -> Words {
    match found {
        Found::NoSession => ("There is no desktop here. Its parts were not checked".to_owned(), None),
        Found::Bus(true) => ("There is a session bus".to_owned(), None),
        Found::Bus(false) => (
            "There is no session bus. Toasts, tray icon and keyring need one".to_owned(),
            Some("Log in to the desktop again, or start Tidings with dbus-run-session"),
        ),
        Found::TrayHost(true) => ("The desktop shows tray icons".to_owned(), None),
        Found::TrayHost(false) => (
            "Nothing here shows tray icons. Tidings keeps running without one".to_owned(),
            Some("Add a tray to the panel. GNOME needs the extension AppIndicator"),
        ),
        Found::Notifications(Some(daemon)) => {
            let known = format!("{} {}; {}", daemon.name, daemon.version, daemon.capabilities.join(", "));
            if offers(daemon, "actions") {
                return (known, None);
            }
            let advice = "Use the buttons in the window, or another notification service, for example dunst";
            (format!("It shows no buttons: {known}"), Some(advice))
        }
        Found::Notifications(None) => (
            "None answers, so there are no toasts".to_owned(),
            Some("Start one, for example dunst. Tidings finds it automatically"),
        ),
        Found::Sounds(Some(by)) => (format!("{by} plays them"), None),
        Found::Sounds(None) => (
            "Toasts are silent, because the notification service plays no sounds".to_owned(),
            Some("Install canberra-gtk-play: on Debian and Ubuntu the package gnome-session-canberra"),
        ),
        Found::Keyring(KeyringState::Open) => ("It is open".to_owned(), None),
        Found::Keyring(KeyringState::Locked) => (
            "It is locked. New tokens are kept in a file that only you can read".to_owned(),
            Some("Unlock it, for example in the program Passwords and Keys"),
        ),
        Found::Keyring(KeyringState::Missing) => (
            "There is none. Tokens are kept in a file that only you can read".to_owned(),
            Some("To keep them encrypted, install a keyring, for example gnome-keyring"),
        ),
        Found::Portals(names) if names.is_empty() => (
            "There is none, so the proxy of the desktop is not known".to_owned(),
            Some("Install xdg-desktop-portal if you need that proxy, or set one in Settings, Sources"),
        ),
        Found::Portals(names) => (names.join(", "), None),
        Found::WebView(Some(version)) => (version.clone(), None),
        Found::WebView(None) => (
            "It is missing, so no window can open".to_owned(),
            Some("Install WebKitGTK: on Debian and Ubuntu the package libwebkit2gtk-4.1-0"),
        ),
        Found::Autostart(true) => ("On".to_owned(), None),
        Found::Autostart(false) => ("Off".to_owned(), None),
        Found::Folder => ("It can be written".to_owned(), None),
        Found::FolderRefused(why) => (
            format!("It cannot be written: {why}"),
            Some("Give your user write access to it, or set another folder with TIDINGS_DATA_DIR"),
        ),
        Found::DiskFree(free) => (format!("{} free", bytes(*free)), None),
        Found::DiskLow(free) => {
            (format!("Only {} free, so nothing is fetched", bytes(*free)), Some("Free up space on it"))
        }
        Found::DiskFull => ("It is full, so nothing can be kept".to_owned(), Some("Free up space on it")),
        Found::NoFilesLeft => (
            "It cannot hold more files".to_owned(),
            Some("Delete files on it, for example caches with many small ones"),
        ),
        Found::Database(part, database) => database_words(*part, database),
        Found::StampsAhead => (
            "A wrong clock left times in the future".to_owned(),
            Some(
                "Check the clock. If it is right, correct the times in the window, or with tidings check --mend-clock",
            ),
        ),
        Found::Port(port) => (format!("It answers on port {port}"), None),
        Found::PortTaken { wanted, actual } => {
            let instead = actual.map(|port| format!(". It answers on port {port}")).unwrap_or_default();
            let advice = "End that program, or choose another port in Settings, This computer, Advanced";
            (format!("Another program uses port {wanted}{instead}"), Some(advice))
        }
        Found::NoServer(None) => ("It does not run".to_owned(), None),
        Found::NoServer(Some(why)) => {
            (format!("It did not start: {why}"), Some("Start Tidings again. The log says more"))
        }
        Found::ClockRight => ("It agrees with the servers".to_owned(), None),
        Found::ClockOff { host, seconds } => {
            let direction = if *seconds > 0 { "behind" } else { "ahead of" };
            let advice = "Set the time of this computer. If it is right, tell the server’s administrator";
            (format!("It is {} {direction} the clock of {host}", span(seconds.unsigned_abs())), Some(advice))
        }
        Found::AgeHold(hours) => (
            format!("It jumped ahead, so nothing is removed by age for {hours} more hours of running"),
            Some("Check the date and the time of this computer"),
        ),
        Found::NewerVersion(newer) => (
            format!("Tidings {} is available", newer.version),
            Some("Install it as you installed this version"),
        ),
        Found::NewestVersion => ("There is no newer one".to_owned(), None),
        Found::NoReleases => (
            "The list of newer ones could not be read".to_owned(),
            Some("Check the network. Tidings tries again within a day"),
        ),
        Found::Source(source) => source_words(source),
    }
}

fn database_words(part: FindingPart, database: &Database) -> Words {
    match database {
        Database::Missing => ("There is none yet".to_owned(), None),
        Database::Sound => ("It is intact".to_owned(), None),
        Database::Damaged if part == FindingPart::Inbox => {
            ("It is damaged".to_owned(), Some("Repair it in the window, or with tidings repair"))
        }
        Database::Damaged => (
            "It is damaged".to_owned(),
            Some("Restore a backup in Settings, Storage, or with tidings restore. Keep the damaged file"),
        ),
        Database::InUse => (
            "Another program is using it, as during a restore".to_owned(),
            Some("Wait until that program is done, or end it"),
        ),
        Database::Refused(why) => {
            (format!("It cannot be opened: {why}"), Some("Check this file. Nothing was changed in it"))
        }
        Database::Answers => ("It answers".to_owned(), None),
        Database::NoAnswer(_) => (
            "It does not answer".to_owned(),
            Some("Check its address in --store or TIDINGS_STORE, and whether PostgreSQL runs"),
        ),
    }
}

fn source_words(source: &SourceFound) -> Words {
    if source.paused {
        return ("Paused".to_owned(), None);
    }
    let fetched = match source.last_pull {
        Some(at) => format!("Last fetched {}", time(at)),
        None => "Nothing was fetched yet".to_owned(),
    };
    match source.trouble {
        None => (fetched, None),
        Some(trouble) => (format!("{}. {fetched}", strings(Lang::En).trouble(trouble)), advice(trouble)),
    }
}

const fn advice(trouble: Trouble) -> Option<&'static str> {
    Some(match trouble {
        Trouble::SignIn => "Sign in again in Settings, Sources, or with tidings source sign-in",
        Trouble::Certificate(CertificateFault::UnknownAuthority) => {
            "If the authority is your company’s or your own, add its certificate in Settings, Sources, Advanced"
        }
        Trouble::Certificate(CertificateFault::NotValidNow) => {
            "Check the clock of this computer. If it is right, tell the server’s administrator"
        }
        Trouble::Certificate(CertificateFault::ClientWanted | CertificateFault::ClientKey) => {
            "Add your client certificate in Settings, Sources, Advanced"
        }
        Trouble::Setup => "Install the package ca-certificates",
        Trouble::Offline => "Check the network, and the proxy in Settings, Sources, Advanced",
        Trouble::NameNotFound => {
            "Check the address, and the name server (DNS) of this network. Tidings keeps trying"
        }
        Trouble::Unreachable | Trouble::Slow | Trouble::Unavailable(_) => {
            "Check the address, and whether the service runs. Tidings keeps trying"
        }
        Trouble::Waiting(_) | Trouble::PullEnded(_) | Trouble::PassedBy => return None,
        _ if trouble.is_local() => "Check the lines about this computer first",
        _ => "Check the address. If it is right, tell the server’s administrator",
    })
}

fn span(seconds: u64) -> String {
    match Span::of(seconds) {
        Span::Days(days) => format!("{days} days"),
        Span::Hours(hours) => format!("{hours} hours"),
        Span::Minutes(minutes) => format!("{minutes} minutes"),
    }
}

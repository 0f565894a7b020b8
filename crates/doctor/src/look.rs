//! Looks at each part of this computer.

use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::Duration;

use tidings_home::Home;
use tidings_home::archive::{REPLICA, SERVER};
use tidings_ipc::FindingPart;
use tidings_ports::DesktopOffer;
use tidings_replica::{Source, free_files, free_space, is_present, quick_check};
use tidings_sync::session::{PLAYER, plays_sounds};
use tidings_sync::{PullLimit, Trouble};

use crate::{Database, Found, SourceFound};

/// A clock that differs by more seconds from that of a server is wrong.
const MAX_CLOCK_OFFSET_SECS: u64 = 300;
/// With fewer bytes nothing can be written.
const MIN_FREE_BYTES: u64 = 1 << 20;
/// With fewer files a database can't make those beside it.
const MIN_FREE_FILES: u64 = 16;

/// The parts of a desktop.
pub fn desktop(offer: &DesktopOffer) -> Vec<Found> {
    let Some(session) = &offer.session else { return vec![Found::NoSession] };
    let mut found = vec![Found::Bus(session.bus)];
    if session.bus {
        found.extend([
            Found::TrayHost(session.tray_host),
            Found::Notifications(session.daemon.clone()),
            Found::Keyring(session.keyring),
            Found::Portals(session.portals.clone()),
        ]);
        found.extend(session.daemon.as_ref().map(|daemon| {
            let plays = plays_sounds(&daemon.name, &daemon.capabilities).then(|| daemon.name.clone());
            Found::Sounds(plays.or_else(|| session.player.then(|| PLAYER.to_owned())))
        }));
    }
    found.push(Found::WebView(offer.web_view.clone()));
    found
}

/// The data folder and its disk; blocks. The folder is not made.
pub fn folder(home: &Home) -> Vec<Found> {
    let dir = home.dir();
    let folder = match tempfile::tempfile_in(dir) {
        Err(full) if matches!(full.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            return vec![Found::Folder, Found::DiskFull];
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Found::FolderRefused(reason(&error)),
        _ => Found::Folder,
    };
    let kept = PullLimit::default().kept_free(dir);
    [Some(folder), disk(free_space(dir), free_files(dir), kept)].into_iter().flatten().collect()
}

/// The kind of an error, without the path that its text may have.
fn reason(error: &Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().to_string(), |code| Error::from_raw_os_error(code).to_string())
}

/// A disk with so many free bytes and files, of which `kept` bytes stay free.
pub(crate) fn disk(free: Option<u64>, files: Option<u64>, kept: u64) -> Option<Found> {
    if files.is_some_and(|files| files < MIN_FREE_FILES) {
        return Some(Found::NoFilesLeft);
    }
    Some(match free? {
        ..MIN_FREE_BYTES => Found::DiskFull,
        free if free < kept => Found::DiskLow(free),
        free => Found::DiskFree(free),
    })
}

/// The databases of inbox and own server; blocks. None is made or changed.
pub fn databases(home: &Home) -> Vec<Found> {
    [(FindingPart::Inbox, REPLICA), (FindingPart::Server, SERVER)]
        .map(|(part, name)| Found::Database(part, database(&home.dir().join(name))))
        .into()
}

fn database(file: &Path) -> Database {
    if !is_present(file) {
        return Database::Missing;
    }
    match quick_check(file) {
        Ok(None) => Database::Sound,
        Ok(Some(damage)) => {
            tracing::warn!(%damage, file = %file.display(), "a database is damaged");
            Database::Damaged
        }
        Err(error) if error.is_corrupt() => Database::Damaged,
        Err(error) if error.is_busy() => Database::InUse,
        Err(error) => Database::Refused(without_home(&error.to_string())),
    }
}

/// The database that several servers share, in the place of the own server's: the reason if it does not answer.
pub fn shared_database(found: &mut Vec<Found>, failure: Option<String>) {
    found.retain(|one| !matches!(one, Found::Database(FindingPart::Server, _)));
    let database = failure.map_or(Database::Answers, Database::NoAnswer);
    found.push(Found::Database(FindingPart::Server, database));
}

/// The own server: the port that it wants, and the one on which it answers.
pub fn port(wanted: u16, runs_at: Option<u16>) -> Found {
    match runs_at {
        Some(port) if port == wanted || !is_taken(wanted) => Found::Port(port),
        None if !is_taken(wanted) => Found::NoServer(None),
        actual => Found::PortTaken { wanted, actual },
    }
}

fn is_taken(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// The own server, which did not start.
pub fn server_failed(why: &str) -> Found {
    Found::NoServer(Some(without_home(why)))
}

/// A text in which the reader's folder has no name.
fn without_home(text: &str) -> String {
    let home = directories::BaseDirs::new().map(|base| base.home_dir().display().to_string());
    match home.filter(|home| home.len() > 1) {
        Some(home) => text.replace(&home, "~"),
        None => text.to_owned(),
    }
}

/// The clock, by the offsets of servers in microseconds, each with its host, and by what is left of a hold.
pub fn clock(offsets: &[(String, i64)], hold: Duration) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some((host, offset)) = offsets.iter().max_by_key(|(_, offset)| offset.unsigned_abs()) {
        let seconds = offset / 1_000_000;
        found.push(if seconds.unsigned_abs() > MAX_CLOCK_OFFSET_SECS {
            Found::ClockOff { host: host.clone(), seconds }
        } else {
            Found::ClockRight
        });
    }
    if !hold.is_zero() {
        found.push(Found::AgeHold(hold.as_secs().div_ceil(3_600)));
    }
    found
}

/// A source, with the reason for which it is not up to date. `None` for what is kept of a removed one.
pub fn source(row: &Source, trouble: Option<Trouble>) -> Option<SourceFound> {
    (row.protocol != "kept").then(|| SourceFound::of(row, trouble))
}

//! Tests of findings: each planted fault has its name and its advice, and a report tells nothing private.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use tidings_home::Home;
use tidings_net::CertificateFault;
use tidings_ports::DesktopOffer;
use tidings_sync::session::Session;

use super::*;

/// A desktop that has everything.
fn offer() -> DesktopOffer {
    let daemon = Daemon { name: "dunst".into(), version: "1.9".into(), capabilities: vec!["actions".into()] };
    let session = Session {
        bus: true,
        tray_host: true,
        daemon: Some(daemon),
        keyring: KeyringState::Open,
        portals: vec!["ProxyResolver".into()],
        player: true,
    };
    DesktopOffer { session: Some(session), web_view: Some("2.50".into()) }
}

fn without(change: impl FnOnce(&mut Session)) -> Vec<Found> {
    let mut offer = offer();
    change(offer.session.as_mut().unwrap());
    desktop(&offer)
}

fn row() -> Source {
    Source {
        name: "My secret topic".into(),
        protocol: "ntfy".into(),
        url: "https://ana:hunter2@ntfy.example:8443/secret-topic".into(),
        ..Source::default()
    }
}

fn failing(trouble: Trouble) -> Vec<Found> {
    source(&row(), Some(trouble)).map(Found::Source).into_iter().collect()
}

/// What is found of databases, of which one is no database.
fn damaged(name: &str) -> Vec<Found> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(name), "no database".repeat(1_000)).unwrap();
    databases(&Home::at(dir.path()))
}

/// A shared database in the place of the own server's.
fn shared(failure: Option<&str>) -> Vec<Found> {
    let mut found = vec![Found::Database(FindingPart::Server, Database::Missing)];
    shared_database(&mut found, failure.map(str::to_owned));
    found
}

fn disk(free: u64, files: u64) -> Vec<Found> {
    look::disk(Some(free), Some(files), 1 << 29).into_iter().collect()
}

#[test]
fn every_planted_fault_has_its_name_and_says_what_to_do_in_both_languages() {
    use FindingPart as Part;
    use FindingState::{Limited, Trouble as Bad};
    let file = tempfile::NamedTempFile::new().unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().port();
    let year = [("inbox.example".to_owned(), -365 * 86_400 * 1_000_000)];
    let folder_in = |path: &Path| folder(&Home::at(path.join("in-a-file")));
    let unknown = Trouble::Certificate(CertificateFault::UnknownAuthority);
    let newer = Release { version: "0.2.0".into(), link: "https://example.org/0.2.0".into() };
    let without_web_view = DesktopOffer { web_view: None, ..offer() };
    let without_actions = |s: &mut Session| s.daemon = Some(Daemon::default());
    for (fault, found, part, state, word) in [
        ("no bus", without(|s| s.bus = false), Part::Session, Bad, "session bus"),
        ("no tray host", without(|s| s.tray_host = false), Part::Tray, Limited, "tray icons"),
        ("no daemon", without(|s| s.daemon = None), Part::Notifications, Bad, "no toasts"),
        ("no actions", without(without_actions), Part::Notifications, Limited, "no buttons"),
        ("no sounds", without(|s| s.player = false), Part::Sounds, Limited, "silent"),
        ("a locked keyring", without(|s| s.keyring = KeyringState::Locked), Part::Keyring, Limited, "locked"),
        ("no keyring", without(|s| s.keyring = KeyringState::Missing), Part::Keyring, Limited, "none"),
        ("no portal", without(|s| s.portals.clear()), Part::Portals, Limited, "none"),
        ("no web view", desktop(&without_web_view), Part::WebView, Bad, "no window can open"),
        ("a taken port", vec![port(taken, None)], Part::Port, Limited, "Another program uses port"),
        ("a full disk", disk(0, 1 << 20), Part::Disk, Bad, "full"),
        ("a nearly full disk", disk(1 << 28, 1 << 20), Part::Disk, Bad, "Only 268 MB free"),
        ("a disk without inodes", disk(1 << 40, 0), Part::Disk, Bad, "cannot hold more files"),
        ("a read-only folder", folder_in(file.path()), Part::Folder, Bad, "cannot be written"),
        ("a clock a year ahead", clock(&year, Duration::ZERO), Part::Clock, Bad, "365 days ahead"),
        ("a clock that jumped", clock(&[], Duration::from_secs(1)), Part::Clock, Limited, "1 more hours"),
        ("a source out of reach", failing(Trouble::Unreachable), Part::Source, Bad, "No answer"),
        ("a refused token", failing(Trouble::SignIn), Part::Source, Bad, "sign-in"),
        ("an unknown certificate", failing(unknown), Part::Source, Bad, "certificate"),
        ("a damaged server", damaged("server.db"), Part::Server, Bad, "damaged"),
        ("a shared database that is down", shared(Some("why")), Part::Server, Bad, "does not answer (why)"),
        ("a damaged inbox", damaged("replica.db"), Part::Inbox, Bad, "damaged"),
        ("a server that failed", vec![server_failed("why")], Part::Port, Bad, "why"),
        ("a newer version", vec![Found::NewerVersion(newer)], Part::Version, Limited, "0.2.0 is available"),
        ("no list of versions", vec![Found::NoReleases], Part::Version, Limited, "could not be read"),
    ] {
        let wrong: Vec<_> = found.iter().filter(|one| one.state() != FindingState::Well).collect();
        let [one] = wrong[..] else { panic!("{fault}: {found:?}") };
        assert_eq!((one.part(), one.state()), (part, state), "{fault}");
        assert_eq!(is_well(&found), state != Bad, "{fault}");
        for lang in [Lang::En, Lang::ZhCn] {
            let finding = one.finding(lang, Audience::Reader);
            let is_told = lang == Lang::ZhCn || finding.why.to_lowercase().contains(&word.to_lowercase());
            assert!(is_told && finding.what_to_do.is_some(), "{fault}: {finding:?}");
        }
    }
}

#[test]
fn a_report_names_a_source_by_its_host_and_nothing_needs_anybody_where_all_is_well() {
    let down = shared(Some("no database \"secret\" of ana"));
    let found = [desktop(&offer()), failing(Trouble::SignIn), down].concat();
    let told = report(&found, "1.2.3", Lang::En);
    assert!(told.starts_with("Tidings 1.2.3\n✓ Desktop session: "), "{told}");
    assert!(told.contains("ntfy ntfy.example:8443: Needs sign-in"), "{told}");
    for private in ["secret", "ana", "hunter2"] {
        assert!(!told.contains(private), "{private}: {told}");
    }
    let for_reader = findings(&found, Lang::En, Audience::Reader);
    assert!(for_reader.iter().any(|one| one.name == "My secret topic"), "{for_reader:?}");
    assert!(is_well(&shared(None)));
    let mut daemon_plays = offer();
    daemon_plays.session.as_mut().unwrap().daemon.as_mut().unwrap().capabilities.push("sound".into());
    // MATE's has the ability, but knows no sound by its name.
    let mut daemon_of_mate = daemon_plays.clone();
    daemon_of_mate.session.as_mut().unwrap().daemon.as_mut().unwrap().name = "Notification Daemon".into();
    let played =
        [(offer(), "canberra-gtk-play"), (daemon_plays, "dunst"), (daemon_of_mate, "canberra-gtk-play")];
    for (offer, by) in played {
        assert!(report(&desktop(&offer), "1", Lang::En).contains(&format!("✓ Sounds: {by} plays them")));
    }
    let well = desktop(&offer());
    assert!(is_well(&well) && well.iter().all(|one| one.state() == FindingState::Well));
}

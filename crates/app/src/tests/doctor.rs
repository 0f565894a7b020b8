//! Tests of what the running app finds of its computer.

use tidings_ipc::{FindingPart, FindingState};
use tidings_ports::DesktopOffer;
use tidings_sync::session::Session;

use super::harness::open;

#[tokio::test]
async fn the_page_is_told_what_works_here_and_its_report_has_no_name_of_a_source() {
    let test = open();
    let session = Session { bus: true, tray_host: true, ..Session::default() };
    *test.desktop.offer.lock().unwrap() = DesktopOffer { session: Some(session), web_view: None };
    test.source("My secrets");
    let told = test.app.doctor.diagnosis().await.unwrap();
    let state = |part| told.findings.iter().find(|one| one.what == part).unwrap().state;
    for (part, expected) in [
        (FindingPart::Tray, FindingState::Well),
        (FindingPart::Notifications, FindingState::Trouble),
        (FindingPart::WebView, FindingState::Trouble),
        (FindingPart::Autostart, FindingState::Well),
        (FindingPart::Folder, FindingState::Well),
        (FindingPart::Inbox, FindingState::Well),
        (FindingPart::Source, FindingState::Well),
    ] {
        assert_eq!(state(part), expected, "{part:?}");
    }
    assert!(told.findings.iter().any(|one| one.name == "My secrets"));
    assert!(
        told.report.starts_with("Tidings 1.2.3\n") && !told.report.contains("My secrets"),
        "{}",
        told.report
    );
    assert!(told.report.contains("Tidings 127.0.0.1:1: Nothing was fetched yet"), "{}", told.report);
}

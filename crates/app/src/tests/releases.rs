//! Tests of how the reader is told of a newer version than 1.2.3.

use std::sync::{Arc, Mutex};

use tidings_ipc::{FindingState, NewerVersion, NoticeCode, Releases};
use tidings_model::{Lang, Stamp};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::scripted::{Requests, ScriptedServer, response};

use super::harness::{TestApp, open, open_with_feed};

const DAY: i64 = 24 * 3_600;

/// A server with a feed of releases whose versions may be changed; without any it fails.
struct FeedServer {
    url: String,
    versions: Arc<Mutex<Vec<&'static str>>>,
    requests: Requests,
}

impl FeedServer {
    async fn start(versions: &[&'static str]) -> Self {
        let server = ScriptedServer::start().await;
        let url = format!("{}/releases.atom", server.url());
        let versions = Arc::new(Mutex::new(versions.to_vec()));
        let now = Arc::clone(&versions);
        let requests = server.serve(move |mut exchange| {
            let versions = now.lock().unwrap().clone();
            async move {
                let status = if versions.is_empty() { "503 Service Unavailable" } else { "200 OK" };
                let _ = exchange.send(&response(status, "", feed(&versions))).await;
            }
        });
        Self { url, versions, requests }
    }

    fn set(&self, versions: &[&'static str]) {
        *self.versions.lock().unwrap() = versions.to_vec();
    }

    fn asked(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn feed(versions: &[&str]) -> String {
    let entry = |version: &&str| {
        let link = link(version);
        format!("<entry><id>{link}</id><title>Tidings {version}</title><link href=\"{link}\"/></entry>")
    };
    let entries: String = versions.iter().map(entry).collect();
    format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Releases</title>{entries}</feed>")
}

fn link(version: &str) -> String {
    format!("https://forge.example/tidings/releases/tag/v{version}")
}

fn open_app(folder: tempfile::TempDir, clock: ManualClock, server: &FeedServer) -> TestApp {
    open_with_feed(folder, Lang::En, clock, Some(server.url.clone()))
}

fn new_app(server: &FeedServer) -> TestApp {
    let clock = ManualClock::at(Stamp::from_micros(1_700_000_000_000_000));
    open_app(tempfile::tempdir().unwrap(), clock, server)
}

async fn look(test: &TestApp) -> (Option<String>, Option<NewerVersion>) {
    test.app.release_watch.check().await.unwrap();
    let notices = test.app.context.notices.all(Lang::En);
    let notice = notices.into_iter().find(|one| one.code == NoticeCode::NewerVersion);
    (notice.map(|one| one.text), test.app.release_watch.releases().await.unwrap().newer)
}

fn newer(version: &str) -> NewerVersion {
    NewerVersion { version: version.into(), link: link(version) }
}

fn notice(version: &str) -> String {
    format!("Tidings {version} is available.")
}

#[tokio::test]
async fn the_reader_is_told_once_of_each_newer_version_and_the_feed_is_asked_once_a_day() {
    let server = FeedServer::start(&["1.2.3", "1.0.0"]).await;
    let test = new_app(&server);
    assert_eq!(look(&test).await, (None, None), "this is the newest one");
    server.set(&["1.3.0", "1.2.3"]);
    test.clock.advance(DAY - 1);
    assert_eq!(look(&test).await, (None, None));
    assert_eq!(server.asked(), 1);
    test.clock.advance(1);
    assert_eq!(look(&test).await, (Some(notice("1.3.0")), Some(newer("1.3.0"))));
    assert_eq!(server.asked(), 2);

    // The notice stays until it is closed, and it is closed for good.
    let TestApp { app, folder, clock, .. } = test;
    drop(app);
    let test = open_app(folder, clock, &server);
    assert_eq!(look(&test).await, (Some(notice("1.3.0")), Some(newer("1.3.0"))));
    test.app.release_watch.close_notice().await.unwrap();
    assert_eq!(look(&test).await, (None, Some(newer("1.3.0"))));
    let TestApp { app, folder, clock, .. } = test;
    drop(app);
    let test = open_app(folder, clock, &server);
    assert_eq!(look(&test).await, (None, Some(newer("1.3.0"))));
    assert_eq!(server.asked(), 2, "it is known without asking");

    // A server that fails is asked again no sooner, and what it said stays.
    server.set(&[]);
    test.clock.advance(DAY);
    assert_eq!(look(&test).await, (None, Some(newer("1.3.0"))));
    assert_eq!(look(&test).await, (None, Some(newer("1.3.0"))));
    assert_eq!(server.asked(), 3);
    server.set(&["1.10.0", "1.3.0"]);
    test.clock.advance(DAY);
    assert_eq!(look(&test).await, (Some(notice("1.10.0")), Some(newer("1.10.0"))));
}

#[tokio::test]
async fn nothing_is_asked_if_the_package_names_no_feed_or_the_reader_switched_it_off() {
    let test = open();
    assert_eq!(look(&test).await, (None, None));
    let none = test.app.release_watch.releases().await.unwrap();
    assert_eq!(none, Releases { has_feed: false, newer: None });

    let server = FeedServer::start(&["1.3.0"]).await;
    let test = new_app(&server);
    let mut settings = test.app.settings.current_settings();
    settings.behaviour.newer_version = false;
    test.app.settings.settings(&settings).await.unwrap();
    assert_eq!(look(&test).await, (None, None));
    assert_eq!(server.asked(), 0);
    settings.behaviour.newer_version = true;
    test.app.settings.settings(&settings).await.unwrap();
    assert_eq!(look(&test).await, (Some(notice("1.3.0")), Some(newer("1.3.0"))));
    settings.behaviour.newer_version = false;
    test.app.settings.settings(&settings).await.unwrap();
    assert_eq!(look(&test).await, (None, None), "the notice goes");
    assert_eq!(server.asked(), 1);
}

#[tokio::test]
async fn the_diagnosis_says_whether_there_is_a_newer_version() {
    let server = FeedServer::start(&[]).await;
    let test = new_app(&server);
    let diagnosed = async || {
        let told = test.app.doctor.diagnosis().await.unwrap();
        let found = told.findings.into_iter().find(|one| one.name == "Version");
        (found.map(|one| (one.state, one.why, one.what_to_do.unwrap_or_default())), told.report)
    };
    assert_eq!(diagnosed().await.0, None, "nobody was asked yet");
    look(&test).await;
    let (state, why, _) = diagnosed().await.0.unwrap();
    assert_eq!((state, why.as_str()), (FindingState::Limited, "The list of newer ones could not be read"));
    server.set(&["1.3.0"]);
    test.clock.advance(DAY);
    look(&test).await;
    let (found, report) = diagnosed().await;
    let (_, why, advice) = found.unwrap();
    assert_eq!(why, "Tidings 1.3.0 is available");
    assert!(advice.ends_with(&link("1.3.0")), "{advice}");
    assert!(report.contains("1.3.0 is available") && !report.contains("forge.example"), "{report}");
}

//! Tests of what the desktop's own search is told, and of the window that it opens.

use tidings_ipc::IpcEvent;
use tidings_model::Mark;
use tidings_ports::DesktopRequest;
use tidings_sync::PullReason;

use super::harness::{TestApp, open, published, until};
use super::inbox;

/// An app with two threads, and a third that is archived.
async fn test() -> TestApp {
    let test = open().running();
    let own = test.source("");
    for (nth, topic, body) in
        [(1, "backups", "Backup done"), (2, "ferry", "Backup ferry at six"), (3, "old", "Old backup gone")]
    {
        test.pulled(own, PullReason::Live, vec![published(&test.clock, nth, topic, body)]).await;
    }
    let newest = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.marks.mark(vec![newest], Mark::Archive).await.unwrap();
    test
}

async fn allow(test: &TestApp, on: bool) {
    let mut settings = test.app.settings.current_settings();
    settings.behaviour.desktop_search = on;
    test.app.settings.settings(&settings).await.unwrap();
}

async fn titles(test: &TestApp, words: &str) -> Vec<String> {
    test.app.found_by_desktop(words).await.into_iter().map(|found| found.title).collect()
}

#[tokio::test]
async fn the_desktop_finds_what_the_window_finds_and_nothing_until_it_is_allowed() {
    let test = test().await;
    assert_eq!(titles(&test, "backup").await, [""; 0], "off by default");
    allow(&test, true).await;
    let all = ["Old backup gone", "Backup ferry at six", "Backup done"];
    assert_eq!(titles(&test, "backup").await, all, "what is archived is found, as in the window");
    assert_eq!(titles(&test, "backup ferry").await, ["Backup ferry at six"]);
    assert_eq!(titles(&test, "backup in:backups").await, ["Backup done"], "it takes conditions");
    for nothing in ["", " ", "before:never", "submarine", &"a".repeat(3_000)] {
        assert_eq!(titles(&test, nothing).await, [""; 0], "{nothing}");
    }

    let found = test.app.found_by_desktop("done").await;
    assert_eq!(found[0].about, "backups · 2023-11-14 22:13");
    let links = [found[0].link.clone(), "tidings://thread/999".to_owned()];
    assert_eq!(test.app.described_to_desktop(&links), found);
    test.with_page().await;
    let link = found[0].link.clone();
    test.app.requests.handle_request(DesktopRequest::Link { link, token: None }).await;
    until("the thread to be opened", || {
        test.events.lock().unwrap().iter().any(|event| matches!(event, IpcEvent::Open { .. }))
    })
    .await;

    allow(&test, false).await;
    assert!(test.app.described_to_desktop(&links).is_empty(), "switched off it forgets what it told");
    assert_eq!(titles(&test, "backup").await, [""; 0]);
    allow(&test, true).await;
    assert!(test.app.described_to_desktop(&links).is_empty());
}

#[tokio::test]
async fn an_answer_to_the_desktop_is_short() {
    let test = open().running();
    let own = test.source("");
    let one = |nth: i64| published(&test.clock, nth, &format!("job-{nth}"), &format!("Backup {nth} done"));
    test.pulled(own, PullReason::Live, (1..=30).map(one).collect()).await;
    allow(&test, true).await;
    let found = test.app.found_by_desktop("backup").await;
    assert_eq!(found.len(), 10);
    assert_eq!(found[0].title, "Backup 30 done", "the newest first");
}

#[tokio::test]
async fn a_search_that_the_desktop_asks_for_waits_for_the_page() {
    let test = open().running();
    let query = "backup ferry".to_owned();
    test.app.requests.handle_request(DesktopRequest::Search { query: query.clone(), token: None }).await;
    assert_eq!(*test.desktop.shown.lock().unwrap(), 1);
    test.with_page().await;
    until("the page to be told", || {
        test.events.lock().unwrap().contains(&IpcEvent::Search { query: query.clone() })
    })
    .await;
}

#[tokio::test]
async fn no_file_lets_the_desktop_search() {
    let test = test().await;
    allow(&test, true).await;
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap().unwrap();
    let other = open();
    other.choose_file(&file);
    other.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert!(!other.app.settings.current_settings().behaviour.desktop_search);
}

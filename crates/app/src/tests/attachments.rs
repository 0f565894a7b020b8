//! Tests of attachments: downloaded, previewed, saved, cancelled.

use serde_json::json;
use tidings_ipc::{FileState, IpcEvent, Preview};
use tidings_sync::PullReason;
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::wait::within_timeout;
use tokio::io::AsyncReadExt;

use super::harness::{TestApp, notification, open, until};
use super::http_server::answering;
use super::inbox;
use crate::Error;

/// Pulls an item with an attachment in a thread of its own; returns the thread.
async fn with_file(test: &TestApp, source: i64, nth: i64, name: &str, url: &str) -> i64 {
    let more = json!({"thread": format!("article:{nth}#comment"), "attachment": {"name": name, "url": url}});
    test.pulled(source, PullReason::Live, vec![notification(&test.clock, nth, &more)]).await;
    test.app.reading.threads(inbox()).await.unwrap().rows[0].id
}

async fn final_state(test: &TestApp, thread: i64) -> FileState {
    let mut last = None;
    until("the file to be here or not", || {
        let events = test.events.lock().unwrap();
        last = events.iter().rev().find_map(|event| match event {
            IpcEvent::File { thread: of, file, .. } if *of == thread => Some(file.clone()),
            _ => None,
        });
        !matches!(last, None | Some(FileState::Fetching { .. }))
    })
    .await;
    last.unwrap()
}

#[tokio::test]
async fn a_file_is_fetched_looked_at_and_kept_where_its_reader_wants_it() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let (url, requests) = answering(response("200 OK", "", b"All is well.\n")).await;
    let thread = with_file(&test, own, 1, "../../evil/../notes.txt", &format!("{url}/n")).await;
    let app = &test.app;
    assert!(
        matches!(app.attachments.save_file(thread, "m1".into()).await, Err(Error::Localized { .. })),
        "not here yet"
    );
    assert!(matches!(
        app.attachments.fetch_file(thread, "m1".into()).await.unwrap(),
        FileState::Fetching { done: 0, .. }
    ));
    assert_eq!(final_state(&test, thread).await, FileState::Here { size: 13 });
    assert_eq!(app.attachments.fetch_file(thread, "m1".into()).await.unwrap(), FileState::Here { size: 13 });
    assert_eq!(requests.lock().unwrap().len(), 1, "once is enough");
    assert!(!requests.lock().unwrap()[0].contains("authorization"), "a stranger gets no token");
    let preview = app.attachments.preview_file(thread, "m1".into()).await.unwrap();
    assert_eq!(preview, Preview::Text { text: "All is well.\n".into(), cut: false });
    let to = test.folder.path().join("kept.txt");
    test.choose_file(&to);
    assert_eq!(app.attachments.save_file(thread, "m1".into()).await.unwrap().unwrap().text, "Saved");
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "All is well.\n");
    assert_eq!(*test.desktop.dialog_names.lock().unwrap(), ["notes.txt"]);
    assert_eq!(app.storage.storage().await.unwrap().attachments, 13);
}

#[tokio::test]
async fn a_file_that_is_not_to_be_had_says_why_and_can_be_tried_again() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let (away, _) = answering(response("302 Found", "location: file:///etc/passwd\r\n", b"")).await;
    let (missing, _) = answering(response("404 Not Found", "", b"")).await;
    let huge = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n".to_vec();
    let (huge, _) = answering(huge).await;
    let (short, _) = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".to_vec()).await;
    for (nth, (url, expected)) in (1..).zip([
        (away, "redirects to another one, which is not followed"),
        (missing, "no longer at"),
        (huge, "larger than 268 MB"),
        (short, "No answer"),
        ("http://127.0.0.1:1".into(), "No answer"),
    ]) {
        let thread = with_file(&test, own, nth, "a", &format!("{url}/n")).await;
        let msgid = format!("m{nth}");
        test.app.attachments.fetch_file(thread, msgid.clone()).await.unwrap();
        let FileState::Failed { why } = final_state(&test, thread).await else { panic!("{expected}") };
        assert!(why.contains(expected), "{why}");
        let again = test.app.attachments.fetch_file(thread, msgid).await.unwrap();
        assert!(matches!(again, FileState::Fetching { .. }), "it can be tried again");
    }
    until("nothing half to be left", || {
        std::fs::read_dir(test.folder.path().join("attachments").join(own.to_string()))
            .is_ok_and(|folder| folder.count() == 0)
    })
    .await;
}

#[tokio::test]
async fn a_source_s_own_file_is_asked_for_with_its_token() {
    let test = open().running();
    test.with_page().await;
    let (url, requests) = answering(response("200 OK", "", b"x")).await;
    let new = tidings_replica::NewSource {
        name: "Work".into(),
        protocol: "tidings".into(),
        url: url.clone(),
        user: None,
        own: false,
    };
    let work = test.app.context.replica.add_source(new).unwrap();
    test.store_token_of(work, "tdg_work");
    let thread = with_file(&test, work, 1, "a.txt", &format!("{url}/file/1")).await;
    test.app.attachments.fetch_file(thread, "m1".into()).await.unwrap();
    assert_eq!(final_state(&test, thread).await, FileState::Here { size: 1 });
    assert!(requests.lock().unwrap()[0].to_lowercase().contains("authorization: bearer tdg_work"));
}

#[tokio::test]
async fn an_uploaded_file_is_asked_for_where_its_server_is_now() {
    let test = open().running();
    test.with_page().await;
    let (url, requests) = answering(response("200 OK", "", b"x")).await;
    let new = tidings_replica::NewSource {
        name: "Own".into(),
        protocol: "tidings".into(),
        url,
        user: None,
        own: true,
    };
    let own = test.app.context.replica.add_source(new).unwrap();
    let uploaded = "http://localhost:1/file/abcdefghijklmnopqrst-_.png";
    let thread = with_file(&test, own, 1, "a.png", uploaded).await;
    test.app.attachments.fetch_file(thread, "m1".into()).await.unwrap();
    assert_eq!(final_state(&test, thread).await, FileState::Here { size: 1 });
    assert!(requests.lock().unwrap()[0].starts_with("GET /file/abcdefghijklmnopqrst-_.png "));
    let elsewhere = with_file(&test, own, 2, "a.png", "http://localhost:1/file/a.png").await;
    test.app.attachments.fetch_file(elsewhere, "m2".into()).await.unwrap();
    assert!(matches!(final_state(&test, elsewhere).await, FileState::Failed { .. }), "that is no upload");
}

#[tokio::test]
async fn a_file_on_its_way_can_be_given_up() {
    let test = open().running();
    let own = test.source("");
    let silent = ScriptedServer::start().await;
    let url = format!("{}/a", silent.url());
    let thread = with_file(&test, own, 1, "a", &url).await;
    test.app.attachments.fetch_file(thread, "m1".into()).await.unwrap();
    let mut asking = silent.request().await;
    test.app.attachments.cancel_file(thread, "m1".into());
    let _ = within_timeout("the end of the request", asking.stream.read_to_end(&mut Vec::new())).await;
    assert!(test.app.attachments.is_idle());
}

//! The house around the inbox, with real servers: sources tried in words and kept, storage, backups, files
//! and links.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tidings_model::wire::Scope;
use tidings_model::{Lang, SystemClock};
use tidings_server::{Server, ServerConfig, serve};
use tidings_sync::{Occasion, Pace};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::desktop::{Sitting, notification, open, open_at, published, until};
use super::inbox;
use crate::page::{
    ErrorCode, ExportFormat, FileState, Folder, Mark, PageEvent, Place, Preview, SavedSearch, SourceForm,
    SyncState, ThreadQuery,
};
use crate::ports::Wish;
use crate::socket::Request;
use crate::{Connections, Error};

/// A server with two users, each with a token that reads, and one that only publishes.
struct Work {
    server: Server,
    url: String,
    ana: String,
    bo: String,
    publisher: String,
    _folder: tempfile::TempDir,
}

async fn work() -> Work {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::open(ServerConfig::new(folder.path()), Arc::new(SystemClock)).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, server.clone(), std::future::pending()));
    let both = &[Scope::Inbox, Scope::Publish];
    let ana = server.owner("ana", "Ana Reis", "test", both).await.unwrap().token;
    let bo = server.owner("bo", "Bo", "test", both).await.unwrap().token;
    let publisher = server.create_token("bo", "test", &[Scope::Publish]).await.unwrap().token;
    Work { server, url, ana, bo, publisher, _folder: folder }
}

/// Answers every connection with the same bytes, and keeps what was asked.
async fn answering(answer: Vec<u8>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let keeps = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (answer, keeps) = (answer.clone(), Arc::clone(&keeps));
            tokio::spawn(async move {
                let mut head = vec![0; 8_192];
                let n = stream.read(&mut head).await.unwrap_or(0);
                keeps.lock().unwrap().push(String::from_utf8_lossy(&head[..n]).to_lowercase());
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    (url, asked)
}

fn page(status: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{more}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn form(url: &str, token: &str) -> SourceForm {
    SourceForm { protocol: "tidings".into(), url: url.into(), token: token.into(), name: String::new() }
}

impl Sitting {
    /// The engine runs, without an own server.
    async fn connected(self) -> Self {
        let wakes = Box::pin(futures_util::stream::pending());
        self.app.start(Connections { server: None, wakes, pace: Pace::default() }).await;
        self
    }

    fn state_of(&self, source: i64) -> Option<tidings_sync::State> {
        self.app.states().get(&source).copied()
    }
}

#[tokio::test]
async fn a_source_is_tried_in_words_before_it_is_kept() {
    let (sitting, work) = (open(), work().await);
    let (page_of_html, _) = answering(page("200 OK", "content-type: text/html\r\n", b"<html>")).await;
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    for (form, words) in [
        (form("", &work.bo), "Enter an address"),
        (form("not an address", &work.bo), "is not an address"),
        (form(&work.url, " "), "Enter a token"),
        (form(&work.url, "tdg_wrong"), "refused the token"),
        (form(&work.url, &work.publisher), "may not read an inbox"),
        (form(&page_of_html, &work.bo), "not as a Tidings server"),
        (form(&nobody, &work.bo), "Nothing answers at"),
        (form(&work.url.replace("http://", "https://"), &work.bo), "Nothing answers at"),
        (SourceForm { protocol: "smoke".into(), ..form(&work.url, &work.bo) }, "“smoke”"),
    ] {
        let tried = sitting.app.test_source(form.clone()).await.unwrap();
        assert!(!tried.ok && tried.text.contains(words), "{:?}: {}", form.url, tried.text);
        let refused = sitting.app.add_source(form).await.unwrap_err().to_page(Lang::En);
        assert!(refused.text.contains(words), "{}", refused.text);
    }
    let tried = sitting.app.test_source(form(&format!("{}/api/v1/", work.url), &work.ana)).await.unwrap();
    assert_eq!((tried.ok, tried.text.as_str()), (true, "Signed in as Ana Reis. All read"));
    assert!(sitting.app.inner.replica.sources().unwrap().is_empty(), "nothing was kept yet");

    sitting.app.add_source(SourceForm { name: "Work".into(), ..form(&work.url, &work.ana) }).await.unwrap();
    let again = sitting.app.test_source(form(&work.url, &work.ana)).await.unwrap();
    assert_eq!((again.ok, again.text.as_str()), (false, "It is there already, as “Work”"));
    let other = SourceForm { name: "Work".into(), ..form(&work.url, &work.bo) };
    let taken = sitting.app.add_source(other).await.unwrap_err().to_page(Lang::En);
    assert!(taken.text.contains("called “Work” already"), "{}", taken.text);
}

#[tokio::test]
async fn a_source_lives_from_its_first_pull_to_what_is_kept_of_it() {
    let (sitting, work) = (open().connected().await, work().await);
    let app = &sitting.app;
    let sent = json!({"to": "bo", "body": "Lunch at noon?"}).to_string();
    let said = plain::post(&work.url, &work.ana, "/api/v1/messages", &sent).await;
    assert!(said.starts_with("HTTP/1.1 2"), "{said}");

    let id = app.add_source(form(&work.url, &work.bo)).await.unwrap();
    until("the message", || app.inner.replica.numbers().unwrap().total > 0).await;
    app.rename_source(id, "Work".into()).await.unwrap();
    assert!(app.rename_source(id, "  ".into()).await.is_err());
    app.pause_source(id, true).await.unwrap();
    assert_eq!(sitting.state_of(id), Some(tidings_sync::State::Paused));
    let paused_at = sitting.app.now().as_millis();
    let shown = || async { app.sync_and_places().await.unwrap().1.sources[0].state.clone() };
    assert_eq!(shown().await, SyncState::Paused { since: Some(paused_at) });
    sitting.clock.pass(3_600);
    app.pause_source(id, true).await.unwrap();
    assert_eq!(shown().await, SyncState::Paused { since: Some(paused_at) }, "it was paused all the time");
    app.pause_source(id, false).await.unwrap();
    until("it to go on", || sitting.state_of(id) == Some(tidings_sync::State::Live)).await;
    assert_eq!(app.inner.vault.get(id).as_deref(), Some(work.bo.as_str()));

    // Another user's token is refused, the same user's is taken.
    let other = app.sign_in_source(id, work.ana.clone()).await.unwrap();
    assert!(!other.ok && other.text.contains("ana’s"), "{}", other.text);
    let fresh = work.server.create_token("bo", "again", &[Scope::Inbox]).await.unwrap().token;
    assert!(app.sign_in_source(id, fresh.clone()).await.unwrap().ok);
    assert_eq!(app.inner.vault.get(id), Some(fresh));

    app.remove_source(id, true).await.unwrap();
    assert_eq!(app.inner.vault.get(id), None, "its token is forgotten");
    let found = ThreadQuery { search: Some("lunch".into()), ..inbox() };
    assert_eq!(app.threads(found).await.unwrap().rows.len(), 1, "what it brought can still be found");
    let (_, places) = app.sync_and_places().await.unwrap();
    assert_eq!(
        (places.sources[0].protocol.as_str(), &places.sources[0].state),
        ("kept", &SyncState::Paused { since: None })
    );
    assert!(app.pause_source(id, false).await.is_err());
    app.remove_source(id, false).await.unwrap();
    assert!(app.threads(inbox()).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn sources_stand_in_the_order_that_was_asked_for() {
    let sitting = open();
    let ids: Vec<i64> = ["a", "b", "c"].iter().map(|name| sitting.source(name)).collect();
    sitting.app.order_sources(vec![ids[2], ids[0]]).await.unwrap();
    let rows = sitting.app.sync_and_places().await.unwrap().1.sources;
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["c", "a", "b"]);
}

#[tokio::test]
async fn what_is_done_with_goes_after_its_days_and_pinned_threads_stay() {
    let sitting = open().running();
    let own = sitting.source("");
    let items = (1..5).map(|i| published(&sitting.clock, i, &format!("t{i}"), "words")).collect();
    sitting.pulled(own, Occasion::Live, items).await;
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    sitting.app.mark(vec![ids[0]], &Mark::Pin).await.unwrap();
    // As if the server had said so: nothing waits to be sent.
    let archived: Vec<_> = (1..4)
        .map(|i| {
            let at = sitting.clock.now_stamp().plus_micros(100 + i);
            let topic = format!("t{}", 5 - i);
            notification(
                &sitting.clock,
                5 - i,
                &json!({"thread": format!("topic:{topic}#publish"), "actor": {"id": topic, "name": topic},
                    "action": "publish", "target": {"type": "topic", "id": topic}, "title": topic, "body": "words",
                    "archived_at": at, "stamp": at, "version": 2}),
            )
        })
        .collect();
    sitting.pulled(own, Occasion::Live, archived).await;
    let done = ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Done) };
    assert_eq!(sitting.app.threads(done.clone()).await.unwrap().rows.len(), 3);

    let mut settings = sitting.app.page_settings();
    settings.keep_days = Some(30);
    sitting.app.settings(&settings).await.unwrap();
    sitting.clock.pass(29 * 24 * 3_600);
    assert_eq!(sitting.app.take_off_old().await.unwrap(), 0);
    sitting.clock.pass(2 * 24 * 3_600);
    assert_eq!(sitting.app.take_off_old().await.unwrap(), 2);
    let left = sitting.app.threads(done).await.unwrap().rows;
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[0]], "it is pinned");
    assert_eq!(sitting.app.threads(inbox()).await.unwrap().rows.len(), 1);
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);

    // A later change on the server brings one back.
    let at = sitting.clock.now_stamp();
    let again = notification(
        &sitting.clock,
        3,
        &json!({"thread": "topic:t3#publish", "actor": {"id": "t3", "name": "t3"}, "action": "publish",
            "target": {"type": "topic", "id": "t3"}, "title": "t3", "body": "words", "stamp": at, "version": 3}),
    );
    sitting.pulled(own, Occasion::Live, vec![again]).await;
    assert_eq!(sitting.app.threads(inbox()).await.unwrap().rows.len(), 2);
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);
}

#[tokio::test]
async fn compacting_gives_room_back_and_is_refused_where_there_is_none() {
    let sitting = open();
    let own = sitting.source("");
    let body = "room ".repeat(2_000);
    let items = (1..200).map(|i| published(&sitting.clock, i, &format!("t{i}"), &body)).collect();
    sitting.pulled(own, Occasion::Live, items).await;
    sitting.app.inner.replica.remove_source(own, false).unwrap();
    let before = sitting.app.storage().await.unwrap();
    assert!(before.spare > 500_000, "{before:?}");
    *sitting.desktop.room.lock().unwrap() = Some(1_000);
    let refused = sitting.app.compact().await.unwrap_err().to_page(Lang::En);
    assert_eq!(refused.code, ErrorCode::Storage);
    assert!(refused.text.contains("1 KB are free"), "{}", refused.text);
    *sitting.desktop.room.lock().unwrap() = None;
    let after = sitting.app.compact().await.unwrap();
    assert!(after.spare < before.spare / 10 && after.inbox < before.inbox, "{before:?} {after:?}");
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);
}

#[tokio::test]
async fn a_backup_brings_everything_back_and_no_token_goes_astray() {
    let sitting = open().running();
    let own = sitting.source("");
    let work = sitting.source("Work");
    sitting.app.inner.vault.set(work, "tdg_work").unwrap();
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;
    let search = |query: &str| SavedSearch { id: 0, name: String::new(), query: query.into(), unread: 0 };
    sitting.app.save_search(search("is:unread")).await.unwrap();
    let file = sitting.folder.path().join("out.tar");
    assert_eq!(sitting.app.backup().await.unwrap(), None, "the dialog was left");
    sitting.chooses(&file);
    let written = sitting.app.backup().await.unwrap().unwrap();
    assert!(written.text.starts_with("Backup written"), "{}", written.text);

    // Since then: more came, a source went, and another one has its number.
    sitting
        .pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "later", "after the backup")])
        .await;
    assert_eq!(sitting.app.save_search(search("later")).await.unwrap()[0].unread, 2);
    let change =
        tidings_replica::SourceChange { url: Some("http://127.0.0.1:2".into()), ..Default::default() };
    sitting.app.inner.replica.change_source(work, change).unwrap();
    sitting.with_page().await;
    sitting.chooses(&file);
    let restored = sitting.app.restore().await.unwrap().unwrap();
    assert!(restored.text.contains("1 notifications"), "{}", restored.text);
    let kept = sitting.app.saved_searches().await.unwrap();
    assert_eq!(kept.iter().map(|s| (s.query.as_str(), s.unread)).collect::<Vec<_>>(), [("is:unread", 1)]);
    assert_eq!(sitting.app.inner.found_unread.lock().unwrap().len(), 1, "no number of a search that is gone");
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.who.as_str()).collect::<Vec<_>>(), ["backups"]);
    assert_eq!(sitting.app.inner.vault.get(work), None, "the token was for another address");
    assert!(sitting.folder.path().join("replica.db.before").exists());
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);
    until("the page to look anew", || {
        let events = sitting.events.lock().unwrap();
        events.iter().any(|event| matches!(event, PageEvent::Threads { refetch: true, .. }))
    })
    .await;
    // It goes on: what comes is kept, in the file too.
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 3, "again", "x")]).await;
    let folder = sitting.folder;
    drop(sitting.app);
    let again = open_at(folder, Lang::En);
    assert_eq!(again.app.threads(inbox()).await.unwrap().rows.len(), 2);

    let nonsense = again.folder.path().join("nonsense.tar");
    std::fs::write(&nonsense, "this is no backup".repeat(100)).unwrap();
    again.chooses(&nonsense);
    let refused = again.app.restore().await.unwrap_err().to_page(Lang::En);
    assert!(refused.text.contains("nonsense.tar is no backup"), "{}", refused.text);
    assert_eq!(again.app.threads(inbox()).await.unwrap().rows.len(), 2);
}

#[tokio::test]
async fn the_inbox_is_written_for_other_programs() {
    let sitting = open();
    let own = sitting.source("");
    let items = (1..4).map(|i| published(&sitting.clock, i, "backups", &format!("Done {i}"))).collect();
    sitting.pulled(own, Occasion::Live, items).await;
    for (format, holds) in [
        (ExportFormat::Json, "\"Done 2\""),
        (ExportFormat::Csv, ",Done 2,"),
        (ExportFormat::Mbox, "\nDone 2\n"),
    ] {
        let file = sitting.folder.path().join("out");
        sitting.chooses(&file);
        let done = sitting.app.export_inbox(format).await.unwrap().unwrap();
        assert_eq!(done.text, "3 notifications written");
        assert!(std::fs::read_to_string(&file).unwrap().contains(holds), "{format:?}");
    }
    assert_eq!(*sitting.desktop.asked.lock().unwrap().first().unwrap(), "tidings-2023-11-14.json");
    sitting.chooses(std::path::Path::new("/nowhere/at/all.json"));
    let refused = sitting.app.export_inbox(ExportFormat::Json).await.unwrap_err().to_page(Lang::En);
    assert!(refused.text.starts_with("The file could not be written"), "{}", refused.text);
    sitting.app.open_folder(Folder::Logs).unwrap();
    assert!(sitting.desktop.folders.lock().unwrap()[0].ends_with("logs"));
}

/// An item with a file, and its thread.
async fn with_file(sitting: &Sitting, source: i64, nth: i64, name: &str, url: &str) -> i64 {
    let more = json!({"thread": format!("article:{nth}#comment"), "attachment": {"name": name, "url": url}});
    sitting.pulled(source, Occasion::Live, vec![notification(&sitting.clock, nth, &more)]).await;
    sitting.app.threads(inbox()).await.unwrap().rows[0].id
}

async fn told_of(sitting: &Sitting, thread: i64) -> FileState {
    let mut last = None;
    until("the file to be here or not", || {
        let events = sitting.events.lock().unwrap();
        last = events.iter().rev().find_map(|event| match event {
            PageEvent::File { thread: of, file, .. } if *of == thread => Some(file.clone()),
            _ => None,
        });
        !matches!(last, None | Some(FileState::Fetching { .. }))
    })
    .await;
    last.unwrap()
}

#[tokio::test]
async fn a_file_is_fetched_looked_at_and_kept_where_its_reader_wants_it() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.with_page().await;
    let (url, asked) = answering(page("200 OK", "", b"All is well.\n")).await;
    let thread = with_file(&sitting, own, 1, "../../evil/../notes.txt", &format!("{url}/n")).await;
    let app = &sitting.app;
    assert!(matches!(app.save_file(thread, "m1".into()).await, Err(Error::Said { .. })), "not here yet");
    assert!(matches!(
        app.fetch_file(thread, "m1".into()).await.unwrap(),
        FileState::Fetching { done: 0, .. }
    ));
    assert_eq!(told_of(&sitting, thread).await, FileState::Here { size: 13 });
    assert_eq!(app.fetch_file(thread, "m1".into()).await.unwrap(), FileState::Here { size: 13 });
    assert_eq!(asked.lock().unwrap().len(), 1, "once is enough");
    assert!(!asked.lock().unwrap()[0].contains("authorization"), "a stranger gets no token");
    let preview = app.preview_file(thread, "m1".into()).await.unwrap();
    assert_eq!(preview, Preview::Text { text: "All is well.\n".into(), cut: false });
    let to = sitting.folder.path().join("kept.txt");
    sitting.chooses(&to);
    assert_eq!(app.save_file(thread, "m1".into()).await.unwrap().unwrap().text, "Saved");
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "All is well.\n");
    assert_eq!(*sitting.desktop.asked.lock().unwrap(), ["notes.txt"]);
    assert_eq!(app.storage().await.unwrap().attachments, 13);
}

#[tokio::test]
async fn a_file_that_is_not_to_be_had_says_why_and_can_be_tried_again() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.with_page().await;
    let (away, _) = answering(page("302 Found", "location: file:///etc/passwd\r\n", b"")).await;
    let (missing, _) = answering(page("404 Not Found", "", b"")).await;
    let huge = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n".to_vec();
    let (huge, _) = answering(huge).await;
    let (short, _) = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".to_vec()).await;
    for (nth, (url, words)) in (1..).zip([
        (away, "leads to one that is not followed"),
        (missing, "any more"),
        (huge, "larger than 268 MB"),
        (short, "Nothing answers"),
        ("http://127.0.0.1:1".into(), "Nothing answers"),
    ]) {
        let thread = with_file(&sitting, own, nth, "a", &format!("{url}/n")).await;
        let msgid = format!("m{nth}");
        sitting.app.fetch_file(thread, msgid.clone()).await.unwrap();
        let FileState::Failed { why } = told_of(&sitting, thread).await else { panic!("{words}") };
        assert!(why.contains(words), "{why}");
        let again = sitting.app.fetch_file(thread, msgid).await.unwrap();
        assert!(matches!(again, FileState::Fetching { .. }), "it can be tried again");
    }
    until("nothing half to be left", || {
        std::fs::read_dir(sitting.folder.path().join("attachments").join(own.to_string()))
            .is_ok_and(|folder| folder.count() == 0)
    })
    .await;
}

#[tokio::test]
async fn a_source_s_own_file_is_asked_for_with_its_token() {
    let sitting = open().running();
    sitting.with_page().await;
    let (url, asked) = answering(page("200 OK", "", b"x")).await;
    let new = tidings_replica::NewSource {
        name: "Work".into(),
        protocol: "tidings".into(),
        url: url.clone(),
        user: None,
        own: false,
    };
    let work = sitting.app.inner.replica.add_source(new).unwrap();
    sitting.app.inner.vault.set(work, "tdg_work").unwrap();
    let thread = with_file(&sitting, work, 1, "a.txt", &format!("{url}/file/1")).await;
    sitting.app.fetch_file(thread, "m1".into()).await.unwrap();
    assert_eq!(told_of(&sitting, thread).await, FileState::Here { size: 1 });
    assert!(asked.lock().unwrap()[0].contains("authorization: bearer tdg_work"));
}

#[tokio::test]
async fn a_file_on_its_way_can_be_given_up() {
    let sitting = open().running();
    let own = sitting.source("");
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/a", silent.local_addr().unwrap());
    let thread = with_file(&sitting, own, 1, "a", &url).await;
    sitting.app.fetch_file(thread, "m1".into()).await.unwrap();
    let asking = tokio::time::timeout(Duration::from_secs(20), silent.accept()).await.unwrap().unwrap();
    sitting.app.cancel_file(thread, "m1".into()).unwrap();
    let (mut stream, _) = asking;
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "nobody waits for it any more");
    assert!(sitting.app.inner.fetching.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_link_opens_its_very_item_or_says_that_it_is_not_here() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "a", "one")]).await;
    let thread = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    assert_eq!(sitting.app.answer(Request::Open("tidings://open/m1".into())).await, Ok(()));
    let first = sitting.with_page().await;
    assert_eq!((first.open, first.open_item.as_deref()), (Some(thread), Some("m1")));
    sitting.app.wish(Wish::Link(format!("tidings://thread/{thread}"))).await;
    until("the page to be told", || {
        sitting.events.lock().unwrap().contains(&PageEvent::Open { thread, item: None })
    })
    .await;
    let unknown = sitting.app.answer(Request::Open("tidings://open/nope".into())).await;
    assert_eq!(unknown, Err("That notification is not on this computer".into()));
    until("the reader to be told", || {
        let text = "That notification is not on this computer".to_owned();
        sitting.events.lock().unwrap().contains(&PageEvent::Said { text })
    })
    .await;
    assert_eq!(*sitting.desktop.shown.lock().unwrap(), 3, "the window comes up either way");
}

/// One request over a socket of its own.
mod plain {
    use super::{AsyncReadExt, AsyncWriteExt};

    pub(super) async fn post(url: &str, token: &str, path: &str, body: &str) -> String {
        let host = url.trim_start_matches("http://");
        let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

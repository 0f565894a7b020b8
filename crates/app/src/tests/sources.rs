//! Tests of sources against real servers.

use serde_json::json;
use tidings_model::wire::Scope;
use tidings_model::{Lang, Mark};
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::{Ntfy, ScriptedService};
use tidings_testkit::wait;

use tidings_ipc::{SourceForm, SyncState, ThreadQuery};
use tidings_net::address::AddressKind;
use tidings_replica::NotifyLevel;
use tidings_sources::{Credential, PROTOCOLS, protocol};

use super::harness::{TestApp, open, until};
use super::http_server::answering;
use super::inbox;
use super::work_server::work;

fn form(url: &str, token: &str) -> SourceForm {
    SourceForm { protocol: "tidings".into(), url: url.into(), token: token.into(), ..SourceForm::default() }
}

fn named(name: &str, url: &str, token: &str) -> SourceForm {
    SourceForm { name: name.into(), ..form(url, token) }
}

impl TestApp {
    fn state_of(&self, source: i64) -> Option<tidings_sync::SourceStatus> {
        self.app.engine.statuses().get(&source).copied()
    }
}

#[tokio::test]
async fn a_source_is_tried_in_words_before_it_is_kept() {
    let (test, work) = (open(), work().await);
    let (page_of_html, _) = answering(response("200 OK", "content-type: text/html\r\n", b"<html>")).await;
    let closed_url = ScriptedServer::start().await.url();
    for (form, expected) in [
        (form("", &work.bo), "Enter an address"),
        (form("not an address", &work.bo), "is not an address"),
        (form(&work.url, " "), "Enter a token"),
        (form(&work.url, "tdg_wrong"), "refused the token"),
        (form(&work.url, &work.publisher), "may not read an inbox"),
        (form(&page_of_html, &work.bo), "not as a Tidings server"),
        (form(&closed_url, &work.bo), "No answer from"),
        (form(&work.url.replace("http://", "https://"), &work.bo), "No answer from"),
        (SourceForm { protocol: "smoke".into(), ..form(&work.url, &work.bo) }, "“smoke”"),
    ] {
        let tried = test.app.sources.test_source(form.clone()).await.unwrap();
        assert!(!tried.ok && tried.text.contains(expected), "{:?}: {}", form.url, tried.text);
        let refused = test.app.sources.add_source(form).await.unwrap_err().to_ipc(Lang::En);
        assert!(refused.text.contains(expected), "{}", refused.text);
    }
    let tried =
        test.app.sources.test_source(form(&format!("{}/api/v1/", work.url), &work.ana)).await.unwrap();
    assert_eq!((tried.ok, tried.text.as_str()), (true, "Signed in as Ana Reis. All read"));
    assert!(test.app.context.replica.sources().unwrap().is_empty(), "nothing was kept yet");

    test.app
        .sources
        .add_source(SourceForm { name: "Work".into(), ..form(&work.url, &work.ana) })
        .await
        .unwrap();
    let again = test.app.sources.test_source(form(&work.url, &work.ana)).await.unwrap();
    assert_eq!((again.ok, again.text.as_str()), (false, "Already added, as “Work”"));
    let other = SourceForm { name: "Work".into(), ..form(&work.url, &work.bo) };
    let taken = test.app.sources.add_source(other).await.unwrap_err().to_ipc(Lang::En);
    assert!(taken.text.contains("already has the name “Work”"), "{}", taken.text);
}

#[tokio::test]
async fn an_address_without_a_scheme_is_found_with_http_on_this_computer_and_it_is_said() {
    let (test, work) = (open(), work().await);
    let typed = work.url.strip_prefix("http://").unwrap();
    let tried = test.app.sources.test_source(form(typed, &work.ana)).await.unwrap();
    assert_eq!(tried.text, format!("Signed in as Ana Reis. All read. {} answered", work.url));
    test.app.sources.add_source(form(typed, &work.ana)).await.unwrap();
    assert_eq!(test.app.context.replica.sources().unwrap()[0].url, work.url);
    let written_out = test.app.sources.test_source(form(&work.url, &work.bo)).await.unwrap();
    assert!(!written_out.text.contains("answered"), "who wrote the scheme knows it");
    let closed = ScriptedServer::start().await.url().replace("http://", "");
    let refused = test.app.sources.test_source(form(&closed, &work.ana)).await.unwrap();
    assert!(!refused.ok && refused.text.contains("No answer from"), "{}", refused.text);
}

#[tokio::test]
async fn every_kind_of_source_is_offered_and_says_what_it_needs() {
    let test = open();
    let offered = test.app.page.bootstrap().await.unwrap().protocols;
    let names: Vec<&str> = offered.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, PROTOCOLS.iter().map(|known| known.name).collect::<Vec<_>>());
    let closed = ScriptedServer::start().await.url();
    for known in PROTOCOLS.iter().filter(|known| known.address != AddressKind::Applications) {
        let try_at = async |url: &str, token: &str| {
            let tried = test
                .app
                .sources
                .test_source(SourceForm { protocol: known.name.into(), ..form(url, token) })
                .await;
            let tried = tried.unwrap();
            assert!(!tried.ok && !tried.text.contains("tdg_secret"), "{}: {}", known.name, tried.text);
            tried.text
        };
        if known.default_url.is_none() {
            assert!(try_at(" ", "tdg_secret").await.contains(known.example), "{}", known.name);
        }
        assert!(
            try_at("ftp://a.example", "tdg_secret").await.contains("“ftp://a.example”"),
            "{}",
            known.name
        );
        let at = format!("{closed}/alerts");
        if known.credential == Credential::Token {
            assert!(try_at(&at, " ").await.starts_with("Enter a token"), "{}", known.name);
        } else {
            assert!(try_at(&at, "").await.contains("No answer from"), "{}", known.name);
        }
        assert!(try_at(&at, "tdg_secret").await.contains("No answer from"), "{}", known.name);
    }
    assert!(test.app.context.replica.sources().unwrap().is_empty());
}

#[tokio::test]
async fn a_feed_is_added_without_a_token_and_is_counted_but_makes_no_toasts() {
    // Other kinds of sources are built beside this one.
    let Ok(known) = protocol("feed") else { return };
    assert_eq!((known.credential, known.address), (Credential::None, AddressKind::Document));
    let feed = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Daily news</title>
        <link>https://news.example</link><description>All of it</description>
        <item><guid>a</guid><title>First</title><pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate></item>
        </channel></rss>"#;
    let answer = response("200 OK", "content-type: application/rss+xml\r\n", feed.as_bytes());
    let (url, requests) = answering(answer).await;
    let test = open();
    let form = SourceForm { protocol: "feed".into(), ..form(&format!("{url}/all?key=1"), "tdg_secret") };
    let tried = test.app.sources.test_source(form.clone()).await.unwrap();
    assert!(tried.ok, "{}", tried.text);
    let id = test.app.sources.add_source(form).await.unwrap();
    let row = test.app.context.replica.source(id).unwrap();
    assert_eq!((row.url.as_str(), row.name.as_str()), (&*format!("{url}/all?key=1"), tried.name.as_str()));
    assert_eq!(row.notify.level, Some(NotifyLevel::Badge));
    assert_eq!(test.token_of(id), None);
    let refused = test.app.sign_ins.sign_in_source(id, "tdg_secret".into()).await.unwrap();
    assert!(!refused.ok && refused.text == "This source needs no token");
    assert!(requests.lock().unwrap().iter().all(|request| !request.contains("tdg_secret")));
}

#[tokio::test]
async fn a_source_lives_from_its_first_pull_to_what_is_kept_of_it() {
    let (test, work) = (open().connected().await, work().await);
    let app = &test.app;
    work.message_to_bo().await;

    let id = app.sources.add_source(form(&work.url, &work.bo)).await.unwrap();
    until("the message", || app.context.replica.counts().unwrap().total > 0).await;
    app.sources.edit_source(id, named("Work", &work.url, "")).await.unwrap();
    assert!(app.sources.edit_source(id, named("  ", &work.url, "")).await.is_err());
    app.sources.pause_source(id, true).await.unwrap();
    assert_eq!(test.state_of(id), Some(tidings_sync::SourceStatus::Paused));
    let paused_at = test.app.context.now().as_millis();
    let shown = || async { app.page.sync_and_places().await.unwrap().1.sources[0].state.clone() };
    assert_eq!(shown().await, SyncState::Paused { since: Some(paused_at) });
    test.clock.advance(3_600);
    app.sources.pause_source(id, true).await.unwrap();
    assert_eq!(shown().await, SyncState::Paused { since: Some(paused_at) }, "it was paused all the time");
    app.sources.pause_source(id, false).await.unwrap();
    until("it to go on", || test.state_of(id) == Some(tidings_sync::SourceStatus::Live)).await;
    assert_eq!(test.token_of(id).as_deref(), Some(work.bo.as_str()));

    // Another user's token is refused; another token of the same user is accepted.
    let other = app.sign_ins.sign_in_source(id, work.ana.clone()).await.unwrap();
    assert!(!other.ok && other.text.contains("belongs to ana"), "{}", other.text);
    let fresh = work.server.create_token("bo", "again", &[Scope::Inbox]).await.unwrap().token;
    assert!(app.sign_ins.sign_in_source(id, fresh.clone()).await.unwrap().ok);
    assert_eq!(test.token_of(id), Some(fresh));

    app.sources.remove_source(id, true).await.unwrap();
    assert_eq!(test.token_of(id), None, "its token is forgotten");
    let found = ThreadQuery { search: Some("lunch".into()), ..inbox() };
    assert_eq!(app.reading.threads(found).await.unwrap().rows.len(), 1, "what it brought can still be found");
    let (_, places) = app.page.sync_and_places().await.unwrap();
    assert_eq!(
        (places.sources[0].protocol.as_str(), &places.sources[0].state),
        ("kept", &SyncState::Paused { since: None })
    );
    assert!(app.sources.pause_source(id, false).await.is_err());
    app.sources.remove_source(id, false).await.unwrap();
    assert!(app.reading.threads(inbox()).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn a_source_is_edited_once_its_new_address_has_answered_as_the_same_user() {
    let (test, work) = (open().connected().await, work().await);
    let app = &test.app;
    work.message_to_bo().await;
    let id = app.sources.add_source(named("Work", &work.url, &work.bo)).await.unwrap();
    let items = || {
        let counts = app.context.replica.counts().unwrap();
        counts.sources.iter().find(|one| one.source == id).map_or(0, |one| one.items)
    };
    until("the message", || items() == 1).await;
    app.sources.add_source(named("Ana", &work.url, &work.ana)).await.unwrap();
    let row = || app.context.replica.source(id).unwrap();
    let stored = || (row().name, row().url, test.token_of(id));
    let before = stored();

    let moved = work.url.replace("127.0.0.1", "localhost");
    let other_user = work.server.create_token("ana", "again", &[Scope::Inbox]).await.unwrap().token;
    for (url, token, expected) in [
        ("not an address", "", "is not an address"),
        (moved.as_str(), "", "The saved token is only sent to 127.0.0.1"),
        (moved.as_str(), other_user.as_str(), "belongs to ana"),
        (work.url.as_str(), "tdg_wrong", "refused the token"),
    ] {
        let refused = app.sources.edit_source(id, named("Moved", url, token)).await.unwrap();
        assert!(!refused.ok && refused.text.contains(expected), "{url}: {}", refused.text);
    }
    let taken = app.sources.edit_source(id, named("Ana", &work.url, "")).await.unwrap_err().to_ipc(Lang::En);
    assert!(taken.text.contains("already has the name “Ana”"), "{}", taken.text);
    assert_eq!(stored(), before, "nothing has changed");

    let fresh = work.server.create_token("bo", "again", &[Scope::Inbox]).await.unwrap().token;
    let edited = app.sources.edit_source(id, named("Moved", &moved, &fresh)).await.unwrap();
    assert!(edited.ok && edited.text.contains("Signed in as"), "{}", edited.text);
    assert_eq!(stored(), ("Moved".to_owned(), moved, Some(fresh)));
    work.message_to_bo().await;
    until("the message at the new address", || items() == 2).await;
    assert_eq!(row().user.as_deref(), Some("bo"));
}

#[tokio::test]
async fn one_more_topic_in_the_address_brings_its_history_and_what_was_read_stays_read() {
    let ntfy = Ntfy::with(&["one", "two"], false).await;
    ntfy.store(json!({"id": "aaaaaaaaaaa1", "time": 2, "topic": "two", "message": "early"}));
    ntfy.store(json!({"id": "aaaaaaaaaaa2", "time": 9, "topic": "one", "message": "late"}));
    let test = open().connected().await;
    let app = &test.app;
    let both = ntfy.url();
    let at = |url: &str, token: &str| SourceForm { protocol: "ntfy".into(), ..named("Home", url, token) };
    let id = app.sources.add_source(at(&both.replace("one,two", "one"), &ntfy.token())).await.unwrap();
    let rows = || async { app.reading.threads(inbox()).await.unwrap().rows };
    wait::until("what is on the first topic", || async { rows().await.len() == 1 }).await;
    app.marks.mark(vec![rows().await[0].id], Mark::Read).await.unwrap();

    let edited = app.sources.edit_source(id, at(&both, "")).await.unwrap();
    assert!(edited.ok, "{}", edited.text);
    wait::until("the history of the other one", || async { rows().await.len() == 2 }).await;
    let mut unread: Vec<_> = rows().await.into_iter().map(|row| (row.who, row.unread)).collect();
    unread.sort_unstable();
    assert_eq!(unread, [("one".to_owned(), 0), ("two".to_owned(), 1)]);
    assert_eq!(test.token_of(id), Some(ntfy.token()), "it is the token from before");
}

#[tokio::test]
async fn sources_stand_in_the_order_that_was_asked_for() {
    let test = open();
    let ids: Vec<i64> = ["a", "b", "c"].iter().map(|name| test.source(name)).collect();
    test.app.sources.order_sources(vec![ids[2], ids[0]]).await.unwrap();
    let rows = test.app.page.sync_and_places().await.unwrap().1.sources;
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["c", "a", "b"]);
}

#[tokio::test]
async fn a_removal_that_is_cut_short_leaves_no_token_no_files_and_no_pull() {
    let (test, work) = (open().connected().await, work().await);
    let app = &test.app;
    work.message_to_bo().await;
    let id = app.sources.add_source(form(&work.url, &work.bo)).await.unwrap();
    until("the message", || app.context.replica.counts().unwrap().total > 0).await;
    let row = app.context.replica.source(id).unwrap();
    let files = app.context.data.home().attachments().join(id.to_string());
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("6d31"), "a file").unwrap();

    // A trigger makes the deletion fail after its first transaction, as a full disk would.
    let file = rusqlite::Connection::open(test.folder.path().join(tidings_replica::FILE)).unwrap();
    file.execute_batch(
        "CREATE TRIGGER gives_up BEFORE DELETE ON items BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    assert!(app.sources.remove_source(id, false).await.is_err());
    assert_eq!(app.tokens.store().get(&row), None);
    assert!(!files.exists());
    assert_eq!(test.state_of(id), None, "nothing pulls it");
    assert_eq!(app.context.replica.sources().unwrap(), []);
}

#[tokio::test]
async fn files_of_a_source_that_is_gone_are_taken_away_at_the_start() {
    let test = open();
    let work = test.source("Work");
    let folder = |id: i64| test.app.context.data.home().attachments().join(id.to_string());
    for id in [work, work + 1] {
        std::fs::create_dir_all(folder(id)).unwrap();
        std::fs::write(folder(id).join("6d31"), "a file").unwrap();
    }
    std::fs::write(test.app.context.data.home().attachments().join("notes.txt"), "not ours").unwrap();
    let (there, gone) = (folder(work), folder(work + 1));
    let test = test.connected().await;
    assert!(there.join("6d31").exists() && !gone.exists());
    assert!(test.app.context.data.home().attachments().join("notes.txt").exists());
}

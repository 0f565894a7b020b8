//! Tests of servers that are down, slow, incomplete or restored from a backup: nothing is lost.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use tidings_model::{Clock, MsgId, Stamp, SystemClock};
use tidings_net::{Error as NetError, Result};
use tidings_replica::{Mark, NewSource, Replica, Targets};
use tidings_sources::{Fetched, ServerInfo, Since, Source};
use tidings_sync::{Error, SourceStatus, Trouble, pull_once};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::scripted::ScriptedServer;
use wiremock::{Request, ResponseTemplate};

use crate::support::{
    Inbox, answer, answer_once, ok, page, problem, queries_of, serve_changes, server, stamp, sync, until,
    until_state,
};

#[tokio::test]
async fn a_server_that_is_down_for_a_moment_loses_nothing() {
    let server = server().await;
    let inbox = Inbox::of(&server.uri());
    serve_changes(&server, 3, 10).await;
    answer_once(&server, "sync", problem(503, "unavailable")).await;
    let error = inbox.pull().await.unwrap_err();
    assert_eq!(error.to_string(), "No answer (503)");
    assert!(!error.is_permanent());
    assert_eq!(inbox.pull().await.unwrap().arrived, 3);
    assert_eq!(inbox.unread(), 3);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_refused_token_waits_for_another_one() {
    let server = server().await;
    serve_changes(&server, 2, 10).await;
    answer_once(&server, "sync", problem(401, "unauthorized")).await;
    let inbox = Inbox::of(&server.uri());
    let engine = inbox.quiet_engine().await;
    until_state(&engine, inbox.source, |s| matches!(s, SourceStatus::NeedsSignIn { .. })).await;
    let before = queries_of(&server, "sync").await.len();
    assert_eq!(before, 1, "nothing is tried again by itself");
    engine.restart(inbox.source).await.unwrap();
    until("the pull with the new token", || async { inbox.unread() == 2 }).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_new_history_is_pulled_from_the_beginning_and_local_marks_stay() {
    let server = server().await;
    serve_changes(&server, 4, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    let replica = inbox.replica.clone();
    let marked_meanwhile = move |_: &Request| {
        replica.mark(Targets::MsgIds(vec![MsgId::from("m2")]), Mark::Read).unwrap();
        problem(410, "resync")
    };
    sync().respond_with(marked_meanwhile).up_to_n_times(1).with_priority(1).mount(&server).await;
    // The restored server has lost the first change.
    answer_once(&server, "sync", ok(page(2, 4, false))).await;
    inbox.pull().await.unwrap();
    let queries = queries_of(&server, "sync").await;
    assert!(queries[1].contains("since="), "{queries:?}");
    assert!(!queries[2].contains("since="), "{queries:?}");
    assert_eq!(inbox.unread(), 3, "the mark holds, and what the server lost is still here");
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_server_that_answers_resync_to_a_first_pull_is_not_asked_for_ever() {
    let server = server().await;
    answer(&server, "sync", problem(410, "resync")).await;
    let inbox = Inbox::of(&server.uri());
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Malformed))));
    assert_eq!(queries_of(&server, "sync").await.len(), 2);
}

#[tokio::test]
async fn an_epoch_that_changes_without_a_word_is_a_new_history() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    let mut other = page(4, 4, false);
    other["epoch"] = json!("e2");
    answer_once(&server, "sync", ok(other)).await;
    inbox.pull().await.unwrap();
    assert!(!queries_of(&server, "sync").await[2].contains("since="));
}

#[tokio::test]
async fn half_a_page_is_no_page() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    let body = page(1, 3, false).to_string();
    answer_once(&server, "sync", ResponseTemplate::new(200).set_body_string(&body[..body.len() / 2])).await;
    let inbox = Inbox::of(&server.uri());
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Malformed))));
    assert_eq!((inbox.unread(), inbox.cursor()), (0, None), "nothing of it was kept");
    inbox.pull().await.unwrap();
    assert_eq!(inbox.unread(), 3);
}

#[tokio::test]
async fn a_connection_that_breaks_in_the_middle_of_an_answer_is_no_answer() {
    let server = ScriptedServer::start().await;
    let url = server.url();
    server.always(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"ite".to_vec(),
    );
    let inbox = Inbox::of(&url);
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Unreachable))));
}

#[tokio::test]
async fn nobody_there_is_told_apart_from_no_network() {
    let url = ScriptedServer::start().await.url();
    let error = Inbox::of(&url).pull().await.unwrap_err();
    assert_eq!(error.trouble(), Trouble::Unreachable);
    assert!(!error.trouble().is_offline());
}

#[tokio::test]
async fn a_name_without_an_address_is_told_apart_from_no_network() {
    let error = Inbox::of("http://nobody.invalid").pull().await.unwrap_err();
    let has_network = std::net::UdpSocket::bind("0.0.0.0:0").unwrap().connect("192.0.2.1:9").is_ok();
    if has_network {
        assert_eq!(error.trouble(), Trouble::NameNotFound);
    }
    assert_eq!(error.trouble().is_offline(), !has_network);
}

#[tokio::test]
async fn a_page_that_comes_twice_counts_once() {
    let server = server().await;
    serve_changes(&server, 5, 10).await;
    answer_once(&server, "sync", ok(page(1, 3, false))).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    answer_once(&server, "sync", ok(page(1, 4, true))).await;
    let again = inbox.pull().await.unwrap();
    assert_eq!((again.fetched, again.arrived), (5, 2));
    assert_eq!(inbox.unread(), 5);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_server_that_gets_nowhere_is_not_asked_for_ever() {
    let server = server().await;
    answer(&server, "sync", ok(page(1, 3, true))).await;
    let inbox = Inbox::of(&server.uri());
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Malformed))));
    let pages = queries_of(&server, "sync").await.iter().filter(|query| !query.contains("count")).count();
    assert_eq!(pages, 2);
}

#[tokio::test]
async fn a_server_whose_clock_jumped_is_followed_all_the_same() {
    let server = server().await;
    answer_once(&server, "sync", ok(page(1, 2, false))).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    // The server's clock went a year ahead and then back; its stamps continue from the highest.
    let ahead = 365 * 86_400;
    answer_once(&server, "sync", ok(page(ahead, ahead + 1, false))).await;
    inbox.pull().await.unwrap();
    answer_once(&server, "sync", ok(page(ahead + 2, ahead + 2, false))).await;
    inbox.pull().await.unwrap();
    assert_eq!(inbox.unread(), 5);
    assert_eq!(inbox.cursor(), Some(stamp(ahead + 2)));
    let queries = queries_of(&server, "sync").await;
    assert!(queries[2].contains(&stamp(ahead + 1).replace(':', "%3A")), "{queries:?}");
}

/// The time until which the server asked for no requests.
fn at_the_server(inbox: &Inbox) -> Stamp {
    inbox.replica.waits(inbox.source).unwrap().requests.unwrap()
}

#[tokio::test]
async fn a_server_that_asks_for_patience_gets_it_and_it_is_shown() {
    let server = server().await;
    answer(&server, "sync", problem(503, "unavailable").insert_header("Retry-After", "90")).await;
    let inbox = Inbox::of(&server.uri());
    let engine = inbox.quiet_engine().await;
    let state = until_state(&engine, inbox.source, |s| matches!(s, SourceStatus::Retrying { .. })).await;
    let SourceStatus::Retrying { at, trouble } = state else { unreachable!() };
    assert_eq!(trouble, Trouble::Unavailable(503));
    assert!(at > SystemClock.now().plus_secs(80), "{at}");
    // A pull that a person asks for is answered at once, without a request.
    let outcome = engine.pull_and_wait().await;
    assert_eq!(outcome[&inbox.source], Err(Trouble::Waiting(at_the_server(&inbox))));
    assert_eq!(queries_of(&server, "sync").await.len(), 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn an_engine_tries_again_by_itself() {
    let server = server().await;
    serve_changes(&server, 2, 10).await;
    for _ in 0..2 {
        answer_once(&server, "sync", problem(502, "unavailable")).await;
    }
    let inbox = Inbox::of(&server.uri());
    let engine = inbox.quiet_engine().await;
    until("the third try", || async { inbox.unread() == 2 }).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_wrong_address_is_said_at_once() {
    let inbox = Inbox::of("ftp://example.org");
    let error = inbox.pull().await.unwrap_err();
    assert!(error.is_permanent());
    assert_eq!(error.trouble(), Trouble::Address);
}

/// A service that says for each question who its token is of.
struct Wavering(Mutex<Vec<&'static str>>);

#[async_trait]
impl Source for Wavering {
    async fn server_info(&self) -> Result<ServerInfo> {
        Ok(ServerInfo { user: self.0.lock().pop().map(str::to_owned), ..ServerInfo::default() })
    }

    async fn page(&self, _since: Since, _limit: usize) -> Result<Fetched> {
        Ok(Fetched::default())
    }
}

#[tokio::test]
async fn another_user_counts_only_where_a_second_answer_names_it_too() {
    let dir = tempfile::tempdir().unwrap();
    let replica = Replica::open(dir.path(), Arc::new(ManualClock::default())).unwrap();
    let (name, protocol, url) = ("Work".to_owned(), "mastodon".to_owned(), "https://w.example".to_owned());
    let id =
        replica.add_source(NewSource { name, protocol, url, user: Some("ana".into()), own: false }).unwrap();
    let user = || replica.source(id).unwrap().user.unwrap();
    // The last one is said first.
    let pull = async |said: &[&'static str]| {
        pull_once(&replica, id, Arc::new(Wavering(Mutex::new(said.to_vec())))).await
    };
    assert!(matches!(pull(&["ana", "mal"]).await, Err(Error::Net(NetError::Malformed))));
    assert_eq!(user(), "ana", "one odd answer takes no token away");
    pull(&["mal", "mal"]).await.unwrap();
    assert_eq!(user(), "mal");
}

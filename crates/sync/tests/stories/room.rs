//! Stories of large answers: one is held at a time until what it brought is written, and a request that waits for the
//! room holds nothing.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tidings_sources::Since;
use tidings_sync::{Error, PullEnd, PullLimit, pull_within};
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::Feed;
use tidings_testkit::wait::within_timeout;

use crate::support::{ServiceInbox, until};

const RSS: &str = "content-type: application/rss+xml\r\n";
/// More than the buffers of a connection take.
const MORE_THAN_IS_ON_ITS_WAY: usize = 16 << 20;

/// A feed of so many entries and bytes.
fn feed(count: usize, bytes: usize) -> String {
    let text = "x".repeat(bytes / count);
    let items = (0..count).map(|n| format!("<item><guid>{n}</guid><description>{text}</description></item>"));
    format!("<rss version=\"2.0\"><channel><title>Blog</title>{}</channel></rss>", items.collect::<String>())
}

/// An inbox with a source whose feed is large and has more entries than a first page.
async fn large() -> (Feed, ServiceInbox) {
    large_of(1_200).await
}

async fn large_of(count: usize) -> (Feed, ServiceInbox) {
    let server = Feed::start().await;
    server.put("/large", RSS, feed(count, 5 << 20));
    let inbox = ServiceInbox::of("feed", &server.at("/large"), "");
    (server, inbox)
}

#[tokio::test]
async fn a_large_answer_waits_for_room_without_its_bytes_and_is_asked_for_again() {
    let (_first, inbox) = large().await;
    let client = inbox.client();
    assert!(client.page(Since::default(), 10).await.unwrap().page.more, "its document is held");
    assert_others_wait_for(client).await;
}

#[tokio::test]
async fn the_last_page_of_a_large_answer_has_its_room_until_it_is_written() {
    let (_first, inbox) = large_of(50).await;
    let last = inbox.client().page(Since::default(), 50).await.unwrap();
    assert_eq!((last.page.more, last.page.service_items.len()), (false, 50));
    assert_others_wait_for(last).await;
}

/// Checks that another large answer waits until what is held is dropped, and that a small one does not.
async fn assert_others_wait_for<T>(held: T) {
    let server = ScriptedServer::start().await;
    let (url, answer) = (server.url(), response("200 OK", RSS, feed(20, MORE_THAN_IS_ON_ITS_WAY)));
    let (answer, taken) = (Arc::new(answer), Arc::new(Mutex::new(Vec::new())));
    let outcomes = taken.clone();
    server.serve(move |mut exchange| {
        let (answer, outcomes) = (answer.clone(), outcomes.clone());
        async move {
            let is_taken = exchange.send(&answer).await.is_ok();
            outcomes.lock().unwrap().push(is_taken);
        }
    });
    let second = ServiceInbox::of("feed", &url, "");
    let pull = tokio::spawn(async move { second.pull().await });
    until("the answer is let go", async || *taken.lock().unwrap() == [false]).await;
    // What is small goes on meanwhile.
    let (other, small) = (Feed::start().await, feed(20, 1 << 20));
    other.put("/small", RSS, small);
    assert_eq!(ServiceInbox::of("feed", &other.at("/small"), "").pull().await.unwrap().arrived, 20);
    assert!(!pull.is_finished());
    drop(held);
    assert_eq!(pull.await.unwrap().unwrap().arrived, 20);
    assert_eq!(*taken.lock().unwrap(), [false, true]);
}

#[tokio::test]
async fn a_large_page_does_not_wait_for_a_large_list_that_it_needs() {
    let server = ScriptedServer::start().await;
    let url = server.url();
    let text = "x".repeat(5 << 20);
    server.serve(move |mut exchange| {
        let answer = match exchange.url().path() {
            "/application" => json!([{"id": 1, "name": "Backups", "description": text}]),
            "/message" => json!({"paging": {"since": 0}, "messages": [{"id": 1, "appid": 1, "message": "Done",
                "title": "Backup", "date": "2026-11-20T06:00:00Z", "priority": 5, "extras": {"a": {"b": text}}}]}),
            _ => json!({"name": "ana"}),
        };
        async move { drop(exchange.send_json(&answer).await) }
    });
    let inbox = ServiceInbox::of("gotify", &url, "token");
    let pulled = within_timeout("the pull", Box::pin(inbox.pull())).await;
    assert_eq!(pulled.unwrap().arrived, 1);
}

#[tokio::test]
async fn a_pull_that_ends_early_keeps_the_room_from_nobody() {
    let (_first, inbox) = large().await;
    let client = inbox.client();
    let first_page = PullLimit { bytes: 1, ..PullLimit::default() };
    let ended = pull_within(&inbox.replica, inbox.source, client.clone(), first_page).await;
    assert!(matches!(ended, Err(Error::PullEnded(PullEnd::Bytes(1)))), "{ended:?}");
    let (_second, other) = large().await;
    assert_eq!(other.pull().await.unwrap().arrived, 1_200);
    // The same client asks for the document again, and goes on in it.
    let rest = pull_within(&inbox.replica, inbox.source, client, PullLimit::default()).await.unwrap();
    assert_eq!((rest.arrived, inbox.items().len()), (200, 1_200));
}

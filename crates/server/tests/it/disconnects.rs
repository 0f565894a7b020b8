//! Tests of clients that leave before they are answered: their requests are completed, announced on the live channel,
//! and count against the client's share until then.

use std::time::Duration;

use serde_json::{Value, json};

use crate::connections::{RawConnection, full_inbox, stalled_reader};
use crate::live::Channel;
use crate::support::{Client, TEST_TIMEOUT, logged, msgids, start, start_in, start_with, until};

/// Sends a request on a connection of its own.
async fn send_raw(client: &Client, line: &str, headers: &str, body: &str) -> RawConnection {
    use tokio::io::AsyncWriteExt;
    let mut raw = RawConnection::open(&client.url).await;
    let head = format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{headers}Content-Length: {}\r\n\r\n",
        client.token,
        body.len()
    );
    raw.stream.write_all(head.as_bytes()).await.unwrap();
    raw.stream.write_all(body.as_bytes()).await.unwrap();
    raw
}

/// Closes the connection and waits until the server's log says so; the log begins at the first call of [`logged`].
async fn hang_up(raw: RawConnection) {
    let port = raw.stream.local_addr().unwrap().port();
    drop(raw);
    let peer_field = format!("peer=127.0.0.1:{port} ");
    until("the server noticed", || async {
        logged().lines().any(|line| line.contains("a connection ended early") && line.contains(&peer_field))
    })
    .await;
}

#[tokio::test]
async fn a_hint_follows_a_message_whose_sender_left_before_it_was_stored() {
    logged();
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let mut channel = Channel::open(&alice).await;
    let writer = s.block_writer(0);
    let body = json!({"to": "alice", "body": "hello"}).to_string();
    let raw = send_raw(&bob, "POST /api/v1/messages", "", &body).await;
    writer.wait_for_write().await;
    hang_up(raw).await;
    drop(writer);
    channel.event("hint").await;
    assert_eq!(alice.pull(None, 10).await.0[0]["body"], "hello");
}

#[tokio::test]
async fn a_change_in_portions_whose_client_left_is_finished_and_told() {
    logged();
    let s = start().await;
    let alice = s.user("alice").await;
    let mut all = Vec::new();
    for _ in 0..4 {
        let many = vec![json!({"to": "alice", "body": "x"}); 1_000];
        all.extend(msgids(alice.post("messages", json!(many)).await.is(201).as_array().unwrap()));
    }
    alice.pull(None, 1_000).await;
    let mut channel = Channel::open(&alice).await;
    let ops = json!({"ops": [{"id": "all", "op": "archive", "msgids": all}]}).to_string();
    // The first portion is done, and the second one waits.
    let writer = s.block_writer(1);
    let raw = send_raw(&alice, "POST /api/v1/inbox/ops", "", &ops).await;
    writer.wait_for_write().await;
    hang_up(raw).await;
    drop(writer);
    channel.event("hint").await;
    assert!(alice.get("inbox").await.is(200)["items"].as_array().unwrap().is_empty(), "all are archived");
    s.holds_together().await;
}

#[tokio::test]
async fn what_is_due_later_comes_when_it_is_due_also_where_its_publisher_left() {
    logged();
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[tidings_model::wire::Scope::Inbox]).await;
    let writer = s.block_writer(0);
    let raw = send_raw(&me, "POST /topic", "In: 10s\r\n", "later").await;
    writer.wait_for_write().await;
    hang_up(raw).await;
    s.clock.advance(60);
    drop(writer);
    until("it was delivered", || async { me.unread("total").await == 1 }).await;
}

#[tokio::test]
async fn what_a_client_left_behind_counts_against_its_share_until_it_is_stored() {
    logged();
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let many = json!(vec![json!({"to": "alice", "body": "x".repeat(250 * 1024)}); 30]).to_string();
    let writer = s.block_writer(0);
    // Two of the largest bodies are a user's share.
    for _ in 0..2 {
        let raw = send_raw(&alice, "POST /api/v1/messages", "", &many).await;
        writer.wait_for_write().await;
        hang_up(raw).await;
    }
    let mut third = send_raw(&alice, "POST /api/v1/messages", "", &many).await;
    assert_eq!(third.answer().await.unwrap().status, 503);
    drop(writer);
    until("there is room again", || async {
        let mut raw = send_raw(&alice, "POST /api/v1/messages", "", &many).await;
        raw.answer().await.unwrap().status == 201
    })
    .await;
    bob.get("health").await.is(200);
    // A request that waited for the writer until its time ended is not stored at all.
    let stored = alice.pull(None, 50).await.0.len();
    assert!([30, 60, 90].contains(&stored), "{stored}");
}

#[tokio::test]
async fn the_end_waits_for_a_request_whose_client_left_but_not_for_ever() {
    logged();
    let mut s = start().await;
    let alice = s.user("alice").await;
    let writer = s.block_writer(0);
    let body = json!({"to": "alice", "body": "last"}).to_string();
    let raw = send_raw(&alice, "POST /api/v1/messages", "", &body).await;
    writer.wait_for_write().await;
    hang_up(raw).await;
    s.end(TEST_TIMEOUT).await;
    assert!(logged().contains("requests did not end in time"), "it was waited for");
    drop(writer);
    let (dir, clock) = (s.dir.clone(), s.clock.clone());
    drop(s);
    let s = start_in(dir, clock, |_| {}).await;
    let alice = Client::new(&s.url, &alice.token);
    until("it is stored", || async { alice.pull(None, 10).await.0.len() == 1 }).await;
}

#[tokio::test]
async fn asking_for_the_head_of_a_page_alone_takes_of_the_budget_too() {
    let s = start_with(|c| c.send_timeout = Duration::from_secs(3_600)).await;
    let alice = full_inbox(&s, "alice").await;
    let mut readers = Vec::new();
    for _ in 0..20 {
        readers.push(stalled_reader(&alice).await);
    }
    let head = || alice.send(alice.request(reqwest::Method::HEAD, "sync?limit=5000"));
    until("nothing is left of the share", || async {
        let got = head().await;
        assert_eq!(got.body, Value::String(String::new()));
        got.status == 503
    })
    .await;
    // Other paths need no room of this kind.
    alice.get("unread").await.is(200);
    drop(readers);
    until("there is room again", || async { head().await.status == 200 }).await;
    s.stop_within(TEST_TIMEOUT).await;
}

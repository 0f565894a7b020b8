//! A test with a WebSocket and an SSE client that lose their connection again and again while others publish.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use support::client::Client;
use support::clients::{Clients, answer};

use super::{ana, until_reconnected};

/// Publishes to a topic until it has to stop; gives the number of publications.
async fn publish(client: Client, writer: usize, stop: Arc<AtomicBool>) -> usize {
    let topic = ["/a", "/b", "/a"][writer];
    let mut published = 0;
    while !stop.load(Ordering::Relaxed) {
        let request = client.request(Method::POST, topic).body(format!("{writer}.{published}"));
        client.send(request).await.is(200);
        published += 1;
    }
    published
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_reconnects_a_hundred_times_while_others_publish_gets_each_message_once() {
    let (server, ana) = ana().await;
    let clients = Clients::new(&server.url(), &ana.token);
    let mut readers = ["ws", "sse"].map(|kind| clients.start("ntfy/reconnect.mjs", &[kind, "a,b"]));
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> =
        (0..3).map(|writer| tokio::spawn(publish(ana.clone(), writer, stop.clone()))).collect();
    until_reconnected(&mut readers).await;
    stop.store(true, Ordering::Relaxed);
    let mut published = 1;
    for writer in writers {
        published += writer.await.unwrap();
    }
    ana.send(ana.request(Method::POST, "/a").body("end")).await.is(200);

    let poll = ana.request(Method::GET, "/a,b/json?poll=1").send().await.unwrap().text().await.unwrap();
    let texts = poll.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["message"].clone());
    let all: Vec<_> = texts.collect();
    assert_eq!(all.len(), published);
    for reader in readers {
        assert_eq!(answer("ntfy/reconnect.mjs", reader), json!(all), "each once, in their order");
    }
}

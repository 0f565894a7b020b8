//! A test with WebSocket clients of Gotify's stream that lose their connection again and again while others publish.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use support::client::Client;
use support::clients::{Clients, answer};

use super::{ana, application, until_reconnected};

/// Publishes until it has to stop; gives the number of publications.
async fn publish(app: Client, name: &str, stop: Arc<AtomicBool>) -> usize {
    let mut published = 0;
    while !stop.load(Ordering::Relaxed) {
        app.post("/message", json!({"message": format!("{name}.{published}")})).await.is(200);
        published += 1;
    }
    published
}

/// The texts of all messages, oldest first, read page by page.
async fn all_texts(client: &Client) -> Vec<Value> {
    let (mut texts, mut since) = (Vec::new(), json!(0));
    loop {
        let page = client.get(&format!("/message?limit=100&since={since}")).await.is(200);
        texts.extend(page["messages"].as_array().unwrap().iter().map(|message| message["message"].clone()));
        since = page["paging"]["since"].clone();
        if since == 0 {
            texts.reverse();
            return texts;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_reconnects_to_gotify_s_stream_a_hundred_times_gets_each_message_once() {
    let (server, ana) = ana().await;
    let clients = Clients::new(&server.url(), &ana.token);
    let mut readers =
        ["query", "header"].map(|credentials| clients.start("gotify/reconnect.mjs", &[credentials]));
    let stop = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    for name in ["a", "b", "c"] {
        writers.push(tokio::spawn(publish(application(&ana, name).await, name, stop.clone())));
    }
    until_reconnected(&mut readers).await;
    stop.store(true, Ordering::Relaxed);
    let mut published = 1;
    for writer in writers {
        published += writer.await.unwrap();
    }
    application(&ana, "last").await.post("/message", json!({"message": "end"})).await.is(200);

    let all = all_texts(&ana).await;
    assert_eq!(all.len(), published);
    for reader in readers {
        assert_eq!(answer("gotify/reconnect.mjs", reader), json!(all), "each once, in their order");
    }
}

//! Tests of many streams at the same place of a topic, which read it together.

use futures_util::future::join_all;
use serde_json::Value;

use crate::ntfy_streams::{Stream, publish, standalone};

const MESSAGES: usize = 120;

/// The texts of a stream, from its lines without the words before each message.
async fn read(mut stream: Stream, prefix: &str, count: usize) -> Vec<String> {
    let mut texts = Vec::new();
    while texts.len() < count {
        let line = stream.line().await.expect("the stream is open");
        let Some(json) = line.strip_prefix(prefix).filter(|json| json.starts_with('{')) else { continue };
        let message: Value = serde_json::from_str(json).unwrap();
        if message["event"] == "message" {
            texts.push(message["message"].as_str().unwrap().to_owned());
        }
    }
    texts
}

/// The texts of a stream of plain lines.
async fn read_raw(mut stream: Stream) -> Vec<String> {
    let mut texts = Vec::new();
    while texts.len() < MESSAGES {
        texts.extend(stream.line().await.filter(|line| !line.is_empty()));
    }
    texts
}

#[tokio::test]
async fn streams_at_one_place_each_get_all_that_they_ask_for_once_and_in_their_form() {
    let (_s, me, nobody) = standalone().await;
    let (mut all, mut urgent, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..8 {
        all.push(read(Stream::open(&me, "/a/json").await, "", MESSAGES));
        all.push(read(Stream::open(&me, "/a/sse").await, "data: ", MESSAGES));
        all.push(read(Stream::open(&me, "/b,a/json").await, "", MESSAGES));
        urgent.push(read(Stream::open(&me, "/a/json?priority=5").await, "", MESSAGES / 4));
        plain.push(read_raw(Stream::open(&me, "/a/raw").await));
    }
    let writers = (0..4).map(|writer| {
        let nobody = nobody.clone();
        async move {
            let priority = if writer == 0 { 5 } else { 3 };
            for n in 0..MESSAGES / 4 {
                publish(&nobody, &format!("/a?priority={priority}"), &format!("{writer}.{n}")).await;
            }
        }
    });
    let reads = async { tokio::join!(join_all(all), join_all(urgent), join_all(plain)) };
    let (_, (all, urgent, plain)) = tokio::join!(join_all(writers), reads);
    let order = &all[0];
    let distinct: std::collections::HashSet<_> = order.iter().collect();
    assert_eq!(distinct.len(), MESSAGES, "each once");
    assert!(all.iter().chain(&plain).all(|texts| texts == order), "all in one order");
    let wanted: Vec<_> = order.iter().filter(|text| text.starts_with("0.")).cloned().collect();
    assert!(urgent.iter().all(|texts| *texts == wanted), "and those with a filter what passes it");
}

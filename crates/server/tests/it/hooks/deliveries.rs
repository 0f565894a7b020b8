//! Tests of who may send webhooks, of repeated payloads, and of payloads that fit no form.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use super::{Hooked, hooked, hooked_with, payload, text};
use crate::support::{Client, logged};

/// Bytes of a text field.
const TEXT_BYTES: usize = 256 * 1024;

/// The bytes of the file of an item.
async fn file(h: &Hooked, item: &Value) -> Vec<u8> {
    let url = item["attachment"]["url"].as_str().expect("a file");
    let path = format!("/file/{}", url.split("/file/").nth(1).unwrap());
    let response = Client::without_token(&h.s.url).request(Method::GET, &path).send().await.unwrap();
    response.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn a_token_that_publishes_is_taken_in_every_form_and_no_other() {
    let h = hooked().await;
    let nobody = Client::without_token(&h.s.url);
    let post = |client: &Client, path: &str| client.request(Method::POST, path).body("text");
    let token = h.publisher.token.clone();
    h.publisher.send(post(&h.publisher, "/hooks/ops")).await.is(200);
    nobody.send(post(&nobody, "/hooks/ops").basic_auth("", Some(&token))).await.is(200);
    nobody.send(post(&nobody, "/hooks/ops").basic_auth(&token, Some(""))).await.is(200);
    nobody.send(post(&nobody, "/hooks/ops")).await.is(200);
    assert_eq!(h.items().await.len(), 4);
    nobody.send(post(&nobody, "/hooks/ops?token=tdg_wrong")).await.problem(401, "unauthorized", None);
    h.me.send(post(&h.me, "/hooks/ops")).await.problem(403, "forbidden", None);
    nobody.send(post(&nobody, "/hooks/api")).await.problem(400, "invalid", Some("topic"));
    nobody.send(post(&nobody, "/hooks/a.b")).await.problem(400, "invalid", Some("topic"));
    assert_eq!(h.items().await.len(), 4);
}

#[tokio::test]
async fn without_open_publish_a_webhook_needs_a_token() {
    let h = hooked_with(|c| c.open_publish = false).await;
    let nobody = Client::without_token(&h.s.url);
    let answer = nobody.send(nobody.request(Method::POST, "/hooks/ops").body("text")).await;
    answer.problem(401, "unauthorized", None);
    h.send("ops", &[], "text").await.is(200);
}

#[tokio::test]
async fn the_token_in_the_address_is_not_logged() {
    logged();
    let h = hooked().await;
    h.send("ops", &[], "a text that is not logged").await.is(200);
    let log = logged();
    assert!(log.contains("/hooks/ops"), "the request is logged");
    assert!(!log.contains(&h.publisher.token) && !log.contains("a text that is not logged"));
}

#[tokio::test]
async fn a_delivery_that_is_repeated_is_one_notification() {
    let h = hooked().await;
    let headers = |id| [("X-GitHub-Event", "push"), ("X-GitHub-Delivery", id)];
    let first = h.send("ops", &headers("72d3162e"), payload!("github-push")).await.is(200);
    let again = h.send("ops", &headers("72d3162e"), payload!("github-push")).await.is(200);
    assert_eq!(first, again);
    assert_eq!(h.items().await.len(), 1);
    h.send("ops", &headers("72d3162f"), payload!("github-push")).await.is(200);
    h.send("other", &headers("72d3162e"), payload!("github-push")).await.is(200);
    assert_eq!(h.items().await.len(), 3, "another delivery, and another topic");
    for _ in 0..2 {
        h.send("ops", &[("Idempotency-Key", "k")], "text").await.is(200);
    }
    assert_eq!(h.items().await.len(), 4);
}

#[tokio::test]
async fn a_payload_that_fits_nothing_arrives_as_it_is() {
    let h = hooked().await;
    let answer = h.send("ops", &[], r#"{"b": [1, {"a": null}], "c": "ü"}"#).await.is(200);
    let item = h.item().await;
    assert_eq!(answer["published"][0]["msgid"], item["msgid"]);
    assert_eq!(
        text(&item, "body"),
        "```json\n{\n  \"b\": [\n    1,\n    {\n      \"a\": null\n    }\n  ],\n  \"c\": \"ü\"\n}\n```"
    );
    assert_eq!((text(&item, "title"), text(&item, "format")), ("ops", "markdown"));
    h.send("ops", &[], "disk full\non db-1").await.is(200);
    let item = h.items().await.remove(0);
    assert_eq!((text(&item, "body"), text(&item, "format")), ("disk full\non db-1", "plain"));
    h.send("ops", &[], "").await.is(200);
    h.send("ops", &[], vec![0xff, 0x00]).await.is(200);
    let item = h.items().await.remove(0);
    assert_eq!(file(&h, &item).await, [0xff, 0x00], "bytes that are no text come along as they are");
    h.send("ops", &[("X-GitHub-Event", "push")], r#"{"nothing": "of a push"}"#).await.is(200);
    assert_eq!(text(&h.items().await[0], "title"), "GitHub: push");
}

#[tokio::test]
async fn a_payload_that_is_too_long_is_cut_and_the_whole_is_attached() {
    let h = hooked().await;
    let body = json!({"lines": vec!["0123456789"; 40_000]}).to_string();
    h.send("ops", &[], body.clone()).await.is(200);
    let item = h.item().await;
    let shown = text(&item, "body");
    assert!(shown.len() <= TEXT_BYTES && shown.len() > TEXT_BYTES / 2, "{}", shown.len());
    assert!(shown.contains(&format!("Only the beginning of {} bytes is shown here", body.len())));
    assert_eq!(item["attachment"]["name"], "payload.json");
    assert_eq!(file(&h, &item).await, body.as_bytes());
    let text_body = "x".repeat(2 * TEXT_BYTES);
    h.send("ops", &[], text_body.clone()).await.is(200);
    let item = h.items().await.remove(0);
    assert_eq!(item["attachment"]["name"], "payload.txt");
    assert_eq!(file(&h, &item).await, text_body.as_bytes());
}

#[tokio::test]
async fn where_no_files_are_taken_the_notification_says_that_the_rest_is_gone() {
    let h = hooked_with(|c| c.files.file_bytes = 0).await;
    h.send("ops", &[], "x".repeat(2 * TEXT_BYTES)).await.is(200);
    let item = h.item().await;
    assert!(text(&item, "body").contains("the rest was not kept"), "it says so");
    assert_eq!(item["attachment"], Value::Null);
}

#[tokio::test]
async fn only_those_may_publish_whom_the_topic_names() {
    let h = hooked().await;
    h.s.admin.put("topics/ops", json!({"publishers": ["ann"]})).await.is(200);
    h.send("ops", &[], "text").await.problem(403, "forbidden", None);
    let nobody = Client::without_token(&h.s.url);
    let without = nobody.send(nobody.request(Method::POST, "/hooks/ops").body("text")).await;
    without.problem(403, "forbidden", None);
    h.s.user("ann").await;
    let ann = h.s.token("ann", &[Scope::Publish]).await;
    ann.send(ann.request(Method::POST, "/hooks/ops").body("text")).await.is(200);
    assert_eq!(h.items().await.len(), 1);
}

#[tokio::test]
async fn a_webhook_is_over_and_revised_by_its_own_publisher_alone() {
    let h = hooked().await;
    let nobody = Client::without_token(&h.s.url);
    let local = async |body: &'static str| {
        nobody.send(nobody.request(Method::POST, "/hooks/ops").body(body)).await.is(200)
    };
    h.plain(payload!("alertmanager-firing")).await;
    // A program without a token is another publisher: what it says to be over arrives as news, and nothing of another
    // publisher becomes read.
    assert_eq!(local(payload!("alertmanager-resolved")).await["cleared"], 0);
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (3, 3));
    local(payload!("alertmanager-firing")).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (4, 4), "it revises what is its own");
    h.plain(payload!("alertmanager-resolved")).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (4, 3));
    assert_eq!(local(payload!("alertmanager-resolved")).await["cleared"], 1);
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (4, 2));
}

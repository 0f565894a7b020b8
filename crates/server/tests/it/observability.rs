//! Tests of request ids, the log and metrics; none of them contains notifications or tokens.

use serde_json::{Value, json};

use crate::support::{Client, logged, start};

#[tokio::test]
async fn a_request_is_found_in_the_log_by_its_id_and_says_nothing_of_anybody() {
    logged();
    let s = start().await;
    let alice = s.user("alice").await;
    let sent = json!({"to": "alice", "body": "nobody's business"});
    let got = alice.post("messages?note=hidden", sent).await;
    let id = got.headers["x-request-id"].to_str().unwrap().to_owned();
    got.is(201);
    let log = logged();
    let line = log.lines().find(|line| line.contains(&id)).expect(&log);
    for part in ["method=POST", "path=\"/api/v1/messages\"", "status=201", "micros="] {
        assert!(line.contains(part), "{part}: {line}");
    }
    for secret in ["nobody's business", "hidden", &*alice.token] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let s = start().await;
    let got = Client::without_token(&s.url).get("me").await;
    assert!(!got.headers["x-request-id"].is_empty());
    assert_eq!(got.headers["www-authenticate"], "Bearer");
    let _: Value = got.body;
}

#[tokio::test]
async fn metrics_are_for_the_admin() {
    let s = start().await;
    let alice = s.user("alice").await;
    alice.get("/metrics").await.problem(403, "forbidden", None);
    let text = s.admin.get("/metrics").await.is(200);
    let text = text.as_str().unwrap();
    assert!(text.contains("tidings_requests_total{status=\"4xx\"} 1"), "{text}");
    assert!(!text.contains("alice"));
}

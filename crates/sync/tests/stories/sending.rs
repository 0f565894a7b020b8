//! Tests of sending marks to a server that does not accept them all.

use serde_json::{Value, json};
use tidings_model::{Clock, MsgId, Stamp, SystemClock};
use tidings_replica::{Mark, Targets};
use wiremock::{
    Mock, Request, ResponseTemplate,
    matchers::{method, path},
};

use crate::support::{Inbox, ok, problem, serve_changes, server, unread_counts};

/// Answers every operation of a request with success, without applying any.
fn accept_all(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let ids = body["ops"].as_array().unwrap();
    let results: Vec<_> = ids.iter().map(|op| json!({"id": op["id"], "ok": true})).collect();
    ok(json!({"results": results, "unread": unread_counts(0)}))
}

#[tokio::test]
async fn marks_go_out_before_the_pull_and_one_that_is_refused_holds_nothing_up() {
    let server = server().await;
    serve_changes(&server, 4, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    for id in ["m1", "m2", "m3"] {
        inbox.replica.mark(Targets::MsgIds(vec![MsgId::from(id)]), Mark::Read).unwrap();
    }
    // The server refuses every request that contains the second operation.
    Mock::given(method("POST"))
        .and(path("/api/v1/inbox/ops"))
        .respond_with(|request: &Request| {
            if request.body.windows(4).any(|w| w == b"\"m2\"") {
                problem(400, "invalid")
            } else {
                accept_all(request)
            }
        })
        .mount(&server)
        .await;
    let report = inbox.pull().await.unwrap();
    assert_eq!(report.sent, 3);
    assert!(inbox.replica.pending(inbox.source, 10).unwrap().is_empty());
    assert_eq!(inbox.unread(), 4, "what was refused or left aside is as the server has it");
    let requests = server.received_requests().await.unwrap();
    let order: Vec<_> = requests.iter().map(|r| r.url.path().to_owned()).collect();
    let last_pull = order.iter().rposition(|p| p.ends_with("/sync")).unwrap();
    let last_post = order.iter().rposition(|p| p.ends_with("/ops")).unwrap();
    assert!(last_post < last_pull, "{order:?}");
    inbox.assert_consistent();
}

#[tokio::test]
async fn what_could_not_be_sent_stays_and_wins() {
    let server = server().await;
    serve_changes(&server, 2, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    inbox.replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Read).unwrap();
    Mock::given(method("POST")).respond_with(problem(503, "unavailable")).mount(&server).await;
    assert!(inbox.pull().await.is_err());
    assert_eq!(inbox.replica.pending(inbox.source, 10).unwrap().len(), 1);
    assert_eq!(inbox.unread(), 1);
}

#[tokio::test]
async fn marks_say_when_they_were_made_by_the_clock_of_the_server() {
    let server = server().await;
    serve_changes(&server, 1, 10).await;
    let day = 86_400;
    Mock::given(path("/api/v1/info"))
        .respond_with(move |_: &Request| {
            let now = SystemClock.now().plus_secs(day);
            ok(json!({"name": "tidings", "version": "1", "api": 1, "now": now}))
        })
        .mount(&server)
        .await;
    Mock::given(method("POST")).and(path("/api/v1/inbox/ops")).respond_with(accept_all).mount(&server).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    let before = SystemClock.now().plus_secs(day - 60);
    inbox.replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Read).unwrap();
    inbox.pull().await.unwrap();
    let requests = server.received_requests().await.unwrap();
    let sent = requests.iter().find(|request| request.url.path().ends_with("/ops")).unwrap();
    let sent: Value = serde_json::from_slice(&sent.body).unwrap();
    let at: Stamp = sent["ops"][0]["at"].as_str().unwrap().parse().unwrap();
    assert!(at > before && at < before.plus_secs(120), "{at}");
}

//! Tests of receipts and groups beside the pull.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::{MsgId, Stamp, SystemClock};
use tidings_net::Error as NetError;
use tidings_sources::{GroupAnswer, NewGroup, Source, Tidings};
use tidings_sync::{Error, PullEnd, PullLimit, pull_within};
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{body_json, header, method, path},
};

use crate::support::{Inbox, answer, answer_once, ok, problem, queries_of, query, server, stamp};

/// A server with one message of the user in the group `crew`, which Bo has read.
async fn crew() -> MockServer {
    let server = server().await;
    let item = json!({
        "msgid": "m1", "stamp": stamp(1), "version": 2, "kind": "message", "created_at": stamp(1),
        "thread": "group:crew", "conversation": "group:crew", "actor": {"id": "ana", "name": "Ana"},
        "body": "Ready to ship", "receipt": {"read": 1, "members": 3},
    });
    answer(
        &server,
        "sync",
        ok(json!({"items": [item], "marks": [], "next": stamp(1), "more": false, "epoch": "e1"})),
    )
    .await;
    let line = json!({"msgid": "m1", "conversation": "group:crew", "reader": "bo", "at": stamp(2)});
    answer(&server, "receipts", ok(json!({"receipts": [line], "next": stamp(3), "more": false}))).await;
    server
}

fn acknowledgement(through: &Value) -> wiremock::MockBuilder {
    Mock::given(method("POST")).and(path("/api/v1/receipts/ack")).and(body_json(json!({"through": through})))
}

fn readers(inbox: &Inbox) -> Vec<String> {
    let readers = inbox.replica.receipts_of(inbox.source, &MsgId("m1".into())).unwrap();
    readers.into_iter().map(|reader| reader.id).collect()
}

#[tokio::test]
async fn a_receipt_is_kept_before_the_server_forgets_it_and_may_come_again() {
    let server = crew().await;
    acknowledgement(&json!(stamp(3)))
        .respond_with(problem(503, "unavailable"))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    acknowledgement(&json!(stamp(3))).respond_with(ok(json!({}))).mount(&server).await;
    let inbox = Inbox::of(&server.uri());
    assert!(inbox.pull().await.is_err(), "it does not know whether the server forgot");
    assert_eq!(readers(&inbox), ["bo"]);
    inbox.pull().await.unwrap();
    assert_eq!(readers(&inbox), ["bo"]);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_group_is_asked_about_at_first_sight_and_not_again_when_it_is_withheld() {
    let server = crew().await;
    acknowledgement(&json!(stamp(3))).respond_with(ok(json!({}))).mount(&server).await;
    answer_once(&server, "groups/crew", problem(403, "forbidden")).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    inbox.pull().await.unwrap();
    assert_eq!(queries_of(&server, "groups/crew").await.len(), 1, "a refusal holds for a while");
    assert_eq!(inbox.replica.group(inbox.source, "crew").unwrap().unwrap().name, "");
    inbox.assert_consistent();
}

fn group_request(key: &str) -> wiremock::MockBuilder {
    Mock::given(method("POST"))
        .and(path("/api/v1/groups"))
        .and(header("idempotency-key", key))
        .and(body_json(json!({"name": "Crew", "members": ["bo", "chen"]})))
}

#[tokio::test]
async fn a_group_that_is_made_is_known_here_and_a_second_try_asks_for_the_same() {
    let server = crew().await;
    group_request("k1")
        .respond_with(problem(503, "unavailable"))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    let made = json!({"id": "g7", "name": "Crew", "owner": "ana", "members": ["ana", "bo", "chen"],
        "names": {"bo": "Bo Kessler"}, "created_at": stamp(4)});
    group_request("k1").respond_with(ok(made)).mount(&server).await;
    let inbox = Inbox::of(&server.uri());
    let engine = inbox.quiet_engine().await;
    let new = NewGroup { name: "Crew".into(), members: ["bo", "chen"].map(String::from).into() };
    assert!(engine.make_group(inbox.source, &new, "k1").await.is_err());
    let answer = engine.make_group(inbox.source, &new, "k1").await.unwrap();
    assert!(matches!(answer, Some(GroupAnswer::Created(group)) if group.id == "g7"));
    let stored = inbox.replica.group(inbox.source, "g7").unwrap().unwrap();
    assert_eq!((stored.name.as_str(), stored.names["bo"].as_str()), ("Crew", "Bo Kessler"));
}

#[tokio::test]
async fn a_group_with_somebody_unknown_is_not_made_and_says_who_that_is() {
    let server = crew().await;
    let no = json!({"title": "x", "status": 404, "detail": "there is no user `chen`", "code": "not_found"});
    group_request("k1").respond_with(ResponseTemplate::new(404).set_body_json(no)).mount(&server).await;
    group_request("k2").respond_with(problem(404, "not_found")).mount(&server).await;
    let inbox = Inbox::of(&server.uri());
    let engine = inbox.quiet_engine().await;
    let new = NewGroup { name: "Crew".into(), members: ["bo", "chen"].map(String::from).into() };
    for (key, who) in [("k1", vec!["chen".to_owned()]), ("k2", vec![])] {
        let answer = engine.make_group(inbox.source, &new, key).await.unwrap();
        assert_eq!(answer, Some(GroupAnswer::Unknown(who)));
    }
    assert!(inbox.replica.group(inbox.source, "g7").unwrap().is_none());
}

#[tokio::test]
async fn a_server_without_receipts_is_pulled_all_the_same() {
    let server = server().await;
    answer(&server, "sync", ok(crate::support::page(1, 1, false))).await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    assert_eq!(queries_of(&server, "receipts").await.len(), 1, "asked, and answered with 404");
}

#[tokio::test]
async fn receipts_without_end_end_the_pull_and_the_next_one_goes_on() {
    let server = server().await;
    answer(&server, "sync", ok(crate::support::page(1, 1, false))).await;
    Mock::given(method("POST"))
        .and(path("/api/v1/receipts/ack"))
        .respond_with(ok(json!({})))
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .and(path("/api/v1/receipts"))
        .respond_with(|request: &Request| {
            let since: Stamp = query(request, "since").unwrap_or_else(|| stamp(0)).parse().unwrap();
            let line = json!({"msgid": "m1", "conversation": "group:crew", "reader": "bo", "at": stamp(2)});
            ok(json!({"receipts": vec![line; 10], "next": since.plus_secs(1), "more": true}))
        })
        .mount(&server)
        .await;
    let inbox = Inbox::of(&server.uri());
    for (limit, end) in [
        (PullLimit { pages: 8, ..PullLimit::default() }, PullEnd::Pages(8)),
        (PullLimit { bytes: 2_000, ..PullLimit::default() }, PullEnd::Bytes(2_000)),
    ] {
        let client =
            Arc::new(Tidings::new(&server.uri(), "tdg_right".into(), Arc::new(SystemClock)).unwrap());
        let pulled = pull_within(&inbox.replica, inbox.source, client, limit).await;
        assert!(matches!(pulled, Err(Error::PullEnded(at)) if at == end), "{pulled:?}");
    }
    assert!(queries_of(&server, "receipts").await.len() < 40);
    assert_eq!(inbox.cursor(), Some(stamp(1)), "the items are here");
}

#[tokio::test]
async fn the_members_of_a_group_take_no_more_memory_than_is_meant_for_them() {
    let server = server().await;
    let group = json!({"id": "crew", "name": "Crew", "owner": "ana", "members": ["ana"], "names": {},
        "member_count": 4_000_000, "created_at": stamp(1)});
    answer(&server, "groups/crew", ok(group)).await;
    let name = "x".repeat(1 << 20);
    let page: Vec<_> = (0..6).map(|n| json!({"id": format!("u{n}"), "name": name})).collect();
    answer(&server, "groups/crew/members", ok(json!(page))).await;
    let client = Tidings::new(&server.uri(), "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    let answer = client.group("crew").await.map(drop);
    assert!(matches!(answer, Err(NetError::AnswerTooLarge)), "{answer:?}");
    assert_eq!(queries_of(&server, "groups/crew/members").await.len(), 3);
}

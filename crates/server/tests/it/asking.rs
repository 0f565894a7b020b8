//! Tests of questions over HTTP: asked, answered, waited for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_testkit::client::Client;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::live::Channel;
use crate::support::{Running, start, start_in, start_with, until};

fn deploy() -> Value {
    json!({"answers": [{"id": "approve", "label": "Approve", "style": "primary"}, {"id": "deny", "label": "Deny"}],
        "default": "deny"})
}

async fn answer(client: &Client, msgid: &Value, answer: &str) -> Value {
    let op = json!({"id": format!("{msgid} {answer} {}", client.token), "op": "answer", "msgids": [msgid], "answer": answer});
    client.post("inbox/ops", json!({"ops": [op]})).await.is(200)["results"][0].clone()
}

/// Waits until a request waits at this node for an answer.
async fn until_asked(s: &Running) {
    until("a request waits for an answer", || async {
        let metrics = s.admin.get("/metrics").await.is(200);
        metrics.as_str().unwrap().contains("\ntidings_answer_waits 1\n")
    })
    .await;
}

fn path(msgid: &Value, wait: &str) -> String {
    format!("notifications/{}/answer{wait}", msgid.as_str().unwrap())
}

#[tokio::test]
async fn who_asked_waits_until_somebody_answers_and_everybody_sees_it() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let asked =
        alice.post("messages", json!({"to": "bob", "body": "Deploy 4812?", "question": deploy()})).await;
    let asked = asked.is(201)["msgid"].clone();
    let open = alice.get(&path(&asked, "")).await.is(200);
    assert_eq!(open, json!({"state": "open", "answer": null}));
    assert_eq!(bob.unread("message").await, 1);
    let item = bob.inbox().await[0].clone();
    assert_eq!(
        (&item["question"]["state"], &item["question"]["answers"]),
        (&json!("open"), &deploy()["answers"])
    );
    assert!(item["question"]["expires_at"].is_string());

    let waiting = tokio::spawn({
        let (alice, path) = (alice.clone(), path(&asked, "?wait=60"));
        async move { alice.get(&path).await.is(200) }
    });
    let mut channel = Channel::open(&alice).await;
    assert_eq!(answer(&bob, &asked, "approve").await["ok"], true);
    let told = waiting.await.unwrap();
    channel.event("hint").await;
    assert_eq!((&told["state"], &told["answer"]["id"]), (&json!("answered"), &json!("approve")));
    assert_eq!((&told["answer"]["by"], &told["answer"]["text"]), (&json!("bob"), &Value::Null));
    let late = answer(&alice, &asked, "deny").await;
    assert_eq!((&late["ok"], &late["code"]), (&json!(false), &json!("conflict")));
    for (who, is_read) in [(&alice, false), (&bob, true)] {
        let item = who.inbox().await[0].clone();
        assert_eq!(item["question"]["answer"], told["answer"]);
        assert_eq!((&item["version"], item["read_at"].is_string()), (&json!(2), is_read));
        assert_eq!(who.unread("total").await, 0);
    }
    bob.get(&path(&asked, "")).await.problem(404, "not_found", None);
    alice.get(&path(&asked, "?wait=61")).await.problem(400, "invalid", Some("wait"));
    alice.get("notifications/unknown/answer").await.problem(404, "not_found", None);
    s.holds_together().await;
}

#[tokio::test]
async fn a_question_ends_at_its_time_and_who_waits_is_told_the_default() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let soon = s.clock.now().plus_secs(2);
    let mut question = deploy();
    question["expires_at"] = json!(soon);
    let asked =
        alice.post("messages", json!({"to": "bob", "body": "Deploy?", "question": question})).await.is(201);
    let told = alice.get(&path(&asked["msgid"], "?wait=30")).await.is(200);
    assert_eq!(
        told,
        json!({"state": "expired", "answer": {"id": "deny", "text": null, "by": null, "at": soon}})
    );
    let late = answer(&bob, &asked["msgid"], "approve").await;
    assert_eq!((&late["ok"], &late["code"]), (&json!(false), &json!("gone")));
    tidings_testkit::wait::until_equal("unread", 0, || bob.unread("total")).await;
    s.holds_together().await;
}

#[tokio::test]
async fn a_script_asks_at_ntfys_door() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let ask = |headers: &[(&str, &str)]| {
        let request = me.request(Method::POST, "/deploys/4812").body("Deploy 4812?");
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    };
    let answers = ("X-Ask", "Approve, Not now, 以后");
    let asked =
        me.send(ask(&[answers, ("X-Ask-Expires", "10m"), ("X-Ask-Default", "not now")])).await.is(200);
    let item = me.inbox().await[0].clone();
    let ids: Vec<_> =
        item["question"]["answers"].as_array().unwrap().iter().map(|a| a["id"].clone()).collect();
    assert_eq!(ids, ["approve", "not-now", "answer-3"]);
    assert_eq!(item["question"]["default"], "not-now");
    let again = me.send(ask(&[])).await.is(200);
    assert_ne!(asked["id"], again["id"]);
    assert_eq!(answer(&me, &item["msgid"], "not-now").await["ok"], true);
    for id in [&asked["id"], &again["id"]] {
        assert_eq!(me.get(&path(id, "")).await.is(200)["answer"]["id"], "not-now");
    }
    let later = me.send(ask(&[answers, ("In", "1h")])).await.is(200);
    assert_eq!(me.get(&path(&later["id"], "")).await.is(200), json!({"state": "open", "answer": null}));
    for (name, value) in [("X-Ask-Expires", "soon"), ("X-Ask-Expires", "40d"), ("X-Ask-Default", "perhaps")] {
        me.send(ask(&[answers, (name, value)])).await.is(400);
    }
    s.holds_together().await;
}

#[tokio::test]
async fn what_is_wrong_in_a_question_is_named_and_only_inboxes_answer() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let ask = async |question: Value| {
        alice.post("messages", json!([{"to": "bob", "body": "?", "question": question}])).await
    };
    ask(json!({})).await.problem(400, "invalid", Some("[0].question.answers"));
    ask(json!({"answers": [{"id": "a b", "label": "A"}]})).await.problem(
        400,
        "invalid",
        Some("[0].question.answers[0].id"),
    );
    let past = json!({"text": true, "expires_at": "2020-01-01T00:00:00Z"});
    ask(past).await.problem(400, "invalid", Some("[0].question.expires_at"));
    let asked = ask(json!({"text": true})).await.is(201)[0]["msgid"].clone();
    let publisher = s.token("bob", &[Scope::Publish]).await;
    let op = |text: &str| json!({"ops": [{"id": text, "op": "answer", "msgids": [asked], "text": text}]});
    publisher.post("inbox/ops", op("no")).await.problem(403, "forbidden", None);
    assert_eq!(bob.post("inbox/ops", op(" ")).await.is(200)["results"][0]["code"], "invalid");
    assert_eq!(bob.post("inbox/ops", op("Ship it")).await.is(200)["results"][0]["ok"], true);
    let told = alice.get(&path(&asked, "")).await.is(200);
    assert_eq!((&told["answer"]["id"], &told["answer"]["text"]), (&Value::Null, &json!("Ship it")));
    let recalled = ask(deploy()).await.is(201)[0]["msgid"].clone();
    let waiting = tokio::spawn({
        let (alice, path) = (alice.clone(), path(&recalled, "?wait=60"));
        async move { alice.get(&path).await }
    });
    until_asked(&s).await;
    alice.delete(&format!("notifications/{}", recalled.as_str().unwrap())).await.is(204);
    waiting.await.unwrap().problem(404, "not_found", None);
    s.holds_together().await;
}

#[tokio::test]
async fn of_two_answers_at_two_nodes_one_counts_and_who_waits_at_the_other_node_is_told() {
    let database = Database::empty();
    let node = async || -> Running {
        let store = database.url.parse().unwrap();
        let (dir, clock) = (Arc::new(tempfile::tempdir().unwrap()), Arc::new(ManualClock::running()));
        start_in(dir, clock, |config| config.store = store).await
    };
    let (one, two) = (node().await, node().await);
    let (alice, bob, carol) = (one.user("alice").await, one.user("bob").await, one.user("carol").await);
    let there = |client: &Client| Client::new(&two.url, &client.token);
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob", "carol"]})).await.is(201);
    for _ in 0..5 {
        let body = json!({"body": "Deploy 4812?", "question": deploy()});
        let asked = alice.post("groups/crew/messages", body).await.is(201)["msgid"].clone();
        let waiting = tokio::spawn({
            let (alice, path, began) = (there(&alice), path(&asked, "?wait=60"), Instant::now());
            async move { (alice.get(&path).await.is(200), began.elapsed()) }
        });
        let carol_there = there(&carol);
        let (his, hers) = tokio::join!(answer(&bob, &asked, "approve"), answer(&carol_there, &asked, "deny"));
        assert_ne!(his["ok"], hers["ok"], "{his} {hers}");
        let (winner, loser) = if his["ok"] == true { ("approve", &hers) } else { ("deny", &his) };
        assert_eq!(loser["code"], "conflict");
        let (told, waited) = waiting.await.unwrap();
        assert_eq!((&told["state"], &told["answer"]["id"]), (&json!("answered"), &json!(winner)));
        assert!(waited < Duration::from_secs(45), "it is woken: its wait is a minute");
        for reader in [&bob, &carol, &there(&bob), &carol_there] {
            assert_eq!(reader.unread("total").await, 0);
        }
    }
    // Recalled at one node, while who asked waits at the other.
    for _ in 0..3 {
        let body = json!({"body": "Deploy 4813?", "question": deploy()});
        let asked = alice.post("groups/crew/messages", body).await.is(201)["msgid"].clone();
        let waiting = tokio::spawn({
            let (alice, path, began) = (alice.clone(), path(&asked, "?wait=60"), Instant::now());
            async move { (alice.get(&path).await, began.elapsed()) }
        });
        until_asked(&one).await;
        there(&alice).delete(&format!("notifications/{}", asked.as_str().unwrap())).await.is(204);
        let (gone, waited) = waiting.await.unwrap();
        gone.problem(404, "not_found", None);
        assert!(waited < Duration::from_secs(45), "it is woken: its wait is a minute");
        assert_eq!(bob.unread("total").await, 0);
    }
    one.holds_together().await;
}

#[tokio::test]
async fn a_wait_ends_with_its_token() {
    let s = start().await;
    s.user("bob").await;
    let alice = s.user("alice").await;
    let spare = s.server.create_token("alice", "spare", &[Scope::Inbox]).await.unwrap();
    let asked = alice.post("messages", json!({"to": "bob", "body": "?", "question": deploy()})).await.is(201);
    let waiting = tokio::spawn({
        let (client, path) = (alice.with_token(&spare.token), path(&asked["msgid"], "?wait=60"));
        let began = Instant::now();
        async move { (client.get(&path).await, began.elapsed()) }
    });
    s.admin.delete(&format!("tokens/{}", spare.about.id)).await.is(204);
    let (answer, waited) = waiting.await.unwrap();
    answer.problem(401, "unauthorized", None);
    assert!(waited < Duration::from_secs(45), "its wait is a minute");
}

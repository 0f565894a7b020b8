//! Tests that a token with `inbox` changes nothing that others publish on a topic, at whichever door.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::support::{Answer, Client, Running, start_with};

/// A standalone server with an operator who publishes with a token of scope `inbox` of its own. There is also somebody
/// who wants to change that, and a token that publishes for others.
struct Topic {
    s: Running,
    me: Client,
    operator: Client,
    mal: Client,
    ops: Client,
}

async fn topic() -> Topic {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let (operator, mal) = (s.user("operator").await, s.user("mal").await);
    let ops = s.publisher().await;
    Topic { s, me, operator, mal, ops }
}

/// A publication on the topic `alerts` with a sequence in a header.
async fn publish(by: &Client, sequence: &str, text: &str) -> Value {
    let request = by.request(Method::POST, "/alerts").header("X-Sequence-ID", sequence);
    by.send(request.body(text.to_owned())).await.is(200)
}

async fn send(by: &Client, method: Method, path: &str) -> Answer {
    by.send(by.request(method, path)).await
}

/// Asserts that an answer is ntfy's refusal.
#[track_caller]
fn forbidden(answer: Answer) {
    let body = answer.is(403);
    assert_eq!((&body["code"], &body["http"]), (&json!(40301), &json!(403)), "{body}");
}

impl Topic {
    /// The texts in the owner's inbox that were not deleted, in their alphabetical order, and whether each is read.
    async fn texts(&self) -> Vec<(String, bool)> {
        let text = |item: &Value| (item["body"].as_str().unwrap().to_owned(), !item["read_at"].is_null());
        let mut texts: Vec<_> = self.me.inbox().await.iter().map(text).collect();
        texts.sort();
        texts
    }
}

fn unread(texts: &[&str]) -> Vec<(String, bool)> {
    let mut texts: Vec<_> = texts.iter().map(|text| ((*text).to_owned(), false)).collect();
    texts.sort();
    texts
}

#[tokio::test]
async fn the_operators_alert_stays_the_operators_whatever_somebody_else_publishes_under_its_name() {
    let t = topic().await;
    let alert = publish(&t.operator, "disk", "The disk is full").await;
    assert_eq!(alert["sequence_id"], "disk");
    let id = alert["id"].as_str().unwrap();
    // By header, path, JSON and query, and by the id of the message.
    let others = publish(&t.mal, "disk", "Pay here").await;
    assert_eq!(others["sequence_id"], "disk", "its own client notices nothing");
    let by_path = |name: &str| t.mal.request(Method::PUT, &format!("/alerts/{name}")).body("Pay here, too");
    t.mal.send(by_path("disk")).await.is(200);
    t.mal.send(by_path(id)).await.is(200);
    let as_json =
        json!({"topic": "alerts", "message": "Pay now", "sequence_id": id, "click": "https://mal.example/"});
    t.mal.send(t.mal.request(Method::POST, "/").json(&as_json)).await.is(200);
    send(&t.mal, Method::GET, "/alerts/publish?message=Pay&sid=disk").await.is(200);
    assert_eq!(t.texts().await, unread(&["The disk is full", "Pay", "Pay now"]));
    for (method, path) in [
        (Method::DELETE, format!("/alerts/{id}")),
        (Method::PUT, format!("/alerts/{id}/clear")),
        (Method::GET, format!("/alerts/{id}/read")),
    ] {
        for by in [&t.s.user(&crate::support::unique()).await, &Client::without_token(&t.s.url)] {
            if method != Method::GET || !by.token.is_empty() {
                forbidden(send(by, method.clone(), &path).await);
            }
        }
    }
    assert_eq!(t.texts().await, unread(&["The disk is full", "Pay", "Pay now"]));
    // Listeners can distinguish what they get of the others.
    let heard = t.me.request(Method::GET, "/alerts/json?poll=1").send().await.unwrap().text().await.unwrap();
    let heard: Vec<Value> = heard.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = |name: &str| heard.iter().filter(|m| m["sequence_id"] == name).count();
    assert_eq!((named("disk"), heard.len()), (1, 3), "{heard:#?}");
    // Its publisher goes on as before.
    let again = publish(&t.operator, "disk", "The disk has room again").await;
    assert_eq!(again["sequence_id"], "disk");
    assert_eq!(t.texts().await, unread(&["The disk has room again", "Pay", "Pay now"]));
    send(&t.operator, Method::PUT, "/alerts/disk/clear").await.is(200);
    assert!(t.texts().await.contains(&("The disk has room again".to_owned(), true)));
    send(&t.operator, Method::DELETE, "/alerts/disk").await.is(200);
    assert_eq!(t.texts().await.len(), 2);
    t.s.holds_together().await;
}

#[tokio::test]
async fn programs_without_a_token_are_one_publisher_and_a_token_that_publishes_changes_all() {
    let t = topic().await;
    let (one, other) = (Client::without_token(&t.s.url), Client::without_token(&t.s.url));
    publish(&one, "run", "10 %").await;
    publish(&other, "run", "90 %").await;
    assert_eq!(t.texts().await, unread(&["90 %"]));
    forbidden(send(&t.mal, Method::DELETE, "/alerts/run").await);
    publish(&t.mal, "run", "mal's").await;
    publish(&t.ops, "run", "of mal, by ops").await;
    assert_eq!(t.texts().await, unread(&["90 %", "of mal, by ops"]), "the newest of the name");
    send(&t.ops, Method::DELETE, "/alerts/run").await.is(200);
    send(&t.s.admin, Method::PUT, "/alerts/run/clear").await.is(200);
    assert_eq!(t.texts().await, [("90 %".to_owned(), true)]);
    publish(&t.ops, "ops", "ops' own").await;
    forbidden(send(&one, Method::DELETE, "/alerts/ops").await);
    send(&one, Method::DELETE, "/alerts/run").await.is(200);
    send(&one, Method::DELETE, "/alerts/unknown").await.is(200);
    assert_eq!(t.texts().await, unread(&["ops' own"]));
    t.s.holds_together().await;
}

#[tokio::test]
async fn what_is_to_be_published_later_is_cancelled_by_its_publisher_and_by_who_publishes_for_others() {
    let t = topic().await;
    let later = async |by: &Client, text: &str| {
        let request =
            by.request(Method::POST, "/alerts").header("In", "30 min").header("X-Sequence-ID", "later");
        by.send(request.body(text.to_owned())).await.is(200)["id"].as_str().unwrap().to_owned()
    };
    let id = later(&t.operator, "The server restarts").await;
    later(&t.mal, "Pay here").await;
    forbidden(send(&t.mal, Method::DELETE, &format!("/alerts/{id}")).await);
    forbidden(send(&Client::without_token(&t.s.url), Method::DELETE, "/alerts/later").await);
    send(&t.mal, Method::DELETE, "/alerts/later").await.is(200);
    later(&t.operator, "The server restarts at noon").await;
    let second = later(&t.operator, "The server restarts at one").await;
    later(&t.me, "Lunch").await;
    t.s.clock.advance(2_000);
    t.me.send(t.me.request(Method::POST, "/wake").header("In", "1h").body("wakes the delivery"))
        .await
        .is(200);
    crate::support::until("both are delivered", || async { t.me.unread("reminder").await == 2 }).await;
    assert_eq!(t.texts().await, unread(&["The server restarts at one", "Lunch"]));
    send(&t.operator, Method::DELETE, "/alerts/later").await.is(200);
    assert_eq!(t.texts().await, unread(&["Lunch"]), "who published it is known when it was delivered");
    let waits = later(&t.operator, "Another restart").await;
    assert_ne!(waits, second);
    send(&t.ops, Method::DELETE, &format!("/alerts/{waits}")).await.is(200);
    let waiting =
        t.operator.request(Method::GET, "/alerts/json?poll=1&sched=1&since=all").send().await.unwrap();
    assert!(!waiting.text().await.unwrap().contains("Another restart"));
    t.s.holds_together().await;
}

#[tokio::test]
async fn what_another_door_published_on_a_topic_is_its_publishers() {
    let t = topic().await;
    let target = json!({"type": "topic", "id": "alerts"});
    let reminder =
        json!({"actor": "operator", "action": "publish", "target": target, "body": "From the API"});
    let posted = t.operator.post("reminders", reminder).await.is(201);
    let path = format!("/alerts/{}", posted["msgid"].as_str().unwrap());
    forbidden(send(&t.mal, Method::DELETE, &path).await);
    send(&t.operator, Method::DELETE, &path).await.is(200);
    assert!(t.texts().await.is_empty());
    t.s.holds_together().await;
}

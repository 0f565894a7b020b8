//! Tests of taking back what was published, over HTTP.

use reqwest::Method;
use serde_json::json;
use tidings_model::wire::Scope;

use crate::live::Channel;
use crate::support::{msgids, start, start_with};

#[tokio::test]
async fn what_is_recalled_comes_once_more_without_content_and_who_listens_is_told() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let posted = alice.post("messages", json!({"to": "bob", "title": "T", "body": "wrong"})).await.is(201);
    let (_, _, next) = bob.pull(None, 10).await;
    assert_eq!(bob.unread("message").await, 1);
    let mut channel = Channel::open(&bob).await;
    let path = format!("notifications/{}", posted["msgid"].as_str().unwrap());
    bob.delete(&path).await.problem(404, "not_found", None);
    alice.delete(&path).await.is(204);
    channel.event("hint").await;
    assert_eq!(bob.unread("total").await, 0);
    let (items, _, _) = bob.pull(Some(&next), 10).await;
    assert_eq!(msgids(&items), msgids(&[posted]));
    assert_eq!((items[0]["deleted"].as_bool(), items[0]["version"].as_u64()), (Some(true), Some(2)));
    assert_eq!((items[0]["title"].as_str(), items[0]["body"].as_str()), (Some(""), Some("")));
    assert_eq!(bob.get("conversations").await.is(200), json!([]));
    alice.delete(&path).await.is(204);
    bob.delete(&path).await.problem(404, "not_found", None);
    alice.delete("notifications/unknown").await.problem(404, "not_found", None);
    s.holds_together().await;
}

#[tokio::test]
async fn a_publisher_recalls_at_the_doors_of_ntfy_and_gotify_too() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let topic = me.request(Method::POST, "/backups").body("secret");
    let id = me.send(topic).await.is(200)["id"].as_str().unwrap().to_owned();
    me.delete(&format!("notifications/{id}")).await.is(204);
    let poll = me.request(Method::GET, "/backups/json?poll=1&since=all").send().await.unwrap();
    let poll = poll.text().await.unwrap();
    assert!(!poll.contains("secret") && !poll.contains(r#""event":"message","#), "{poll}");
    let made = me.send(me.request(Method::POST, "/application").json(&json!({"name": "app"}))).await.is(200);
    let app = me.with_token(made["token"].as_str().unwrap());
    for message in ["one", "two"] {
        app.send(app.request(Method::POST, "/message").json(&json!({"message": message}))).await.is(200);
    }
    let inbox = me.get("inbox?limit=1").await.is(200);
    me.delete(&format!("notifications/{}", inbox["items"][0]["msgid"].as_str().unwrap())).await.is(204);
    let listed = me.send(me.request(Method::GET, "/message")).await.is(200);
    let texts = listed["messages"].as_array().unwrap().iter().map(|m| m["message"].clone());
    assert_eq!(texts.collect::<Vec<_>>(), ["one"]);
    assert_eq!(me.unread("reminder").await, 1);
    s.holds_together().await;
}

//! Tests of the descent of tokens: what a token made is revoked with it, at every door, and no token revokes one that may more.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::gotify::{application, refused};
use crate::live::Channel;
use crate::support::{Client, start, until};

/// Signs in as Gotify's phone app does: with a token as the password of Basic, for a client's token.
async fn sign_in(with: &Client, name: &str) -> Client {
    let nobody = Client::without_token(&with.url);
    let request = nobody.request(Method::POST, "/client").basic_auth("phone", Some(&with.token));
    let made = nobody.send(request.json(&json!({"name": name}))).await.is(200);
    with.with_token(made["token"].as_str().unwrap())
}

/// The tokens that a client lists, by label.
async fn listed(client: &Client) -> Vec<Value> {
    client.get("tokens").await.is(200).as_array().unwrap().clone()
}

fn labelled<'t>(tokens: &'t [Value], label: &str) -> &'t Value {
    tokens.iter().find(|token| token["label"] == label).unwrap_or_else(|| panic!("no {label}: {tokens:?}"))
}

async fn is_refused(client: &Client) -> bool {
    client.get("me").await.status == 401
}

#[tokio::test]
async fn what_a_token_made_is_revoked_with_it_and_its_streams_end() {
    let s = start().await;
    let alice = s.user("alice").await;
    let fresh = s.server.create_token("alice", "for the phone", &[Scope::Inbox]).await.unwrap();
    let given = Client::new(&s.url, &fresh.token);
    let phone = sign_in(&given, "phone").await;
    let tablet = sign_in(&phone, "tablet").await;
    let (_, app) = application(&tablet, "backup").await;
    app.post("/message", json!({"message": "Backup done"})).await.is(200);
    let tokens = listed(&alice).await;
    for (made, by) in [("phone", "for the phone"), ("tablet", "phone"), ("backup", "tablet")] {
        assert_eq!(labelled(&tokens, made)["made_by"], labelled(&tokens, by)["id"], "{tokens:?}");
    }
    assert_eq!(labelled(&tokens, "for the phone")["made_by"], Value::Null);

    let channel = Channel::open(&tablet).await;
    s.server.revoke_token(&fresh.about.id).await.unwrap();
    channel.ends().await;
    for gone in [&given, &phone, &tablet] {
        gone.get("me").await.problem(401, "unauthorized", None);
    }
    refused(app.post("/message", json!({"message": "still there?"})).await, 401, "Unauthorized");
    refused(tablet.get("/message").await, 401, "Unauthorized");
    assert_eq!(listed(&alice).await.len(), 1, "only her own is left");
    assert_eq!(alice.inbox().await.len(), 1, "what was published stays");
    s.holds_together().await;
}

#[tokio::test]
async fn what_an_administrator_made_for_others_goes_with_its_token_and_what_the_server_made_stays() {
    let s = start().await;
    let alice = s.user("alice").await;
    let second = s.token("root", &[Scope::Admin]).await;
    let made =
        second.post("users/alice/tokens", json!({"label": "script", "scopes": ["inbox"]})).await.is(201);
    assert!(made["made_by"].is_string());
    let script = Client::new(&s.url, made["token"].as_str().unwrap());
    let own = listed(&second).await.into_iter().find(|token| token["id"] == made["made_by"]).unwrap();
    s.admin.delete(&format!("tokens/{}", own["id"].as_str().unwrap())).await.is(204);
    assert!(is_refused(&second).await && is_refused(&script).await);
    alice.get("me").await.is(200);
    s.admin.get("me").await.is(200);
    second.post("users/alice/tokens", json!({"scopes": ["inbox"]})).await.problem(401, "unauthorized", None);
    s.holds_together().await;
}

#[tokio::test]
async fn a_token_revokes_no_token_that_may_more_at_any_door() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (both, publishes) = (s.token("alice", &[Scope::Inbox, Scope::Publish]).await, &[Scope::Publish]);
    let publishes = s.server.create_token("alice", "publishes", publishes).await.unwrap();
    let admin = s.server.create_token("alice", "administers", &[Scope::Admin]).await.unwrap();
    let client = both.post("/client", json!({"name": "phone"})).await.is(200);
    let app = both.post("/application", json!({"name": "nas"})).await.is(200);
    for id in [&publishes.about.id, &admin.about.id] {
        alice.delete(&format!("tokens/{id}")).await.problem(403, "forbidden", None);
    }
    both.delete(&format!("tokens/{}", admin.about.id)).await.problem(403, "forbidden", None);
    for path in [format!("/client/{}", client["id"]), format!("/application/{}", app["id"])] {
        refused(alice.delete(&path).await, 403, "Forbidden");
    }
    let phone = alice.with_token(client["token"].as_str().unwrap());
    phone.get("me").await.is(200);
    alice.with_token(app["token"].as_str().unwrap()).post("/message", json!({"message": "m"})).await.is(200);
    for path in [format!("/client/{}", client["id"]), format!("/application/{}", app["id"])] {
        both.delete(&path).await.is(200);
    }
    assert!(is_refused(&phone).await);
    both.delete(&format!("tokens/{}", publishes.about.id)).await.is(204);
    s.admin.delete(&format!("tokens/{}", admin.about.id)).await.is(204);
    // Itself it may revoke.
    let own = s.server.create_token("alice", "own", &[Scope::Inbox]).await.unwrap();
    let itself = Client::new(&s.url, &own.token);
    itself.delete(&format!("tokens/{}", own.about.id)).await.is(204);
    assert!(is_refused(&itself).await);
    s.holds_together().await;
}

#[tokio::test]
async fn what_a_token_made_ends_when_another_process_revokes_it() {
    let s = start().await;
    s.user("alice").await;
    let config = tidings_server::ServerConfig::new(s.dir.path());
    let second = tidings_server::Server::open(config, s.clock.clone()).await.unwrap();
    let fresh = second.create_token("alice", "cli", &[Scope::Inbox]).await.unwrap();
    let phone = sign_in(&Client::new(&s.url, &fresh.token), "phone").await;
    let channel = Channel::open(&phone).await;
    second.revoke_token(&fresh.about.id).await.unwrap();
    until("the client is refused", || async { is_refused(&phone).await }).await;
    channel.ends().await;
}

//! Tests of the requests of libraries for ntfy and of the answers that they need, beyond ntfy's own examples.

use futures_util::StreamExt;
use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::{Client, start, within_timeout};

async fn newest(client: &Client) -> Value {
    client.get("inbox?limit=1").await.is(200)["items"][0].clone()
}

/// Subscribes the client's user to a topic.
async fn follow(client: &Client, topic: &str) {
    let target = json!({"type": "topic", "id": topic});
    client.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
}

#[tokio::test]
async fn a_token_that_an_address_has_as_its_only_credential_is_the_token() {
    let s = start().await;
    let alice = s.user("alice").await;
    let nobody = Client::without_token(&s.url);
    let send = |name: String, password: Option<&'static str>| {
        let request = nobody.request(Method::POST, "/t").basic_auth(name, password);
        nobody.send(request.body("x"))
    };
    for password in [None, Some(""), Some("None")] {
        send(alice.token.clone(), password).await.is(200);
        assert_eq!(send("alice".to_owned(), password).await.is(401)["code"], 40101, "{password:?}");
    }
}

#[tokio::test]
async fn a_header_in_latin_1_is_read_as_such() {
    let s = start().await;
    let alice = s.user("alice").await;
    follow(&alice, "t").await;
    let title = HeaderValue::from_bytes(b"Caf\xe9").unwrap();
    alice.send(alice.request(Method::POST, "/t").header("Title", title).body("x")).await.is(200);
    assert_eq!(newest(&alice).await["title"], "Café");
}

#[tokio::test]
async fn members_that_a_client_leaves_null_are_as_if_not_sent_and_each_button_gets_an_id() {
    let s = start().await;
    let alice = s.user("alice").await;
    follow(&alice, "t").await;
    let body = json!({"topic": "t", "message": "x", "title": null, "tags": [], "priority": null, "click": null,
    "attach": null, "icon": null, "filename": null, "delay": null, "email": null, "call": null,
    "sequence_id": null, "markdown": false, "actions": [
        {"action": "http", "label": "Close", "url": "https://example.org/", "method": "PUT", "headers": null,
         "body": null, "clear": false},
        {"action": "broadcast", "label": "Picture", "intent": null, "extras": null, "clear": true},
    ]});
    let answer = alice.post("/", body).await.is(200);
    let id = answer["id"].as_str().unwrap();
    let buttons = json!([
        {"id": format!("{id}0"), "action": "http", "label": "Close", "url": "https://example.org/", "method": "PUT",
         "clear": false},
        {"id": format!("{id}1"), "action": "broadcast", "label": "Picture", "clear": true},
    ]);
    assert_eq!(answer["actions"], buttons);
    assert_eq!(
        newest(&alice).await["actions"][1],
        json!({"action": "broadcast", "label": "Picture", "clear": true})
    );
}

#[tokio::test]
async fn an_account_states_each_quota_and_what_is_left_of_it() {
    let s = start().await;
    let alice = s.user("alice").await;
    for client in [&alice, &s.publisher().await] {
        let account = client.get("/v1/account").await.is(200);
        for quota in ["messages", "emails", "calls", "reservations", "attachment_total_size"] {
            assert!(account["limits"][quota].is_u64(), "{quota} in {account}");
            assert!(account["stats"][quota].is_u64(), "{quota} in {account}");
            assert!(account["stats"][format!("{quota}_remaining")].is_u64(), "{quota} in {account}");
        }
        for quota in ["messages_expiry_duration", "attachment_file_size", "attachment_expiry_duration"] {
            assert!(account["limits"][quota].is_u64(), "{quota} in {account}");
        }
        assert!(account["stats"]["messages_remaining"].as_u64() > Some(1_000_000));
    }
}

#[tokio::test]
async fn a_right_to_read_is_asked_for_several_topics_and_an_unknown_page_is_answered_in_ntfys_form() {
    let s = start().await;
    let alice = s.user("alice").await;
    assert_eq!(alice.get("/a,b/auth").await.is(200), json!({"success": true}));
    assert_eq!(alice.get("/a,docs/auth").await.is(400)["code"], 40010);
    for (method, path) in [(Method::GET, "/v1/version"), (Method::POST, "/v1/account/token")] {
        let answer = alice.ask(method, path, Value::Null).await;
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(answer.is(404), json!({"code": 40401, "http": 404, "error": "page not found"}));
    }
}

#[tokio::test]
async fn a_websocket_that_its_client_closes_is_closed_by_both() {
    let s = start().await;
    let alice = s.user("alice").await;
    let address = format!("{}/t/ws", s.url.replacen("http", "ws", 1));
    let mut request = address.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {}", alice.token).parse().unwrap());
    let (mut socket, _) =
        within_timeout("the upgrade", tokio_tungstenite::connect_async(request)).await.unwrap();
    assert!(within_timeout("the first event", socket.next()).await.unwrap().unwrap().is_text());
    socket.close(None).await.unwrap();
    let answer = within_timeout("the answer", socket.next()).await;
    assert!(matches!(answer, Some(Ok(Message::Close(_)))), "{answer:?}");
}

//! Tests of the requests of `UnifiedPush` and Matrix to ntfy: a server is found, and a gateway publishes.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::support::{Client, Running, start_with};

const GATEWAY: &str = "/_matrix/push/v1/notify";

/// A server that local programs publish on, known as `https://push.example.org`.
async fn push_server() -> (Running, Client, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
        c.public_url = Some("https://push.example.org/".to_owned());
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let nobody = Client::without_token(&s.url);
    (s, me, nobody)
}

fn pushed(push_key: &str) -> Value {
    let device =
        json!({"app_id": "org.example.chat", "pushkey": push_key, "data": {"format": "event_id_only"}});
    json!({"notification": {"event_id": "$e", "room_id": "!r", "counts": {"unread": 2}, "devices": [device]}})
}

#[tokio::test]
async fn a_topic_says_that_programs_can_be_pushed_to_and_else_has_nothing_to_get() {
    let (_s, _, nobody) = push_server().await;
    let get = |path: &str| nobody.request(Method::GET, path);
    for path in ["/upA1?up=1", "/upA1?x-unifiedpush=yes", "/upA1?UnifiedPush=true"] {
        let answer = nobody.send(get(path)).await;
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(answer.is(200), json!({"unifiedpush": {"version": 1}}), "{path}");
    }
    nobody.send(get("/upA1").header("X-UnifiedPush", "1")).await.is(200);
    for (path, status) in [("/upA1", 405), ("/upA1?up=0", 405), ("/a%20b?up=1", 405), ("/static?up=1", 404)] {
        let status_got = nobody.send(get(path)).await.status.as_u16();
        assert_eq!(status_got, status, "{path}");
    }
    let head = nobody.send(nobody.request(Method::HEAD, "/upA1")).await;
    assert_eq!((head.status.as_u16(), head.headers["allow"].to_str().unwrap()), (405, "PUT,POST"));
}

#[tokio::test]
async fn what_matrix_pushes_arrives_whole_on_the_topic_of_its_push_key() {
    let (s, me, nobody) = push_server().await;
    assert_eq!(nobody.get(GATEWAY).await.is(200), json!({"unifiedpush": {"gateway": "matrix"}}));
    let body = format!(" {}\n", pushed("https://push.example.org/upA1?up=1&priority=high"));
    let request = nobody.request(Method::POST, GATEWAY).header("Title", "of the request").body(body.clone());
    assert_eq!(nobody.send(request).await.is(200), json!({"rejected": []}));
    let item = me.inbox().await[0].clone();
    assert_eq!((item["body"].as_str(), &item["title"]), (Some(&*body), &json!("upA1")));
    assert_eq!((&item["priority"], &item["target"]["id"]), (&json!(4), &json!("upA1")));
    s.holds_together().await;
}

#[tokio::test]
async fn a_push_key_of_another_server_is_rejected_and_nothing_is_published() {
    let (_s, me, nobody) = push_server().await;
    for key in ["https://other.example.org/upA1?up=1", "http://push.example.org/upA1", "upA1"] {
        assert_eq!(nobody.post(GATEWAY, pushed(key)).await.is(200), json!({"rejected": [key]}));
    }
    assert_eq!(me.unread("reminder").await, 0);
}

#[tokio::test]
async fn what_matrix_pushes_wrongly_gets_ntfys_errors() {
    let (_s, me, nobody) = push_server().await;
    let send = |body: String| nobody.send(nobody.request(Method::POST, GATEWAY).body(body));
    for (body, status, code) in [
        ("no json".to_owned(), 400, 40019),
        ("{}".to_owned(), 400, 40019),
        (json!({"notification": {"devices": []}}).to_string(), 400, 40019),
        (pushed("https://push.example.org/").to_string(), 400, 40009),
        (pushed("https://push.example.org/a/b").to_string(), 400, 40009),
        (pushed("https://push.example.org/docs").to_string(), 400, 40010),
        (pushed(&format!("https://push.example.org/t?m={}", "x".repeat(70_000))).to_string(), 413, 41302),
    ] {
        let refused = send(body.clone()).await.is(status);
        assert_eq!(refused["code"], code, "{}", &body[..body.len().min(200)]);
    }
    assert_eq!(me.unread("reminder").await, 0);
}

#[tokio::test]
async fn a_gateway_asks_for_the_same_right_as_its_topic() {
    let s = start_with(|c| c.public_url = Some("https://push.example.org".to_owned())).await;
    let alice = s.user("alice").await;
    let nobody = Client::without_token(&s.url);
    let key = "https://push.example.org/upA1?up=1";
    assert_eq!(nobody.post(GATEWAY, pushed(key)).await.is(403)["code"], 40301);
    assert_eq!(alice.with_token("tdg_unknown").post(GATEWAY, pushed(key)).await.is(401)["code"], 40101);
    alice.post(GATEWAY, pushed(key)).await.is(200);
    let with_token = format!("{key}&auth=Bearer+{}", alice.token);
    assert_eq!(nobody.post(GATEWAY, pushed(&with_token)).await.is(200), json!({"rejected": []}));
}

#[tokio::test]
async fn a_message_for_a_program_keeps_each_byte_and_an_encrypted_one_is_known_as_such() {
    let (_s, _, nobody) = push_server().await;
    let text = nobody.request(Method::POST, "/upA1?up=1").body(" text\n");
    assert_eq!(nobody.send(text).await.is(200)["message"], " text\n");
    let encrypted = nobody.request(Method::POST, "/upA1").header("Content-Encoding", "aes128gcm");
    let answer = nobody.send(encrypted.body(vec![0xff, 0x00])).await.is(200);
    assert_eq!((&answer["message"], &answer["encoding"]), (&json!("/wA="), &json!("base64")));
}

#[tokio::test]
async fn a_web_push_that_is_signed_needs_no_other_right_than_one_that_is_not() {
    let (s, me, nobody) = push_server().await;
    let alice = s.user("alice").await;
    let signed = |path: String| {
        let request =
            nobody.request(Method::POST, &path).header("Authorization", "vapid t=eyJ0.eyJh.sig, k=BA");
        request.header("Content-Encoding", "aes128gcm").header("TTL", "60").body(vec![0xff, 0x00])
    };
    assert_eq!(nobody.send(signed("/upA1?up=1".to_owned())).await.is(200)["message"], "/wA=");
    assert_eq!(me.unread("reminder").await, 1);
    // Whose the message is, its address says.
    let with_token = format!("/upA1?up=1&auth=Bearer+{}", alice.token);
    nobody.send(signed(with_token)).await.is(200);
    assert_eq!(
        nobody.send(signed("/upA1?up=1&auth=Bearer+tdg_unknown".to_owned())).await.is(401)["code"],
        40101
    );
    let closed = start_with(|_| ()).await;
    let stranger = Client::without_token(&closed.url);
    let refused =
        stranger.request(Method::POST, "/upA1?up=1").header("Authorization", "vapid t=a, k=b").body("x");
    assert_eq!(stranger.send(refused).await.is(403)["code"], 40301);
}

//! Tests of rules that apply to every request: headers, problems, the reference, the limits in `/info`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, start};

#[tokio::test]
async fn unknown_paths_and_methods_are_problems_too() {
    let s = start().await;
    let alice = s.user("alice").await;
    for path in ["nope", "/", "/api", "/api/v2/x", "/a/b/c", "users/a/b/c"] {
        let got = alice.get(path).await;
        if path == "/" {
            got.problem(405, "method_not_allowed", None);
        } else {
            got.problem(404, "not_found", None);
        }
    }
    alice.delete("inbox").await.problem(405, "method_not_allowed", None);
    alice.post("sync", json!({})).await.problem(405, "method_not_allowed", None);
    alice.delete("/topic").await.problem(405, "method_not_allowed", None);
    let health = Client::without_token(&s.url).get("health").await.is(200);
    assert_eq!(health, json!({"healthy": true}));
    let info = Client::without_token(&s.url).get("info").await.is(200);
    assert_eq!((&info["name"], &info["api"]), (&json!("tidings"), &json!(1)));
    assert_eq!(info["now"].as_str().unwrap().len(), "2026-11-20T06:14:00.123456Z".len());
    assert!(info["limits"].is_object() && info["features"].is_array());
}

#[tokio::test]
async fn bodies_that_are_wrong_name_the_field() {
    let s = start().await;
    let publisher = s.publisher().await;
    let send = |body: String| publisher.send(publisher.request(Method::POST, "announcements").body(body));
    send("{".into()).await.problem(400, "invalid", Some("body"));
    send("\"text\"".into()).await.problem(400, "invalid", Some("body"));
    send("{\"title\": 5}".into()).await.problem(400, "invalid", Some("title"));
    send("{\"title\": \"x\", \"format\": \"rtf\"}".into()).await.problem(400, "invalid", Some("format"));
    send("{\"title\": \"x\", \"priority\": 6}".into()).await.problem(400, "invalid", Some("priority"));
    send("{\"title\": \"x\\u0000\"}".into()).await.problem(400, "invalid", Some("title"));
    send("{\"title\": \"\\ud800\"}".into()).await.problem(400, "invalid", Some("body"));
    send(json!({"title": "x", "body": "y".repeat(256 * 1024 + 1)}).to_string()).await.problem(
        400,
        "invalid",
        Some("body"),
    );
    send(json!({"title": "x", "body": "y".repeat(256 * 1024)}).to_string()).await.is(201);
    send("x".repeat(8 * 1024 * 1024 + 1)).await.problem(413, "too_large", None);
    send(format!("{{\"title\":{}1{}}}", "[".repeat(500), "]".repeat(500))).await.problem(
        400,
        "invalid",
        Some("body"),
    );
    // Unknown fields are ignored, the content type does not matter, and null equals a missing field.
    let plain_text = publisher.request(Method::POST, "announcements").header("content-type", "text/plain");
    publisher
        .send(plain_text.body("{\"title\": \"x\", \"later\": 1, \"url\": null, \"body\": null}"))
        .await
        .is(201);
    s.admin.post("users", json!({"id": "a b"})).await.problem(400, "invalid", Some("id"));
    s.admin.post("users/press/tokens", json!({"scopes": ["all"]})).await.problem(
        400,
        "invalid",
        Some("scopes[0]"),
    );
    publisher.get("subscriptions?type=a%00b").await.problem(400, "invalid", Some("type"));
}

#[tokio::test]
async fn no_shape_of_request_gets_a_server_error() {
    let s = start().await;
    let alice = s.user("alice").await;
    let bodies = [
        "null",
        "[]",
        "[[]]",
        "{}",
        "1",
        "\"\"",
        "{\"a\":",
        "{\"target\":5}",
        "{\"ops\":[5]}",
        "{\"ops\":{}}",
        "{\"to\":\"\",\"body\":\"\"}",
        "{\"through\":\"\"}",
        "{\"at\":5}",
        "{\"actions\":{\"like\":5}}",
        "[null]",
        "\u{0}",
    ];
    let paths = [
        "users",
        "users/a/tokens",
        "announcements",
        "reminders",
        "messages",
        "groups",
        "groups/g/messages",
        "subscriptions",
        "follows/x",
        "preferences",
        "inbox/ops",
        "conversations/user:bob/read",
        "views/announcements/all",
        "views/x/y",
        "receipts/ack",
        "catalog",
        "groups/%00/messages",
        "follows/%ff",
        "tokens/%00",
        "/",
        "/topic",
        "/%E2%82%AC",
    ];
    for path in paths {
        for body in bodies {
            for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                let got = s.admin.send(s.admin.request(method.clone(), path).body(body)).await;
                assert!(got.status.as_u16() < 500, "{method} {path} {body}: {}", got.body);
                assert!(
                    got.status.is_success() || got.body["http"].is_number() || got.body["code"].is_string(),
                    "{method} {path} {body}: {} {}",
                    got.status,
                    got.body
                );
            }
        }
    }
    let query = "since=%ff&limit=x&cap=-1&before=&kind=%00&thread=%23&unread=&epoch=";
    for path in ["sync", "inbox", "unread", "conversations", "receipts", "views/announcements/all"] {
        let got = alice.get(&format!("{path}?{query}")).await;
        assert_eq!(got.status, 400, "{path}");
    }
    s.holds_together().await;
}

/// Tests every limit in `/info` except those that would take too long to reach.
#[tokio::test]
async fn every_limit_in_the_info_is_one_that_holds() {
    let s = start().await;
    let (alice, publisher) = (s.user("alice").await, s.publisher().await);
    let limits = alice.get("info").await.is(200)["limits"].clone();
    let limit = |name: &str| usize::try_from(limits[name].as_u64().expect(name)).unwrap();
    let message = json!({"to": "alice", "body": "x"});
    let times = |n: usize, value: &Value| Value::Array(vec![value.clone(); n]);
    let invalid = |got: crate::support::Answer, field: &str| got.problem(400, "invalid", Some(field));
    let text = "x".repeat(limit("text_bytes") + 1);
    invalid(alice.post("messages", json!({"to": "alice", "body": text})).await, "body");
    let long = alice.request(Method::POST, "messages").body(" ".repeat(limit("body_bytes") + 1));
    alice.send(long).await.problem(413, "too_large", None);
    invalid(alice.post("messages", times(limit("array") + 1, &message)).await, "body");
    let op =
        |id: usize, msgids: usize| json!({"id": id.to_string(), "op": "read", "msgids": vec!["m"; msgids]});
    let ops: Vec<Value> = (0..=limit("ops")).map(|id| op(id, 1)).collect();
    invalid(alice.post("inbox/ops", json!({"ops": ops})).await, "ops");
    let many = alice.post("inbox/ops", json!({"ops": [op(1, limit("op_msgids") + 1)]})).await.is(200);
    assert_eq!(many["results"][0]["code"], "invalid");
    for (path, name) in
        [("unread", "cap"), ("sync", "sync_limit"), ("inbox", "list_limit"), ("people", "people_limit")]
    {
        let field = if name == "cap" { "cap" } else { "limit" };
        alice.get(&format!("{path}?{field}={}", limit(name))).await.is(200);
        invalid(alice.get(&format!("{path}?{field}={}", limit(name) + 1)).await, field);
    }
    let tags: Vec<String> = (0..=limit("tags")).map(|n| n.to_string()).collect();
    invalid(alice.post("messages", json!({"to": "alice", "body": "x", "tags": tags})).await, "tags");
    let members = times(limit("members") + 1, &json!("a"));
    invalid(alice.post("groups", json!({"name": "G", "members": members})).await, "members");
    let key = "k".repeat(limit("key_bytes") + 1);
    let request = publisher.request(Method::POST, "announcements").header("idempotency-key", key);
    invalid(publisher.send(request.body("{}")).await, "Idempotency-Key");
}

#[tokio::test]
async fn the_reference_describes_what_is_served() {
    let s = start().await;
    let nobody = Client::without_token(&s.url);
    let document = nobody.get("openapi.json").await.is(200);
    assert_eq!(document["openapi"], "3.1.0");
    let text = document.to_string();
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 30);
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once("\"$ref\":\"#/") {
        let (reference, tail) = after.split_once('"').unwrap();
        assert!(document.pointer(&format!("/{reference}")).is_some(), "{reference} is not there");
        rest = tail;
    }
    for (path, methods) in paths {
        let path = path
            .replace("{code}/{id}", "announcements/all")
            .replace("{id}", "user:x")
            .replace(['{', '}'], "");
        for method in methods.as_object().unwrap().keys() {
            if path.ends_with("/events") {
                continue;
            }
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            let got = s.admin.send(s.admin.request(method.clone(), &path).body("{}")).await;
            assert_ne!(got.status, 405, "{method} {path}");
        }
    }
    let page = nobody.get("/docs").await;
    assert!(page.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    let html = page.is(200);
    let html = html.as_str().unwrap();
    assert!(html.contains("/api/v1/sync") && !html.contains("src=") && !html.contains("<script"));
}

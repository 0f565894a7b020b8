//! What any request gets, whatever its shape.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, logged, start, start_with};

/// Sends a request byte by byte as it stands; answers all that comes back.
async fn raw(url: &str, text: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut out = Vec::new();
    let read = stream.read_to_end(&mut out);
    tokio::time::timeout(std::time::Duration::from_secs(10), read).await.expect("in time").unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

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
    let health = Client::new(&s.url, None).get("health").await.is(200);
    assert_eq!(health, json!({"healthy": true}));
    let info = Client::new(&s.url, None).get("info").await.is(200);
    assert_eq!((&info["name"], &info["api"]), (&json!("tidings"), &json!(1)));
    assert_eq!(info["now"].as_str().unwrap().len(), "2026-11-20T06:14:00.123456Z".len());
    assert!(info["limits"].is_object() && info["features"].is_array());
}

#[tokio::test]
async fn bodies_that_are_wrong_name_the_field() {
    let s = start().await;
    let press = s.publisher().await;
    let send = |body: String| press.send(press.request(Method::POST, "announcements").body(body));
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
    // Unknown fields are ignored, a wrong content type is no matter, null is as good as missing.
    let odd = press.request(Method::POST, "announcements").header("content-type", "text/plain");
    press.send(odd.body("{\"title\": \"x\", \"later\": 1, \"url\": null, \"body\": null}")).await.is(201);
    s.admin.post("users", json!({"id": "a b"})).await.problem(400, "invalid", Some("id"));
    s.admin.post("users/press/tokens", json!({"scopes": ["all"]})).await.problem(
        400,
        "invalid",
        Some("scopes[0]"),
    );
    press.get("subscriptions?type=a%00b").await.problem(400, "invalid", Some("type"));
}

#[tokio::test]
async fn names_that_are_not_the_servers_are_refused_before_anything_else() {
    let s = start_with(|c| c.allow_hosts = vec!["inbox.example".into()]).await;
    let alice = s.user("alice").await;
    let port = s.url.rsplit_once(':').unwrap().1.to_owned();
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", ""] {
        let got = alice.send(alice.request(Method::GET, "health").header("host", host)).await;
        got.problem(421, "misdirected", None);
    }
    for host in [
        "localhost",
        &format!("LOCALHOST:{port}"),
        "[::1]:1",
        "127.0.0.5",
        "inbox.example",
        "inbox.example:443",
    ] {
        alice.send(alice.request(Method::GET, "health").header("host", host)).await.is(200);
    }
    let two = raw(
        &s.url,
        "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(two.starts_with("HTTP/1.1 421"), "{two}");
    let absolute = raw(
        &s.url,
        "GET http://evil.example/api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(absolute.starts_with("HTTP/1.1 421"), "{absolute}");
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_before_anything_else() {
    let s = start_with(|c| c.open_publish = true).await;
    let nobody = Client::new(&s.url, None);
    for origin in ["null", "http://evil.example", "http://127.0.0.1:1", "file://"] {
        for path in ["/topic", "/", "/api/v1/messages", "/nowhere/at/all"] {
            let request = nobody.request(Method::POST, path).header("origin", origin).body("x");
            nobody.send(request).await.problem(403, "forbidden", None);
        }
    }
    for site in ["cross-site", "same-site", "odd"] {
        let request = nobody.request(Method::GET, "health").header("sec-fetch-site", site);
        nobody.send(request).await.problem(403, "forbidden", None);
    }
    let own = nobody
        .request(Method::GET, "health")
        .header("origin", &s.url)
        .header("sec-fetch-site", "same-origin");
    nobody.send(own).await.is(200);
}

#[tokio::test]
async fn no_shape_of_request_gets_a_server_error() {
    let s = start().await;
    let alice = s.user("alice").await;
    let strange = [
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
        for body in strange {
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

#[tokio::test]
async fn a_client_that_sends_nothing_is_let_go_and_holds_up_nobody() {
    let s = start().await;
    let idle: Vec<_> = futures_util::future::join_all(
        (0..50).map(|_| tokio::net::TcpStream::connect(s.url.strip_prefix("http://").unwrap().to_owned())),
    )
    .await;
    let alice = s.user("alice").await;
    alice.get("health").await.is(200);
    drop(idle);
    let odd = raw(&s.url, "NONSENSE\r\n\r\n").await;
    assert!(odd.starts_with("HTTP/1.1 400"), "{odd}");
    s.stop().await;
}

#[tokio::test]
async fn too_many_requests_are_told_to_wait() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 20, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let client = Client::new(&s.url, None);
    let answers = futures_util::future::join_all((0..40).map(|_| client.get("health"))).await;
    assert!(answers.iter().any(|g| g.status == 200));
    let refused = answers.into_iter().find(|g| g.status == 429).expect("one is refused");
    assert!(refused.headers.contains_key("retry-after"));
    refused.problem(429, "rate_limited", None);
}

#[tokio::test]
async fn a_token_has_its_share_wherever_it_asks_from() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 20, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let from = |client: &Client, address: &str| {
        let http = reqwest::Client::builder().no_proxy().local_address(Some(address.parse().unwrap()));
        Client { http: http.build().unwrap(), ..client.clone() }
    };
    let mut refused = 0;
    for address in ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"] {
        let alice = from(&alice, address);
        for _ in 0..10 {
            let got = alice.get("me").await;
            if got.status == 429 {
                got.problem(429, "rate_limited", None);
                refused += 1;
            }
        }
    }
    assert!((10..=20).contains(&refused), "none of the addresses asked too often, the token did: {refused}");
    from(&bob, "127.0.0.5").get("me").await.is(200);
}

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
    for secret in ["nobody's business", "hidden", alice.token.as_deref().unwrap()] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

/// Everything that `/info` says is taken at most, but for what would take a test too long to fill.
#[tokio::test]
async fn every_limit_in_the_info_is_one_that_holds() {
    let s = start().await;
    let (alice, press) = (s.user("alice").await, s.publisher().await);
    let limits = alice.get("info").await.is(200)["limits"].clone();
    let limit = |name: &str| usize::try_from(limits[name].as_u64().expect(name)).unwrap();
    let message = json!({"to": "alice", "body": "x"});
    let times = |n: usize, value: &Value| Value::Array(vec![value.clone(); n]);
    let invalid = |got: crate::support::Got, field: &str| got.problem(400, "invalid", Some(field));
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
    for (path, name) in [("unread", "cap"), ("sync", "sync_limit"), ("inbox", "list_limit")] {
        let field = if name == "cap" { "cap" } else { "limit" };
        alice.get(&format!("{path}?{field}={}", limit(name))).await.is(200);
        invalid(alice.get(&format!("{path}?{field}={}", limit(name) + 1)).await, field);
    }
    let tags: Vec<String> = (0..=limit("tags")).map(|n| n.to_string()).collect();
    invalid(alice.post("messages", json!({"to": "alice", "body": "x", "tags": tags})).await, "tags");
    let members = times(limit("members") + 1, &json!("a"));
    invalid(alice.post("groups", json!({"name": "G", "members": members})).await, "members");
    let key = "k".repeat(limit("key_bytes") + 1);
    let request = press.request(Method::POST, "announcements").header("idempotency-key", key);
    invalid(press.send(request.body("{}")).await, "Idempotency-Key");
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let s = start().await;
    let got = Client::new(&s.url, None).get("me").await;
    assert!(!got.headers["x-request-id"].is_empty());
    assert_eq!(got.headers["www-authenticate"], "Bearer");
    let _: Value = got.body;
}

#[tokio::test]
async fn the_reference_describes_what_is_served() {
    let s = start().await;
    let nobody = Client::new(&s.url, None);
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

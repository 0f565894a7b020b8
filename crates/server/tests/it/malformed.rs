//! Tests of malformed requests at every path of the reference and at some others. Each answer is a problem with a code
//! of the closed list, and never a server error.

use futures_util::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Client, start};

/// The status and code of every permitted problem.
const CODES: &[(u16, &str)] = &[
    (401, "unauthorized"),
    (403, "forbidden"),
    (404, "not_found"),
    (405, "method_not_allowed"),
    (400, "invalid"),
    (409, "conflict"),
    (410, "resync"),
    (413, "too_large"),
    (421, "misdirected"),
    (429, "rate_limited"),
];

/// The number of simultaneous requests.
const MAX_CONCURRENT: usize = 16;

/// Asserts that the response is a success or a permitted problem in the form of RFC 9457.
#[track_caller]
fn assert_success_or_problem(got: &Answer, what: &str) {
    let status = got.status.as_u16();
    if got.status.is_success() {
        return;
    }
    assert_eq!(got.headers["content-type"], "application/problem+json", "{what}: {status} {}", got.body);
    let code = got.body["code"].as_str().unwrap_or_default();
    assert!(CODES.contains(&(status, code)), "{what}: {status} {}", got.body);
    assert_eq!(got.body["status"], status, "{what}");
    for name in ["type", "title", "detail"] {
        assert!(got.body[name].as_str().is_some_and(|text| !text.is_empty()), "{what}: no {name}");
    }
    assert_eq!(code == "invalid", got.body["field"].is_string(), "{what}: {}", got.body);
}

/// Every path of the reference with its methods, except the live channel, which does not end.
async fn documented_routes(s: &crate::support::Running) -> Vec<(String, Vec<String>)> {
    let document = Client::without_token(&s.url).get("openapi.json").await.is(200);
    let paths = document["paths"].as_object().unwrap().iter();
    let paths = paths.filter(|(path, _)| !path.ends_with("/events"));
    paths
        .map(|(path, methods)| (path.clone(), methods.as_object().unwrap().keys().cloned().collect()))
        .collect()
}

/// A path with every name in braces replaced.
fn fill_path(path: &str, with: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { with } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// Bodies that no endpoint, or hardly any, accepts.
fn bodies() -> Vec<Vec<u8>> {
    let deep = |n: usize| [b"[".repeat(n), b"]".repeat(n)].concat();
    let everything = |value: &str| {
        let names =
            ["id", "name", "title", "body", "to", "from", "actor", "action", "target", "scopes", "label"];
        let more =
            ["members", "ops", "through", "at", "actions", "reasons", "reason", "tags", "priority", "data"];
        let pairs: Vec<String> = names.iter().chain(&more).map(|name| format!("{name:?}:{value}")).collect();
        format!("{{{}}}", pairs.join(",")).into_bytes()
    };
    let mut bodies: Vec<Vec<u8>> = [
        "",
        " ",
        "null",
        "true",
        "0",
        "-0.0",
        "1e999",
        "\"\"",
        "[]",
        "[[]]",
        "[null]",
        "[1,\"\",{}]",
        "{}",
        "{",
        "}",
        "{\"a\":",
        "{\"a\":1,}",
        "{'a':1}",
        "\u{feff}{}",
        "NaN",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\u{0}",
        "<xml/>",
        "a=b&c=d",
        "{\"id\":\"a\",\"id\":\"b\"}",
        "{\"\":{\"\":{\"\":[]}}}",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    bodies.extend(
        [
            "null",
            "true",
            "1.5",
            "-1",
            "1e308",
            "99999999999999999999999999",
            "\"\"",
            "\"\\u0000\"",
            "\"x\\ny\"",
            "[]",
            "[[]]",
            "{}",
            "{\"id\":null}",
            "[{\"id\":{}}]",
            "\"9999-99-99T99:99:99Z\"",
            "\"+262142-12-31T23:59:59Z\"",
            "\"0000-01-01T00:00:00Z\"",
            "\"1969-12-31T23:59:60Z\"",
        ]
        .map(everything),
    );
    bodies.extend([deep(10), deep(127), deep(10_000), [b"{\"a\":".repeat(5_000), b"1".to_vec()].concat()]);
    bodies.extend([
        vec![0xff, 0xfe, 0x00],
        b"{\"title\":\"\xc3\x28\"}".to_vec(),
        b"\"\xed\xa0\x80\"".to_vec(),
    ]);
    bodies.push(format!("{{\"title\":\"{}\"}}", "y".repeat(300 * 1024)).into_bytes());
    bodies.push(json!(vec![json!({"title": "", "id": ""}); 1_001]).to_string().into_bytes());
    bodies
}

#[tokio::test]
async fn no_body_of_any_shape_gets_more_than_a_problem() {
    let s = start().await;
    let (paths, bodies) = (documented_routes(&s).await, bodies());
    let all = paths.iter().flat_map(|(path, methods)| {
        let bodies = &bodies;
        methods.iter().filter(|m| !matches!(m.as_str(), "get" | "delete")).flat_map(move |method| {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            bodies.iter().map(move |body| (method.clone(), path, body))
        })
    });
    let kinds = ["application/json", "text/plain", "application/x-www-form-urlencoded", "nonsense"];
    stream::iter(all.enumerate())
        .for_each_concurrent(MAX_CONCURRENT, |(n, (method, path, body))| {
            let admin = &s.admin;
            async move {
                let target_path =
                    fill_path(path, if path.contains("conversations") { "user:bob" } else { "bob" });
                let request = admin
                    .request(method.clone(), &target_path)
                    .header("content-type", kinds[n % kinds.len()]);
                let got = admin.send(request.body(body.clone())).await;
                let body_start = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
                assert_success_or_problem(&got, &format!("{method} {target_path} {body_start:?}"));
            }
        })
        .await;
    s.holds_together().await;
}

#[tokio::test]
async fn no_query_of_any_shape_gets_more_than_a_problem() {
    let s = start().await;
    let paths = documented_routes(&s).await;
    let names = [
        "since", "epoch", "limit", "cap", "before", "kind", "thread", "unread", "archived", "count", "user",
        "type", "id", "action",
    ];
    let long = "x".repeat(8_000);
    let values = [
        "",
        "%00",
        "%ff%fe",
        "%",
        "%zz",
        "null",
        "-1",
        "0",
        "1.5",
        "99999999999999999999",
        "1e9",
        "true",
        "[]",
        "{}",
        "a%0ab",
        "%F0%9F%92%A9",
        "2026-13-45T99:99:99Z",
        "%2B262142-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z",
        "..%2f..",
        &long,
    ];
    let mut queries: Vec<String> =
        names.iter().flat_map(|name| values.iter().map(move |value| format!("{name}={value}"))).collect();
    queries
        .extend(["?", "&&&=&=", "=", "limit", "limit=1&limit=x", "limit[]=1", "%00=%00"].map(str::to_owned));
    queries.push(vec!["limit=1"; 2_000].join("&"));
    // The reference itself is left out: its answer is long and takes no query.
    let all = paths
        .iter()
        .filter(|(path, methods)| methods.iter().any(|m| m == "get") && !path.ends_with("/openapi.json"));
    let all = all.flat_map(|(path, _)| queries.iter().map(move |query| (path, query)));
    stream::iter(all)
        .for_each_concurrent(MAX_CONCURRENT, |(path, query)| {
            let admin = &s.admin;
            async move {
                let target_path = format!("{}?{query}", fill_path(path, "bob"));
                assert_success_or_problem(
                    &admin.get(&target_path).await,
                    &target_path[..target_path.len().min(120)],
                );
            }
        })
        .await;
}

#[tokio::test]
async fn no_path_and_no_method_of_any_shape_gets_more_than_a_problem() {
    let s = start().await;
    let parts =
        ["%00", "%ff", "%2e%2e", "..%2f..", "%20", "a%0d%0ab", "%F0%9F%92%A9", "user:", ":", "-", "0"];
    let long = "x".repeat(5_000);
    for (path, methods) in documented_routes(&s).await {
        for part in parts.into_iter().chain([long.as_str()]).filter(|_| path.contains('{')) {
            for method in &methods {
                let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
                let target_path = fill_path(&path, part);
                let got = s.admin.send(s.admin.request(method.clone(), &target_path).body("{}")).await;
                assert_success_or_problem(
                    &got,
                    &format!("{method} {}", &target_path[..target_path.len().min(120)]),
                );
            }
        }
        let target_path = fill_path(&path, "announcements");
        for method in ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "X"] {
            if methods.iter().any(|known| known.eq_ignore_ascii_case(method)) {
                continue;
            }
            let unknown_method = Method::from_bytes(method.as_bytes()).unwrap();
            let got = s.admin.send(s.admin.request(unknown_method, &target_path)).await;
            got.problem(405, "method_not_allowed", None);
        }
        for token in [None, Some(""), Some("tdg_"), Some("tdg_nobody"), Some(long.as_str())] {
            let client = Client::without_token(&s.url);
            let method = Method::from_bytes(methods[0].to_ascii_uppercase().as_bytes()).unwrap();
            let request = client.request(method, &target_path).body("{}");
            let request = if let Some(token) = token { request.bearer_auth(token) } else { request };
            let got = client.send(request).await;
            if got.status != 200 {
                got.problem(401, "unauthorized", None);
            }
        }
    }
    for target_path in [
        "api/v1/nowhere",
        "api/v2/me",
        "api",
        "api/v1/",
        "api/v1//me",
        "metrics/x",
        "docs/x",
        "static",
        "a/b/c/d",
    ] {
        s.admin.get(&format!("/{target_path}")).await.problem(404, "not_found", None);
    }
}

#[tokio::test]
async fn a_time_at_the_end_of_all_times_is_a_time_like_any_other() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "x"})).await.is(201);
    for time in ["9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"] {
        alice.get(&format!("inbox?before={time}")).await.is(200);
        alice.post("receipts/ack", json!({"through": time})).await.is(200);
        alice.put("views/target/a:1", json!({"at": time})).await.is(200);
        let msgid = alice.pull(None, 10).await.0[0]["msgid"].as_str().unwrap().to_owned();
        alice.op("snooze", &[&msgid], json!({"until": time})).await;
        alice.get("unread").await.is(200);
    }
    let _: Value = alice.get("sync").await.is(200);
    s.holds_together().await;
}

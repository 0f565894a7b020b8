//! Tests of the peers that count as programs of this machine: those of the same user over the loopback, and none behind
//! a proxy.

use serde_json::json;
use tidings_model::wire::Scope;
use tidings_server::endpoint;

use crate::support::{Client, Running, start, start_with, until};

async fn standalone(trusted: &[&str]) -> (Running, Client) {
    let trusted = trusted.iter().map(|ip| ip.parse().unwrap()).collect();
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".into());
        c.trust_proxy = trusted;
    })
    .await;
    let nobody = Client::without_token(&s.url);
    (s, nobody)
}

async fn publish_status(client: &Client, headers: &[(&str, &str)]) -> u16 {
    let mut request = client.request(reqwest::Method::POST, "/backups").body("done");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    client.send(request).await.status.as_u16()
}

#[tokio::test]
async fn without_a_token_nobody_publishes_through_a_proxy_that_is_not_trusted() {
    let (_s, nobody) = standalone(&[]).await;
    assert_eq!(publish_status(&nobody, &[]).await, 200);
    for header in ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "via"] {
        assert_eq!(publish_status(&nobody, &[(header, "127.0.0.1")]).await, 403, "{header}");
    }
}

#[tokio::test]
async fn a_trusted_proxy_says_who_is_local_and_silence_means_nobody() {
    let (_s, nobody) = standalone(&["127.0.0.1"]).await;
    assert_eq!(publish_status(&nobody, &[]).await, 403, "for whom it asks is not known");
    assert_eq!(publish_status(&nobody, &[("x-forwarded-for", "203.0.113.5")]).await, 403);
    assert_eq!(publish_status(&nobody, &[("x-forwarded-for", "127.0.0.1, 203.0.113.5")]).await, 403);
    let both = [("x-forwarded-for", "127.0.0.1"), ("x-real-ip", "203.0.113.5")];
    assert_eq!(publish_status(&nobody, &both).await, 403);
    assert_eq!(publish_status(&nobody, &[("x-forwarded-for", "127.0.0.1")]).await, 200);
}

#[tokio::test]
async fn requests_through_a_trusted_proxy_are_counted_by_who_asked() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 10, per_second: 1 });
        c.trust_proxy = vec!["127.0.0.1".parse().unwrap()];
    })
    .await;
    let client = Client::without_token(&s.url);
    let request_from = |whom: &'static str| {
        client.send(client.request(reqwest::Method::GET, "health").header("x-forwarded-for", whom))
    };
    for _ in 0..40 {
        request_from("203.0.113.5").await;
    }
    let refused = until("one is refused", || async {
        Some(request_from("203.0.113.5").await).filter(|answer| answer.status == 429)
    })
    .await;
    refused.problem(429, "rate_limited", None);
    request_from("203.0.113.6").await.is(200);
}

/// Sends a request from a shell of another user and returns the status line; `None` if that user cannot be assumed.
#[cfg(target_os = "linux")]
fn as_another_user(url: &str, request: &str) -> Option<String> {
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let address = url.strip_prefix("http://").unwrap().replace(':', "/");
    let script = format!("exec 3<>/dev/tcp/{address}; printf '%b' '{request}' >&3; head -n 1 <&3");
    let mut command = std::process::Command::new("/bin/bash");
    command.args(["-c", &script]).current_dir("/").uid(NOBODY).gid(NOBODY);
    let out = command.output().ok()?;
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_user_of_this_machine_does_not_publish_without_a_token() {
    let (s, nobody) = standalone(&[]).await;
    let token = s.token("me", &[Scope::Publish]).await.token;
    let request = |more: &str| {
        format!("POST /backups HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 4\\r\\n{more}\\r\\ndone")
    };
    let Some(answer) = as_another_user(&s.url, &request("")) else {
        println!("skipped: this test may not run a program as another user");
        return;
    };
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let with_token = request(&format!("Authorization: Bearer {token}\\r\\n"));
    let answer = as_another_user(&s.url, &with_token).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(publish_status(&nobody, &[]).await, 200, "the server's own user does");
}

#[tokio::test]
async fn a_server_proves_that_endpoint_json_is_its_own() {
    let s = start().await;
    let nobody = Client::without_token(&s.url);
    assert_eq!(nobody.get("health?challenge=abc").await.is(200), json!({"healthy": true}));
    let fresh = s.server.renew_endpoint("root", "Root").await.unwrap();
    assert_eq!(nobody.get("health").await.is(200), json!({"healthy": true}));
    let challenge = endpoint::challenge();
    let answer = nobody.get(&format!("health?challenge={challenge}")).await.is(200);
    assert!(endpoint::proves(&fresh.token, &challenge, answer["proof"].as_str().unwrap()), "{answer}");
    for wrong in ["", "a%20b", &"x".repeat(129)] {
        nobody.get(&format!("health?challenge={wrong}")).await.problem(400, "invalid", Some("challenge"));
    }
}

#[tokio::test]
async fn the_token_of_endpoint_json_only_publishes_and_those_of_former_starts_are_revoked() {
    let s = start().await;
    let first = s.server.renew_endpoint("root", "Root").await.unwrap();
    let second = s.server.renew_endpoint("root", "Root").await.unwrap();
    assert_eq!(second.about.scopes, [Scope::Publish]);
    let client_with = |token: &str| Client::new(&s.url, token);
    client_with(&first.token).get("me").await.problem(401, "unauthorized", None);
    client_with(&second.token).get("inbox").await.problem(403, "forbidden", None);
    client_with(&second.token).get("tokens").await.problem(403, "forbidden", None);
    client_with(&second.token).post("messages", json!({"to": "root", "body": "x"})).await.is(201);
    let borrowed = s.server.borrow_token("root").await.unwrap();
    client_with(&borrowed.token).get("inbox").await.is(200);
    s.server.renew_endpoint("root", "Root").await.unwrap();
    client_with(&borrowed.token).get("me").await.problem(401, "unauthorized", None);
    s.server.end_endpoint().await.unwrap();
    let left = s.server.tokens(None).await.unwrap();
    assert!(left.iter().all(|token| !endpoint::is_program_token(&token.id)), "{left:?}");
}

#[tokio::test]
async fn a_token_of_somebody_stays_whatever_its_label_is() {
    let s = start().await;
    s.user("alice").await;
    let mut other_tokens = Vec::new();
    for label in ["endpoint.json", "command on this computer", "terminal on this computer", "program-x"] {
        let created =
            s.admin.post("users/alice/tokens", json!({"label": label, "scopes": ["inbox"]})).await.is(201);
        other_tokens.push(created["token"].as_str().unwrap().to_owned());
        other_tokens.push(s.server.create_token("alice", label, &[Scope::Inbox]).await.unwrap().token);
    }
    s.server.renew_endpoint("root", "Root").await.unwrap();
    let borrowed = s.server.borrow_token("alice").await.unwrap();
    s.server.give_back(borrowed).await.unwrap();
    s.server.renew_endpoint("root", "Root").await.unwrap();
    for token in &other_tokens {
        Client::new(&s.url, token).get("me").await.is(200);
    }
}

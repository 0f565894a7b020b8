//! Tests with `curl`, as ntfy's own examples use it, with answers in ntfy's format.

use std::process::Command;

use serde_json::{Value, json};

use super::ana;

fn curl(args: &[&str]) -> Value {
    let out =
        Command::new("curl").args(["-sS", "--noproxy", "*", "-m", "10"]).args(args).output().expect("curl");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stdout)))
}

#[tokio::test]
async fn curl_publishes_in_every_way_of_ntfy() {
    let (server, ana) = ana().await;
    let url = server.url();
    let auth = format!("Authorization: Bearer {}", ana.token);
    let topic = format!("{url}/backups");

    let answer = curl(&["-H", &auth, "-d", "plain", &topic]);
    assert_eq!(
        (&answer["event"], &answer["topic"], &answer["message"]),
        (&json!("message"), &json!("backups"), &json!("plain"))
    );
    curl(&["-H", &auth, "-T", "/dev/null", "-H", "Message: by PUT", &topic]);
    curl(&[
        "-H",
        &auth,
        "-H",
        "t: short",
        "-H",
        "p: 5",
        "-H",
        "ta: warning,disk",
        "-d",
        "with short headers",
        &topic,
    ]);
    curl(&["-H", &auth, &format!("{topic}/publish?message=by+GET&title=Hello&priority=high")]);
    let body = r#"{"topic":"backups","title":"JSON","message":"**by JSON**","priority":4,"markdown":true,"click":"https://example.org/"}"#;
    curl(&["-H", &auth, "-d", body, &url]);

    let inbox = ana.inbox().await;
    let bodies: Vec<_> = inbox.iter().rev().map(|item| item["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, ["plain", "by PUT", "with short headers", "by GET", "**by JSON**"]);
    let [json_one, get, short, _, plain] = &inbox[..] else { panic!("{inbox:#?}") };
    assert_eq!(
        (&json_one["format"], &json_one["priority"], &json_one["url"]),
        (&json!("markdown"), &json!(4), &json!("https://example.org/"))
    );
    assert_eq!((&get["title"], &get["priority"]), (&json!("Hello"), &json!(4)));
    assert_eq!(
        (&short["title"], &short["priority"], &short["tags"]),
        (&json!("short"), &json!(5), &json!(["warning", "disk"]))
    );
    assert_eq!(
        (&plain["target"]["type"], &plain["target"]["id"], &plain["action"]),
        (&json!("topic"), &json!("backups"), &json!("publish"))
    );
}

#[tokio::test]
async fn a_stranger_is_refused_in_ntfy_s_own_words() {
    let (server, _ana) = ana().await;
    let answer = curl(&["-d", "hello", &format!("{}/backups", server.url())]);
    assert_eq!((answer["code"].as_u64(), answer["http"].as_u64()), (Some(40301), Some(403)), "{answer}");
    assert!(answer["error"].is_string() && answer["link"].is_string(), "{answer}");
}

#[tokio::test]
async fn a_web_page_elsewhere_can_neither_publish_nor_read() {
    let (server, ana) = ana().await;
    let auth = format!("Authorization: Bearer {}", ana.token);
    let me = format!("{}/api/v1/me", server.url());
    assert_eq!(curl(&["-H", &auth, "-H", "Origin: https://evil.example", &me])["code"], "forbidden");
    assert_eq!(curl(&["-H", &auth, "-H", "Origin: null", &me])["code"], "forbidden");
    assert_eq!(curl(&["-H", &auth, "-H", "Sec-Fetch-Site: cross-site", &me])["code"], "forbidden");
    assert_eq!(curl(&["-H", &auth, "-H", "Host: evil.example", &me])["code"], "misdirected");
}

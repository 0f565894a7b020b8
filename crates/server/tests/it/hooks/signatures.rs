//! Signatures of webhooks to topics that have secrets.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

use super::{Hooked, hooked, payload};

/// HMAC-SHA256 in hex.
fn sign(secret: &str, parts: &[&str]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    for part in parts {
        mac.update(part.as_bytes());
    }
    mac.finalize().into_bytes().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

async fn with_secret(sender: &str) -> Hooked {
    let h = hooked().await;
    let settings = json!({"secrets": {sender: "s3cret"}});
    let answer = h.s.admin.put("topics/ops", settings).await.is(200);
    assert_eq!(answer["secrets"], json!([sender]), "a secret is named and not shown");
    h
}

/// Sends a body with a right signature, with a wrong one and with none.
async fn only_the_right_one_passes(h: &Hooked, event: (&str, &str), header: &str, right: &str, body: &str) {
    let wrong = format!("{}0", &right[..right.len() - 1]);
    let wrong = if wrong == right { format!("{}1", &right[..right.len() - 1]) } else { wrong };
    h.send("ops", &[event], body).await.problem(403, "forbidden", None);
    h.send("ops", &[event, (header, &wrong)], body).await.problem(403, "forbidden", None);
    h.send("ops", &[event, (header, right)], &body[1..]).await.problem(403, "forbidden", None);
    assert_eq!(h.items().await.len(), 0);
    h.send("ops", &[event, (header, right)], body).await.is(200);
    assert_eq!(h.items().await.len(), 1);
}

#[tokio::test]
async fn github_and_forgejo_sign_the_body() {
    let body = payload!("github-push");
    let right = format!("sha256={}", sign("s3cret", &[body]));
    let h = with_secret("github").await;
    only_the_right_one_passes(&h, ("X-GitHub-Event", "push"), "X-Hub-Signature-256", &right, body).await;
    let body = payload!("forgejo-push");
    for (event, header) in
        [("X-Forgejo-Event", "X-Forgejo-Signature"), ("X-Gitea-Event", "X-Gitea-Signature")]
    {
        let h = with_secret("forgejo").await;
        only_the_right_one_passes(&h, (event, "push"), header, &sign("s3cret", &[body]), body).await;
    }
}

#[tokio::test]
async fn sentry_and_grafana_sign_the_body_and_grafana_a_time_with_it() {
    let body = payload!("sentry-event-alert");
    let right = sign("s3cret", &[body]);
    let h = with_secret("sentry").await;
    let event = ("Sentry-Hook-Resource", "event_alert");
    only_the_right_one_passes(&h, event, "Sentry-Hook-Signature", &right, body).await;
    let body = payload!("grafana-firing");
    let h = with_secret("grafana").await;
    let none = ("Content-Type", "application/json");
    let right = sign("s3cret", &[body]);
    only_the_right_one_passes(&h, none, "X-Grafana-Alerting-Signature", &right, body).await;
    let h = with_secret("grafana").await;
    let time = ("X-Grafana-Alerting-Timestamp", "1795000000");
    let right = sign("s3cret", &["1795000000", ":", body]);
    only_the_right_one_passes(&h, time, "X-Grafana-Alerting-Signature", &right, body).await;
}

#[tokio::test]
async fn gitlab_sends_its_secret_along() {
    let h = with_secret("gitlab").await;
    let (body, event) = (payload!("gitlab-push"), ("X-Gitlab-Event", "Push Hook"));
    h.send("ops", &[event], body).await.problem(403, "forbidden", None);
    h.send("ops", &[event, ("X-Gitlab-Token", "s3cre")], body).await.problem(403, "forbidden", None);
    h.send("ops", &[event, ("X-Gitlab-Token", "s3cret")], body).await.is(200);
}

#[tokio::test]
async fn a_topic_with_a_secret_takes_nothing_that_is_not_signed() {
    let h = with_secret("github").await;
    for body in [payload!("uptime-kuma-down"), r#"{"any": "thing"}"#, "text"] {
        let answer = h.send("ops", &[], body).await;
        assert!(answer.body["detail"].as_str().unwrap().contains("signed by github"), "{}", answer.body);
        answer.problem(403, "forbidden", None);
    }
    h.send("other", &[], "text").await.is(200);
    h.s.admin.put("topics/ops", json!({"secrets": {"github": ""}})).await.is(200);
    h.send("ops", &[], "text").await.is(200);
}

//! Templates of topics, and how they are tried.

use serde_json::json;

use super::{hooked, payload, text};

const TEMPLATE: &str = "{% set title = 'Sensor ' ~ name %}{% set priority = 4 %}{% set tags = ['home'] %}\
    {% set thread = name %}{% set url = 'https://home.example/' ~ name %}{% set resolved = value < 30 %}{{ value }} °C";

#[tokio::test]
async fn a_template_makes_notifications_of_payloads_that_are_not_known() {
    let h = hooked().await;
    h.s.admin.put("topics/ops", json!({"template": TEMPLATE})).await.is(200);
    h.plain(r#"{"name": "attic", "value": 41}"#).await;
    h.plain(r#"{"name": "attic", "value": 42}"#).await;
    let item = h.item().await;
    assert_eq!((text(&item, "title"), text(&item, "body")), ("Sensor attic", "42 °C"));
    assert_eq!((&item["priority"], &item["tags"]), (&json!(4), &json!(["home"])));
    assert_eq!((text(&item, "url"), text(&item, "format")), ("https://home.example/attic", "markdown"));
    h.plain(r#"{"name": "attic", "value": 20}"#).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (1, 0), "it is over");
    h.event("X-GitHub-Event", "push", payload!("github-push")).await;
    let push = h.items().await.remove(0);
    assert_eq!(text(&push, "title"), "acme/app: alice pushed 2 commits to main", "who is known needs none");
}

#[tokio::test]
async fn a_payload_whose_template_fails_arrives_as_json_with_the_reason() {
    let h = hooked().await;
    for template in [
        "{{ value.of.nothing }}",
        "{% for a in range(90000) %}{% for b in range(90000) %}{{ b }}{% endfor %}{% endfor %}",
    ] {
        h.s.admin.put("topics/ops", json!({"template": template})).await.is(200);
        h.plain(r#"{"value": 1}"#).await;
        let item = h.items().await.remove(0);
        assert!(text(&item, "body").starts_with("The template of this topic failed, `"), "{item}");
        assert!(text(&item, "body").ends_with("```json\n{\n  \"value\": 1\n}\n```"), "{item}");
    }
}

#[tokio::test]
async fn a_template_is_tried_on_the_last_payloads() {
    let h = hooked().await;
    h.plain(r#"{"name": "attic", "value": 41}"#).await;
    h.event("X-GitHub-Event", "push", payload!("github-push")).await;
    h.plain("not JSON").await;
    let tried = h.s.admin.post("topics/ops/try", json!({"template": TEMPLATE})).await.is(200);
    assert_eq!(tried.as_array().unwrap().len(), 2, "the newest first, and only JSON: {tried}");
    assert_eq!(
        (&tried[0]["sender"], &tried[0]["event"], &tried[0]["by"]),
        (&json!("github"), &json!("push"), &json!("sender"))
    );
    assert_eq!(tried[0]["notices"][0]["title"], "acme/app: alice pushed 2 commits to main");
    let notice = &tried[1]["notices"][0];
    assert_eq!(
        (&tried[1]["by"], &notice["title"], &notice["body"]),
        (&json!("template"), &json!("Sensor attic"), &json!("41 °C"))
    );
    assert_eq!((&notice["priority"], &tried[1]["error"]), (&json!(4), &json!(null)));
    let failed = h.s.admin.post("topics/ops/try", json!({"template": "{{ a.b.c }}"})).await.is(200);
    assert_eq!(failed[1]["by"], "json");
    assert!(failed[1]["error"].as_str().unwrap().contains("line 1"), "{failed}");
    let wrong = h.s.admin.post("topics/ops/try", json!({"template": "{% if %}"})).await;
    wrong.problem(400, "invalid", Some("template"));
    assert_eq!(h.items().await.len(), 3, "trying publishes nothing");
    h.me.post("topics/ops/try", json!({})).await.is(200);
    h.publisher.post("topics/ops/try", json!({})).await.problem(403, "forbidden", None);
}

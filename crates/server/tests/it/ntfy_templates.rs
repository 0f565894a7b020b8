//! Tests of ntfy's templates: in every place where a request may have them, filled in from what services send, and refused.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::support::{Answer, Client, Running, start_with};

const ALERT: &str =
    r#"{"hostname": "phil-pc", "error": {"level": "severe", "desc": "Disk has run out of space"}, "n": 5}"#;

async fn standalone() -> (Running, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    (s, me)
}

async fn publish(
    client: &Client,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<reqwest::Body>,
) -> Answer {
    let request = client.request(Method::POST, path).body(body);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    client.send(request).await
}

#[tokio::test]
async fn title_message_and_priority_are_filled_in_wherever_their_templates_are() {
    let (_s, me) = standalone().await;
    let title = "{{.hostname}}: A {{.error.level}} error has occurred";
    let query = "/t?tpl=yes&t=%7B%7B.hostname%7D%7D:+A+%7B%7B.error.level%7D%7D+error+has+occurred\
        &m=Error+message:+%7B%7B.error.desc%7D%7D&p=%7B%7Bif+gt+.n+4%7D%7Dhigh%7B%7Belse%7D%7Dlow%7B%7Bend%7D%7D";
    let priority = "{{if gt .n 4.0}}high{{else}}low{{end}}";
    let message = "Error message: {{.error.desc}}";
    let long = [("X-Template", "yes"), ("X-Title", title), ("X-Message", message), ("X-Priority", priority)];
    let short = [("tpl", "1"), ("t", title), ("m", message), ("p", priority)];
    for (path, headers) in
        [("/t", &long[..]), ("/t", &short[..]), (query, &[][..]), ("/t?template=true", &long[1..])]
    {
        let answer = publish(&me, path, headers, ALERT).await.is(200);
        assert_eq!(answer["title"], "phil-pc: A severe error has occurred", "{path}");
        assert_eq!(answer["message"], "Error message: Disk has run out of space", "{path}");
        assert_eq!(answer["priority"], 4, "{path}");
    }
    assert_eq!(me.inbox().await[0]["body"], "Error message: Disk has run out of space");
    let root = json!({"topic": "t", "message": ALERT, "title": "{{.hostname}}", "priority": 2}).to_string();
    let answer =
        publish(&me, "/", &[("Template", "yes"), ("Message", "{{.error.desc}}")], root).await.is(200);
    assert_eq!(
        (&answer["title"], &answer["message"]),
        (&json!("phil-pc"), &json!("Disk has run out of space"))
    );
    assert_eq!(answer["priority"], 2);
    let lines =
        publish(&me, "/t/s1", &[("Template", "yes"), ("m", "{{.n}}\\n{{.error.level}}")], ALERT).await;
    let lines = lines.is(200);
    assert_eq!((&lines["message"], &lines["sequence_id"]), (&json!("5\nsevere"), &json!("s1")));
}

#[tokio::test]
async fn what_github_grafana_and_alertmanager_send_is_read_with_their_names() {
    let (_s, me) = standalone().await;
    let alert = json!({"status": "firing", "labels": {"alertname": "DiskFull", "instance": "nas:9100"},
        "annotations": {"summary": "The disk is full"}, "generatorURL": "http://prometheus/graph"});
    let alertmanager = json!({"version": "4", "status": "firing", "receiver": "tidings", "alerts": [alert, alert],
        "commonLabels": {"alertname": "DiskFull"}, "groupLabels": {"alertname": "DiskFull"}});
    let grafana = json!({"status": "resolved", "title": "[RESOLVED] Load", "alerts": [{"status": "resolved",
        "labels": {"alertname": "Load"}, "annotations": {"summary": "Load over 15"}, "values": {"B": 18.5}}]});
    let github = json!({"action": "opened", "repository": {"full_name": "ana/garden"}, "sender": {"login": "bob"},
        "issue": {"number": 7, "title": "It rains", "html_url": "https://github.com/ana/garden/issues/7"}});
    for (name, payload, title, part) in [
        (
            "alertmanager",
            alertmanager,
            "Firing: DiskFull (2 alerts)",
            "DiskFull on nas:9100: firing\nThe disk is full",
        ),
        ("grafana", grafana, "[RESOLVED] Load", "Load: resolved\nLoad over 15\nB = 18.5"),
        ("github", github, "ana/garden: issue #7 opened", "It rains\nBy bob\n\nhttps://github.com"),
    ] {
        let path = format!("/t?template={name}");
        let answer = publish(&me, &path, &[("Priority", "5")], payload.to_string()).await.is(200);
        assert_eq!((&answer["title"], &answer["priority"]), (&json!(title), &json!(5)), "{name}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.starts_with(part), "{name}: {message}");
    }
}

#[tokio::test]
async fn bad_templates_and_bodies_that_are_no_json_get_ntfys_errors_and_publish_nothing() {
    let (_s, me) = standalone().await;
    let with = |template: &'static str| [("Template", "yes"), ("Message", template)];
    let many = format!("[{}1]", "1,".repeat(20_000));
    let large = format!("{{\"x\": \"{}\"}}", "y".repeat(200 * 1024));
    for (headers, body, code) in [
        (with("{{.x}}"), "no json", 40042),
        (with("{{.x}}"), "", 40042),
        (with("{{.x"), ALERT, 40043),
        (with("{{nosuchfunction .x}}"), ALERT, 40043),
        (with("{{ define \"x\" }}{{ end }}"), ALERT, 40044),
        (with("{{- template \"x\" }}"), ALERT, 40044),
        (with("{{call .x}}"), ALERT, 40044),
        (with("{{.hostname.x}}"), ALERT, 40045),
        (with("{{fail \"no\"}}"), ALERT, 40045),
        (with("{{range .}}{{range $}}{{end}}{{end}}"), many.as_str(), 40045),
        (with("{{.x}}{{.x}}"), large.as_str(), 40041),
        ([("Template", "gitlab"), ("Message", "x")], ALERT, 40047),
    ] {
        let refused = publish(&me, "/t", &headers, body.to_owned()).await.is(400);
        assert_eq!((&refused["code"], &refused["http"]), (&json!(code), &json!(400)), "{headers:?}");
        assert!(refused["link"].as_str().unwrap().ends_with("#message-templating"));
    }
    let larger = format!("{{\"x\": \"{}\"}}", "y".repeat(1024 * 1024));
    assert_eq!(publish(&me, "/t", &with("{{.x}}"), larger).await.is(413)["code"], 41303);
    let get = me.request(Method::GET, "/t/publish?template=yes&message=%7B%7B.x%7D%7D");
    assert_eq!(me.send(get).await.is(400)["code"], 40042);
    assert_eq!(me.unread("reminder").await, 0);
}

#[tokio::test]
async fn without_a_template_and_beside_a_file_braces_are_text() {
    let (_s, me) = standalone().await;
    let said = |answer: Value| answer["message"].as_str().unwrap().to_owned();
    let plain = publish(&me, "/t", &[("Title", "{{.hostname}}")], ALERT).await.is(200);
    assert_eq!((&plain["title"], said(plain.clone())), (&json!("{{.hostname}}"), ALERT.to_owned()));
    let off = publish(&me, "/t", &[("Template", "no")], ALERT).await.is(200);
    assert_eq!(said(off), ALERT);
    let file = publish(&me, "/t", &[("Template", "yes"), ("Filename", "a.json"), ("m", "see")], ALERT).await;
    let file = file.is(200);
    assert_eq!((&file["attachment"]["name"], said(file.clone())), (&json!("a.json"), "see".to_owned()));
}

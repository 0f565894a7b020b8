//! What strangers and administrators write for the server's parsers, each at its bound: mail, both engines of templates, JSON
//! of webhooks and of the clients of others, forms.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::fill::Fixture;
use super::requests::Request;
use crate::Result;

/// Sends a mail and reads the answer, whatever it is.
async fn mail(fixture: &Fixture, user: usize, message: &[u8]) -> Result<()> {
    let token = fixture.publishers.get(user).ok_or("no such publisher")?;
    let mut connection = BufReader::new(TcpStream::connect(&fixture.smtp).await?);
    let greetings = ["", "EHLO bench\r\n", "MAIL FROM:<a@b.example>\r\n"].map(str::to_owned);
    let rest = [format!("RCPT TO:<mail{user}+{token}@localhost>\r\n"), "DATA\r\n".to_owned()];
    for command in greetings.into_iter().chain(rest) {
        connection.write_all(command.as_bytes()).await?;
        answer(&mut connection).await?;
    }
    // A server without room for the rest of a message says so, and leaves before it has all of it.
    let sent = async {
        connection.write_all(message).await?;
        connection.write_all(b"\r\n.\r\n").await?;
        answer(&mut connection).await
    };
    match sent.await {
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => Ok(()),
        sent => Ok(sent?),
    }
}

/// Reads an answer of one or more lines.
async fn answer(connection: &mut BufReader<TcpStream>) -> io::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        // Three digits, and a hyphen if another line follows.
        if connection.read_line(&mut line).await? == 0 || line.as_bytes().get(3) != Some(&b'-') {
            return Ok(());
        }
    }
}

/// Messages nested in each other, as many as fit into 1.9 MB.
fn nested_mail() -> String {
    "Content-Type: message/rfc822\r\n\r\n".repeat(60_000) + "Subject: s\r\n\r\nt"
}

/// A head with 700,000 continuations of one parameter.
fn mail_of_parameters() -> String {
    let parameters = (0..700_000).map(|n| format!("; a*{n}=b")).collect::<Vec<_>>().concat();
    format!("Subject: s\r\nContent-Type: text/plain{parameters}\r\n\r\nt")
}

/// Many parts, each with a head.
fn mail_of_parts() -> String {
    let part = "--b\r\nContent-Type: text/plain\r\n\r\nt\r\n".repeat(200_000);
    format!("Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{part}--b--")
}

/// Much markup and many names of characters, nearly as many bytes as a mail may have.
fn mail_of_html() -> String {
    format!("Subject: s\r\nContent-Type: text/html\r\n\r\n{}", "<div a=b>&amp;\r\n".repeat(500_000))
}

/// Sends a body to a door, and reads the answer, whatever it is.
async fn to_door(fixture: &Fixture, user: usize, path: &str, kind: &str, body: bytes::Bytes) -> Result<()> {
    let token = fixture.publishers.get(user).ok_or("no such publisher")?;
    let request = fixture.client.http.post(format!("{}{path}", fixture.client.url)).bearer_auth(token);
    request.header("content-type", kind).body(body).send().await?.bytes().await?;
    Ok(())
}

const JSON: &str = "application/json";
const FORM: &str = "multipart/form-data; boundary=b";

/// Alerts of Alertmanager, nearly as many objects as a body may have, and 7 MiB.
fn alerts() -> String {
    let alert =
        json!({"status": "firing", "labels": {"alertname": "a", "text": "x".repeat(600)}, "annotations": {}});
    json!({"version": "4", "alerts": vec![alert; 10_000]}).to_string()
}

/// A payload of no known form with nearly as many values as a body may have.
fn payload() -> String {
    let values = json!({"a": vec![0; 100], "b": {"c": {"d": [null]}}});
    json!({"all": vec![values; 2_500], "text": "x".repeat(6_000_000)}).to_string()
}

/// A message for Gotify's door whose extras are as large and as deep as they may be.
fn extras() -> String {
    let deep = format!("{}{}", "[".repeat(50), "]".repeat(50));
    let many = vec!["{\"a\":[0,0]}"; 10_000].join(",");
    format!("{{\"message\":\"m\",\"extras\":{{\"deep\":{deep},\"many\":[{many}]}}}}")
}

/// A publication for ntfy's door with buttons without end.
fn buttons() -> String {
    let button = json!({"action": "http", "label": "x".repeat(100), "url": "https://a.example", "headers": {"a": "b"}});
    json!({"topic": "t", "message": "m", "actions": vec![button; 16_000]}).to_string()
}

/// A form of 64 parts and 7 MiB.
fn form() -> String {
    let part = |n| {
        format!("--b\r\nContent-Disposition: form-data; name=\"f{n}\"\r\n\r\n{}\r\n", "x".repeat(115_000))
    };
    (0..64).map(part).collect::<Vec<_>>().concat() + "--b--\r\n"
}

/// Publishes with a template of ntfy's, and reads the answer, whatever it is.
async fn with_template(fixture: &Fixture, user: usize, template: &str) -> Result<()> {
    let token = fixture.publishers.get(user).ok_or("no such publisher")?;
    let body = fixture.body("text of a mebibyte", || json!({"a": "x".repeat(1_000_000)}).to_string());
    let request = fixture.client.http.post(format!("{}/tpl{user}", fixture.client.url)).bearer_auth(token);
    let request = request.header("X-Template", "yes").header("X-Message", template).body(body);
    request.send().await?.bytes().await?;
    Ok(())
}

/// Sets the template of a topic, and sends it a webhook; reads the answers, whatever they are.
async fn with_topic_template(fixture: &Fixture, user: usize, template: &str) -> Result<()> {
    let token = fixture.publishers.get(user).ok_or("no such publisher")?;
    let settings = json!({"template": template});
    let set = fixture.client.request(&fixture.admin, Method::PUT, &format!("/topics/hook{user}"));
    set.json(&settings).send().await?.bytes().await?;
    let payload =
        fixture.body("payload", || json!({"a": "x".repeat(1_000_000), "n": vec![0; 1_000]}).to_string());
    let hook = fixture.client.http.post(format!("{}/hooks/hook{user}", fixture.client.url));
    let hook = hook.bearer_auth(token).header("content-type", "application/json").body(payload);
    hook.send().await?.bytes().await?;
    Ok(())
}

/// Fills about 16 KB with a piece of a template between two others.
fn long(start: &str, piece: &str, end: &str) -> String {
    format!("{start}{}{end}", piece.repeat(15_900 / piece.len()))
}

macro_rules! rows {
    ($($name:literal => |$fixture:ident, $user:ident| $send:expr),* $(,)?) => {
        &[$(Request {
            name: |_| $name.to_owned(),
            send: |$fixture: Arc<Fixture>, $user| Box::pin(async move { $send.await }),
            repeats: true,
        }),*]
    };
}

/// All of them, in the order of the report's rows.
pub(super) const REQUESTS: &[Request] = rows![
    "mail: messages nested 60,000 deep" => |fixture, user| mail(&fixture, user, &fixture.body("nested mail", nested_mail)),
    "mail: 700,000 parameters of a head" => |fixture, user| mail(&fixture, user, &fixture.body("parameters", mail_of_parameters)),
    "mail: 200,000 parts" => |fixture, user| mail(&fixture, user, &fixture.body("parts", mail_of_parts)),
    "mail: 8 MB of HTML" => |fixture, user| mail(&fixture, user, &fixture.body("HTML", mail_of_html)),
    "a webhook of 10,000 alerts" => |fixture, user| to_door(
        &fixture, user, &format!("/hooks/alerts{user}"), JSON, fixture.body("alerts", alerts),
    ),
    "a webhook of 260,000 values" => |fixture, user| to_door(
        &fixture, user, &format!("/hooks/values{user}"), JSON, fixture.body("values", payload),
    ),
    "Gotify's JSON with 10,000 extras" => |fixture, user| to_door(
        &fixture, user, "/message", JSON, fixture.body("extras", extras),
    ),
    "ntfy's JSON with 16,000 buttons" => |fixture, user| to_door(
        &fixture, user, "/", JSON, fixture.body("buttons", buttons),
    ),
    "a form of 64 parts" => |fixture, user| to_door(
        &fixture, user, "/message", FORM, fixture.body("form", form),
    ),
    "a template of ntfy's that doubles a list" => |fixture, user| with_template(
        &fixture, user, "{{$l := list .a .a}}{{range until 30}}{{$l = concat $l $l}}{{end}}{{toJson $l}}",
    ),
    "a template of ntfy's that loops" => |fixture, user| with_template(
        &fixture, user, "{{range until 10000}}{{range until 10000}}{{$.a}}{{end}}{{end}}",
    ),
    "a template of ntfy's with a long pattern" => |fixture, user| with_template(
        &fixture, user, "{{regexReplaceAll \"(x*)*(x+x+)+y\" (substr 0 32000 .a) \"$1$1$1\"}}",
    ),
    "a topic's template of 16 KB of minus signs" => |fixture, user| with_topic_template(
        &fixture, user, &long("{{ ", "-", "1 }}"),
    ),
    "a topic's template of 16 KB of sums" => |fixture, user| with_topic_template(
        &fixture, user, &long("{{ 1", "+1", " }}"),
    ),
    "a topic's template of 16 KB of attributes" => |fixture, user| with_topic_template(
        &fixture, user, &long("{{ a", ".a", " }}"),
    ),
    "a topic's template that doubles a text" => |fixture, user| with_topic_template(
        &fixture, user,
        "{% set s = namespace(t=a) %}{% for i in range(40) %}{% set s.t = s.t ~ s.t %}{% endfor %}{{ s.t }}",
    ),
    "a topic's template that slices 100,000,000 times" => |fixture, user| with_topic_template(
        &fixture, user, "{% for part in a|slice(100000000) %}{{ part }}{% endfor %}",
    ),
];

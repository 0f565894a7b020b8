//! Tests that run every line of the guide for publishers, and every line that the settings offer, with a token and
//! without.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use support::client::Client;
use support::clients::Clients;
use support::program::root;
use support::server::ServerProcess;
use tidings_app::publish::templates::{Publication, TEMPLATES};
use tokio::task::JoinHandle;

/// The address that the guide names.
const ADDRESS: &str = "127.0.0.1:7878";
/// The address that the guide names for mail.
const MAIL_ADDRESS: &str = "127.0.0.1:2525";
/// The text that its lines publish and read.
const TEXT: &str = "Backup done";

/// The blocks of code of a document: the language and the text of each.
fn blocks(document: &str) -> Vec<(String, String)> {
    let mut parts = document.split("\n```");
    parts.next();
    let code = parts.step_by(2).map(|part| part.split_once('\n').expect("a block has lines"));
    code.map(|(language, text)| (language.to_owned(), text.to_owned())).collect()
}

/// The token of the application that was made.
fn made_token(output: &str) -> String {
    let token = output.split("\"token\":\"").nth(1).and_then(|rest| rest.split('"').next());
    token.unwrap_or_else(|| panic!("no token in {output}")).to_owned()
}

/// A server to which programs of this machine publish without a token, and by mail. A user is subscribed to one of its
/// topics.
async fn server() -> (ServerProcess, Client, Clients) {
    let server = ServerProcess::start_with(&["--open-publish", "--smtp", "127.0.0.1:0"]);
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let topic = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    ana.put("subscriptions", topic).await.success();
    let clients = Clients::new(&server.url(), &ana.token);
    (server, ana, clients)
}

/// Answers every question of a user's inbox with the first of its answers, until it is dropped.
fn answering(of: &Client) -> JoinHandle<()> {
    let of = of.with_token(&of.token);
    tokio::spawn(async move {
        loop {
            let is_open = |item: &Value| item["question"]["state"] == "open";
            for item in of.inbox().await.into_iter().filter(is_open) {
                let first = json!({"answer": item["question"]["answers"][0]["id"]});
                of.op("answer", &[item["msgid"].as_str().expect("a msgid")], first).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_of_the_guide_publishes_or_reads_and_what_it_asks_is_answered() {
    let (mut server, ana, clients) = server().await;
    let answers = answering(&ana);
    let guide = fs::read_to_string(root().join("docs/publish.md")).unwrap();
    let blocks = blocks(&guide);
    assert!(blocks.len() >= 20, "{} blocks", blocks.len());
    let mut seen = ana.pull(None, 1_000).await.2;
    let mut application = None;
    for (language, text) in blocks {
        let address = server.url().trim_start_matches("http://").to_owned();
        let text = text.replace(ADDRESS, &address).replace(MAIL_ADDRESS, &server.mail());
        let text = text.replace("TOKEN", &ana.token);
        let text = text.replace("APPLICATION", application.as_deref().unwrap_or("no application yet"));
        let output = clients.follow(&language, &text);
        if text.contains("/application") {
            application = Some(made_token(&output));
            continue;
        }
        let (items, _, next) = ana.pull(Some(&seen), 1_000).await;
        seen = next;
        let reads = text.contains("poll=1") || text.contains("limit=");
        assert!(!items.is_empty() || (reads && output.contains(TEXT)), "{text}\n{output}");
    }
    answers.abort();
    let inbox = ana.inbox().await;
    let answered = inbox.iter().filter(|item| item["question"]["state"] == "answered");
    let asked: Vec<_> = answered.map(|item| item["body"].as_str().unwrap_or_default()).collect();
    for question in ["Delete the backups of 2024?", "Backup of ana/nas: deploy?", "make deploy"] {
        assert!(asked.contains(&question), "{question} of {asked:?}");
    }
}

#[tokio::test]
async fn every_line_of_the_settings_publishes_with_a_token_and_without() {
    let (server, ana, clients) = server().await;
    let url = server.url();
    let mut seen = ana.pull(None, 1_000).await.2;
    for template in TEMPLATES {
        for token in [None, Some(ana.token.as_str())] {
            if template.needs_token && token.is_none() {
                continue;
            }
            let publication = Publication { url: &url, topic: "backups", token, message: TEXT };
            let text = template.fill(&publication);
            let output = clients.follow(template.language, &text);
            let (items, _, next) = ana.pull(Some(&seen), 1_000).await;
            seen = next;
            assert_eq!(items.len(), 1, "{text}\n{output}\n{items:#?}");
            let body = items[0]["body"].as_str().unwrap_or_default();
            let expected = !template.says_message() || body == TEXT;
            assert!(expected, "{text}\n{output}\n{items:#?}");
        }
    }
}

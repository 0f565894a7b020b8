//! A test that runs every line of the guide for publishers.

use std::fs;

use serde_json::json;
use support::clients::Clients;
use support::program::root;
use support::server::ServerProcess;

/// The address that the guide names.
const ADDRESS: &str = "127.0.0.1:7878";
/// The text that its lines publish and read.
const TEXT: &str = "Backup done";

/// The blocks of code of a document: the language and the text of each.
fn blocks(document: &str) -> Vec<(String, String)> {
    let mut parts = document.split("\n```");
    parts.next();
    let code = parts.step_by(2).map(|part| part.split_once('\n').expect("a block has lines"));
    code.map(|(language, text)| (language.to_owned(), text.to_owned())).collect()
}

#[tokio::test]
async fn every_line_of_the_guide_publishes_or_reads() {
    let server = ServerProcess::start_with(&["--open-publish"]);
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let topic = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    ana.put("subscriptions", topic).await.success();
    let clients = Clients::new(&server.url(), &ana.token);
    let guide = fs::read_to_string(root().join("docs/publish.md")).unwrap();
    let blocks = blocks(&guide);
    assert!(blocks.len() >= 10, "{} blocks", blocks.len());
    let mut seen = ana.pull(None, 1_000).await.2;
    for (language, text) in blocks {
        let kind = match language.as_str() {
            "sh" => "sh",
            "python" => "py",
            "js" => "mjs",
            other => panic!("{other} is not run"),
        };
        let address = server.url().trim_start_matches("http://").to_owned();
        let text = text.replace(ADDRESS, &address).replace("TOKEN", &ana.token);
        let output = clients.text(kind, &text);
        let (items, _, next) = ana.pull(Some(&seen), 1_000).await;
        seen = next;
        let published = items.iter().any(|item| item["body"].as_str().unwrap_or_default().contains(TEXT));
        let read = text.contains("poll=1") && output.contains(TEXT);
        assert!(published || read, "{text}\n{output}\n{items:#?}");
    }
}

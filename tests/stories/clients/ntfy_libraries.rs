//! Tests with the libraries and programs that publish to ntfy and read from it, unchanged except for the address.

use serde_json::{Value, json};
use support::client::Client;
use support::clients::Clients;
use support::server::ServerProcess;

use super::{ana, assert_has};

/// What Ana has after a script of `tests/clients` has published: her inbox, oldest first, and what waits on `backups`.
struct Published {
    _server: ServerProcess,
    ana: Client,
    inbox: Vec<Value>,
    /// The texts, with the minutes from the first publication to the delivery.
    waiting: Vec<(String, i64)>,
}

async fn published_by(run: impl FnOnce(&Clients)) -> Published {
    let (server, ana) = ana().await;
    run(&Clients::new(&server.url(), &ana.token));
    let mut inbox = ana.inbox().await;
    inbox.reverse();
    let topic = messages(&ana, "/backups/json?poll=1&scheduled=1").await;
    let is_here = |message: &&Value| inbox.iter().any(|item| item["msgid"] == message["id"]);
    let begin = topic.iter().find(is_here).expect("a publication of now")["time"].as_i64().unwrap();
    let waiting = topic.iter().filter(|message| !is_here(message)).map(|message| {
        let seconds = message["time"].as_i64().unwrap() - begin;
        (message["message"].as_str().unwrap().to_owned(), seconds / 60)
    });
    Published { waiting: waiting.collect(), _server: server, ana, inbox }
}

async fn published_by_script(name: &str) -> Published {
    published_by(|clients| drop(clients.script(name))).await
}

/// The messages of a poll.
async fn messages(client: &Client, path: &str) -> Vec<Value> {
    let response = client.request(reqwest::Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let text = response.text().await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asserts that the one publication that waits is due in about this time.
#[track_caller]
fn assert_waits(waiting: &[(String, i64)], minutes: i64) {
    let [(text, due)] = waiting else { panic!("{waiting:?}") };
    assert_eq!(text, "later");
    assert!((minutes - 1..=minutes + 1).contains(due), "{due}");
}

#[tokio::test]
async fn apprise_publishes_all_that_its_address_says() {
    let published = published_by_script("ntfy/publish_apprise.py").await;
    let everything = json!({
        "title": "Bäckup 🎉", "body": "two\nlines", "priority": 5, "tags": ["ci", "warning"],
        "url": "https://ci.example.org/4812?a=b",
        "attachment": {"name": "log.txt", "url": "https://ci.example.org/log.txt"},
        "actions": [{"action": "view", "label": "Open", "url": "https://ci.example.org/", "clear": true}],
    });
    let wanted = json!([everything, {"body": "on two topics"}, {"body": "**bold**", "format": "markdown"}]);
    assert_has(&published.inbox.into(), &wanted);
    assert_waits(&published.waiting, 30);
    let other = messages(&published.ana, "/nas/json?poll=1").await;
    assert_has(&other.into(), &json!([{"message": "on two topics"}]));
}

#[tokio::test]
async fn apprise_sends_files_that_every_client_sees_and_fetches() {
    let published = published_by_script("ntfy/attach_apprise.py").await;
    let picture = json!({"name": "gärden.png", "type": "image/png", "size": 8 + 256 * 3000});
    let wanted = json!([
        {"title": "Build 4812", "body": "two files", "priority": 4, "tags": ["ci"], "attachment": picture},
        {"body": "You received a file: build.log", "attachment": {"name": "build.log", "size": 10}},
        {"priority": 4, "attachment": {"type": "text/plain; charset=utf-8"}},
    ]);
    assert_has(&published.inbox.clone().into(), &wanted);
    let topic = messages(&published.ana, "/backups/json?poll=1").await;
    let attachments = |list: &[Value]| list.iter().map(|one| one["attachment"].clone()).collect::<Vec<_>>();
    assert_eq!(attachments(&topic), attachments(&published.inbox));
    let mut files = Vec::new();
    for attachment in attachments(&topic) {
        files.push(fetched(&published.ana, &attachment).await);
    }
    let bytes: Vec<u8> = (0..3000).flat_map(|_| 0..=255).collect();
    assert!(files[0] == [b"\x89PNG\r\n\x1a\n", &bytes[..]].concat());
    assert_eq!(files[1], b"it failed\n");
    assert_eq!(String::from_utf8_lossy(&files[2]).matches("A line of many.").count(), 1000);
}

/// The bytes of a file, by its address and without a token, as apps ask for it.
async fn fetched(client: &Client, attachment: &Value) -> Vec<u8> {
    let url = attachment["url"].as_str().unwrap();
    let path = url.strip_prefix(&client.url).expect("it is at the server");
    let response =
        Client::without_token(&client.url).request(reqwest::Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn python_ntfy_publishes_and_reads_back() {
    let published = published_by_script("ntfy/publish_python_ntfy.py").await;
    let everything = json!({
        "title": "Build 4812", "body": "**two**\nlines", "format": "markdown", "priority": 5,
        "tags": ["ci", "warning"],
        "actions": [
            {"action": "view", "label": "Open", "url": "https://ci.example.org/?a=b", "clear": true},
            {"action": "http", "label": "Retry", "url": "https://ci.example.org/retry", "method": "PUT",
             "headers": {"X-Run": "4812"}, "body": "again", "clear": false},
            {"action": "broadcast", "label": "Picture"},
        ],
    });
    assert_has(&published.inbox.into(), &json!([everything]));
    assert_waits(&published.waiting, 30);
}

#[tokio::test]
async fn ntfy_api_publishes_by_headers_by_body_and_as_json() {
    let published = published_by_script("ntfy/publish_ntfy_api.py").await;
    let everything = json!({
        "title": "Build 4812", "body": "two\nlines", "format": "markdown", "priority": 4,
        "tags": ["ci", "warning"], "url": "https://ci.example.org/4812?a=b,c",
        "icon": "https://ci.example.org/icon.png",
        "attachment": {"name": "build.txt", "url": "https://ci.example.org/log.txt"},
        "actions": [
            {"action": "view", "label": "Open, now", "url": "https://ci.example.org/?a=b;c", "clear": true},
            {"action": "http", "label": "Retry", "url": "https://ci.example.org/retry", "method": "PUT",
             "headers": {"X-Run": "number \"4812\""}, "body": "{\"again\": \"yes\"}"},
            {"action": "broadcast", "label": "Picture", "intent": "org.example.PICTURE", "extras": {"cmd": "p=ic"}},
        ],
    });
    let wanted = json!([everything, {"body": "not cached"}, {"title": "Raw", "body": "raw body"},
        {"body": "as JSON", "priority": 2}]);
    assert_has(&published.inbox.into(), &wanted);
    assert_waits(&published.waiting, 30);
}

#[tokio::test]
async fn ntfpy_publishes_and_listens() {
    let published = published_by_script("ntfy/publish_ntfpy.py").await;
    let everything = json!({
        "title": "Bäckup 🎉", "body": "two\nlines", "priority": 5, "tags": ["ci", "warning"],
        "url": "https://ci.example.org/4812", "icon": "https://ci.example.org/icon.png",
        "actions": [{"action": "view", "label": "Open", "url": "https://ci.example.org/"}],
    });
    assert_has(&published.inbox[0], &everything);
    assert!(published.inbox.len() > 1 && published.inbox[1..].iter().all(|item| item["body"] == "heard"));
    assert_waits(&published.waiting, 30);
}

#[tokio::test]
async fn ntfy_sh_publishes_in_its_ways_and_understands_its_delays() {
    let published = published_by_script("ntfy/publish_ntfy_sh.py").await;
    let everything = json!({
        "title": "Bäckup", "body": "two\nlines", "format": "markdown", "priority": 5, "tags": ["ci", "warning"],
        "url": "https://ci.example.org/4812?a=b", "icon": "https://ci.example.org/icon.png",
        "actions": [
            {"action": "view", "label": "Open", "url": "https://ci.example.org/"},
            {"action": "http", "label": "Retry", "url": "https://ci.example.org/retry"},
            {"action": "broadcast", "label": "Picture"},
        ],
    });
    let wanted = json!([everything, {"title": "Warning", "body": "careful", "priority": 4, "tags": ["warning"]},
        {"body": "ping", "priority": 1}]);
    assert_has(&published.inbox.into(), &wanted);
    let minutes: Vec<_> = published.waiting.iter().map(|(_, minutes)| *minutes).collect();
    assert_eq!(minutes.len(), 3);
    assert!(minutes.contains(&30) || minutes.contains(&29), "{minutes:?}");
    assert!(minutes.contains(&660) || minutes.contains(&659), "{minutes:?}");
}

#[tokio::test]
async fn ntfyr_publishes_what_it_reads_from_a_pipe() {
    let line = "printf 'two\\nlines, ä' | ntfyr --server \"$TIDINGS_SERVER\" --token \"$TIDINGS_TOKEN\" \
         --topic backups --title 'Build 4812' --priority urgent --tags ci warning \
         --click https://ci.example.org/4812 --attach https://ci.example.org/log.txt \
         --actions 'view, Open, https://ci.example.org/'
        ntfyr -s \"$TIDINGS_SERVER\" -u ana -p \"$TIDINGS_TOKEN\" -t backups -m later --delay 30m";
    let published = published_by(|clients| drop(clients.text("sh", line))).await;
    let everything = json!({
        "title": "Build 4812", "body": "two\nlines, ä", "priority": 5, "tags": ["ci", "warning"],
        "url": "https://ci.example.org/4812", "attachment": {"name": "log.txt"},
        "actions": [{"action": "view", "label": "Open", "url": "https://ci.example.org/"}],
    });
    assert_has(&published.inbox.into(), &json!([everything]));
    assert_waits(&published.waiting, 30);
}

#[tokio::test]
async fn the_npm_package_ntfy_publishes_all_that_it_may_say() {
    let published = published_by_script("ntfy/publish_ntfy.mjs").await;
    let everything = json!({
        "title": "Bäckup", "body": "two\nlines, ä and 🎉", "priority": 5, "tags": ["ci", "warning"],
        "icon": "https://ci.example.org/icon.png",
        "attachment": {"name": "build.txt", "url": "https://ci.example.org/log.txt"},
        "actions": [
            {"action": "view", "label": "Open", "url": "https://ci.example.org/?a=b", "clear": true},
            {"action": "http", "label": "Retry", "url": "https://ci.example.org/retry", "method": "PUT",
             "headers": {"X-Run": "4812"}},
            {"action": "broadcast", "label": "Picture", "intent": "org.example.PICTURE", "extras": {"cmd": "pic"}},
        ],
    });
    assert_has(&published.inbox.into(), &json!([everything, {"body": "encoded credentials"}]));
    assert_waits(&published.waiting, 30);
}

#[tokio::test]
async fn a_package_that_sends_no_credentials_publishes_where_that_is_allowed() {
    let server = ServerProcess::start_with(&["--open-publish"]);
    let ana = server.admin().user("ana", &["inbox"]).await;
    let topic = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    ana.put("subscriptions", topic).await.success();
    Clients::new(&server.url(), "").script("ntfy/publish_ntfy_publish.mjs");
    let wanted = json!([{
        "title": "Build 4812", "body": "two\nlines", "priority": 4, "tags": ["ci", "warning"],
        "url": "https://ci.example.org/4812", "icon": "https://ci.example.org/icon.png",
        "attachment": {"name": "log.txt", "url": "https://ci.example.org/log.txt"},
    }]);
    assert_has(&ana.inbox().await.into(), &wanted);
}

#[tokio::test]
async fn home_assistant_subscribes_publishes_updates_clears_and_deletes() {
    let (server, ana) = ana().await;
    let nas = json!({"target": {"type": "topic", "id": "nas"}, "actions": ["publish"]});
    ana.put("subscriptions", nas).await.success();
    Clients::new(&server.url(), &ana.token).script("ntfy/home_assistant.py");
    let mut inbox = ana.inbox().await;
    inbox.reverse();
    // What was updated is the newest.
    let wanted = json!([
        {"body": "a copy", "actions": [{"action": "copy", "label": "Copy", "value": "4812"}], "read_at": null},
        {"title": "H", "body": "in\nheaders", "actions": [
            {"action": "http", "label": "It's", "headers": {"X-Run": "4, 8"}, "body": "{\"a\": \"b\"}"}]},
        {"target": {"id": "backups"}, "body": "passed"},
    ]);
    assert!(inbox[2]["read_at"].is_string(), "what was cleared is read");
    assert_has(&inbox.into(), &wanted);
}

//! Tests with the libraries and programs that publish to Gotify and read from it, unchanged except for the address.

use serde_json::{Value, json};
use support::client::Client;
use support::clients::Clients;
use support::server::ServerProcess;

use super::{ana, application, assert_has};

/// Runs a script of `tests/clients` with the token of an application named `NAS`; gives its user's inbox, oldest first.
async fn published_by(script: &str) -> Value {
    let (server, ana) = ana().await;
    let nas = application(&ana, "NAS").await;
    Clients::new(&server.url(), &nas.token).script(script);
    inbox(&ana).await
}

/// Runs a script of `tests/clients` with a token that reads; gives a client with that token.
async fn read_by(script: &str) -> (ServerProcess, Client) {
    let (server, ana) = ana().await;
    Clients::new(&server.url(), &ana.token).script(script);
    (server, ana)
}

/// A user's inbox, oldest first, which is also what Gotify's list has.
async fn inbox(client: &Client) -> Value {
    let mut inbox = client.inbox().await;
    let page = client.get("/message").await.is(200);
    let texts = |list: &Value, name| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|one| one[name].clone()).collect()
    };
    assert_eq!(texts(&inbox.clone().into(), "body"), texts(&page["messages"], "message"));
    assert_eq!(client.unread("total").await, inbox.len() as u64, "nothing was read by being listed");
    inbox.reverse();
    inbox.into()
}

/// How many items are archived.
async fn archived(client: &Client) -> usize {
    client.get("inbox?archived=true&limit=1000").await.is(200)["items"].as_array().unwrap().len()
}

#[tokio::test]
async fn apprise_publishes_by_gotify_s_addresses() {
    let wanted = json!([
        {"title": "Bäckup 🎉", "body": "two\nlines", "priority": 3, "target": {"title": "NAS"}},
        {"title": "NAS", "body": "**bold**", "priority": 4, "format": "markdown"},
        {"body": "low", "priority": 1}, {"body": "moderate", "priority": 2}, {"body": "emergency", "priority": 5},
    ]);
    assert_has(&published_by("gotify/publish_apprise.py").await, &wanted);
}

#[tokio::test]
async fn the_pypi_package_gotify_asks_for_everything_and_hears_what_is_published() {
    let (_server, ana) = read_by("gotify/library.py").await;
    let kept = json!({
        "title": "Bäckup 🎉", "body": "**two**\nlines", "format": "markdown", "priority": 5,
        "target": {"type": "application", "title": "NAS 2"},
    });
    let wanted = json!([kept, {"title": "NAS 2", "body": "1", "priority": 4}, {"body": "2"}, {"body": "3"}, {"body": "4"}]);
    assert_has(&inbox(&ana).await, &wanted);
    // One by its number, two with their application, and what was heard.
    assert!(archived(&ana).await >= 4, "what is deleted there is archived here");
}

#[tokio::test]
async fn gotify_handler_publishes_what_python_logs() {
    let url = "https://ci.example.org/4812?a=b";
    let wanted = json!([
        {"title": "INFO:ci", "body": "Build 4812 began", "priority": 1, "url": url},
        {"title": "ERROR:ci", "body": "Build 4812 failed", "priority": 3, "url": url},
    ]);
    assert_has(&published_by("gotify/publish_gotify_handler.py").await, &wanted);
}

#[tokio::test]
async fn gotipy_makes_an_application_and_publishes_by_it() {
    let (_server, ana) = read_by("gotify/publish_gotipy.py").await;
    let wanted = json!([
        {"title": "Bäckup 🎉", "body": "two\nlines", "priority": 4, "target": {"title": "NAS"}},
        {"title": "Backup", "body": "silent", "priority": 2},
    ]);
    assert_has(&inbox(&ana).await, &wanted);
}

#[tokio::test]
async fn the_npm_package_gotify_publishes_all_that_it_may_say() {
    let everything = json!({
        "title": "Bäckup 🎉", "body": "**two**\nlines", "format": "markdown", "priority": 4,
        "url": "https://ci.example.org/4812?a=b",
        "attachment": {"name": "chart.png", "url": "https://ci.example.org/chart.png"},
        "actions": [{"action": "view", "url": "https://ci.example.org/"}],
    });
    let wanted = json!([everything, {"title": "Backup", "body": "without extras", "priority": 1}]);
    assert_has(&published_by("gotify/publish_gotify.mjs").await, &wanted);
}

#[tokio::test]
async fn the_npm_package_gotify_client_asks_for_everything() {
    let (_server, ana) = read_by("gotify/library.mjs").await;
    let kept = json!({"title": "Bäckup 🎉", "body": "**two**\nlines", "format": "markdown", "priority": 4});
    let wanted = json!([kept, {"title": "NAS 2", "body": "1", "priority": 2}, {"body": "2"}]);
    assert_has(&inbox(&ana).await, &wanted);
    assert_eq!(archived(&ana).await, 2);
}

#[tokio::test]
async fn the_official_command_line_s_requests_make_an_application_and_publish() {
    let (_server, ana) = read_by("gotify/cli.sh").await;
    let rich = json!({
        "title": "Bäckup 🎉", "body": "**bold**", "format": "markdown", "priority": 4,
        "url": "https://ci.example.org/4812?a=b", "attachment": {"name": "chart.png"},
    });
    // It sends a priority even if it was given none.
    let wanted = json!([{"title": "NAS", "body": "two\nlines <&>", "priority": 1}, rich]);
    assert_has(&inbox(&ana).await, &wanted);
}

//! This computer's server in its owner's hands: where it listens, and with which tokens.
//! Refuses to be without a server while it moves.

use std::net::TcpListener;

use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::{Page, keys},
    program::free_port,
    wait,
};

const SERVER: &str = "This computer’s server";

#[tokio::test]
async fn the_server_moves_while_the_app_runs_and_stays_where_it_cannot() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let before = app::own_server(&desktop).await;
    before.publish("backups", "Backup done", &[]).await;
    page.has_row("Backup done").await;
    let mut open = Stream::of(&before).await;

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let taken = taken.local_addr().map(|at| (at.port(), taken)).expect("it is bound");
    page.settings(SERVER).await;
    page.fill("Port", &taken.0.to_string()).await;
    page.reads(&format!("Another program uses port {}. The server goes on at {}", taken.0, before.url)).await;
    before.publish("backups", "Backup again", &[]).await;
    wait::until_equal("unread", json!(2), || async { unread(&desktop) }).await;

    let port = free_port();
    page.fill("Port", &port.to_string()).await;
    page.reads(&format!("http://127.0.0.1:{port}")).await;
    open.ends().await;
    let after = app::own_server(&desktop).await;
    assert_eq!(after.url, format!("http://127.0.0.1:{port}"));
    assert!(!before.healthy().await, "nobody listens at the old place");
    after.publish("parcels", "Your parcel is here", &[]).await;
    page.types("gi").await;
    page.has_row("Your parcel is here").await;
    page.has_row("Backup again").await;
    // What is marked here is marked there.
    page.click_row("Your parcel is here").await;
    wait::until_equal("unread at the server", 2, || after.unread()).await;
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}

#[tokio::test]
async fn a_token_is_made_copied_used_and_revoked() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    page.settings(SERVER).await;
    page.press("Make token…").await;
    page.press("Make").await;
    page.reads("Write what it is for").await;
    page.fill("What it is for", "nas-01").await;
    page.press("Also read the inbox").await;
    page.press("Make").await;
    page.reads("Copy it now: it is shown this once").await;
    let token = page.script("return document.querySelector('[data-token-secret] code').innerText").await;
    let token = token.as_str().expect("a token").to_owned();
    page.click("[data-token-secret] button").await;
    page.reads("Copied").await;
    page.press("Done").await;
    page.reads_no_more(&token).await;
    assert_eq!(pasted(&page).await, token);

    let nas = Client::new(&server.url, &token);
    let mut open = Stream::of(&nas).await;
    nas.publish("backups", "From the cellar", &[]).await;
    open.hints().await;
    page.settings(SERVER).await;
    page.press("Revoke the token for nas-01").await;
    page.press("Revoke").await;
    page.says("Token for nas-01 revoked").await;
    open.ends().await;
    let (status, _) = nas.api(reqwest::Method::GET, "/me", serde_json::Value::Null).await;
    assert_eq!(status, 401);
    page.reads("None. A program on another device needs one").await;
    page.types("gi").await;
    page.has_row("From the cellar").await;
    page.end().await;
}

fn unread(desktop: &Desktop) -> serde_json::Value {
    app::tidings_json(&desktop.data(), &["unread"])["total"].clone()
}

/// What the clipboard holds, as the search field takes it.
async fn pasted(page: &Page<'_>) -> String {
    page.types("gi/").await;
    page.chord(keys::CONTROL, 'v').await;
    let field = "return document.activeElement.value ?? ''";
    let text = wait::until("what was copied", || async {
        page.script(field).await.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    })
    .await;
    page.keys([keys::ESCAPE, keys::ESCAPE, keys::ESCAPE]).await;
    text
}

/// The live channel, which is open for as long as its token and its server live.
struct Stream(reqwest::Response);

impl Stream {
    async fn of(client: &Client) -> Self {
        let http = reqwest::Client::builder().no_proxy().build().expect("an HTTP client");
        let asked = http.get(format!("{}/api/v1/events", client.url)).bearer_auth(&client.token).send().await;
        let answer = asked.expect("the server answers");
        assert!(answer.status().is_success(), "{}", answer.status());
        Self(answer)
    }

    async fn hints(&mut self) {
        let hint = async {
            while let Ok(Some(said)) = self.0.chunk().await {
                if said.starts_with(b"event: hint") {
                    return;
                }
            }
            panic!("the stream ended without a hint");
        };
        tokio::time::timeout(wait::SOON, hint).await.expect("a hint in time");
    }

    async fn ends(&mut self) {
        let end = async { while let Ok(Some(_)) = self.0.chunk().await {} };
        tokio::time::timeout(wait::SOON, end).await.expect("the stream ends in time");
    }
}

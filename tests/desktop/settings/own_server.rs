//! Tests of the settings of the own server: its port, its listeners, its tokens.

use std::net::TcpListener;

use support::{app, client::Client, desktop::Desktop, page::Page, program::free_port, wait};

const SETTINGS_PAGE: &str = "This computer";

#[tokio::test]
async fn the_server_moves_while_the_app_runs_and_stays_where_it_cannot() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let before = app::own_server(&desktop).await;
    before.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    let mut open = EventStream::of(&before).await;

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let taken = taken.local_addr().map(|at| (at.port(), taken)).expect("it is bound");
    page.open_section(SETTINGS_PAGE, "computer-advanced").await;
    page.fill_field("Port", &taken.0.to_string()).await;
    page.wait_for_text(&format!(
        "Another program uses port {}. The server still runs at {}",
        taken.0, before.url
    ))
    .await;
    before.publish("backups", "Backup again", &[]).await;
    wait::until_equal("unread", 2, || async { app::unread(&desktop.data_dir()) }).await;

    let port = free_port();
    page.fill_field("Port", &port.to_string()).await;
    page.wait_for_text(&format!("http://127.0.0.1:{port}")).await;
    open.wait_for_end().await;
    let after = app::own_server(&desktop).await;
    assert_eq!(after.url, format!("http://127.0.0.1:{port}"));
    assert!(!before.healthy().await, "nobody listens at the old place");
    after.publish("parcels", "Your parcel is here", &[]).await;
    // The focus is in the next field, where letters are text.
    page.click(".places [aria-current=page]").await;
    page.type_quickly("gi").await;
    page.wait_for_row("Your parcel is here").await;
    page.wait_for_row("Backup again").await;
    // A mark in the app arrives at the server.
    page.click_row("Your parcel is here").await;
    wait::until_equal("unread at the server", 2, || after.unread("total")).await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

#[tokio::test]
async fn a_token_is_made_copied_used_and_revoked() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    page.open_section(SETTINGS_PAGE, "tokens").await;
    page.press_button("Create token…").await;
    page.press_button("Create").await;
    page.wait_for_text("Enter a purpose").await;
    page.fill_field("Purpose", "nas-01").await;
    page.press_button("Publish and read the inbox").await;
    page.press_button("Create").await;
    page.wait_for_text("Copy it now. It is shown only once").await;
    let token = page.script("return document.querySelector('[data-token-secret] code').innerText").await;
    let token = token.as_str().expect("a token").to_owned();
    page.click("[data-token-secret] button").await;
    page.wait_for_text("Copied").await;
    page.press_button("Done").await;
    page.wait_for_no_text(&token).await;
    assert_eq!(page.clipboard().await, token);

    let nas = Client::new(&server.url, &token);
    let mut open = EventStream::of(&nas).await;
    nas.publish("backups", "From the cellar", &[]).await;
    open.wait_for_hint().await;
    page.open_section(SETTINGS_PAGE, "tokens").await;
    page.press_button("Revoke the token for nas-01").await;
    page.press_button("Revoke").await;
    page.wait_for_snackbar("Token for nas-01 revoked").await;
    open.wait_for_end().await;
    nas.get("me").await.is(401);
    page.wait_for_text("None. A program on another device needs one").await;
    page.type_quickly("gi").await;
    page.wait_for_row("From the cellar").await;
    page.close().await;
}

/// An open live channel; it ends with its token or its server.
struct EventStream(reqwest::Response);

impl EventStream {
    async fn of(client: &Client) -> Self {
        let response = client.request(reqwest::Method::GET, "events").send().await;
        let answer = response.expect("the server answers");
        assert!(answer.status().is_success(), "{}", answer.status());
        Self(answer)
    }

    async fn wait_for_hint(&mut self) {
        let hint = async {
            while let Ok(Some(chunk)) = self.0.chunk().await {
                if chunk.starts_with(b"event: hint") {
                    return;
                }
            }
            panic!("the stream ended without a hint");
        };
        wait::within_timeout("a hint", hint).await;
    }

    async fn wait_for_end(&mut self) {
        let end = async { while let Ok(Some(_)) = self.0.chunk().await {} };
        wait::within_timeout("the end of the stream", end).await;
    }
}

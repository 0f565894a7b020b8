//! Tests of the sign-in with the browser on a real desktop, by keys. One uses a page that leads back to this machine,
//! the other a code that is entered elsewhere.

use serde_json::{Value, json};
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    wait,
};
use tidings_net::http::loopback_client;
use tidings_testkit::services::oauth::{CLIENT_ID, USER_CODE};
use tidings_testkit::services::{DeviceStep, GitHub, Mastodon, ScriptedService};

/// Opens the form of a new source of a kind, with an address, and moves to its sign-in.
async fn begin(page: &Page<'_>, kind: &str, url: &str) {
    page.move_focus_to("Add source", &[keys::TAB]).await;
    page.press_keys([keys::ENTER]).await;
    // Its first focus comes a moment after it, and would take the place of a later one.
    page.wait_for(".dialog [data-first]:focus").await;
    page.select_option("Type", kind).await;
    page.move_focus_to("Address", &[keys::TAB]).await;
    page.press_chord(keys::CONTROL, 'a').await;
    page.type_text(url).await;
}

/// Adds the source whose sign-in succeeded.
async fn add(page: &Page<'_>) {
    page.wait_for_text("Signed in as").await;
    page.move_focus_to("Add", &[keys::TAB]).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for_snackbar("added").await;
}

/// The protocols of the sources, and where they are.
fn sources(desktop: &Desktop) -> Vec<(Value, Value)> {
    let listed = app::tidings_json(&desktop.data_dir(), &["source", "list"]);
    let all = listed.as_array().unwrap().iter().filter(|one| one["own"] == json!(false));
    all.map(|one| (one["protocol"].clone(), one["url"].clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_signs_in_by_the_page_of_a_service_that_leads_back_to_this_machine() {
    let mastodon = Mastodon::start().await;
    mastodon.publish(0);
    let desktop = Desktop::start().with_recorded_links();
    let page = Page::open(&desktop).await;
    page.open_settings("Sources").await;
    begin(&page, "Mastodon", &mastodon.url()).await;
    page.wait_for_text("read your notifications; nothing is changed or posted there").await;
    assert!(mastodon.requests().is_empty(), "what is asked for is said first");
    page.move_focus_to("Sign in with the browser", &[keys::TAB]).await;
    page.press_keys([keys::ENTER]).await;
    let asked = wait::until("the page in the browser", || async { desktop.opened_links().pop() }).await;
    page.wait_for_text("Waiting until you agree on the page").await;

    let back = mastodon.oauth().agree(&asked);
    let browser = loopback_client(wait::TEST_TIMEOUT).unwrap();
    let shown = browser.get(back).send().await.unwrap().text().await.unwrap();
    assert!(shown.contains("go back to Tidings"), "{shown}");
    add(&page).await;
    assert_eq!(sources(&desktop), [(json!("mastodon"), json!(mastodon.url()))]);
    assert!(!page.text().await.contains(&mastodon.token()), "the token stays in the program");
    page.type_quickly("gi").await;
    page.wait_for_row("item 0").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_signs_in_by_a_code_that_is_copied_and_entered_elsewhere() {
    let github = GitHub::start().await;
    github.oauth().set_interval(1);
    github.publish(0);
    let desktop = Desktop::start().with_recorded_links();
    let page = Page::open(&desktop).await;
    page.open_settings("Sources").await;
    begin(&page, "GitHub", &github.url()).await;
    page.wait_for_text("read your notifications, and mark them as read or done").await;
    page.move_focus_to("Client ID", &[keys::TAB]).await;
    page.type_text(CLIENT_ID).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for_text(USER_CODE).await;
    assert_eq!(desktop.opened_links(), Vec::<String>::new(), "the code is compared before a page opens");

    // The code is copied, and pasted where the test can read it.
    page.move_focus_to("Copy Code", &[keys::SHIFT, keys::TAB]).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for_text("Copied").await;
    page.move_focus_to("Name", &[keys::TAB]).await;
    page.press_chord(keys::CONTROL, 'v').await;
    let pasted = || page.script("return document.activeElement.value");
    wait::until_equal("the code", json!(USER_CODE), pasted).await;
    page.press_chord(keys::CONTROL, 'a').await;
    page.press_keys([keys::BACKSPACE]).await;
    page.move_focus_to("Open the page", &[keys::SHIFT, keys::TAB]).await;
    page.press_keys([keys::ENTER]).await;
    let opened = wait::until("the page in the browser", || async { desktop.opened_links().pop() }).await;
    assert_eq!(opened, github.url().replace("/api/v3", "/login/device"));

    github.oauth().plan(&[DeviceStep::Granted]);
    add(&page).await;
    assert_eq!(sources(&desktop), [(json!("github"), json!(github.url()))]);
    page.type_quickly("gi").await;
    page.wait_for_row("item 0").await;
    page.close().await;
}

//! Tests of the settings of topics: settings of the window hold for later publications.

use std::process::Command;

use support::{app, desktop::Desktop, page::Page};

/// Sends the webhook that the form offers to try the template on.
async fn send_offered_webhook(page: &Page<'_>) {
    page.wait_for("[data-hook-line]").await;
    let line = page.script("return document.querySelector('[data-hook-line]').dataset.hookLine").await;
    let line = line.as_str().expect("a line").to_owned();
    let status = Command::new("bash").args(["-c", &format!("{line} -fsS -o /dev/null")]).status();
    assert!(status.expect("bash starts").success(), "{line}");
}

#[tokio::test]
async fn a_template_is_tried_on_what_a_webhook_sent_and_holds_once_it_is_saved() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    page.open_section("This computer", "topics").await;
    page.press_button("Add topic…").await;
    page.fill_field("Topic", "ci").await;
    page.press_button("Advanced").await;
    send_offered_webhook(&page).await;
    page.press_button("Check for new requests").await;
    page.wait_for_text("1 request tried").await;
    page.wait_for_text("As it arrived: no template fits").await;

    page.fill_field("Template", "{% set title = 'CI' %}Half {{ job").await;
    page.wait_for("textarea[aria-invalid=true]").await;
    page.fill_field("Template", "{% set title = 'CI' %}{{ payload | length }} members came").await;
    page.wait_for_text("By the template").await;
    page.wait_for_text("members came").await;
    page.fill_field("Name", "Builds").await;
    page.press_button("Save").await;
    page.wait_for_snackbar("Builds saved").await;

    let hook = format!("{}/hooks/ci", server.url);
    let sent =
        Command::new("curl").args(["-fsS", "-o", "/dev/null", "-d", r#"{"job": "nightly"}"#, &hook]).status();
    assert!(sent.expect("curl starts").success());
    page.type_quickly("gi").await;
    page.wait_for_row("1 members came").await;
    page.close().await;
}

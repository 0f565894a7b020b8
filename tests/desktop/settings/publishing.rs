//! Tests of the settings for publishers: what they offer publishes.

use std::process::Command;

use support::{app, desktop::Desktop, page::Page};

#[tokio::test]
async fn a_test_and_a_copied_line_with_a_new_token_arrive_in_the_inbox() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    page.open_section("This computer", "publish").await;
    page.fill_field("Topic", "nas").await;
    page.wait_for_text(&format!("curl -d \"Backup done\" {}/nas", server.url)).await;
    page.press_button("Send a test").await;
    page.wait_for_snackbar("Test sent. It appears in the inbox in a moment").await;

    page.press_button("Create token…").await;
    page.fill_field("Purpose", "nas-01").await;
    page.press_button("Create").await;
    page.wait_for_text("Bearer ••••••••").await;
    page.press_button("Show token").await;
    page.wait_for_text("Bearer tdg_").await;
    let line = page.script("return document.querySelector('.publish-line code').innerText").await;
    let line = line.as_str().expect("a line").to_owned();
    let status = Command::new("bash").args(["-c", &format!("{line} -fsS -o /dev/null")]).status();
    assert!(status.expect("bash starts").success(), "{line}");

    page.type_quickly("gi").await;
    page.wait_for_row("Backup done").await;
    let inbox = server.inbox().await;
    let mut bodies: Vec<_> = inbox.iter().filter_map(|item| item["body"].as_str()).collect();
    bodies.sort_unstable();
    assert_eq!(bodies, ["A test notification", "Backup done"]);
    page.close().await;
}

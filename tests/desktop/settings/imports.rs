//! Tests that sources of other programs are imported by the window, and feeds exported.

use std::fs;

use support::{desktop::Desktop, page::Page, program::free_port, wait};
use tidings_testkit::services::{Feed, Ntfy, ScriptedService};

#[tokio::test(flavor = "multi_thread")]
async fn topics_and_feeds_of_other_programs_are_taken_over_and_feeds_given_back() {
    let (ntfy, feed) = (Ntfy::start().await, Feed::start().await);
    ntfy.publish(0);
    feed.publish(1);
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    page.open_section("Sources", "other-programs").await;

    let (server, topic) = ntfy.url().rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let client = desktop.path().join("client.yml");
    let token = ntfy.token();
    fs::write(
        &client,
        format!("default-host: {server}\nsubscribe:\n  - topic: {topic}\n    token: {token}\n"),
    )
    .unwrap();
    page.press_button("Import…").await;
    desktop.answer_file_dialog("Import sources", &client).await;
    page.wait_for_text("Import from client.yml").await;
    assert!(!page.text().await.contains(&token), "the token stays in the program");
    // What is on this computer or its network is asked only if its reader chooses it.
    page.click("[data-import='0'] [role=checkbox]").await;
    page.press_button("Add 1").await;
    page.wait_for_text("1 added").await;
    page.press_button("Close").await;

    let list = desktop.path().join("feeds.opml");
    let gone = format!("http://127.0.0.1:{}/gone.xml", free_port());
    let outline = |name: &str, url: &str| format!("<outline text=\"{name}\" xmlUrl=\"{url}\"/>");
    let outlines =
        [outline("Daily", &feed.url()), outline("Gone", &gone), outline("Script", "exec:news.sh")].concat();
    fs::write(&list, format!("<opml version=\"2.0\"><body>{outlines}</body></opml>")).unwrap();
    page.press_button("Import…").await;
    desktop.answer_file_dialog("Import sources", &list).await;
    page.wait_for_text("Skipped (not a source): Script").await;
    for line in ["0", "1"] {
        page.click(&format!("[data-import='{line}'] [role=checkbox]")).await;
    }
    page.press_button("Add 2").await;
    page.wait_for_text("1 added, 1 not added").await;
    page.wait_for_text("Added as “Daily”").await;
    page.wait_for_text("No answer from").await;
    page.press_button("Close").await;

    let back = desktop.path().join("back.opml");
    page.press_button("Export…").await;
    desktop.answer_file_dialog("Export feeds", &back).await;
    page.wait_for_snackbar("1 feed exported").await;
    let written = wait::until("the list", || async { fs::read_to_string(&back).ok() }).await;
    assert!(written.contains(&feed.url()) && !written.contains(&gone), "{written}");
    page.type_quickly("gi").await;
    page.wait_for_row("item 0").await;
    page.wait_for_row("item 1").await;
    page.close().await;
}

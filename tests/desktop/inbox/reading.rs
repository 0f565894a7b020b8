//! Tests that what was on screen in a window with the focus is read, and nothing else.

use support::{app, desktop::Desktop, page::Page, wait};

#[tokio::test]
async fn of_a_long_thread_only_what_was_on_screen_is_read() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for nth in 1..=4 {
        // Each is longer than the pane.
        let lines: Vec<String> = (1..=80).map(|line| format!("Log {nth}, line {line}")).collect();
        let lines = lines.join("\n");
        server.publish("log", &lines, &[]).await;
        page.wait_for_row(&format!("Log {nth}")).await;
    }
    wait::until_equal("unread at the server", 4, || server.unread("total")).await;
    page.click_row("Log 4").await;
    wait::until_equal("unread after the first was on screen", 3, || server.unread("total")).await;
    page.script("document.querySelector('.reading-pane .scroll').scrollTop = 1e6; return null").await;
    wait::until_equal("unread after the last was on screen", 2, || server.unread("total")).await;
    let bodies = server.read_bodies().await;
    assert!(
        bodies.iter().any(|body| body.starts_with("Log 1"))
            && bodies.iter().any(|body| body.starts_with("Log 4")),
        "{bodies:?}"
    );
    // What comes below, while its reader is further up, stays unread.
    page.script("document.querySelector('.reading-pane .scroll').scrollTop = 0; return null").await;
    server.publish("log", "Log 5", &[]).await;
    page.wait_for("[data-testid=new-below]").await;
    wait::until_equal("unread with the new one", 3, || server.unread("total")).await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

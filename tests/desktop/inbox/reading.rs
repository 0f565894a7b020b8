//! Tests that what was on screen in a window with the focus is read, and nothing else.

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    server::ServerProcess,
    wait,
};

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

    // Of many short ones, what is not loaded is as unread as what is below the edge. The pointer leaves the list, whose
    // rows do not move under it.
    page.click(".reading-pane .sheet-title").await;
    for nth in 1..=120 {
        server.publish("many", &format!("Line {nth:03}"), &[]).await;
    }
    page.wait_for_row("Line 120").await;
    wait::until_equal("unread with the many", 123, || server.unread("total")).await;
    page.click_row("Line 120").await;
    page.wait_for_text("Line 001").await;
    wait::until("what is on screen to be read", || async { server.unread("total").await < 123 }).await;
    let many_are_left = || async { server.unread("total").await > 60 };
    wait::stays(wait::QUIET_PERIOD, "most of them unread", true, many_are_left).await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

/// Waits until a conversation shows the first message and not the other one.
async fn wait_for_messages(page: &Page<'_>, shown: &str, not_shown: &str) {
    let script = "const pane = document.querySelector('.reading-pane .scroll')?.getBoundingClientRect();
        const isShown = box => box.top < pane.bottom && box.bottom > pane.top;
        return [...document.querySelectorAll('.reading-pane .bubble')]
          .filter(one => isShown(one.getBoundingClientRect())).map(one => one.innerText).join('\\n')";
    wait::until(&format!("{shown:?} on screen"), || async {
        let text = page.script(script).await;
        text.as_str().is_some_and(|text| text.contains(shown) && !text.contains(not_shown))
    })
    .await;
}

#[tokio::test]
async fn a_chat_with_300_unread_opens_at_the_first_of_them_and_only_what_was_on_screen_is_read() {
    let desktop = Desktop::start();
    let server = ServerProcess::start();
    let ana = server.admin().user_named("ana", "Ana Ruiz", &["inbox"]).await;
    let bo = server.admin().user_named("bo", "Bo Kessler", &["inbox"]).await;
    ana.post("groups", json!({"id": "crew", "name": "Release crew", "members": ["bo"]})).await.success();
    for nth in 1..=400 {
        let message = json!({"body": format!("Message {nth:03}")});
        let sent = bo.post("groups/crew/messages", message).await.success();
        if nth == 100 {
            ana.put("conversations/group:crew/read", json!({"through": sent["msgid"]})).await.success();
        }
    }
    app::add_source(&desktop.data_dir(), &ana);
    let page = Page::open(&desktop).await;
    let unread = || async { app::unread(&desktop.data_dir()) };
    wait::until_equal("unread before", 300, unread).await;

    page.click_row("Release crew").await;
    wait_for_messages(&page, "Message 101", "Message 400").await;
    page.wait_for(".since.both").await;
    wait::until("what is on screen to be read", || async { unread().await < 300 }).await;
    let many_are_left = || async { unread().await > 200 };
    wait::stays(wait::QUIET_PERIOD, "most of them unread", true, many_are_left).await;

    page.script("document.querySelector('.reading-pane .scroll').focus(); return null").await;
    page.press_keys([keys::HOME]).await;
    wait_for_messages(&page, "Message 001", "Message 101").await;
    assert!(many_are_left().await, "the way to the first message reads nothing");
    page.close().await;
    app::tidings(&desktop.data_dir(), &["check"]);
}

/// The text of a body in Markdown with blocks of code in C.
fn in_c(blocks: &[&str]) -> String {
    let blocks: Vec<_> = blocks.iter().map(|code| format!("```c\n{code}\n```\n\n")).collect();
    blocks.concat()
}

#[tokio::test]
async fn code_in_c_that_is_highlighted_for_as_long_as_the_square_of_its_length_leaves_the_window_awake() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let quadratic = "a b\n".repeat(4_990);
    let bodies = [
        ("slow", in_c(&["int first(void);", &quadratic, &quadratic])),
        ("good", in_c(&["int second(void);"])),
    ];
    for (topic, body) in &bodies {
        server.publish(topic, body, &[("Markdown", "yes"), ("Title", topic)]).await;
        page.wait_for_row(topic).await;
    }
    // The worker runs in the window, under its content policy.
    let types = "return [...document.querySelectorAll('pre code .hl-type')].map(type => type.textContent)";
    page.click_row("slow").await;
    wait::until("colours in the first block", || async { page.script(types).await[0] == "int" }).await;
    let chunks = "return performance.getEntriesByType('resource').map(one => one.name).filter(name => /\\/c-/.test(name))";
    assert_eq!(page.script(chunks).await, json!([]), "the page itself has no grammar");
    // A page that searched the code itself would not answer meanwhile.
    page.click_row("good").await;
    page.wait_for_text("int second(void);").await;
    wait::until("colours after a worker was ended", || async {
        let shown = page.script("return document.querySelector('pre code .hl-title')?.textContent").await;
        shown == "second"
    })
    .await;
    page.close().await;
}

//! A day without a pointer: triage, a chat and the settings by keys, with the focus always to be seen.

use serde_json::{Value, json};
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    server::ServerProcess,
    wait,
};

use super::focus::shows_focus;

/// Waits until something visible has the focus, which may move there a frame later, and fails the test if nothing shows
/// it.
async fn focus_is_seen(page: &Page<'_>, doing: &str) {
    let script = "const one = document.activeElement;
        return one && one !== document.body && one.checkVisibility() ? one.outerHTML.slice(0, 120) : null";
    let focused = wait::until(&format!("something to have the focus after {doing}"), || async {
        page.script(script).await.as_str().map(str::to_owned)
    })
    .await;
    shows_focus(page, doing, &focused).await;
}

/// Waits until the row that is current contains `text`.
async fn current(page: &Page<'_>, text: &str) {
    let script = "return document.querySelector('[role=option].is-current')?.innerText ?? ''";
    wait::until(&format!("{text:?} to be current"), || async {
        page.script(script).await.as_str().is_some_and(|row| row.contains(text))
    })
    .await;
}

async fn row_leaves(page: &Page<'_>, text: &str) {
    wait::until(&format!("{text:?} to leave"), || async {
        page.rows().await.iter().all(|row| !row.contains(text))
    })
    .await;
}

#[tokio::test]
async fn triage_is_done_by_keys_alone() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for nth in 1..=6 {
        server.publish(&format!("topic-{nth}"), &format!("Thing {nth}"), &[]).await;
        page.wait_for_row(&format!("Thing {nth}")).await;
    }
    page.type_text("j").await;
    current(&page, "Thing 6").await;
    focus_is_seen(&page, "j").await;
    page.type_text("e").await;
    row_leaves(&page, "Thing 6").await;
    current(&page, "Thing 5").await;
    focus_is_seen(&page, "archiving").await;
    page.wait_for_snackbar("archived").await;
    page.type_text("z").await;
    page.wait_for_row("Thing 6").await;
    focus_is_seen(&page, "undoing").await;

    // Snooze by one of the usual times: there is one highlight, and Enter takes what is highlighted.
    page.type_text("k").await;
    current(&page, "Thing 6").await;
    page.type_text("h").await;
    page.wait_for(".snooze [role=option]").await;
    page.press_keys([keys::DOWN, keys::ENTER]).await;
    row_leaves(&page, "Thing 6").await;
    focus_is_seen(&page, "snoozing").await;

    // Two at once: select, extend, pin, and leave the selection.
    page.type_text("x").await;
    page.press_chord(keys::SHIFT, 'J').await;
    wait::until_equal("selected rows", json!(2), || {
        page.script("return document.querySelectorAll('[role=option].is-checked').length")
    })
    .await;
    focus_is_seen(&page, "selecting").await;
    page.type_text("p").await;
    page.press_keys([keys::ESCAPE]).await;
    wait::until_equal("selected rows", json!(0), || {
        page.script("return document.querySelectorAll('[role=option].is-checked').length")
    })
    .await;
    page.type_quickly("gp").await;
    wait::until_equal("pinned rows", 2, || async { page.rows().await.len() }).await;
    focus_is_seen(&page, "going to a place").await;
    page.type_quickly("gi").await;
    page.wait_for_row("Thing 1").await;
    page.press_chord(keys::SHIFT, 'I').await;
    wait::until_equal("unread at the server", 0, || server.unread("total")).await;
    focus_is_seen(&page, "marking all read").await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

#[tokio::test]
async fn a_chat_and_the_settings_go_by_keys_alone() {
    let desktop = Desktop::start();
    let server = ServerProcess::start();
    let ana = server.admin().user_named("ana", "Ana Ruiz", &["inbox"]).await;
    let bo = server.admin().user_named("bo", "Bo Kessler", &["inbox"]).await;
    bo.post("messages", json!({"to": "ana", "body": "Lunch at noon?"})).await.success();
    app::add_source(&desktop.data_dir(), &ana);
    let page = Page::open(&desktop).await;
    page.wait_for_row("Lunch at noon").await;
    page.type_quickly("gc").await;
    page.wait_for_row("Lunch at noon").await;
    page.type_text("j").await;
    current(&page, "Lunch at noon").await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for(".composer textarea:focus").await;
    focus_is_seen(&page, "opening a chat").await;
    page.type_text("Yes, see you there").await;
    page.press_keys([keys::ENTER]).await;
    wait::until("the answer to reach Bo", || async {
        let items = bo.pull(None, 100).await.0;
        items.iter().any(|item| item["body"] == "Yes, see you there")
    })
    .await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".reading-pane:focus, .reading-pane .scroll:focus").await;
    focus_is_seen(&page, "leaving the field").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".list [role=listbox]:focus").await;
    focus_is_seen(&page, "leaving a chat").await;

    // Even if the pointer was used before, what a key focuses shows it.
    page.click_row("see you there").await;
    page.click(".composer textarea").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".by-key .reading-pane .scroll:focus").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".by-key .list [role=listbox]:focus").await;

    page.press_chord(keys::CONTROL, ',').await;
    page.wait_for(".prefs, .settings").await;
    focus_is_seen(&page, "opening the settings").await;
    page.run_command("Theme: Dark").await;
    wait::until_equal("the theme", json!("dark"), || {
        page.script("return document.documentElement.dataset.theme")
    })
    .await;
    focus_is_seen(&page, "setting the theme").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".list [role=listbox]:focus").await;
    focus_is_seen(&page, "leaving the settings").await;
    page.close().await;
}

/// What has a ring in the pane of the list: rows by their text, anything else by its classes.
async fn ringed(page: &Page<'_>) -> Value {
    page.script(
        "const list = document.querySelector('.list');
         const isRinged = one => {
           const { outlineStyle, outlineWidth } = getComputedStyle(one);
           return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
         };
         const ring = getComputedStyle(list, '::after');
         const pane = ring.position === 'absolute' && parseFloat(ring.borderTopWidth) > 0 ? ['the pane'] : [];
         const name = one => one.querySelector('.thread-what')?.textContent.trim() ?? one.className;
         return [...pane, ...[list, ...list.querySelectorAll('*')].filter(isRinged).map(name)]",
    )
    .await
}

#[tokio::test]
async fn the_ring_of_the_list_is_on_the_current_row_and_only_after_a_key() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for nth in 1..=3 {
        server.publish(&format!("topic-{nth}"), &format!("Thing {nth}"), &[]).await;
        page.wait_for_row(&format!("Thing {nth}")).await;
    }
    page.click_row("Thing 2").await;
    current(&page, "Thing 2").await;
    wait::until_equal("the rings after a click", json!([]), || ringed(&page)).await;
    page.type_text("j").await;
    current(&page, "Thing 1").await;
    wait::until_equal("the rings after a key", json!(["Thing 1"]), || ringed(&page)).await;
    page.click_row("Thing 3").await;
    current(&page, "Thing 3").await;
    wait::until_equal("the rings after another click", json!([]), || ringed(&page)).await;
    page.close().await;
}

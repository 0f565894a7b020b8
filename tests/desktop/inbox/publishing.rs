//! A notification is written to a topic of an ntfy server by keys alone. It arrives like any other, the server has it
//! once, and what the server refuses is not lost.

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    wait,
};
use tidings_testkit::services::{Ntfy, ScriptedService};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_to_a_topic_by_keys_alone_arrives_and_is_at_the_server_once() {
    let ntfy = Ntfy::with(&["alerts", "door"], false).await;
    ntfy.store(json!({"id": Ntfy::id(1), "time": 1, "topic": "door", "message": "Somebody rang"}));
    let desktop = Desktop::start();
    let (url, token) = (ntfy.url(), ntfy.token());
    app::tidings(&desktop.data_dir(), &["source", "add", "ntfy", &url, "--token", &token, "--name", "Home"]);
    let page = Page::open(&desktop).await;
    page.wait_for_row("Somebody rang").await;
    wait::until_equal("open streams", 1, || async { ntfy.streams() }).await;

    written_on_another_topic_than_the_one_in_view(&page).await;
    arrived_once(&desktop, &page, &ntfy).await;
    a_refusal_keeps_what_was_written(&page, &ntfy).await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

/// Opens the form; its first field has the focus then.
async fn begin(page: &Page<'_>) {
    page.run_command("Publish to a topic").await;
    page.wait_for("[data-publish=title] input:focus").await;
}

async fn written_on_another_topic_than_the_one_in_view(page: &Page<'_>) {
    page.type_text("j").await;
    page.wait_for("[role=option].is-current").await;
    begin(page).await;
    chosen_topic(page, "door").await;
    choose_topic(page, "alerts").await;
    enter(page, "Title", "Lunch").await;
    enter(page, "Text", "Lunch is **served**").await;
    page.press_keys([keys::ENTER]).await;
    page.type_quickly("in the kitchen").await;
    page.move_focus_to("The text is Markdown", &[keys::TAB]).await;
    page.type_text(" ").await;
    page.move_focus_to("Priority", &[keys::TAB]).await;
    wait::until("a high priority", || async {
        page.type_quickly("High").await;
        page.script("return document.activeElement?.value").await == json!("4")
    })
    .await;
    enter(page, "Tags", "stew,").await;
    enter(page, "Address to open when clicked", "https://menu.example/today").await;
    page.move_focus_to("Text", &[keys::SHIFT, keys::TAB]).await;
    page.press_chord(keys::CONTROL, keys::ENTER).await;
    page.wait_for_snackbar("Published to alerts").await;
    page.wait_for("body:not(:has(.dialog))").await;
}

async fn arrived_once(desktop: &Desktop, page: &Page<'_>, ntfy: &Ntfy) {
    page.wait_for_row("Lunch is served").await;
    wait::stays(wait::QUIET_PERIOD, "publications at the server", 1, || async { ntfy.published().len() })
        .await;
    let published = &ntfy.published()[0];
    for (member, value) in [
        ("topic", json!("alerts")),
        ("title", json!("Lunch")),
        ("message", json!("Lunch is **served**\nin the kitchen")),
        ("content_type", json!("text/markdown")),
        ("priority", json!(4)),
        ("tags", json!(["stew"])),
        ("click", json!("https://menu.example/today")),
    ] {
        assert_eq!(published[member], value, "{member} of {published}");
    }
    let rows = page.rows().await;
    assert_eq!(rows.iter().filter(|row| row.contains("Lunch")).count(), 1, "{rows:?}");
    // The other thread is read by now: it is the one on screen.
    wait::until_equal("unread", 1, || async { app::unread(&desktop.data_dir()) }).await;
}

async fn a_refusal_keeps_what_was_written(page: &Page<'_>, ntfy: &Ntfy) {
    ntfy.refuse_writes("door");
    begin(page).await;
    choose_topic(page, "door").await;
    enter(page, "Text", "The bell is broken").await;
    page.press_chord(keys::CONTROL, keys::ENTER).await;
    page.wait_for_text("You may not publish to “door” at Home").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.dialog))").await;
    begin(page).await;
    page.move_focus_to("Text", &[keys::TAB]).await;
    let kept = page.script("return document.activeElement.value").await;
    assert_eq!(kept, json!("The bell is broken"));
    assert_eq!(ntfy.published().len(), 1, "nothing was published");
    choose_topic(page, "alerts").await;
    page.move_focus_to("Text", &[keys::TAB]).await;
    page.press_chord(keys::CONTROL, keys::ENTER).await;
    page.wait_for_row("The bell is broken").await;
    wait::stays(wait::QUIET_PERIOD, "publications at the server", 2, || async { ntfy.published().len() })
        .await;
}

/// Waits until this topic is chosen.
async fn chosen_topic(page: &Page<'_>, topic: &str) {
    let script = "return document.querySelector('.dialog select')?.value.split('/')[1]";
    wait::until_equal("the chosen topic", json!(topic), || page.script(script)).await;
}

async fn choose_topic(page: &Page<'_>, topic: &str) {
    page.move_focus_to("Topic", &[keys::SHIFT, keys::TAB]).await;
    // The letters belong together only if they come fast.
    page.type_quickly(topic).await;
    chosen_topic(page, topic).await;
}

/// Moves to a field and types into it.
async fn enter(page: &Page<'_>, label: &str, text: &str) {
    page.move_focus_to(label, &[keys::TAB]).await;
    page.press_chord(keys::CONTROL, 'a').await;
    page.type_quickly(text).await;
}

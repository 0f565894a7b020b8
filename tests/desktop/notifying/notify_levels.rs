//! Tests of a thread's notify level, changed in the reading pane: it applies from the next notification on.

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// Chooses an option of a submenu in the open thread's menu, and waits until the menu has it as the program does.
async fn choose_option(page: &Page<'_>, question: &str, text: &str) {
    page.press_button("More").await;
    page.press_button(question).await;
    page.press_button(text).await;
    page.wait_for("body:not(:has([role=menu]))").await;
    page.press_button("More").await;
    let chosen = format!(
        "const all = [...document.querySelectorAll('[role=menu] [data-notify-option]')];
         const line = all.find(one => one.innerText.trim().startsWith({}));
         return line?.querySelector('.hint')?.innerText.trim() ?? ''",
        json!(question)
    );
    wait::until_equal(&format!("what {question:?} is answered with"), json!(text), || page.script(&chosen))
        .await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has([role=menu]))").await;
}

/// Whether the dot of the row with these words is filled: its unread items count for the badge. The dot's colour
/// changes in an animation, which is finished first, as a busy machine draws few frames.
async fn has_filled_dot(page: &Page<'_>, text: &str) -> bool {
    let script = format!(
        "const row = [...document.querySelectorAll('[role=option]')].find(one => one.textContent.includes({}));
         const dot = row.querySelector('.thread-dot');
         dot.getAnimations().forEach(change => change.finish());
         return getComputedStyle(dot).backgroundColor !== 'rgba(0, 0, 0, 0)'",
        json!(text)
    );
    page.script(&script).await == json!(true)
}

#[tokio::test]
async fn a_thread_tells_as_much_as_its_reader_wants() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let tray = Tray::find(&desktop).await;
    server.publish("builds", "Build 1 passed", &[]).await;
    toasts.wait_for("Build 1").await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    toasts.wait_for("Your parcel is here").await;
    page.click_row("Build 1").await;
    tray.wait_for_number("1").await;

    choose_option(&page, "Notify with", "Badge only").await;
    let toast_calls = || async { toasts.calls().len() };
    page.click_row("Your parcel is here").await;
    tray.wait_for_number("none").await;
    let before = toast_calls().await;
    server.publish("builds", "Build 2 passed", &[]).await;
    tray.wait_for_number("1").await;
    wait::stays(wait::QUIET_PERIOD, "what was told", before, toast_calls).await;

    page.click_row("Build 2").await;
    // It is read after a moment on screen, and a menu would cover it.
    tray.wait_for_number("none").await;
    choose_option(&page, "Notify with", "Toast and badge").await;
    choose_option(&page, "From priority", "High (4)").await;
    page.click_row("Your parcel is here").await;
    tray.wait_for_number("none").await;
    server.publish("builds", "Build 3 passed", &[]).await;
    page.wait_for_row("Build 3").await;
    tray.wait_for_number("dot").await;
    assert!(!has_filled_dot(&page, "Build 3").await, "what is not counted looks like it");
    wait::stays(wait::QUIET_PERIOD, "what was told", before, toast_calls).await;
    server.publish("builds", "Build 4 failed", &[("Priority", "4")]).await;
    toasts.wait_for("Build 4").await;
    tray.wait_for_number("1").await;
    page.wait_for_row("Build 4").await;
    wait::until("a filled dot", || async { has_filled_dot(&page, "Build 4").await }).await;

    page.click_row("Build 4").await;
    choose_option(&page, "Notify with", "Nothing").await;
    page.press_keys([keys::ESCAPE]).await;
    page.click_row("Your parcel is here").await;
    let before = toast_calls().await;
    server.publish("builds", "Build 5 burns", &[("Priority", "5")]).await;
    page.wait_for_row("Build 5").await;
    wait::stays(wait::QUIET_PERIOD, "what was told", before, toast_calls).await;
    page.close().await;
}

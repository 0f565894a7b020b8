//! How much a thread may tell, as its reader wants it: changed in the reading pane, it holds from the next notification
//! on. Refuses to look at what came before.

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// Answers one of the questions in the menu of the open thread.
async fn answer(page: &Page<'_>, question: &str, words: &str) {
    page.press("More").await;
    page.press(question).await;
    page.press(words).await;
    wait::until("the menu to close", || async {
        page.find_all("[role=menu]").await.is_empty().then_some(())
    })
    .await;
}

/// Whether the dot of the row with these words is filled: what is unread there is in the number. Its colour changes
/// over some frames, of which a busy machine draws few: what it changes to is what counts.
async fn is_filled(page: &Page<'_>, words: &str) -> bool {
    let script = format!(
        "const row = [...document.querySelectorAll('[role=option]')].find(one => one.textContent.includes({}));
         const dot = row.querySelector('.thread-dot');
         dot.getAnimations().forEach(change => change.finish());
         return getComputedStyle(dot).backgroundColor !== 'rgba(0, 0, 0, 0)'",
        json!(words)
    );
    page.script(&script).await == json!(true)
}

#[tokio::test]
async fn a_thread_tells_as_much_as_its_reader_wants() {
    let desktop = Desktop::recorded();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let tray = Tray::find(&desktop).await;
    server.publish("builds", "Build 1 passed", &[]).await;
    toasts.with("Build 1").await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    toasts.with("Your parcel is here").await;
    page.click_row("Build 1").await;
    tray.shows("1").await;

    answer(&page, "Tell me with", "Badge").await;
    let told = || async { toasts.calls().len() };
    page.click_row("Your parcel is here").await;
    tray.shows("none").await;
    let before = told().await;
    server.publish("builds", "Build 2 passed", &[]).await;
    tray.shows("1").await;
    wait::stays(wait::A_WHILE, "what was told", before, told).await;

    page.click_row("Build 2").await;
    answer(&page, "Tell me with", "Toast and badge").await;
    answer(&page, "From priority", "High (4)").await;
    page.click_row("Your parcel is here").await;
    tray.shows("none").await;
    server.publish("builds", "Build 3 passed", &[]).await;
    page.has_row("Build 3").await;
    tray.shows("dot").await;
    assert!(!is_filled(&page, "Build 3").await, "what is not counted looks like it");
    wait::stays(wait::A_WHILE, "what was told", before, told).await;
    server.publish("builds", "Build 4 failed", &[("Priority", "4")]).await;
    toasts.with("Build 4").await;
    tray.shows("1").await;
    page.has_row("Build 4").await;
    wait::until("a filled dot", || async { is_filled(&page, "Build 4").await.then_some(()) }).await;

    page.click_row("Build 4").await;
    answer(&page, "Tell me with", "Nothing").await;
    page.keys([keys::ESCAPE]).await;
    page.click_row("Your parcel is here").await;
    let before = told().await;
    server.publish("builds", "Build 5 burns", &[("Priority", "5")]).await;
    page.has_row("Build 5").await;
    wait::stays(wait::A_WHILE, "what was told", before, told).await;
    page.end().await;
}

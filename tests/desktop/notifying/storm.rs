//! Tests a hundred notifications a second with the window open: the page stays responsive, toasts stay few and counts
//! are exact. What holds the page up is measured in its own processor time, so that other programs have no part in it.

use std::time::{Duration, Instant, SystemTime};

use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::{Desktop, DesktopOptions},
    page::Page,
    page_work::PageWork,
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// Notifications in each 100 ms.
const PER_TENTH: u64 = 10;
/// The bound of simultaneously open toasts.
const MAX_TOASTS: usize = 6;
/// The bound of changes to the open toasts in a second.
const MAX_CHANGES_PER_SECOND: u64 = 3;

/// The longest that the page may work without a pause, in its own processor time. docs/PERFORMANCE.md has the figures of
/// an idle machine.
const FROZEN: Duration = Duration::from_millis(1_500);

/// The storm's length: `TIDINGS_STORM` in seconds, or 15 s.
fn duration_secs() -> u64 {
    std::env::var("TIDINGS_STORM").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(15)
}

/// Makes the page record the longest gap between its timers, with its beginning and its end.
async fn watch_event_loop(page: &Page<'_>) {
    page.script(
        "window.gap = [0, 0]; let last = Date.now(); clearInterval(window.gapTimer);
         window.gapTimer = setInterval(() => {
           const now = Date.now(), [from, to] = window.gap;
           if (now - last > to - from) window.gap = [last, now];
           last = now;
         }, 10);",
    )
    .await;
}

/// The longest gap since [`watch_event_loop`].
async fn longest_gap(page: &Page<'_>) -> [SystemTime; 2] {
    let gap = page.script("return window.gap").await;
    let millis = |n: usize| gap[n].as_u64().expect("the watch goes on");
    [0, 1].map(|n| SystemTime::UNIX_EPOCH + Duration::from_millis(millis(n)))
}

#[tokio::test]
async fn a_hundred_a_second_do_not_freeze_the_page_and_are_counted_to_the_last() {
    let desktop = Desktop::with_options(DesktopOptions { dunst: false, ..DesktopOptions::default() });
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let tray = Tray::find(&desktop).await;
    for topic in 0..30 {
        server.publish(&format!("before-{topic}"), "Here before", &[]).await;
    }
    page.wait_for_row("Here before").await;
    page.type_text("jjj").await;
    // What is on screen is read sooner or later; what is counted below is only what comes from now on.
    wait::until("all of it in the inbox", || async {
        app::tidings(&desktop.data_dir(), &["list", "--limit", "100"]).matches("Here before").count() == 30
    })
    .await;
    app::tidings(&desktop.data_dir(), &["mark", "read", "--all"]);
    wait::until_equal("unread", 0, || async { app::unread(&desktop.data_dir()) }).await;

    let (toast_calls, start) = (toasts.calls().len(), Instant::now());
    let page_work = PageWork::record(&desktop);
    watch_event_loop(&page).await;
    let (sent, most) = publish_storm(&server, &toasts).await;
    let unread = || async { app::unread(&desktop.data_dir()) };
    wait::within(2 * wait::TEST_TIMEOUT, "all of it to be in the inbox", || async { unread().await == sent })
        .await;
    let text = thousands(sent);
    wait::until(&format!("{text} beside the inbox"), || async {
        let count =
            page.script("return document.querySelector('[data-place=inbox] .count')?.innerText").await;
        count == json!(text) || count == json!(sent.to_string())
    })
    .await;
    let [from, to] = longest_gap(&page).await;
    let (gap, worked) = (to.duration_since(from).unwrap_or_default(), page_work.between(from, to));
    let changes = (toasts.calls().len() - toast_calls) as u64;
    let seconds = start.elapsed().as_secs() + 1;
    println!(
        "{sent} in {} s; longest gap {gap:?}, in which the page worked {worked:?}; at most {most} toasts at a time, {changes} changes",
        duration_secs()
    );

    tray.wait_for_number("9plus").await;
    assert!(most <= MAX_TOASTS, "{most} toasts at a time");
    assert!(changes <= MAX_CHANGES_PER_SECOND * seconds, "the toasts changed {changes} times in {seconds} s");
    assert!(worked < FROZEN, "the page worked for {worked:?} without a pause, in {gap:?}");
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

/// Publishes 100 notifications a second on 40 topics; returns their number and the most toasts open at a time.
async fn publish_storm(server: &Client, toasts: &Toasts) -> (u64, usize) {
    let (start, mut sent, mut most) = (Instant::now(), 0, 0);
    let mut beat = tokio::time::interval(Duration::from_millis(100));
    while start.elapsed() < Duration::from_secs(duration_secs()) {
        beat.tick().await;
        let batch: Vec<_> = (0..PER_TENTH)
            .map(|k| {
                let (server, n) = (server.clone(), sent + k);
                tokio::spawn(async move {
                    server.publish(&format!("job-{}", n % 40), &format!("Step {n} done"), &[]).await;
                })
            })
            .collect();
        for request in batch {
            request.await.expect("each is taken");
        }
        sent += PER_TENTH;
        most = most.max(toasts.shown().len());
    }
    (sent, most)
}

/// A count with thousands separators: 1530 as `1,530`.
fn thousands(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

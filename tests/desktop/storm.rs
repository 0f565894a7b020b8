//! A hundred notifications a second with the window open: the page answers all the time, toasts stay few, and the
//! numbers are right at the end. Refuses to blame the page for the machine: it is weighed beside itself at rest.

use std::time::{Duration, Instant};

use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::{Desktop, Has},
    page::Page,
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// Notifications in one tenth of a second.
const AT_ONCE: u64 = 10;
/// Toasts that can be read at a time.
const FEW: usize = 6;
/// Changes of the toasts on screen in a second that can be followed.
const CHANGES: u64 = 3;

/// A page that stands still for so long is frozen, on a machine with other work too, ms. The figures of a calm one are in
/// docs/PERFORMANCE.md.
const FREEZE: f64 = 1_500.0;

/// How long it lasts: a quarter of a minute, or as many seconds as `TIDINGS_STORM` says.
fn span() -> u64 {
    std::env::var("TIDINGS_STORM").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(15)
}

/// The page notes the longest time that it did not come to a timer of its own.
async fn watch_for_gaps(page: &Page<'_>) {
    page.script(
        "window.gap = 0; let last = performance.now(); clearInterval(window.gapTimer);
         window.gapTimer = setInterval(() => {
           const now = performance.now(); window.gap = Math.max(window.gap, now - last - 10); last = now;
         }, 10);",
    )
    .await;
}

/// The longest task since the watch began, ms.
async fn longest(page: &Page<'_>) -> f64 {
    page.script("return window.gap").await.as_f64().expect("the watch goes on")
}

#[tokio::test]
async fn a_hundred_a_second_do_not_freeze_the_page_and_are_counted_to_the_last() {
    let desktop = Desktop::with(Has { dunst: false, ..Has::default() });
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let tray = Tray::find(&desktop).await;
    for topic in 0..30 {
        server.publish(&format!("before-{topic}"), "Here before", &[]).await;
    }
    page.has_row("Here before").await;
    page.types("jjj").await;

    watch_for_gaps(&page).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let at_rest = longest(&page).await;

    let before = app::tidings_json(&desktop.data(), &["unread"])["total"].as_u64().unwrap();
    let (told, start) = (toasts.calls().len(), Instant::now());
    watch_for_gaps(&page).await;
    let (sent, most) = rain(&server, &toasts).await;
    let unread = || async { app::tidings_json(&desktop.data(), &["unread"])["total"].as_u64().unwrap_or(0) };
    let all = before + sent;
    wait::within(2 * wait::SOON, "all of it to be in the inbox", || async {
        (unread().await == all).then_some(())
    })
    .await;
    let words = thousands(all);
    wait::until(&format!("{words} beside the inbox"), || async {
        let count =
            page.script("return document.querySelector('[data-place=inbox] .count')?.innerText").await;
        (count == json!(words) || count == json!(all.to_string())).then_some(())
    })
    .await;
    let in_storm = longest(&page).await;
    let changes = (toasts.calls().len() - told) as u64;
    let seconds = start.elapsed().as_secs() + 1;
    println!(
        "{sent} in {} s; longest task {in_storm:.0} ms, at rest {at_rest:.0} ms; at most {most} toasts at a time, {changes} changes",
        span()
    );

    tray.shows("9plus").await;
    assert!(most <= FEW, "{most} toasts at a time");
    assert!(changes <= CHANGES * seconds, "the toasts changed {changes} times in {seconds} s");
    assert!(
        in_storm < FREEZE.max(10.0 * at_rest),
        "the page stood still for {in_storm:.0} ms, at rest {at_rest:.0}"
    );
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}

/// Publishes a hundred a second on forty topics; answers how many, and how many toasts there were at a time.
async fn rain(server: &Client, toasts: &Toasts) -> (u64, usize) {
    let (start, mut sent, mut most) = (Instant::now(), 0, 0);
    let mut beat = tokio::time::interval(Duration::from_millis(100));
    while start.elapsed() < Duration::from_secs(span()) {
        beat.tick().await;
        let batch: Vec<_> = (0..AT_ONCE)
            .map(|k| {
                let (server, n) = (server.clone(), sent + k);
                tokio::spawn(async move {
                    server.publish(&format!("job-{}", n % 40), &format!("Step {n} done"), &[]).await;
                })
            })
            .collect();
        for one in batch {
            one.await.expect("each is taken");
        }
        sent += AT_ONCE;
        most = most.max(toasts.shown().len());
    }
    (sent, most)
}

/// 1530 as 1,530.
fn thousands(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

//! Tests of the first start: without any setup, one `curl` reaches window, tray, badge and toast.

use std::time::{Duration, Instant};

use support::{
    app::{self, App},
    desktop::Desktop,
    page::Page,
    toasts::Toasts,
    tray::Tray,
    wait,
};

#[tokio::test]
async fn one_curl_gives_a_toast_a_number_on_the_tray_and_a_row_in_the_window() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    page.wait_for_text(&format!("curl -d \"Backup done\" {}/backups", server.url)).await;
    let tray = Tray::find(&desktop).await;
    tray.wait_for_number("none").await;

    server.publish("backups", "Backup done", &[("Title", "Nightly"), ("Priority", "high")]).await;

    let toast = toasts.wait_for("Backup done").await;
    assert_eq!(toast.app, "Tidings");
    tray.wait_for_number("1").await;
    assert!(tray.tooltip().await.contains("1 unread"), "{}", tray.tooltip().await);
    page.wait_for_row("Backup done").await;
    assert_eq!(app::unread(&desktop.data_dir()), 1);
    page.close().await;
}

#[tokio::test]
async fn the_toast_and_the_number_come_at_once_and_not_with_the_next_poll() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    let tray = Tray::find(&desktop).await;

    let mut durations = Vec::new();
    for n in 1..=5 {
        // They have topics of their own, so that no two share a toast.
        let (topic, body) = (format!("job-{n}"), format!("Backup {n} done"));
        let start = Instant::now();
        server.publish(&topic, &body, &[]).await;
        toasts.wait_for(&body).await;
        tray.wait_for_number(&n.to_string()).await;
        durations.push(start.elapsed());
    }
    println!("from curl to toast and badge: {durations:?}");
    // The bound leaves room for a busy machine; a pull by timer instead of a hint would take minutes.
    let quickest = durations.iter().min().expect("five");
    assert!(*quickest < Duration::from_secs(10), "from curl to toast and badge: {durations:?}");
}

#[tokio::test]
async fn dunst_shows_one_toast_and_a_click_on_it_opens_the_window() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    let displayed = || async { desktop.run("dunstctl", &["count", "displayed"]) };
    for n in 1..=3 {
        server.publish("backups", &format!("Backup {n} done"), &[]).await;
        tray.wait_for_number(&n.to_string()).await;
    }
    wait::until_equal("toasts on the screen", "1".to_owned(), displayed).await;
    desktop.run("dunstctl", &["action", "0"]);
    desktop.wait_for_rendered_page().await;
    tray.wait_for_number("none").await;
    wait::until_equal("toasts on the screen", "0".to_owned(), displayed).await;
}

#[tokio::test]
async fn hostile_words_stay_words_in_the_toast_and_on_the_page() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let hostile = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> **hi** <b>bold</b>";
    server.publish("evil", hostile, &[("X-Markdown", "yes"), ("Title", "<b>not bold</b>")]).await;
    let toast = toasts.wait_for("not bold").await;
    assert!(!toast.body.contains("<img") && !toast.body.contains("<script"), "{toast:?}");
    page.click_row("not bold").await;
    wait::until("the words in the pane", || async {
        let words = page.script("return document.querySelector('.reading-pane .md')?.innerText").await;
        words.as_str().is_some_and(|words| words.contains("hi"))
    })
    .await;
    assert_ne!(page.script("return document.title").await, "owned");
    assert_eq!(page.script("return document.querySelectorAll('main script, [onerror]').length").await, 0);
    page.close().await;
}

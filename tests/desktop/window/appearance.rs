//! Tests that language, clock format and theme follow the desktop until they are set, and that the zoom is kept.

use std::fs;

use serde_json::json;
use support::{
    app,
    desktop::{Desktop, DesktopOptions},
    page::Page,
    toasts::Toasts,
    tray::Tray,
    wait,
};

#[tokio::test]
async fn a_chinese_desktop_gets_a_chinese_page_tray_and_toast() {
    let desktop = Desktop::with_options(DesktopOptions {
        locale: "zh_CN.UTF-8",
        dunst: false,
        ..DesktopOptions::default()
    });
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    wait::until_equal("the page's language", json!("zh-CN"), || async {
        page.script("return document.documentElement.lang").await
    })
    .await;
    server.publish("home", "洗衣机已完成", &[]).await;
    page.wait_for_row("洗衣机已完成").await;
    // The desktop's locale has a 24-hour clock.
    let time =
        "return /^\\d\\d:\\d\\d$/.test(document.querySelector('[role=option] time').textContent.trim())";
    assert_eq!(page.script(time).await, json!(true));
    let toast = toasts.wait_for("洗衣机已完成").await;
    assert!(toast.actions.iter().all(|(_, label)| label.is_empty() || !label.is_ascii()), "{toast:?}");
    let tray = Tray::find(&desktop).await;
    tray.wait_for_number("1").await;
    let menu = tray.menu().await;
    assert!(menu.iter().all(|entry| !entry.label.contains("Quit")), "{menu:?}");
    page.close().await;
}

async fn background_luminance(page: &Page<'_>) -> u64 {
    let script = "const c = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number); \
                  return Math.round((c[0] + c[1] + c[2]) / 3)";
    page.script(script).await.as_u64().unwrap_or(999)
}

#[tokio::test]
async fn a_dark_desktop_gets_a_dark_page() {
    let desktop = Desktop::with_options(DesktopOptions { dark: true, ..DesktopOptions::default() });
    let page = Page::open(&desktop).await;
    wait::until("a dark page", || async { background_luminance(&page).await < 60 }).await;
    page.close().await;
}

#[tokio::test]
async fn the_page_follows_the_desktop_into_the_dark_and_back_while_it_is_open() {
    let desktop = Desktop::start()
        .with_variable("XDG_CURRENT_DESKTOP", "GNOME")
        // Settings in a file, which a test can change from outside.
        .with_variable("GSETTINGS_BACKEND", "keyfile");
    let folder = desktop.home().join(".config/glib-2.0/settings");
    fs::create_dir_all(&folder).unwrap();
    let prefer = |scheme: &str| {
        let text = format!("[org/gnome/desktop/interface]\ncolor-scheme='{scheme}'\n");
        fs::write(folder.join("keyfile"), text).unwrap();
    };
    prefer("default");
    let page = Page::open(&desktop).await;
    wait::until("a light page", || async { background_luminance(&page).await > 200 }).await;
    prefer("prefer-dark");
    wait::until("a dark page", || async { background_luminance(&page).await < 60 }).await;
    prefer("default");
    wait::until("a light page again", || async { background_luminance(&page).await > 200 }).await;
    page.close().await;
}

#[tokio::test]
async fn a_light_desktop_gets_a_light_page() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    wait::until("a light page", || async { (200..=255).contains(&background_luminance(&page).await) }).await;
    page.close().await;
}

#[tokio::test]
async fn a_zoom_is_kept_and_holds_from_the_first_paint_of_the_next_start() {
    let desktop = Desktop::start();
    // The width of the page in px of its own, which a zoom makes larger.
    let width = async |page: &Page<'_>| page.script("return innerWidth").await.as_u64().unwrap_or_default();
    let page = Page::open(&desktop).await;
    app::own_server(&desktop).await.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    let whole = width(&page).await;
    page.open_settings("General").await;
    page.select_option("Zoom", "200%").await;
    wait::until("a page of half the width", || async { width(&page).await.abs_diff(whole / 2) < 8 }).await;
    page.close().await;

    let page = Page::open(&desktop).await;
    page.wait_for_row("Backup done").await;
    assert!(width(&page).await.abs_diff(whole / 2) < 8, "it was kept");
    page.close().await;
}

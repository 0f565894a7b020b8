//! Tests of the keys that show and hide the window from anywhere.

use serde_json::json;
use support::{
    app::{self, App},
    desktop::Desktop,
    page::Page,
    tray::Tray,
    wait,
};

#[tokio::test]
async fn keys_that_were_pressed_in_the_settings_hide_and_show_the_window() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    app::own_server(&desktop).await;
    page.open_settings("Keyboard").await;
    page.press_button("Choose shortcut…").await;
    wait::until_equal("the field for keys", json!(true), || async {
        page.script("return document.activeElement?.matches('[data-records-keys]') ?? false").await
    })
    .await;
    desktop.run("xdotool", &["key", "ctrl+alt+t"]);
    page.wait_for_text("Turn off").await;
    // A driver may not get an answer about a key that ends its window.
    Tray::find(&desktop).await.choose("Quit").await;
    wait::until("the app to be gone", || async { app::pids(&desktop).is_empty().then_some(()) }).await;

    let app = App::start(&desktop, &[]);
    desktop.wait_for_rendered_page().await;
    app.server().await;
    press_until(&desktop, 0).await;
    press_until(&desktop, 1).await;
    press_until(&desktop, 0).await;
    assert_eq!(app::pids(&desktop), [app.process.pid()], "the program goes on");
}

/// Presses the keys and waits for so many windows; the keys are taken and the window has the focus a moment after the start.
async fn press_until(desktop: &Desktop, windows: usize) {
    wait::until(&format!("{windows} windows"), || async {
        desktop.run("xdotool", &["key", "ctrl+alt+t"]);
        let start = std::time::Instant::now();
        while start.elapsed() < std::time::Duration::from_secs(2) {
            if desktop.window_titles().len() == windows {
                return Some(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        None
    })
    .await;
}

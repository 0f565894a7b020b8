//! The desktop's own menu over a row: by the pointer, and by the keys for it. Refuses to draw one itself.

use serde_json::json;
use support::{app, desktop::Desktop, page::Page, wait};

/// The row that holds `words`, as CSS has it.
async fn row(page: &Page<'_>, words: &str) -> String {
    page.has_row(words).await;
    let script = format!(
        "return [...document.querySelectorAll('[role=option]')].find(row => row.innerText.includes({})).id",
        json!(words)
    );
    format!("#{}", page.script(&script).await.as_str().expect("a row has an id"))
}

#[tokio::test]
async fn a_rows_menu_is_the_desktops_and_acts_by_pointer_and_by_key() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for (topic, words) in [("backups", "Backup done"), ("parcels", "Your parcel is here")] {
        server.publish(topic, words, &[]).await;
        page.has_row(words).await;
    }

    // Over a row that is not the chosen one.
    page.types("j").await;
    desktop.right_click(&page, &row(&page, "Backup done").await).await;
    desktop.has_menu().await;
    // Open, Mark read, Archive.
    desktop.press_keys(&["Down", "Down", "Down", "Return"]);
    desktop.has_no_menu().await;
    page.says("1 thread archived").await;
    wait::until_equal("rows", 1, || async { page.rows().await.len() }).await;

    // Left by Escape, it does nothing.
    desktop.press_keys(&["Menu"]);
    desktop.has_menu().await;
    desktop.press_keys(&["Escape"]);
    desktop.has_no_menu().await;

    desktop.press_keys(&["shift+F10"]);
    desktop.has_menu().await;
    // Open, Mark read, Archive, Snooze, Pin.
    desktop.press_keys(&["Down", "Down", "Down", "Down", "Down", "Return"]);
    page.says("1 thread pinned").await;
    page.types("gp").await;
    page.has_row("Your parcel is here").await;
    wait::until_equal("what is archived at the server", 1, || async {
        server.get("/inbox?archived=true").await["items"].as_array().map_or(0, Vec::len)
    })
    .await;
    page.end().await;
}

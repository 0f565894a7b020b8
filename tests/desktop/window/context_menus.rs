//! Tests of a row's context menu, opened by the pointer and by keys.

use serde_json::json;
use support::{app, desktop::Desktop, page::Page, wait};

/// A CSS selector of the row with `text`.
async fn row(page: &Page<'_>, text: &str) -> String {
    page.wait_for_row(text).await;
    let script = format!(
        "return [...document.querySelectorAll('[role=option]')].find(row => row.innerText.includes({})).id",
        json!(text)
    );
    format!("#{}", page.script(&script).await.as_str().expect("a row has an id"))
}

#[tokio::test]
async fn a_rows_menu_is_the_desktops_and_acts_by_pointer_and_by_key() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for (topic, text) in [("backups", "Backup done"), ("parcels", "Your parcel is here")] {
        server.publish(topic, text, &[]).await;
        page.wait_for_row(text).await;
    }

    // Over a row that is not selected.
    page.type_text("j").await;
    desktop.right_click(&page, &row(&page, "Backup done").await).await;
    desktop.wait_for_menu().await;
    // The entries are Open, Mark read, Archive.
    desktop.press_keys(&["Down", "Down", "Down", "Return"]);
    desktop.wait_for_no_menu().await;
    page.wait_for_snackbar("Backup done” archived").await;
    wait::until_equal("rows", 1, || async { page.rows().await.len() }).await;

    // Escape closes the menu without a command.
    desktop.press_keys(&["Menu"]);
    desktop.wait_for_menu().await;
    desktop.press_keys(&["Escape"]);
    desktop.wait_for_no_menu().await;

    desktop.press_keys(&["shift+F10"]);
    desktop.wait_for_menu().await;
    // The entries are Open, Mark read, Archive, Snooze, Pin.
    desktop.press_keys(&["Down", "Down", "Down", "Down", "Down", "Return"]);
    page.wait_for_snackbar("Your parcel is here” pinned").await;
    page.type_quickly("gp").await;
    page.wait_for_row("Your parcel is here").await;
    wait::until_equal("what is archived at the server", 1, || async {
        server.get("inbox?archived=true").await.is(200)["items"].as_array().map_or(0, Vec::len)
    })
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_single_item_is_archived_from_its_own_menu_by_keys_alone() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for text in ["First backup", "Second backup"] {
        server.publish("backups", text, &[]).await;
        page.wait_for_row(text).await;
    }
    page.click_row("Second backup").await;
    page.wait_for("[data-item-msgid]").await;
    wait::until_equal("the items", 2, || async { page.find_all("[data-item-msgid]").await.len() }).await;
    // The focus goes to the last item from below, and its menu opens there.
    desktop.press_keys(&["ctrl+Up"]);
    page.wait_for("[data-item-msgid]:focus").await;
    desktop.press_keys(&["Menu"]);
    desktop.wait_for_menu().await;
    // The entries are Copy text, Copy link, Mark read or unread, Mark unread from here, Archive.
    desktop.press_keys(&["Down", "Down", "Down", "Down", "Down", "Return"]);
    page.wait_for_snackbar("Second backup” archived").await;
    // The row and the pane go on with the remaining items; a button brings the archived item to sight.
    page.wait_for_row("First backup").await;
    wait::until_equal("the items", 1, || async { page.find_all("[data-item-msgid]").await.len() }).await;
    page.click("[data-testid=put-away]").await;
    wait::until_equal("the items", 2, || async { page.find_all("[data-item-msgid]").await.len() }).await;
    wait::until_equal("what is archived at the server", vec!["Second backup".to_owned()], || async {
        let archived = server.get("inbox?archived=true").await.is(200);
        let items = archived["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["body"].as_str().unwrap_or_default().to_owned()).collect()
    })
    .await;
    page.close().await;
}

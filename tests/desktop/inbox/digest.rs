//! Tests of the digest and of a corrected search in a real window.

use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    wait,
};

async fn lines(page: &Page<'_>) -> u64 {
    let script = "return document.querySelectorAll('[data-digest-thread]').length";
    page.script(script).await.as_u64().unwrap_or_default()
}

#[tokio::test]
async fn a_digest_tells_what_happened_and_its_lines_are_archived_by_a_key() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for topic in ["backups", "ci", "parcels"] {
        server.publish(topic, &format!("The {topic} thing"), &[]).await;
        page.wait_for_row(&format!("The {topic} thing")).await;
    }
    page.type_quickly("gw").await;
    wait::until_equal("lines of the digest", 3, || lines(&page)).await;
    page.type_text("je").await;
    page.wait_for_snackbar("1 notification archived").await;
    wait::until_equal("lines after e", 2, || lines(&page)).await;
    let archived =
        || async { server.get("inbox?archived=true").await.is(200)["items"].as_array().map_or(0, Vec::len) };
    wait::until_equal("archived at the server", 1, archived).await;
    page.type_text("z").await;
    wait::until_equal("lines after z", 3, || lines(&page)).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for(".sheet").await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

#[tokio::test]
async fn a_mistyped_search_is_corrected_by_enter() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("backups", "Backup of the laptop done", &[]).await;
    page.wait_for_row("Backup of the laptop").await;
    page.type_text("/laptpo").await;
    page.wait_for("[data-correction=laptop]").await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for_row("Backup of the laptop").await;
    page.close().await;
}

//! Tests of exports, backups and settings files, written and read through the desktop's file dialogs.

use std::fs;

use serde_json::{Value, json};
use support::{app, desktop::Desktop, page::Page, wait};

fn items(desktop: &Desktop) -> Vec<String> {
    let list = app::tidings_json(&desktop.data_dir(), &["list"]);
    let bodies =
        list.as_array().expect("a list").iter().map(|item| item["body"].as_str().unwrap_or_default());
    bodies.map(|body| body.chars().take(20).collect()).collect()
}

#[tokio::test]
async fn an_inbox_is_compacted_exported_backed_up_and_restored() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for n in 1..=3 {
        server.publish("backups", &format!("Backup {n} done"), &[]).await;
    }
    compacting_frees_space(&desktop, &page, &server).await;

    let export = desktop.path().join("inbox.json");
    page.press_button("Export…").await;
    page.press_button("JSON").await;
    desktop.answer_file_dialog("Export the inbox", &export).await;
    page.wait_for_snackbar("3 notifications exported").await;
    let written = fs::read_to_string(&export).expect("the export is there");
    let written: Value = serde_json::from_str(&written).expect("it is JSON");
    assert!(written.to_string().contains("Backup 2 done"), "{written}");

    let backup = desktop.path().join("backup.tar");
    page.press_button("Back up…").await;
    desktop.answer_file_dialog("Save a backup", &backup).await;
    page.wait_for_snackbar("Backup saved").await;
    server.publish("backups", "After the backup", &[]).await;
    wait::until_equal("items", 4, || async { items(&desktop).len() }).await;

    page.press_button("Restore…").await;
    page.press_button("Choose a file…").await;
    desktop.answer_file_dialog("Restore a backup", &backup).await;
    page.wait_for_snackbar("3 notifications restored").await;
    let expected = ["Backup 3 done", "Backup 2 done", "Backup 1 done"];
    wait::until_equal("items", expected.map(str::to_owned).to_vec(), || async { items(&desktop) }).await;
    assert!(desktop.data_dir().join("replica.db.before").exists(), "what was there is kept");

    let server = app::own_server(&desktop).await;
    server.publish("parcels", "Life goes on", &[]).await;
    page.type_quickly("gi").await;
    page.wait_for_row("Life goes on").await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

/// Deleted items leave free space in the files, which compacting returns.
async fn compacting_frees_space(desktop: &Desktop, page: &Page<'_>, server: &support::client::Client) {
    for n in 0..20 {
        let words: Vec<_> = (0..4_000).map(|word| format!("w{n}x{word}")).collect();
        server.publish("logs", &words.join(" "), &[]).await;
    }
    wait::until_equal("items", 23, || async { items(desktop).len() }).await;
    let list = app::tidings_json(&desktop.data_dir(), &["list"]);
    let long = list.as_array().expect("a list").iter().filter(|item| item["target"]["id"] == "logs");
    let long: Vec<_> = long.filter_map(|item| item["msgid"].as_str()).collect();
    app::tidings(&desktop.data_dir(), &[&["mark", "delete"], &*long].concat());
    wait::until_equal("items", 3, || async { items(desktop).len() }).await;
    page.open_section("Storage", "storage-advanced").await;
    page.wait_for_text("Frees about").await;
    page.press_button("Free up space").await;
    page.wait_for_snackbar("freed").await;
    page.wait_for_text("Nothing to free").await;
}

#[tokio::test]
async fn settings_go_out_and_come_back_and_nothing_else_passes_for_them() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let theme = || page.script("return document.documentElement.dataset.theme");
    page.run_command("Theme: Dark").await;
    wait::until_equal("the theme", json!("dark"), theme).await;
    page.open_settings("Storage").await;
    let file = desktop.path().join("settings.json");
    page.press_button("Export settings").await;
    desktop.answer_file_dialog("Export settings", &file).await;
    page.wait_for_snackbar("Settings exported").await;
    assert!(!fs::read_to_string(&file).expect("it is there").contains("tdg_"), "no token leaves");

    page.run_command("Theme: Light").await;
    wait::until_equal("the theme", json!("light"), theme).await;
    let other = desktop.path().join("other.json");
    fs::write(&other, "{\"a\": 1}").expect("the folder is writable");
    page.press_button("Import settings").await;
    desktop.answer_file_dialog("Import settings", &other).await;
    page.wait_for_snackbar("other.json has no settings of Tidings").await;
    assert_eq!(theme().await, json!("light"));
    page.press_button("Import settings").await;
    desktop.answer_file_dialog("Import settings", &file).await;
    page.wait_for_snackbar("Settings imported").await;
    wait::until_equal("the theme", json!("dark"), theme).await;
    page.close().await;
}

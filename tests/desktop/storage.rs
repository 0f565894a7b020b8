//! What one can take along and put back, in the running program: exports, backups, settings, through the desktop's own
//! dialogs. Refuses to look at a file before the program says that it is written.

use std::fs;

use serde_json::{Value, json};
use support::{app, desktop::Desktop, page::Page, wait};

fn items(desktop: &Desktop) -> Vec<String> {
    let list = app::tidings_json(&desktop.data(), &["list"]);
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
    given_back(&desktop, &page, &server).await;

    let export = desktop.path().join("inbox.json");
    page.press("Export…").await;
    page.press("JSON").await;
    desktop.answers_with_file("Export the inbox", &export).await;
    page.says("3 notifications written").await;
    let written = fs::read_to_string(&export).expect("the export is there");
    let written: Value = serde_json::from_str(&written).expect("it is JSON");
    assert!(written.to_string().contains("Backup 2 done"), "{written}");

    let backup = desktop.path().join("backup.tar");
    page.press("Back up…").await;
    desktop.answers_with_file("Write a backup", &backup).await;
    page.says("Backup written").await;
    server.publish("backups", "After the backup", &[]).await;
    wait::until_equal("items", 4, || async { items(&desktop).len() }).await;

    page.press("Restore…").await;
    page.press("Choose a file…").await;
    desktop.answers_with_file("Restore a backup", &backup).await;
    page.says("Restored, with 3 notifications").await;
    let held = ["Backup 3 done", "Backup 2 done", "Backup 1 done"];
    wait::until_equal("items", held.map(str::to_owned).to_vec(), || async { items(&desktop) }).await;
    assert!(desktop.data().join("replica.db.before").exists(), "what was there is kept");

    let server = app::own_server(&desktop).await;
    server.publish("parcels", "Life goes on", &[]).await;
    page.types("gi").await;
    page.has_row("Life goes on").await;
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}

/// What was deleted leaves room, which compacting gives back.
async fn given_back(desktop: &Desktop, page: &Page<'_>, server: &support::client::Client) {
    for n in 0..20 {
        let words: Vec<_> = (0..4_000).map(|word| format!("w{n}x{word}")).collect();
        server.publish("logs", &words.join(" "), &[]).await;
    }
    wait::until_equal("items", 23, || async { items(desktop).len() }).await;
    let list = app::tidings_json(&desktop.data(), &["list"]);
    let long = list.as_array().expect("a list").iter().filter(|item| item["target"]["id"] == "logs");
    let long: Vec<_> = long.filter_map(|item| item["msgid"].as_str()).collect();
    app::tidings(&desktop.data(), &[&["mark", "delete"], &*long].concat());
    wait::until_equal("items", 3, || async { items(desktop).len() }).await;
    page.settings("Storage").await;
    page.reads("Gives back about").await;
    page.press("Compact").await;
    page.says("given back").await;
    page.reads("There is nothing to give back").await;
}

#[tokio::test]
async fn settings_go_out_and_come_back_and_nothing_else_passes_for_them() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let theme = || page.script("return document.documentElement.dataset.theme");
    page.command("Theme: Dark").await;
    wait::until_equal("the theme", json!("dark"), theme).await;
    page.settings("General").await;
    let file = desktop.path().join("settings.json");
    page.press("Export settings").await;
    desktop.answers_with_file("Export settings", &file).await;
    page.says("Settings written").await;
    assert!(!fs::read_to_string(&file).expect("it is there").contains("tdg_"), "no token leaves");

    page.command("Theme: Light").await;
    wait::until_equal("the theme", json!("light"), theme).await;
    let other = desktop.path().join("other.json");
    fs::write(&other, "{\"a\": 1}").expect("the folder is writable");
    page.press("Import settings").await;
    desktop.answers_with_file("Import settings", &other).await;
    page.says("other.json holds no settings of Tidings").await;
    assert_eq!(theme().await, json!("light"));
    page.press("Import settings").await;
    desktop.answers_with_file("Import settings", &file).await;
    page.says("Settings taken over").await;
    wait::until_equal("the theme", json!("dark"), theme).await;
    page.end().await;
}

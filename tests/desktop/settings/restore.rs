//! Tests of restoring a backup in the running app: server and inbox change together and go on at the same address. A
//! file that is no complete backup changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{app, client::Client, desktop::Desktop, page::Page, wait};

/// The bodies of the server's items, newest first.
async fn server_bodies(server: &Client) -> Vec<String> {
    server.inbox().await.iter().filter_map(|item| item["body"].as_str().map(str::to_owned)).collect()
}

/// The bodies of the items in the app's inbox, newest first.
fn app_bodies(desktop: &Desktop) -> Vec<String> {
    let list = app::tidings_json(&desktop.data_dir(), &["list"]);
    let items = list.as_array().expect("a list");
    items.iter().filter_map(|item| item["body"].as_str().map(str::to_owned)).collect()
}

/// Publishes a notification and waits until it is in the inbox.
async fn publish_and_wait(desktop: &Desktop, server: &Client, text: &str) {
    server.publish("backups", text, &[]).await;
    wait::until(&format!("{text:?} in the inbox"), || async {
        app_bodies(desktop).iter().any(|body| body == text)
    })
    .await;
}

async fn back_up(desktop: &Desktop, page: &Page<'_>) -> PathBuf {
    let backup = desktop.path().join("backup.tar");
    page.open_settings("Storage").await;
    page.press_button("Back up…").await;
    desktop.answer_file_dialog("Save a backup", &backup).await;
    page.wait_for_snackbar("Backup saved").await;
    backup
}

async fn restore(desktop: &Desktop, page: &Page<'_>, file: &Path) {
    page.press_button("Restore…").await;
    page.press_button("Choose a file…").await;
    desktop.answer_file_dialog("Restore a backup", file).await;
}

#[tokio::test]
async fn a_restore_takes_the_own_server_back_too_and_it_goes_on_where_it_was() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    publish_and_wait(&desktop, &server, "Before one").await;
    publish_and_wait(&desktop, &server, "Before two").await;
    let backup = back_up(&desktop, &page).await;
    publish_and_wait(&desktop, &server, "After the backup").await;

    restore(&desktop, &page, &backup).await;
    page.wait_for_snackbar("2 notifications restored").await;
    let again = app::own_server(&desktop).await;
    assert_eq!(again.url, server.url, "programs find it where it was");
    assert_eq!(server_bodies(&again).await, ["Before two", "Before one"]);
    assert_eq!(app_bodies(&desktop), ["Before two", "Before one"]);

    // After the restore, a program without a token, the terminal and the page still work with the server.
    publish_and_wait(&desktop, &again, "By a program").await;
    app::tidings(&desktop.data_dir(), &["send", "By the terminal"]);
    page.type_quickly("gi").await;
    page.wait_for_row("By the terminal").await;
    let all = ["By the terminal", "By a program", "Before two", "Before one"];
    assert_eq!(server_bodies(&again).await, all);
    assert_eq!(app_bodies(&desktop), all);
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

/// A copy of the backup whose `server.db` is a `replica.db`.
fn with_another_server(desktop: &Desktop, backup: &Path) -> PathBuf {
    let (folder, other) = (desktop.path().join("other"), desktop.path().join("other.tar"));
    fs::create_dir(&folder).expect("a new folder");
    let tar = |args: &[&Path]| {
        let done = Command::new("tar").args(args).status().expect("tar starts");
        assert!(done.success(), "tar {args:?}");
    };
    tar(&["-xf".as_ref(), backup, "-C".as_ref(), &folder]);
    fs::copy(folder.join("replica.db"), folder.join("server.db")).expect("both are there");
    tar(&["-cf".as_ref(), &other, "-C".as_ref(), &folder, "server.db".as_ref(), "replica.db".as_ref()]);
    other
}

#[tokio::test]
async fn a_restore_that_is_refused_leaves_the_inbox_and_the_own_server_as_they_were() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    publish_and_wait(&desktop, &server, "Before").await;
    let backup = back_up(&desktop, &page).await;
    publish_and_wait(&desktop, &server, "After the backup").await;

    let junk = desktop.path().join("holiday.tar");
    fs::write(&junk, "no backup at all").expect("the folder is writable");
    restore(&desktop, &page, &junk).await;
    page.wait_for_snackbar("holiday.tar is not a backup of Tidings. Nothing was changed").await;
    restore(&desktop, &page, &with_another_server(&desktop, &backup)).await;
    page.wait_for_snackbar("What is here has not changed").await;

    assert_eq!(app::own_server(&desktop).await.url, server.url);
    assert_eq!(server_bodies(&server).await, ["After the backup", "Before"], "its tokens hold, too");
    assert_eq!(app_bodies(&desktop), ["After the backup", "Before"]);
    publish_and_wait(&desktop, &server, "Life goes on").await;
    page.type_quickly("gi").await;
    page.wait_for_row("Life goes on").await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

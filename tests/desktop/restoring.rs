//! The settings' own restore in the running program: server and inbox go back together, and go on at the same address.
//! What is no whole backup changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{app, client::Client, desktop::Desktop, page::Page, wait};

/// The bodies that the server has, the newest first.
async fn at_server(server: &Client) -> Vec<String> {
    server.inbox().await.iter().filter_map(|item| item["body"].as_str().map(str::to_owned)).collect()
}

/// The bodies in the app's inbox, the newest first.
fn in_app(desktop: &Desktop) -> Vec<String> {
    let list = app::tidings_json(&desktop.data(), &["list"]);
    let items = list.as_array().expect("a list");
    items.iter().filter_map(|item| item["body"].as_str().map(str::to_owned)).collect()
}

/// Publishes, and waits until it is in the inbox.
async fn published(desktop: &Desktop, server: &Client, words: &str) {
    server.publish("backups", words, &[]).await;
    wait::until(&format!("{words:?} in the inbox"), || async {
        in_app(desktop).iter().any(|body| body == words).then_some(())
    })
    .await;
}

async fn backed_up(desktop: &Desktop, page: &Page<'_>) -> PathBuf {
    let backup = desktop.path().join("backup.tar");
    page.settings("Storage").await;
    page.press("Back up…").await;
    desktop.answers_with_file("Write a backup", &backup).await;
    page.says("Backup written").await;
    backup
}

async fn restores(desktop: &Desktop, page: &Page<'_>, file: &Path) {
    page.press("Restore…").await;
    page.press("Choose a file…").await;
    desktop.answers_with_file("Restore a backup", file).await;
}

#[tokio::test]
async fn a_restore_takes_the_own_server_back_too_and_it_goes_on_where_it_was() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    published(&desktop, &server, "Before one").await;
    published(&desktop, &server, "Before two").await;
    let backup = backed_up(&desktop, &page).await;
    published(&desktop, &server, "After the backup").await;

    restores(&desktop, &page, &backup).await;
    page.says("Restored, with 2 notifications").await;
    let again = app::own_server(&desktop).await;
    assert_eq!(again.url, server.url, "programs find it where it was");
    assert_eq!(at_server(&again).await, ["Before two", "Before one"]);
    assert_eq!(in_app(&desktop), ["Before two", "Before one"]);

    // A program without a token, the terminal, and the page go on with it.
    published(&desktop, &again, "By a program").await;
    app::tidings(&desktop.data(), &["send", "By the terminal"]);
    page.types("gi").await;
    page.has_row("By the terminal").await;
    let all = ["By the terminal", "By a program", "Before two", "Before one"];
    assert_eq!(at_server(&again).await, all);
    assert_eq!(in_app(&desktop), all);
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}

/// The backup with another database of this program in the place of the server's.
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
    published(&desktop, &server, "Before").await;
    let backup = backed_up(&desktop, &page).await;
    published(&desktop, &server, "After the backup").await;

    let junk = desktop.path().join("holiday.tar");
    fs::write(&junk, "no backup at all").expect("the folder is writable");
    restores(&desktop, &page, &junk).await;
    page.says("holiday.tar is no backup of Tidings. Nothing was changed").await;
    restores(&desktop, &page, &with_another_server(&desktop, &backup)).await;
    page.says("What was here before goes on").await;

    assert_eq!(app::own_server(&desktop).await.url, server.url);
    assert_eq!(at_server(&server).await, ["After the backup", "Before"], "its tokens hold, too");
    assert_eq!(in_app(&desktop), ["After the backup", "Before"]);
    published(&desktop, &server, "Life goes on").await;
    page.types("gi").await;
    page.has_row("Life goes on").await;
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}

//! Tests of backups of a server in PostgreSQL, which PostgreSQL's own tools take and restore.

use std::process::Command;

use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json, unread},
    client::Client,
    program::built,
    server::ServerProcess,
};
use tempfile::TempDir;
use tidings_testkit::postgres::Database;

use crate::device::Device;

async fn announce(admin: &Client, title: &str) {
    admin.post("announcements", json!({"title": title})).await.is(201);
}

/// The titles of a replica's items, newest first.
fn titles(device: &Device) -> Vec<Value> {
    let list = tidings_json(device.data_dir(), &["list"]);
    list.as_array().unwrap().iter().map(|item| item["title"].clone()).collect()
}

#[tokio::test]
async fn a_dump_that_is_restored_begins_a_new_epoch_and_replicas_that_are_ahead_pull_anew() {
    let (database, folder) = (Database::empty(), TempDir::new().unwrap());
    let mut server = ServerProcess::on_database(&database.url);
    let admin = server.admin();
    let ana = admin.user("ana", &["inbox"]).await;
    let (ahead, behind) = (Device::of(&ana), Device::of(&ana));
    announce(&admin, "Before").await;
    for device in [&ahead, &behind] {
        tidings(device.data_dir(), &["pull"]);
    }
    let dump = folder.path().join("tidings.dump");
    database.dump(&dump);
    announce(&admin, "After").await;
    tidings(ahead.data_dir(), &["pull"]);
    assert_eq!((unread(ahead.data_dir()), unread(behind.data_dir())), (2, 1));
    let page = ana.get("sync").await.is(200);
    let (next, epoch) = (page["next"].as_str().unwrap(), page["epoch"].as_str().unwrap());
    server.stop();

    // It is restored on the same server: it has the same system identifier and timeline.
    let restored = Database::restored(&dump);
    server.use_database(&restored.url);
    server.restart();
    let refused = ana.get(&format!("sync?since={next}&epoch={epoch}")).await;
    refused.problem(410, "resync", None);
    let now = ana.get("sync").await.is(200);
    assert_ne!(now["epoch"], epoch, "what was handed out since the dump may be handed out again");
    server.stop();
    server.restart();
    assert_eq!(ana.get("sync").await.is(200)["epoch"], now["epoch"], "once");

    announce(&admin, "Since").await;
    for device in [&ahead, &behind] {
        tidings(device.data_dir(), &["pull"]);
        tidings(device.data_dir(), &["check"]);
    }
    assert_eq!(titles(&ahead), ["Since", "After", "Before"], "what the server lost is kept");
    assert_eq!(titles(&behind), ["Since", "Before"]);
    tidings(ahead.data_dir(), &["mark", "read", "--all"]);
    for device in [&ahead, &behind, &ahead] {
        tidings(device.data_dir(), &["pull"]);
    }
    assert_eq!((unread(ahead.data_dir()), unread(behind.data_dir())), (0, 0));
    server.stop();
    let checked = Command::new(built("tidings"))
        .args(["check", "--store", &restored.url])
        .env("TIDINGS_DATA_DIR", folder.path())
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn backup_and_restore_name_the_tools_for_postgresql_and_do_nothing() {
    let (database, folder) = (Database::empty(), TempDir::new().unwrap());
    let file = folder.path().join("all.tar");
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        let done = Command::new(built("tidings"))
            .args([command, file.to_str().unwrap()])
            .env("TIDINGS_DATA_DIR", folder.path().join("data"))
            .env("TIDINGS_STORE", &database.url)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains(tool) && done.stdout.is_empty(), "{said}");
        assert!(!file.exists());
    }
}

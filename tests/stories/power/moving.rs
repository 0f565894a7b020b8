//! Restores, backups, migrations and compaction: the old or the new is there as a whole, and the new once the program has
//! said so.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use support::app::{tidings, tidings_json, try_tidings};
use support::client::Client;
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_model::SystemClock;
use tidings_server::{Server, ServerConfig};
use tidings_testkit::disk::Disk;
use tidings_testkit::postgres::Database;
use tokio::task::block_in_place;

use super::{FOLDER, images, part, serve, tidings_done};

/// The bodies of a reader's inbox, sorted.
async fn bodies(reader: &Client) -> Vec<String> {
    let items = reader.pull(None, 500).await.0.into_iter();
    let mut bodies: Vec<_> = items.map(|item| item["body"].as_str().unwrap().to_owned()).collect();
    bodies.sort();
    bodies
}

/// Posts messages to the reader.
async fn post(server: &ServerProcess, names: std::ops::Range<usize>) {
    for name in names {
        let body = format!("{name} {}", "x".repeat(name % 7 * 300));
        server.admin().post("messages", json!({"to": "reader", "body": body})).await.is(201);
    }
}

/// The bodies of the reader that an image's server has.
async fn bodies_in(data: &Path, token: &str) -> Vec<String> {
    let server = serve(data).await;
    let bodies = bodies(&Client::new(&server.url, token)).await;
    server.stop().await;
    bodies
}

/// A server in a folder with an older backup of it, and what the backup and the server have. It was killed.
struct Backed {
    folder: TempDir,
    reader: Client,
    old: Vec<String>,
    new: Vec<String>,
}

impl Backed {
    async fn new() -> Self {
        let folder = TempDir::with_prefix("tidings-power.").unwrap();
        let data = folder.path().canonicalize().unwrap().join("data");
        let mut server = block_in_place(|| ServerProcess::in_folder(&data, &[], ""));
        let reader = server.admin().user("reader", &["inbox"]).await;
        post(&server, 0..20).await;
        let old = bodies(&reader).await;
        let backup = folder.path().join("old.tar");
        block_in_place(|| tidings(&data, &["backup", backup.to_str().unwrap()]));
        post(&server, 20..60).await;
        let new = bodies(&reader).await;
        block_in_place(|| server.kill());
        Self { folder, reader, old, new }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("data")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_loses_power_leaves_the_old_or_the_new_whole() {
    let backed = Backed::new().await;
    let disk = Disk::recorded(backed.folder.path());
    let backup = disk.folder().join("old.tar");
    block_in_place(|| tidings_done(&disk, &backed.data(), &["restore", backup.to_str().unwrap()]));
    let restored = disk.position();
    for image in images(&disk, 25) {
        let found = bodies_in(&image.folder().join("data"), &backed.reader.token).await;
        let is_restored = found == backed.old;
        assert!(is_restored || found == backed.new, "{} of them", found.len());
        assert!(is_restored || image.position < restored, "what was restored is gone again");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_loses_power_is_there_whole_or_not_at_all() {
    let backed = Backed::new().await;
    let disk = Disk::recorded(backed.folder.path());
    let backup = disk.folder().join("new.tar");
    block_in_place(|| tidings_done(&disk, &backed.data(), &["backup", backup.to_str().unwrap()]));
    let written = disk.position();
    for image in images(&disk, 10) {
        let found = bodies_in(&image.folder().join("data"), &backed.reader.token).await;
        assert_eq!(found, backed.new, "a backup changes nothing");
        let backup = image.folder().join("new.tar");
        assert!(backup.exists() || image.position < written, "what was written is gone again");
        if backup.exists() {
            let elsewhere = image.folder().join("elsewhere");
            block_in_place(|| tidings(&elsewhere, &["restore", backup.to_str().unwrap()]));
            assert_eq!(bodies_in(&elsewhere, &backed.reader.token).await, backed.new);
        }
    }
}

#[tokio::test]
#[ignore = "a part of a_server_that_loses_power_while_it_is_compacted_is_whole"]
async fn the_part_that_compacts() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let server = Server::open(ServerConfig::new(data), Arc::new(SystemClock)).await.unwrap();
    server.compact().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_loses_power_while_it_is_compacted_is_whole() {
    let backed = Backed::new().await;
    let disk = Disk::recorded(backed.folder.path());
    let mut compacts = part("power::moving::the_part_that_compacts");
    compacts.env(FOLDER, backed.data()).envs(disk.env());
    let done = block_in_place(|| compacts.output().unwrap());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    for image in images(&disk, 8) {
        let found = bodies_in(&image.folder().join("data"), &backed.reader.token).await;
        assert_eq!(found, backed.new, "{image}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_that_loses_power_leaves_nothing_or_a_whole_server() {
    let database = Database::empty();
    let mut server = ServerProcess::on_database(&database.url);
    let reader = server.admin().user("reader", &["inbox"]).await;
    post(&server, 0..20).await;
    let all = bodies(&reader).await;
    block_in_place(|| server.stop());
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Disk::recorded(folder.path());
    let data = disk.folder().join("data");
    let arguments = ["migrate", "--from", &database.url, "--to", data.to_str().unwrap()];
    block_in_place(|| tidings_done(&disk, &data, &arguments));
    let moved = disk.position();
    for image in images(&disk, 10) {
        let data = image.folder().join("data");
        if data.join("server.db").exists() {
            assert_eq!(bodies_in(&data, &reader.token).await, all);
        } else {
            assert!(image.position < moved, "what was moved is gone again");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_that_loses_power_leaves_an_inbox_that_opens_or_is_repaired_again() {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    for n in 0..8 {
        server
            .admin()
            .post("announcements", json!({"title": format!("News {n}"), "body": "x"}))
            .await
            .success();
    }
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let data = folder.path().canonicalize().unwrap().join("data");
    block_in_place(|| {
        tidings(&data, &["source", "add", "tidings", &ana.url, "--token", &ana.token, "--name", "Work"]);
        tidings(&data, &["pull"]);
    });
    damage(&data.join("replica.db"), b"News 3");
    let disk = Disk::recorded(folder.path());
    block_in_place(|| tidings_done(&disk, &data, &["repair"]));
    for image in images(&disk, 6) {
        let data = image.folder().join("data");
        block_in_place(|| {
            if !try_tidings(&data, &["check"]).0 {
                tidings(&data, &["repair"]);
            }
            tidings(&data, &["pull"]);
            tidings(&data, &["check"]);
            assert_eq!(tidings_json(&data, &["list"]).as_array().unwrap().len(), 8);
        });
    }
}

/// Overwrites the first page of a database that has a text.
fn damage(file: &Path, text: &[u8]) {
    let mut bytes = fs::read(file).unwrap();
    let at = bytes.windows(text.len()).position(|part| part == text).unwrap();
    let page = at / 4_096 * 4_096;
    bytes[page..page + 4_096].fill(0xa5);
    fs::write(file, bytes).unwrap();
}

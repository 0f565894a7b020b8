//! A replica whose process is killed while it takes in a long backlog, and copies its log by hand after each page.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use support::client::Client;
use support::program::Process;
use support::server::ServerProcess;
use support::wait::{TEST_TIMEOUT, until_blocking};
use tempfile::TempDir;
use tidings_model::SystemClock;
use tidings_replica::{FILE, Item, ItemFilter, NewSource, Replica, create_folder};
use tidings_sources::{Bounds, Tidings};
use tidings_sync::pull_once;
use tidings_testkit::disk::{Calls, Disk, Plan};

use super::{FOLDER, LONG_LOG, copied_by_hand, part};

/// The address of the server, the reader's token and the bound of [`copied_by_hand`], for [`the_part_that_pulls`].
const URL: &str = "TIDINGS_TEST_URL";
const TOKEN: &str = "TIDINGS_TEST_TOKEN";
const FROM: &str = "TIDINGS_TEST_FROM";

/// Notifications of the server.
const ITEMS: usize = 10_000;
/// Items of a page. Pages are written one by one.
const PAGE: usize = 400;
/// With bounds from here on, the log is copied while the next page is written.
const COPIED_MEANWHILE: usize = 32 << 20;

/// Pulls to the end.
async fn pull(data: &Path, url: &str, token: &str, from: usize) {
    let replica = Replica::open_within(data, Arc::new(SystemClock), copied_by_hand(from)).unwrap();
    let source = match replica.sources().unwrap().pop() {
        Some(known) => known.id,
        None => replica
            .add_source(NewSource {
                name: "Work".into(),
                protocol: "tidings".into(),
                url: url.into(),
                user: Some("ana".into()),
                own: false,
            })
            .unwrap(),
    };
    let bounds = Bounds { first_items: PAGE / 2, page_items: PAGE, joined_items: PAGE, ..Bounds::default() };
    let client = Tidings::new(url, token.to_owned(), Arc::new(SystemClock)).unwrap().with_bounds(bounds);
    pull_once(&replica, source, Arc::new(client)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a part of killed_at_any_moment_of_a_backlog_a_replica_is_sound_and_goes_on"]
async fn the_part_that_pulls() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let given = |name: &str| std::env::var(name).unwrap();
    pull(&data, &given(URL), &given(TOKEN), given(FROM).parse().unwrap()).await;
}

/// The number of items that are in the file, which another process writes.
fn items_in(data: &Path) -> usize {
    let counted = || -> rusqlite::Result<i64> {
        let file = Connection::open_with_flags(data.join(FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        file.query_row("SELECT count(*) FROM items", [], |row| row.get(0))
    };
    // Before its first page there is no file, or no table in it.
    counted().map_or(0, |items| usize::try_from(items).unwrap())
}

/// A server with a backlog for a reader.
async fn server() -> (ServerProcess, Client) {
    let server = ServerProcess::start();
    let (admin, ana) = (server.admin(), server.admin().user("ana", &["inbox"]).await);
    admin.put("follows/bob?user=ana", json!({})).await.success();
    let reminder = |n: usize| {
        json!({
            "actor": {"id": "bob", "name": "Bob"}, "action": "comment",
            "target": {"type": "article", "id": (n % 700).to_string(), "owner": "ana"},
            "body": format!("words {n} {}", "x".repeat(n % 300)),
        })
    };
    for first in (0..ITEMS).step_by(1_000) {
        let posts: Vec<Value> = (first..first + 1_000).map(reminder).collect();
        admin.post("reminders", Value::Array(posts)).await.success();
    }
    (server, ana)
}

/// Pulls in a process of its own, which is killed at a planned call on its files once so many items are in the file.
fn kill(disk: &Disk, data: &Path, ana: &Client, from: usize, (items, plan): (usize, Plan)) {
    disk.plan(&Plan::count(Calls::ALL));
    let mut command = part("power::killed::the_part_that_pulls");
    command.env(FOLDER, data).env(URL, &ana.url).env(TOKEN, &ana.token).env(FROM, from.to_string());
    let child = command.envs(disk.env()).stdout(Stdio::null()).spawn().unwrap();
    let mut pulling = Process::from_child("the pull", child);
    until_blocking("the items before the kill", || !pulling.is_running() || items_in(data) >= items);
    disk.plan(&plan);
    let ended = pulling.exit_within(TEST_TIMEOUT).expect("it is killed");
    assert_eq!(ended.signal(), Some(9), "it was to be killed with {items} items: {ended}");
}

#[track_caller]
fn assert_sound(replica: &Replica) {
    let found = replica.check().unwrap();
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn killed_at_any_moment_of_a_backlog_a_replica_is_sound_and_goes_on() {
    let (_server, ana) = server().await;
    let folder = TempDir::with_prefix("tidings-killed.").unwrap();
    let disk = Disk::below(folder.path());
    let data = disk.folder().join("data");
    create_folder(&data).unwrap();
    let in_a_page = |nth| Plan::kill(Calls::WRITE, nth);
    // Only the copying of the log writes to the database itself.
    let in_a_copy = |nth| Plan::kill(Calls::WRITE, nth).skipping(["replica.db-wal", "replica.db-shm"]);
    let kills = [
        (1, in_a_page(1)),
        (600, in_a_copy(1)),
        (1_500, in_a_page(60)),
        (2_500, in_a_copy(25)),
        (3_500, Plan::kill(Calls::SYNC, 1)),
        (4_500, in_a_copy(4)),
        (5_500, in_a_page(200)),
        (6_500, in_a_copy(70)),
    ];
    for (nth, kill_at) in kills.into_iter().enumerate() {
        let from = if nth % 4 < 2 { LONG_LOG } else { COPIED_MEANWHILE };
        kill(&disk, &data, &ana, from, kill_at);
        let replica = Replica::open(&data, Arc::new(SystemClock)).unwrap();
        assert_sound(&replica);
        let items = replica.items(&ItemFilter::default(), 2 * ITEMS).unwrap().len();
        assert!((kill_at.0..ITEMS).contains(&items), "{items} items after the kill with {}", kill_at.0);
    }

    pull(&data, &ana.url, &ana.token, LONG_LOG).await;
    let replica = Replica::open(&data, Arc::new(SystemClock)).unwrap();
    assert_sound(&replica);
    let here = replica.items(&ItemFilter::default(), 2 * ITEMS).unwrap();
    let pair = |item: &Item| (item.notification.msgid.0.clone(), item.notification.content.body.clone());
    let here_by_id: BTreeMap<_, _> = here.iter().map(pair).collect();
    let text = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    let (there, ..) = ana.pull(None, 5_000).await;
    let there: BTreeMap<_, _> = there.iter().map(|item| (text(item, "msgid"), text(item, "body"))).collect();
    assert_eq!((here.len(), here_by_id.len()), (ITEMS, ITEMS));
    assert!(here_by_id == there, "what is here differs from what the server has");
}

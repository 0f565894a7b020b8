//! A server's retention, tidying of files and lists while calls on its files fail.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use support::client::Client;
use support::wait;
use tempfile::TempDir;
use tidings_model::wire::Scope;
use tidings_server::ServerConfig;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::disk::{Disk, plans};
use tidings_testkit::server::RunningServer;
use tokio::task::{block_in_place, spawn_blocking};

use super::is_done;

/// Names the data folder of [`the_part_that_tidies`].
const FOLDER: &str = "TIDINGS_TEST_FOLDER";
/// The name of this test's part.
const PART: &str = "disk_errors::retention::the_part_that_tidies";
/// How long notifications are kept.
const KEPT_SECS: u64 = 3_600;
/// What passes with each line of its input.
const PASSING_SECS: i64 = 2 * 3_600;
/// What is listed while calls fail.
const LISTS: [&str; 8] = [
    "sync?limit=50",
    "inbox?limit=50",
    "unread",
    "conversations",
    "subscriptions",
    "tokens",
    "groups",
    "people?q=rea",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a part of what_is_too_old_on_a_failing_disk_goes_later_and_the_rest_stays"]
async fn the_part_that_tidies() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let config = ServerConfig {
        retain: Some(Duration::from_secs(KEPT_SECS)),
        retain_now: true,
        upkeep_interval: Duration::from_millis(100),
        ..ServerConfig::new(data)
    };
    let clock = ManualClock::running();
    let running = RunningServer::start(config, Arc::new(clock.clone())).await;
    let reader = running.owner("reader", "Reader", &[Scope::Inbox, Scope::Publish]).await;
    println!("listens: {} {}", reader.url, reader.token);
    while spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await.unwrap().unwrap() > 0 {
        clock.advance(PASSING_SECS);
        println!("it is later");
    }
    running.holds_together().await;
    running.stop().await;
}

/// The part, what it prints, and a client of its reader.
fn start(disk: &Disk, data: &Path) -> (Child, Lines<BufReader<ChildStdout>>, Client) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", PART, "--ignored", "--nocapture"]).env(FOLDER, data).envs(disk.env());
    let mut part = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(part.stdout.take().unwrap()).lines();
    let mut said = lines.by_ref().map(Result::unwrap);
    let found = said.find_map(|line| Some(line.split_once("listens: ")?.1.to_owned()));
    let served = found.expect("it says where it listens");
    let (url, token) = served.split_once(' ').unwrap();
    (part, lines, Client::new(url, token))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_old_on_a_failing_disk_goes_later_and_the_rest_stays() {
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let disk = Disk::below(folder.path());
    let data = disk.folder().join("data");
    let (mut part, mut lines, reader) = block_in_place(|| start(&disk, &data));
    let target = json!({"type": "topic", "id": "photos"});
    reader.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
    let files = || fs::read_dir(data.join("files")).map_or(0, Iterator::count);
    let post = async |body: &str| {
        is_done(reader.post("messages", json!({"to": "reader", "body": body})).await, 201).is_some()
    };
    let mut failed = 0;
    for (nth, plan) in plans(6, 13).enumerate() {
        assert!(post(&format!("old {nth}")).await, "{plan:?}");
        let put = reader.request(Method::PUT, "/photos").header("Filename", "flower.bin");
        reader.send(put.body(vec![7; 20_000])).await.is(200);
        disk.plan(&plan);
        writeln!(part.stdin.as_mut().unwrap()).unwrap();
        block_in_place(|| lines.by_ref().map(Result::unwrap).find(|line| line.contains("it is later")))
            .unwrap();
        wait::until("upkeep to meet a fault or to end", || async { disk.failed() > 0 || files() == 0 }).await;
        for list in LISTS {
            drop(is_done(reader.get(list).await, 200));
        }
        failed += disk.failed();
        disk.heal();
        let new = format!("new {nth}");
        wait::until(&format!("a post after {plan:?}"), || async { post(&new).await }).await;
        wait::until(&format!("upkeep after {plan:?}"), || async {
            files() == 0 && reader.inbox().await.iter().all(|item| item["body"] == new)
        })
        .await;
        assert!(reader.inbox().await.iter().any(|item| item["body"] == new), "{plan:?}: what is new stays");
        for list in LISTS {
            reader.get(list).await.is(200);
        }
    }
    assert!(failed > 3, "{failed} calls failed");
    drop(part.stdin.take());
    assert!(block_in_place(|| part.wait()).unwrap().success());
}

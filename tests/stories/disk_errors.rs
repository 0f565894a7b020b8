//! Tests a disk whose calls fail: the first, the second or a later one of each kind, once or from then on. A server and its
//! upkeep, the terminal, a backup, an export and a restore say so in a sentence. They lose nothing that they
//! acknowledged, and go on once the disk is well.
//!
//! `TIDINGS_SOAK` lets every call fail in turn; a usual run takes a sample.

mod retention;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use support::app::{tidings, tidings_json, try_tidings, try_tidings_with};
use support::client::{Answer, Client};
use support::program::{Process, built};
use support::server::ServerProcess;
use support::wait;
use tempfile::TempDir;
use tidings_model::{Notification, SystemClock};
use tidings_server::{Server, ServerConfig, User};
use tidings_testkit::disk::{Calls, Disk, Fault, Plan, plans};
use tokio::task::block_in_place;

/// Asserts that a run failed with a sentence, or did not fail.
#[track_caller]
fn assert_told(plan: &Plan, is_done: bool, err: &str) {
    assert!(!err.contains("panicked"), "{plan:?}: {err}");
    assert!(is_done || err.lines().any(|line| line.starts_with("tidings: ")), "{plan:?}: {err}");
}

/// A server on a disk, and what it acknowledged.
struct Failing {
    disk: Disk,
    server: ServerProcess,
    reader: Client,
    /// How many messages were posted.
    posts: usize,
    acknowledged: Vec<String>,
    refused: Vec<String>,
    /// The paths of uploaded files.
    files: Vec<String>,
}

impl Failing {
    async fn start(folder: &Path) -> Self {
        let disk = Disk::below(folder);
        let data = disk.folder().join("data");
        let server = block_in_place(|| ServerProcess::in_folder(&data, &disk.env(), ""));
        let reader = server.admin().user("reader", &["inbox", "publish"]).await;
        let target = json!({"type": "topic", "id": "photos"});
        reader.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
        let (acknowledged, refused, files) = (Vec::new(), Vec::new(), Vec::new());
        Self { disk, server, reader, posts: 0, acknowledged, refused, files }
    }

    /// Posts a message. It is acknowledged, or refused with a problem.
    async fn post(&mut self) -> bool {
        self.posts += 1;
        let body = format!("post {} {}", self.posts, "x".repeat(self.posts % 4 * 1_500));
        let answer =
            self.server.admin().post("messages", json!({"to": "reader", "body": body.clone()})).await;
        let is_done = is_done(answer, 201).is_some();
        if is_done {
            self.acknowledged.push(body);
        } else {
            self.refused.push(body);
        }
        is_done
    }

    /// Uploads a file.
    async fn upload(&mut self) {
        let put = self.reader.request(Method::PUT, "/photos").header("Filename", "flower.bin");
        let answer = self.reader.send(put.body(vec![7; 20_000])).await;
        if answer.status == 200 {
            let url = answer.body["attachment"]["url"].as_str().unwrap();
            self.files.push(format!("/file/{}", url.split("/file/").nth(1).unwrap()));
        } else {
            // As ntfy's tools expect it.
            assert_eq!((answer.status.as_u16(), &answer.body["http"]), (503, &json!(503)), "{}", answer.body);
        }
    }

    /// Reads the inbox, and marks what is the newest there.
    async fn mark(&self) {
        let Some(inbox) = is_done(self.reader.get("inbox?limit=1").await, 200) else { return };
        let Some(msgid) = inbox["items"][0]["msgid"].as_str() else { return };
        let op = json!({"id": tidings_testkit::client::unique(), "op": "read", "msgids": [msgid]});
        if is_done(self.reader.post("inbox/ops", json!({"ops": [op]})).await, 200).is_some() {
            self.disk.heal();
            let inbox = self.reader.inbox().await;
            let item = inbox.iter().find(|item| item["msgid"] == msgid).unwrap();
            assert!(item["read_at"].is_string(), "{item}");
        }
    }

    /// Once the disk is well, it goes on.
    async fn goes_on(&mut self, plan: &Plan) {
        self.disk.heal();
        let start = Instant::now();
        while !self.post().await {
            assert!(start.elapsed() < wait::TEST_TIMEOUT, "{plan:?}: it does not recover");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Removes a user who wrote to the reader, and waits until upkeep, which recalls and deletes at once, meets a fault of
    /// the plan or ends. Returns what was written.
    async fn remove_writer(&self, name: &str, plan: &Plan) -> String {
        let body = format!("of {name}");
        let writer = self.server.admin().user(name, &["inbox", "publish"]).await;
        // Each is recalled by a commit of its own, so that a fault meets some of them.
        for _ in 0..30 {
            writer.post("messages", json!({"to": "reader", "body": body})).await.is(201);
        }
        self.server.admin().delete(&format!("users/{name}?content=delete")).await.is(204);
        self.disk.plan(plan);
        wait::until("upkeep to meet a fault or to end", || async {
            self.disk.failed() > 0 || self.is_recalled(&body).await
        })
        .await;
        body
    }

    /// Whether nothing with this body is in the inbox any more; false if it can't be read now.
    async fn is_recalled(&self, body: &str) -> bool {
        let Some(inbox) = is_done(self.reader.get("inbox?limit=100").await, 200) else { return false };
        inbox["items"].as_array().unwrap().iter().all(|item| item["body"] != body || item["deleted"] == true)
    }

    /// Whatever was acknowledged is there once, and at most once what was refused.
    async fn is_complete(&self) {
        let items = self.reader.pull(None, 500).await.0;
        let messages = items.iter().filter(|item| item["kind"] == "message" && item["deleted"] == false);
        let found: Vec<&str> = messages.map(|item| item["body"].as_str().unwrap()).collect();
        let times = |body: &String| found.iter().filter(|one| *one == body).count();
        for body in &self.acknowledged {
            assert_eq!(times(body), 1, "{body}");
        }
        for body in &self.refused {
            assert!(times(body) <= 1, "{body}");
        }
        for path in &self.files {
            let file = self.reader.request(Method::GET, path).send().await.unwrap();
            assert_eq!(file.bytes().await.unwrap(), vec![7; 20_000], "{path}");
        }
    }
}

/// The body of an answer with this status; `None` for the problem that the server can't do it now.
#[track_caller]
fn is_done(answer: Answer, status: u16) -> Option<serde_json::Value> {
    if answer.status == status {
        return Some(answer.body);
    }
    answer.problem(503, "unavailable", None);
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_disk_fails_says_so_loses_nothing_and_goes_on() {
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let mut failing = Failing::start(folder.path()).await;
    let mut failed = 0;
    for (nth, plan) in plans(12, 3).enumerate() {
        failing.disk.plan(&plan);
        match nth % 3 {
            0 => drop(failing.post().await),
            1 => failing.upload().await,
            _ => failing.mark().await,
        }
        failed += failing.disk.failed();
        failing.goes_on(&plan).await;
    }
    assert!(failed > 20, "{failed} calls failed");
    failing.is_complete().await;
    block_in_place(|| failing.server.stop());
    block_in_place(|| tidings(&failing.server.data_dir(), &["check"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upkeep_on_a_failing_disk_is_told_in_the_log_and_done_later() {
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let mut failing = Failing::start(folder.path()).await;
    let mut failed = 0;
    for (nth, plan) in plans(9, 17).enumerate() {
        let body = failing.remove_writer(&format!("writer-{nth}"), &plan).await;
        failed += failing.disk.failed();
        failing.goes_on(&plan).await;
        // It looks every few seconds for what is left to do.
        wait::until(&format!("upkeep after {plan:?}"), || failing.is_recalled(&body)).await;
    }
    assert!(failed > 3, "{failed} calls failed");
    failing.is_complete().await;
    let log = failing.server.process().unwrap().output();
    assert!(log.contains("could not ") && !log.contains("panicked"), "{log}");
    block_in_place(|| failing.server.stop());
    block_in_place(|| tidings(&failing.server.data_dir(), &["check"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_disk_takes_nothing_more_is_read() {
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let mut failing = Failing::start(folder.path()).await;
    assert!(failing.post().await);
    for (calls, fault) in [(Calls::WRITE, Fault::Io), (Calls::SYNC, Fault::Io), (Calls::GROW, Fault::Full)] {
        let plan = Plan::fail(calls, fault, 1);
        failing.disk.plan(&plan);
        assert!(!failing.post().await, "{plan:?}");
        failing.reader.get("health/ready").await.problem(503, "unavailable", None);
        assert_eq!(failing.reader.inbox().await.len(), failing.acknowledged.len(), "{plan:?}");
        failing.goes_on(&plan).await;
        failing.reader.get("health/ready").await.is(200);
    }
    failing.is_complete().await;
}

/// A process of `tidings serve` on a disk; `None` if it ended with a sentence.
fn serve(disk: &Disk, data: &Path, log: &Path, plan: &Plan) -> Option<Process> {
    let mut command = Command::new(built("tidings"));
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("TIDINGS_DATA_DIR", data).envs(disk.env());
    for unset in ["TIDINGS_STORE", "TIDINGS_BUS", "TIDINGS_CACHE", "TIDINGS_TRACES"] {
        command.env_remove(unset);
    }
    let mut process = Process::start("tidings serve", command, log);
    let listens = wait::until_blocking("it listens or ends", || {
        let is_running = process.is_running();
        let listens = process.output().contains("listening on ");
        (listens || !is_running).then_some(listens)
    });
    if listens {
        return Some(process);
    }
    assert_told(plan, false, &process.output());
    None
}

#[test]
fn a_start_or_an_end_on_a_failing_disk_is_told_and_the_next_start_is_well() {
    let (logs, healthy) = (TempDir::new().unwrap(), Plan::count(Calls::ALL));
    let log = logs.path().join("serve.log");
    for (nth, plan) in plans(40, 61).enumerate() {
        let folder = TempDir::with_prefix("tidings-failing.").unwrap();
        let disk = Disk::below(folder.path());
        let data = disk.folder().join("data");
        // Plans that fail once and plans that fail from then on alternate.
        if (nth / 2).is_multiple_of(2) {
            disk.plan(&plan);
        }
        if let Some(mut started) = serve(&disk, &data, &log, &plan) {
            disk.plan(&plan);
            let status = started.terminate();
            assert_told(&plan, status.success(), &started.output());
        }
        disk.heal();
        let mut well = serve(&disk, &data, &log, &healthy).expect("a healthy start");
        assert!(well.terminate().success(), "{plan:?}: {}", well.output());
        tidings(&data, &["check"]);
    }
}

/// The bodies of all that a server in a folder has, sorted.
async fn bodies(data: &Path) -> Vec<String> {
    let server = Server::open(ServerConfig::new(data), Arc::new(SystemClock)).await.unwrap();
    let mut bodies = Vec::new();
    let mut each = |_: &User, items: Vec<Notification>| {
        bodies.extend(items.into_iter().map(|item| item.content.body));
        true
    };
    server.export(&mut each).await.unwrap();
    bodies.sort();
    bodies
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_or_an_export_of_a_server_on_a_failing_disk_is_whole_or_says_that_it_is_not() {
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let mut failing = Failing::start(folder.path()).await;
    for _ in 0..8 {
        assert!(failing.post().await);
    }
    let (data, backup) = (failing.server.data_dir(), failing.disk.folder().join("server.tar"));
    let file = backup.to_str().unwrap();
    let mut failed = 0;
    for (nth, plan) in plans(40, 37).enumerate() {
        // Plans that fail once and plans that fail from then on alternate.
        let saves = (nth / 2).is_multiple_of(2);
        let args =
            if saves { vec!["backup", file] } else { vec!["export", "--format", "json", "--of", "server"] };
        let known = failing.acknowledged.clone();
        failing.disk.plan(&plan);
        let (ended_well, out, err) = block_in_place(|| {
            try_tidings_with(&data, &args, |command| {
                command.env("TIDINGS_NO_KEYRING", "1").envs(failing.disk.env());
            })
        });
        assert_told(&plan, ended_well, &err);
        // The server is read meanwhile, or says that it can't be.
        drop(is_done(failing.reader.get("inbox?limit=1").await, 200));
        failing.goes_on(&plan).await;
        if ended_well {
            let found = if saves { restored(&backup).await } else { exported(&out) };
            assert!(known.iter().all(|body| found.contains(body)), "{plan:?}: {found:?}");
        } else {
            failed += 1;
            assert!(!backup.exists(), "{plan:?}: half a backup is left");
            block_in_place(|| tidings(&data, &args));
        }
        let _ = std::fs::remove_file(&backup);
    }
    assert!(failed > 3, "{failed} failed");
    failing.is_complete().await;
    block_in_place(|| failing.server.stop());
    block_in_place(|| tidings(&data, &["check"]));
}

/// The bodies of all that a backup of a server has.
async fn restored(backup: &Path) -> Vec<String> {
    let data = TempDir::new().unwrap();
    block_in_place(|| tidings(data.path(), &["restore", backup.to_str().unwrap()]));
    bodies(data.path()).await
}

/// The bodies of what an export wrote.
fn exported(out: &str) -> Vec<String> {
    let all: serde_json::Value = serde_json::from_str(out).unwrap();
    all.as_array().unwrap().iter().map(|item| item["body"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_on_a_failing_disk_leaves_the_old_or_the_new_whole_and_is_done_again() {
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let disk = Disk::below(folder.path());
    let (data, backup) = (disk.folder().join("data"), disk.folder().join("old.tar"));
    let mut server = block_in_place(|| ServerProcess::in_folder(&data, &[], ""));
    server.admin().user("reader", &["inbox"]).await;
    let post = |body: &'static str| {
        let admin = server.admin();
        async move { admin.post("messages", json!({"to": "reader", "body": body})).await.is(201) }
    };
    post("both have it").await;
    let backup = backup.to_str().unwrap();
    block_in_place(|| tidings(&data, &["backup", backup]));
    post("the new one has it").await;
    block_in_place(|| server.stop());
    let (file, new) = (std::fs::read(data.join("server.db")).unwrap(), bodies(&data).await);
    let restore = |data: &Path| {
        let mut command = Command::new(built("tidings"));
        command.args(["restore", backup]).env("TIDINGS_DATA_DIR", data).env("TIDINGS_NO_KEYRING", "1");
        let done = block_in_place(|| command.envs(disk.env()).output().unwrap());
        (done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    disk.plan(&Plan::count(Calls::ALL));
    assert!(restore(&data).0);
    let (calls, old) = (disk.calls(), bodies(&data).await);
    assert!(old.len() < new.len() && calls > 40, "{old:?} {new:?} {calls}");
    let mut failed = 0;
    let parts = if std::env::var_os("TIDINGS_SOAK").is_some() { calls } else { 5 };
    let anywhere = (0..parts).flat_map(|part| {
        let first = calls * part / parts + 1;
        let all = Plan::fail(Calls::ALL, Fault::Io, first);
        [all.times(1), all, Plan::fail(Calls::GROW, Fault::Full, first / 4 + 1)]
    });
    for plan in anywhere.chain(plans(40, 255)) {
        let own = TempDir::new_in(disk.folder()).unwrap();
        let data = own.path();
        std::fs::write(data.join("server.db"), &file).unwrap();
        disk.plan(&plan);
        let (is_done, err) = restore(data);
        assert_told(&plan, is_done, &err);
        failed += u64::from(!is_done);
        disk.heal();
        let found = bodies(data).await;
        assert!(found == old || found == new && !is_done, "{plan:?}: {found:?}");
        let (is_done, err) = restore(data);
        assert!(is_done, "{plan:?}: {err}");
        assert_eq!(bodies(data).await, old, "{plan:?}");
    }
    assert!(failed > 5, "{failed} failed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_terminal_on_a_failing_disk_tells_it_and_keeps_the_inbox() {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    for n in 0..12 {
        server
            .admin()
            .post("announcements", json!({"title": format!("News {n}"), "body": "x"}))
            .await
            .success();
    }
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let disk = Disk::below(folder.path());
    let (data, backup) = (disk.folder().join("data"), disk.folder().join("inbox.tar"));
    block_in_place(|| {
        tidings(&data, &["source", "add", "tidings", &ana.url, "--token", &ana.token, "--name", "Work"]);
    });
    let file = backup.to_str().unwrap();
    let commands: [&[&str]; 7] = [
        &["pull"],
        &["list"],
        &["search", "News"],
        &["mark", "read", "--all"],
        &["backup", file],
        &["export", "--format", "json", "--of", "inbox"],
        &["check"],
    ];
    let run = |args: &[&str]| {
        let mut command = Command::new(built("tidings"));
        command.args(args).env("TIDINGS_DATA_DIR", &data).env("TIDINGS_NO_KEYRING", "1").envs(disk.env());
        let done = block_in_place(|| command.output().unwrap());
        (done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    for (nth, plan) in plans(60, 41).enumerate() {
        let args = commands[nth % commands.len()];
        disk.plan(&plan);
        let (is_done, err) = run(args);
        // What a check finds is no sentence of the program.
        assert_told(&plan, is_done || args[0] == "check", &err);
        disk.heal();
        assert!(is_done || !backup.exists(), "{plan:?}: half a backup is left");
        let _ = std::fs::remove_file(&backup);
        let (is_done, _, err) = block_in_place(|| try_tidings(&data, args));
        assert!(is_done, "{plan:?}: {args:?}: {err}");
        let _ = std::fs::remove_file(&backup);
    }
    block_in_place(|| {
        tidings(&data, &["pull"]);
        tidings(&data, &["check"]);
        let list = tidings_json(&data, &["list"]);
        assert_eq!(list.as_array().unwrap().len(), 12, "{list}");
    });
}

/// Runs the `tidings` program with its files on a disk. Whether it succeeded, and its standard error.
fn on_disk(disk: &Disk, data: &Path, args: &[&str], settings: &[(&str, &str)]) -> (bool, String) {
    let (is_done, _, err) = block_in_place(|| {
        try_tidings_with(data, args, |command| {
            command.env("TIDINGS_NO_KEYRING", "1").envs(settings.iter().copied()).envs(disk.env());
        })
    });
    (is_done, err)
}

/// How many messages with this body a reader has. The file of each is whole.
async fn with_whole_file(reader: &Client, body: &str, file: &[u8]) -> usize {
    let items: Vec<_> = reader.inbox().await.into_iter().filter(|item| item["body"] == body).collect();
    for item in &items {
        let url = item["attachment"]["url"].as_str().unwrap();
        let path = format!("/file/{}", url.split("/file/").nth(1).unwrap());
        let kept = reader.request(Method::GET, &path).send().await.unwrap().bytes().await.unwrap();
        assert!(kept == file, "{body}: {} bytes", kept.len());
    }
    items.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_terminal_that_starts_sends_restores_or_repairs_on_a_failing_disk_is_done_again() {
    let server = ServerProcess::start();
    let admin = server.admin();
    let ana = admin.user("ana", &["inbox"]).await;
    let (bo, cara) =
        (admin.user("bo", &["inbox", "publish"]).await, admin.user("cara", &["inbox", "publish"]).await);
    let target = json!({"type": "topic", "id": "photos"});
    bo.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
    for n in 0..12 {
        admin.post("messages", json!({"to": "ana", "body": format!("News {n}")})).await.is(201);
    }
    let folder = TempDir::with_prefix("tidings-failing.").unwrap();
    let disk = Disk::below(folder.path());
    let (usual, backup) = (disk.folder().join("usual"), disk.folder().join("old.tar"));
    let (photo, picture) = (disk.folder().join("photo.bin"), vec![7_u8; 60_000]);
    std::fs::write(&photo, &picture).unwrap();
    let [backup, photo] = [&backup, &photo].map(|path| path.to_str().unwrap().to_owned());
    let (url, token) = (ana.url.as_str(), ana.token.as_str());
    let add = ["source", "add", "tidings", url, "--token", token, "--name", "Work"];
    block_in_place(|| {
        tidings(&usual, &add);
        tidings(&usual, &["pull"]);
        tidings(&usual, &["backup", &backup]);
    });
    let [inbox, tokens] = ["replica.db", "tokens.json"].map(|name| std::fs::read(usual.join(name)).unwrap());
    let cut = &inbox[..inbox.len() - 2 * 4_096];
    let sender = [("TIDINGS_SERVER", cara.url.as_str()), ("TIDINGS_TOKEN", cara.token.as_str())];
    let firsts = if std::env::var_os("TIDINGS_SOAK").is_some() { 40 } else { 8 };
    let (mut failed, mut refused) = (0, 0);
    for (nth, plan) in plans(firsts, 13).enumerate() {
        let own = TempDir::new_in(disk.folder()).unwrap();
        let (data, body) = (own.path(), format!("photo {nth}"));
        let commands: [(&[&str], Option<&[u8]>); 5] = [
            (&add, None),
            (&["send", "--to", "bo", "--attach", &photo, &body], None),
            (&["restore", &backup], Some(inbox.as_slice())),
            (&["repair"], Some(cut)),
            (&["send", "--topic", "photos", "--attach", &photo, &body], None),
        ];
        let (args, before) = commands[nth % commands.len()];
        if let Some(before) = before {
            std::fs::write(data.join("replica.db"), before).unwrap();
            std::fs::write(data.join("tokens.json"), &tokens).unwrap();
        }
        disk.plan(&plan);
        let (is_done, mut err) = on_disk(&disk, data, args, if args[0] == "send" { &sender } else { &[] });
        assert_told(&plan, is_done, &err);
        (failed, refused) = (failed + disk.failed(), refused + usize::from(!is_done));
        disk.heal();
        if args[0] == "send" {
            let arrived = with_whole_file(&bo, &body, &picture).await;
            assert!(arrived == 1 || !is_done && arrived == 0, "{plan:?}: {arrived} of {body}: {err}");
            continue;
        }
        if !is_done {
            let (is_done, told) = on_disk(&disk, data, args, &[]);
            assert!(is_done || args[0] == "source", "{plan:?}: {args:?}: {told}");
            err.push_str(&told);
        }
        let sources = block_in_place(|| tidings_json(data, &["source", "list"]));
        if sources.as_array().unwrap().is_empty() {
            // What a repair can't read it names, and it is added again.
            assert!(args[0] == "repair" && err.contains("be read"), "{plan:?}: {args:?}: {err}");
            block_in_place(|| tidings(data, &add));
        } else if !on_disk(&disk, data, &["pull"], &[]).0 {
            // A source that was left without its token is removed, and added again.
            let is_told = args[0] == "source" && !is_done || err.contains("tokens");
            assert!(is_told, "{plan:?}: {args:?}: {err}");
            block_in_place(|| {
                tidings(data, &["source", "remove", "Work"]);
                tidings(data, &add);
            });
        }
        block_in_place(|| {
            tidings(data, &["pull"]);
            tidings(data, &["check"]);
            let list = tidings_json(data, &["list"]);
            assert_eq!(list.as_array().unwrap().len(), 12, "{plan:?}: {args:?}: {list}");
        });
    }
    assert!(failed > 3 && refused > 2, "{failed} calls failed, {refused} commands were refused");
}

//! Several replicas of one user, pulled by the `tidings` program from a real server.
//! Refuses to trust one side: what a replica says is compared with the server and with its own recount.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json, tidings_tried},
    client::Client,
    program::{Running, built},
    server::Server,
    wait,
};
use tempfile::TempDir;

/// A replica of its own for a user of `server`.
fn replica_of(server: &Server, user: &Client) -> TempDir {
    let dir = TempDir::with_prefix("tidings-replica.").unwrap();
    let add = ["source", "add", "tidings", &server.url(), "--token", &user.token, "--name", "Work"];
    tidings(dir.path(), &add);
    dir
}

/// `tidings pull --watch` on a data folder.
fn watch(data: &Path) -> Running {
    let mut command = std::process::Command::new(built("tidings"));
    command.args(["pull", "--watch"]).env("TIDINGS_DATA_DIR", data).env_remove("DBUS_SESSION_BUS_ADDRESS");
    Running::start("tidings pull --watch", command, &data.join("watch.log"))
}

fn unread(data: &Path) -> Value {
    tidings_json(data, &["unread"])["total"].clone()
}

fn listed(data: &Path, more: &[&str]) -> Vec<Value> {
    let list = tidings_json(data, &[&["list", "--limit", "1000"], more].concat());
    list.as_array().unwrap().iter().map(|item| json!([item["msgid"], item["read_at"].is_null()])).collect()
}

async fn announce(server: &Server, n: usize) {
    let each = |k: usize| json!({"title": format!("Note {k}"), "body": "One of many"});
    server.admin().post("/announcements", (0..n).map(each).collect()).await;
}

#[tokio::test]
async fn two_replicas_of_one_user_and_the_server_agree() {
    let server = Server::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    server.admin().user("bo", &["inbox"]).await;
    let (laptop, desk) = (replica_of(&server, &ana), replica_of(&server, &ana));
    announce(&server, 30).await;
    ana.post("/messages", json!({"to": "bo", "body": "from me, never unread"})).await;
    for data in [&laptop, &desk] {
        tidings(data.path(), &["pull"]);
        assert_eq!(unread(data.path()), 30);
    }

    let items = tidings_json(laptop.path(), &["list", "--limit", "3", "--kind", "announcement"]);
    let first = items[0]["msgid"].as_str().unwrap();
    tidings(laptop.path(), &["mark", "archive", first]);
    assert_eq!(unread(laptop.path()), 29, "a mark holds before it is sent");
    assert_eq!(unread(desk.path()), 30);
    tidings(laptop.path(), &["pull"]);
    tidings(desk.path(), &["pull"]);
    assert_eq!(unread(desk.path()), 29);
    assert_eq!(ana.unread().await, 29);

    tidings(desk.path(), &["mark", "read", "--all"]);
    tidings(desk.path(), &["pull"]);
    tidings(laptop.path(), &["pull"]);
    assert_eq!(unread(laptop.path()), 0);
    assert_eq!(listed(laptop.path(), &[]), listed(desk.path(), &[]));
    for data in [laptop.path(), desk.path(), &server.data()] {
        tidings(data, &["check"]);
    }
}

#[tokio::test]
async fn a_mark_made_with_the_server_gone_holds_and_arrives_later() {
    let mut server = Server::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let laptop = replica_of(&server, &ana);
    announce(&server, 3).await;
    tidings(laptop.path(), &["pull"]);
    server.stop();

    let (ok, _, err) = tidings_tried(laptop.path(), &["pull"]);
    assert!(!ok, "a pull from nowhere fails");
    assert!(!err.contains("panicked") && !err.is_empty(), "{err}");
    tidings(laptop.path(), &["mark", "read", "--all"]);
    assert_eq!(unread(laptop.path()), 0);
    assert_eq!(tidings_json(laptop.path(), &["search", "many"]).as_array().unwrap().len(), 3);

    server.again();
    assert_eq!(ana.unread().await, 3);
    tidings(laptop.path(), &["pull"]);
    assert_eq!(ana.unread().await, 0);
    assert_eq!(unread(laptop.path()), 0);
    tidings(laptop.path(), &["check"]);
}

#[tokio::test]
async fn watching_brings_what_comes_and_survives_the_servers_absence() {
    let mut server = Server::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let laptop = replica_of(&server, &ana);
    let _watch = watch(laptop.path());
    announce(&server, 2).await;
    wait::until_equal("unread", json!(2), || async { unread(laptop.path()) }).await;
    server.kill();
    server.again();
    announce(&server, 5).await;
    wait::within(2 * wait::SOON, "the rest", || async { (unread(laptop.path()) == 7).then_some(()) }).await;
}

#[tokio::test]
async fn killed_in_the_middle_of_a_pull_nothing_is_lost_or_doubled() {
    let server = Server::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let laptop = replica_of(&server, &ana);
    for _ in 0..6 {
        announce(&server, 1000).await;
    }
    // Ever later into the same pull.
    for after in [20, 60, 120, 200, 350, 500] {
        let mut pull = watch(laptop.path());
        std::thread::sleep(Duration::from_millis(after));
        pull.kill();
        tidings(laptop.path(), &["check"]);
    }
    tidings(laptop.path(), &["pull"]);
    assert_eq!(unread(laptop.path()), 6000);
    tidings(laptop.path(), &["check"]);
}

#[tokio::test]
async fn a_killed_server_keeps_every_publish_that_it_answered() {
    let mut server = Server::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let mut acknowledged = 0;
    let answers = Arc::new(AtomicU64::new(0));
    for round in 0..4_usize {
        let admin = server.admin();
        let (before, counted) = (answers.load(Ordering::Relaxed), answers.clone());
        let publishing = tokio::spawn(async move {
            let mut answered = 0;
            loop {
                let body = json!({"title": format!("{round}"), "body": "kept"});
                let sent = tokio::spawn({
                    let admin = admin.clone();
                    async move { admin.api(reqwest::Method::POST, "/announcements", body).await.0 }
                });
                // The request that is in flight when the server dies panics in its own task.
                match sent.await {
                    Ok(status) if status.is_success() => {
                        answered += 1;
                        counted.fetch_add(1, Ordering::Relaxed);
                    }
                    _ => return answered,
                }
            }
        });
        // While more is on its way.
        wait::until("a few publishes", || async {
            (answers.load(Ordering::Relaxed) >= before + 5).then_some(())
        })
        .await;
        server.kill();
        acknowledged += publishing.await.unwrap();
        server.again();
    }
    assert!(acknowledged > 0);
    let laptop = replica_of(&server, &ana);
    tidings(laptop.path(), &["pull"]);
    let kept = unread(laptop.path()).as_u64().unwrap();
    // Whatever was in flight at a kill may have been kept without an answer: one a round at most.
    assert!(
        (acknowledged..=acknowledged + 4).contains(&kept),
        "{acknowledged} were acknowledged, {kept} kept"
    );
    tidings(&server.data(), &["check"]);
}

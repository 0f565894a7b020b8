//! Tests of several replicas of one user, pulled by the `tidings` program from a real server.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json, try_tidings, unread},
    server::ServerProcess,
    wait,
};

use crate::device::Device;

fn listed(data: &Path, more: &[&str]) -> Vec<Value> {
    let list = tidings_json(data, &[&["list", "--limit", "1000"], more].concat());
    list.as_array().unwrap().iter().map(|item| json!([item["msgid"], item["read_at"].is_null()])).collect()
}

async fn announce(server: &ServerProcess, n: usize) {
    let each = |k: usize| json!({"title": format!("Note {k}"), "body": "One of many"});
    server.admin().post("announcements", (0..n).map(each).collect()).await.success();
}

#[tokio::test]
async fn two_replicas_of_one_user_and_the_server_agree() {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    server.admin().user("bo", &["inbox"]).await;
    let (laptop, desk) = (Device::of(&ana), Device::of(&ana));
    announce(&server, 30).await;
    ana.post("messages", json!({"to": "bo", "body": "from me, never unread"})).await.success();
    for data in [&laptop, &desk] {
        tidings(data.data_dir(), &["pull"]);
        assert_eq!(unread(data.data_dir()), 30);
    }

    let items = tidings_json(laptop.data_dir(), &["list", "--limit", "3", "--kind", "announcement"]);
    let first = items[0]["msgid"].as_str().unwrap();
    tidings(laptop.data_dir(), &["mark", "archive", first]);
    assert_eq!(unread(laptop.data_dir()), 29, "a mark holds before it is sent");
    assert_eq!(unread(desk.data_dir()), 30);
    tidings(laptop.data_dir(), &["pull"]);
    tidings(desk.data_dir(), &["pull"]);
    assert_eq!(unread(desk.data_dir()), 29);
    assert_eq!(ana.unread("total").await, 29);

    tidings(desk.data_dir(), &["mark", "read", "--all"]);
    tidings(desk.data_dir(), &["pull"]);
    tidings(laptop.data_dir(), &["pull"]);
    assert_eq!(unread(laptop.data_dir()), 0);
    assert_eq!(listed(laptop.data_dir(), &[]), listed(desk.data_dir(), &[]));
    for data in [laptop.data_dir(), desk.data_dir(), &server.data_dir()] {
        tidings(data, &["check"]);
    }
}

#[tokio::test]
async fn a_mark_made_with_the_server_gone_holds_and_arrives_later() {
    let mut server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let laptop = Device::of(&ana);
    announce(&server, 3).await;
    tidings(laptop.data_dir(), &["pull"]);
    server.stop();

    let (ok, _, err) = try_tidings(laptop.data_dir(), &["pull"]);
    assert!(!ok, "a pull from nowhere fails");
    assert!(!err.contains("panicked") && !err.is_empty(), "{err}");
    tidings(laptop.data_dir(), &["mark", "read", "--all"]);
    assert_eq!(unread(laptop.data_dir()), 0);
    assert_eq!(tidings_json(laptop.data_dir(), &["search", "many"]).as_array().unwrap().len(), 3);

    server.restart();
    assert_eq!(ana.unread("total").await, 3);
    tidings(laptop.data_dir(), &["pull"]);
    assert_eq!(ana.unread("total").await, 0);
    assert_eq!(unread(laptop.data_dir()), 0);
    tidings(laptop.data_dir(), &["check"]);
}

#[tokio::test]
async fn what_was_read_on_a_plane_does_not_overrule_what_was_marked_unread_since() {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let bo = server.admin().user("bo", &["inbox"]).await;
    let (plane, desk) = (Device::of(&ana), Device::of(&ana));
    announce(&server, 2).await;
    for body in ["Hello", "Are you there?"] {
        bo.post("messages", json!({"to": "ana", "body": body})).await.success();
    }
    for data in [&plane, &desk] {
        tidings(data.data_dir(), &["pull"]);
    }
    // The newest announcement and the newest message: what came before them is read with them.
    let newest = |kind: &str| {
        let list = tidings_json(plane.data_dir(), &["list", "--limit", "1", "--kind", kind]);
        list[0]["msgid"].as_str().unwrap().to_owned()
    };
    let (announcement, message) = (newest("announcement"), newest("message"));
    let mark = |device: &Device, mark: &str| {
        tidings(device.data_dir(), &["mark", mark, announcement.as_str(), message.as_str()]);
    };
    mark(&plane, "read");
    assert_eq!(unread(plane.data_dir()), 0);
    for state in ["read", "unread"] {
        mark(&desk, state);
        tidings(desk.data_dir(), &["pull"]);
    }
    assert_eq!(ana.unread("total").await, 2);
    tidings(plane.data_dir(), &["pull"]);
    assert_eq!((ana.unread("total").await, unread(plane.data_dir())), (2, 2));
    for data in [plane.data_dir(), &server.data_dir()] {
        tidings(data, &["check"]);
    }
}

#[tokio::test]
async fn watching_brings_what_comes_and_survives_the_servers_absence() {
    let mut server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let laptop = Device::of(&ana);
    let _watch = laptop.watch();
    announce(&server, 2).await;
    wait::until_equal("unread", 2, || async { unread(laptop.data_dir()) }).await;
    server.kill();
    server.restart();
    announce(&server, 5).await;
    wait::within(2 * wait::TEST_TIMEOUT, "the rest", || async { unread(laptop.data_dir()) == 7 }).await;
}

#[tokio::test]
async fn a_killed_server_keeps_every_publish_that_it_answered() {
    let mut server = ServerProcess::start();
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
                    async move { admin.post("announcements", body).await.status }
                });
                // The request in flight when the server dies panics in its own task.
                match sent.await {
                    Ok(status) if status.is_success() => {
                        answered += 1;
                        counted.fetch_add(1, Ordering::Relaxed);
                    }
                    _ => return answered,
                }
            }
        });
        // Kills the server while publishes are under way.
        wait::until("a few publishes", || async { answers.load(Ordering::Relaxed) >= before + 5 }).await;
        server.kill();
        acknowledged += publishing.await.unwrap();
        server.restart();
    }
    assert!(acknowledged > 0);
    let laptop = Device::of(&ana);
    tidings(laptop.data_dir(), &["pull"]);
    let kept = unread(laptop.data_dir());
    // A publish in flight at a kill may be kept without an answer: at most one in each round.
    assert!(
        (acknowledged..=acknowledged + 4).contains(&kept),
        "{acknowledged} were acknowledged, {kept} kept"
    );
    tidings(&server.data_dir(), &["check"]);
}

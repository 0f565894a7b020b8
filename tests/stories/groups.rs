//! Tests of groups from the terminal: created, joined, written to, listed and left.

use std::{fs, path::Path, process::Command, time::Duration};

use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json, try_tidings},
    program::built,
    server::ServerProcess,
    wait,
};
use tidings_testkit::postgres::Database;

use crate::device::{Device, crew};

#[tokio::test]
async fn groups_are_made_joined_written_to_and_left_from_a_terminal() {
    let server = ServerProcess::start();
    let bo = server.admin().user("bo", &["inbox"]).await;
    server.admin().user("cy", &["inbox"]).await;
    let data = server.data_dir();
    let made = tidings_json(&data, &["group", "create", "Release crew", "--id", "crew", "--member", "bo"]);
    assert_eq!(made["members"], json!(["admin", "bo"]));
    let listed = tidings_json(&data, &["group", "list"]);
    assert_eq!(
        (&listed[0]["id"], &listed[0]["last"]),
        (&json!("crew"), &json!(null)),
        "before anybody wrote"
    );
    assert_eq!(tidings_json(&data, &["group", "add", "crew", "cy"])["members"], json!(["admin", "bo", "cy"]));
    tidings(&data, &["group", "remove", "crew", "cy"]);
    let renamed = tidings_json(&data, &["group", "rename", "crew", "Crew of the release"]);
    assert_eq!(renamed["name"], "Crew of the release");
    assert_eq!(tidings_json(&data, &["group", "hand-over", "crew", "bo"])["owner"], "bo");
    assert!(!try_tidings(&data, &["group", "rename", "crew", "Mine"]).0, "only its owner can");
    bo.patch("groups/crew", json!({"owner": "admin", "name": "Release crew"})).await.success();
    let sent = tidings_json(&data, &["send", "--to", "group:crew", "Ready", "to", "ship"]);
    assert_eq!(bo.inbox().await[0]["msgid"], sent["msgid"]);
    tidings(&data, &["send", "--to", "bo", "and to you"]);
    assert_eq!(bo.inbox().await[0]["conversation"], "user:admin");
    let listed = tidings_json(&data, &["group", "list"]);
    assert_eq!((&listed[0]["id"], &listed[0]["name"]), (&json!("crew"), &json!("Release crew")));
    assert!(tidings(&data, &["group", "show", "crew"]).contains("admin  owner"));
    tidings(&data, &["group", "leave", "group:crew"]);
    assert_eq!(bo.get("groups/crew").await.is(200)["members"], json!(["bo"]));
    let listed = tidings_json(&data, &["group", "list"]);
    assert_eq!(listed[0]["id"], "crew", "what was said in it stays");
    let (ok, _, err) = try_tidings(&data, &["send", "--to", "group:crew", "gone"]);
    assert!(!ok && err.contains("403"), "{err}");
    tidings_json(&data, &["group", "create", "Short", "--id", "short", "--member", "bo"]);
    assert_eq!(tidings_json(&data, &["group", "end", "short"])["ended"], "short");
    let (ok, _, err) = try_tidings(&data, &["send", "--to", "group:short", "gone"]);
    assert!(!ok && err.contains("404"), "{err}");
    let (ok, _, err) = try_tidings(&data, &["send", "--to", "group:../me", "x"]);
    assert!(!ok && err.contains("no group"), "{err}");
}

#[tokio::test]
async fn who_has_read_a_message_and_with_whom_it_has_only_arrived_is_listed_in_a_terminal() {
    let server = ServerProcess::start();
    let bo = server.admin().user("bo", &["inbox"]).await;
    let cy = server.admin().user("cy", &["inbox"]).await;
    server.admin().user("dora", &["inbox"]).await;
    let data = server.data_dir();
    let members = ["--member", "bo", "--member", "cy", "--member", "dora"];
    tidings(&data, &[&["group", "create", "Crew", "--id", "crew"][..], &members].concat());
    let sent = tidings_json(&data, &["send", "--to", "group:crew", "Ready"]);
    let msgid = sent["msgid"].as_str().unwrap();
    bo.get("sync").await.success();
    cy.put("conversations/group:crew/read", json!({"through": msgid})).await.success();
    let listed = tidings_json(&data, &["group", "receipts", "crew", msgid]);
    assert_eq!((&listed["read"][0]["user"], &listed["delivered"]), (&json!("cy"), &json!(["bo"])));
    assert_eq!(listed["unread"], json!(["bo", "dora"]));
    let counts = ["read_count", "delivered_count", "member_count"].map(|name| listed[name].clone());
    assert_eq!(counts, [json!(1), json!(2), json!(3)]);
    let text = tidings(&data, &["group", "receipts", "group:crew", msgid]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "read by 1 of 3, delivered to 2 of 3");
    assert!(lines[1].starts_with("  read     cy  2"), "{text}");
    assert_eq!(lines[2..], ["  arrived  bo", "  not yet  dora"]);
    assert!(!try_tidings(&data, &["group", "receipts", "crew", "nope"]).0);
}

#[tokio::test]
async fn groups_of_the_inbox_are_listed_with_and_without_their_server() {
    let mut server = ServerProcess::start();
    let [ana, bo, ..] = crew(&server).await;
    ana.post("groups", json!({"id": "quiet", "name": "Quiet ones", "members": ["bo"]})).await.success();
    bo.post("groups/crew/messages", json!({"body": "Ready to ship"})).await.success();
    let laptop = Device::of(&ana);
    laptop.pull();
    let list = |url: &str| {
        let mut command = std::process::Command::new(built("tidings"));
        command.args(["group", "list", "--json"]).env("TIDINGS_DATA_DIR", laptop.data_dir());
        command.env("TIDINGS_SERVER", url).env("TIDINGS_TOKEN", &ana.token);
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let listed: Value = serde_json::from_slice(&out.stdout).unwrap();
        let short = |one: &Value| json!([one["id"], one["unread"], one["source"]]);
        listed.as_array().unwrap().iter().map(short).collect::<Vec<_>>()
    };
    assert_eq!(
        list(&server.url()),
        [json!(["crew", 1, null]), json!(["quiet", 0, null])],
        "each of them once"
    );
    server.stop();
    assert_eq!(list(&server.url()), [json!(["crew", 1, "Work"])], "what was pulled is there");
    let (ok, _, err) = try_tidings(server.data_dir().as_path(), &["group", "list"]);
    assert!(!ok && err.contains("no server runs"), "{err}");
}

/// The receipts in the archive of a data folder, as `gzip -dc` reads it.
fn archived(data: &Path) -> Vec<Value> {
    let Ok(files) = fs::read_dir(data.join("receipts")) else { return Vec::new() };
    let unpacked = files.flat_map(|file| {
        let read = Command::new("gzip").arg("-dc").arg(file.unwrap().path()).output().unwrap();
        assert!(read.status.success(), "{read:?}");
        String::from_utf8(read.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    });
    unpacked.map(|line| serde_json::from_str(&line).unwrap()).collect()
}

/// Starts a server again, which does upkeep at once: the one that it succeeds had the lease.
fn restart(server: &mut ServerProcess, database: Option<&Database>) {
    server.stop();
    if let Some(database) = database {
        database.sql("DELETE FROM leases");
    }
    server.restart();
}

/// Receipts of messages of a group are archived when retention removes them, and stay while they can't be.
async fn old_receipts_are_archived(mut server: ServerProcess, database: Option<&Database>) {
    let [ana, bo, ..] = crew(&server).await;
    let sent = ana.post("groups/crew/messages", json!({"body": "Ready to ship"})).await.success();
    bo.pull(None, 10).await;
    bo.put("conversations/group:crew/read", json!({"through": sent["msgid"]})).await.is(200);
    let waiting = async || ana.get("receipts").await.is(200)["receipts"].as_array().unwrap().len();
    let folder = server.data_dir().join("receipts");
    fs::write(&folder, "in the way").unwrap();
    // The message has to be older than the retention of one second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    restart(&mut server, database);
    let log = &*server.process().unwrap();
    wait::until("it is said", async || log.output().contains("old receipts could not be archived")).await;
    assert_eq!((waiting().await, ana.inbox().await.len()), (1, 1), "they stay, with their message");

    fs::remove_file(&folder).unwrap();
    restart(&mut server, database);
    wait::until("they are gone", async || waiting().await == 0).await;
    let lines = archived(&server.data_dir());
    let expected =
        json!({"msgid": sent["msgid"], "conversation": "group:crew", "sender": "ana", "reader": "bo"});
    assert_eq!(lines.len(), 1, "{lines:#?}");
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&lines[0][name], value);
    }
    assert!(lines[0]["sent_at"].as_str().unwrap() <= lines[0]["at"].as_str().unwrap(), "{lines:#?}");
    wait::until("the message is gone", async || ana.inbox().await.is_empty()).await;
}

const ARCHIVING: &[&str] = &["--retain", "1s", "--retain-now", "--receipts", "archive"];

#[tokio::test]
async fn old_receipts_are_archived_before_they_go_and_stay_while_they_cannot_be() {
    old_receipts_are_archived(ServerProcess::start_with(ARCHIVING), None).await;
}

#[tokio::test]
async fn old_receipts_in_postgresql_are_archived_in_the_data_folder_of_a_server() {
    let database = Database::empty();
    old_receipts_are_archived(ServerProcess::on_database_with(&database.url, ARCHIVING), Some(&database))
        .await;
}

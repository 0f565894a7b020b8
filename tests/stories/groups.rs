//! Tests of groups from the terminal: created, joined, written to, listed and left.

use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json, try_tidings},
    program::built,
    server::ServerProcess,
};

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

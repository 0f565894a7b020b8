//! Tests of the settings of topics from the terminal, beside a running server.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use crate::data_folder::DataFolder;

#[test]
fn a_topic_is_set_piece_by_piece_shown_listed_and_removed() {
    let server_dir = DataFolder::new();
    assert_eq!(server_dir.try_run(&["topic", "show", "nas"]).code, Some(1));
    server_dir.run(&[
        "topic",
        "set",
        "nas",
        "--name",
        "The NAS",
        "--priority-floor",
        "3",
        "--publisher",
        "ana",
    ]);
    let template = server_dir.path().join("template.txt");
    fs::write(&template, "{{ value }}").unwrap();
    server_dir.run(&["topic", "set", "nas", "--template", template.to_str().unwrap(), "--anybody"]);
    let secret = server_dir.path().join("secret.txt");
    fs::write(&secret, "s3cret\n").unwrap();
    let mut command = server_dir.command(&["topic", "set", "nas", "--secret-of", "github"]);
    command.stdin(Stdio::from(fs::File::open(&secret).unwrap()));
    assert_eq!(DataFolder::run_command(&mut command).code, Some(0));
    let expected = json!({"topic": "nas", "name": "The NAS", "icon": null, "priority_floor": 3,
        "template": "{{ value }}", "publishers": null, "readers": null, "secrets": ["github"], "expect_secs": null});
    assert_eq!(server_dir.json(&["topic", "show", "nas"]), expected);
    let shown = server_dir.run(&["topic", "show", "nas"]);
    assert!(shown.contains("secrets of: github") && !shown.contains("s3cret"), "{shown}");
    assert_eq!(server_dir.json(&["topic", "list"]), json!([expected]));
    let wrong = server_dir.try_run(&["topic", "set", "nas", "--icon", "nowhere"]);
    assert!(wrong.code == Some(1) && wrong.err.contains("http"), "{wrong:?}");
    assert_eq!(server_dir.try_run(&["topic", "set", "nas", "--priority-floor", "6"]).code, Some(2));
    assert_eq!(server_dir.try_run(&["topic", "set", "hooks", "--name", "x"]).code, Some(1));
    server_dir.run(&["topic", "remove", "nas"]);
    assert_eq!(server_dir.try_run(&["topic", "remove", "nas"]).code, Some(1));
}

#[test]
fn how_often_something_is_expected_is_set_with_a_publication_and_by_itself() {
    let server_dir = DataFolder::new();
    let _server = server_dir.serve();
    server_dir.run(&["send", "--topic", "nas", "--expect", "26h", "Backup done"]);
    assert_eq!(server_dir.json(&["topic", "show", "nas"])["expect_secs"], 93_600);
    let shown = server_dir.run(&["topic", "show", "nas"]);
    assert!(shown.contains("expected at least every: 26h"), "{shown}");
    server_dir.run(&["topic", "set", "nas", "--expect", "90m"]);
    assert_eq!(server_dir.json(&["topic", "show", "nas"])["expect_secs"], 5_400);
    server_dir.run(&["send", "--topic", "nas", "--expect", "off", "Backup done"]);
    assert_eq!(server_dir.json(&["topic", "show", "nas"])["expect_secs"], json!(null));
    let wrong = server_dir.try_run(&["topic", "set", "nas", "--expect", "soon"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("such as 26h"), "{wrong:?}");
}

#[test]
fn who_may_publish_holds_at_once_at_a_running_server() {
    let server_dir = DataFolder::new();
    let _server = server_dir.serve();
    server_dir.run(&["topic", "set", "nas", "--name", "The NAS"]);
    server_dir.run(&["send", "--topic", "nas", "Backup done"]);
    server_dir.run(&["topic", "set", "nas", "--publisher", "somebody-else"]);
    let refused = server_dir.try_run(&["send", "--topic", "nas", "Backup done"]);
    assert!(refused.code == Some(1) && refused.err.contains("403"), "{refused:?}");
    server_dir.run(&["topic", "set", "nas", "--anybody"]);
    server_dir.run(&["send", "--topic", "nas", "Backup done"]);
}

#[test]
fn who_may_read_is_named_user_by_user_and_taken_back() {
    let server_dir = DataFolder::new();
    let _server = server_dir.serve();
    let readers = || server_dir.json(&["topic", "show", "nas"])["readers"].clone();
    server_dir.run(&["topic", "set", "nas", "--reader", "ana", "--reader", "bo"]);
    assert_eq!(readers(), json!(["ana", "bo"]));
    server_dir.run(&["topic", "set", "nas", "--name", "The NAS"]);
    assert_eq!(readers(), json!(["ana", "bo"]), "the rest stays as it is");
    let shown = server_dir.run(&["topic", "show", "nas"]);
    assert!(shown.contains("may read: ana, bo"), "{shown}");
    assert_eq!(server_dir.try_run(&["topic", "set", "nas", "--reader", "a b"]).code, Some(1));
    assert_eq!(
        server_dir.try_run(&["topic", "set", "nas", "--reader", "ana", "--all-readers"]).code,
        Some(2)
    );
    server_dir.run(&["topic", "set", "nas", "--all-readers"]);
    assert_eq!(readers(), json!(null));
    assert!(server_dir.run(&["topic", "show", "nas"]).contains("may read: all users of the server"));
}

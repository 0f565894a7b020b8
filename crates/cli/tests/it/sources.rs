//! Sources and the tokens that they are pulled with, from the terminal. Refuses to print a token.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::desk::{Desk, house};
use crate::serving::Serving;

#[test]
fn a_source_added_beside_a_watcher_is_pulled_by_it() {
    let (hall, serving, _) = house();
    hall.run(&["send", "--to", "ana", "Waiting"]);
    let token = hall.token("ana", "inbox");
    let desk = Desk::new();
    let watch = Serving::watch(&desk, &["pull", "--watch"]);
    // The socket is there before the first line could be.
    let start = Instant::now();
    while !desk.path().join("app.sock").exists() {
        assert!(start.elapsed() < Duration::from_secs(90));
        std::thread::sleep(Duration::from_millis(10));
    }
    desk.run(&["source", "add", "tidings", &serving.url, "--token", &token]);
    watch.says("127.0.0.1: live");
    assert_eq!(desk.unread(), 1);
    desk.run(&["source", "pause", "127.0.0.1"]);
    watch.says("127.0.0.1: paused");
    desk.run(&["source", "resume", "127.0.0.1"]);
    watch.says("127.0.0.1: live");
}

#[test]
fn sources_are_listed_without_their_tokens_and_removed_by_name() {
    let (hall, serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "Kept"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["source", "list"]);
    assert_eq!(list[0]["name"], "Work");
    assert_eq!(list[0]["url"], serving.url.as_str());
    assert_eq!(list[0]["user"], "ana");
    assert!(!list[0]["last_pull"].is_null());
    let lines = laptop.run(&["source", "list"]);
    assert!(lines.contains("Work") && !lines.contains("tdg_"), "{lines}");
    laptop.run(&["source", "remove", "Work"]);
    assert_eq!(laptop.json(&["source", "list"]), json!([]));
    assert_eq!(laptop.unread(), 0);
    let tokens = fs::read_to_string(laptop.path().join("tokens.json")).unwrap();
    assert!(!tokens.contains("tdg_"), "its token is forgotten");
    let gone = laptop.try_run(&["source", "remove", "Work"]);
    assert_eq!((gone.code, gone.err.trim()), (Some(1), "tidings: there is no source `Work`"));
}

#[test]
fn a_token_may_come_by_standard_input_or_by_the_environment() {
    let (hall, serving, _) = house();
    let token = hall.token("ana", "inbox");
    let desk = Desk::new();
    let mut piped =
        desk.command(&["source", "add", "tidings", &serving.url, "--token", "-", "--name", "Piped"]);
    let mut child = piped.stdin(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{token}").unwrap();
    assert!(child.wait().unwrap().success());
    let mut named = desk.command(&["source", "add", "tidings", &serving.url, "--name", "Named"]);
    let named = Desk::ended(named.env("TIDINGS_TOKEN", &token));
    assert_eq!(named.code, Some(0), "{named:?}");
    desk.run(&["pull"]);
    let none = desk.try_run(&["source", "add", "tidings", &serving.url, "--name", "None"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    let wrong =
        desk.try_run(&["source", "add", "tidings", &serving.url, "--token", "tdg_no", "--name", "No"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("does not take this token") && !wrong.err.contains("tdg_"), "{wrong:?}");
    let taken =
        desk.try_run(&["source", "add", "tidings", &serving.url, "--token", &token, "--name", "Named"]);
    assert_eq!(taken.code, Some(1), "{taken:?}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(desk.path().join("tokens.json")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_revoked_token_needs_a_sign_in() {
    let (hall, _serving, laptop) = house();
    let tokens = hall.json(&["token", "list", "--user", "ana"]);
    hall.run(&["token", "revoke", tokens[0]["id"].as_str().unwrap()]);
    let ended = laptop.try_run(&["pull"]);
    assert_eq!((ended.code, ended.err.trim()), (Some(1), "tidings: Work: Sign-in needed"));
}

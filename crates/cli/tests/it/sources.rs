//! Tests of sources and their tokens from the terminal; no token is printed.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::json;
use tidings_testkit::wait::until_blocking;

use crate::data_folder::{DataFolder, server_and_replica};
use crate::serving::Serving;

#[test]
fn a_source_added_beside_a_watcher_is_pulled_by_it() {
    let (server_dir, serving, _) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Waiting"]);
    let token = server_dir.token("ana", "inbox");
    let folder = DataFolder::new();
    let watch = Serving::watch(&folder, &["pull", "--watch"]);
    // The socket exists before the first line could be printed.
    until_blocking("the socket", || folder.path().join("app.sock").exists());
    folder.run(&["source", "add", "tidings", &serving.url, "--token", &token]);
    watch.wait_for_line("127.0.0.1: live");
    assert_eq!(folder.unread(), 1);
    folder.run(&["source", "pause", "127.0.0.1"]);
    watch.wait_for_line("127.0.0.1: paused");
    folder.run(&["source", "resume", "127.0.0.1"]);
    watch.wait_for_line("127.0.0.1: live");
}

#[test]
fn sources_are_listed_without_their_tokens_and_removed_by_name() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Kept"]);
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
    let (server_dir, serving, _) = server_and_replica();
    let token = server_dir.token("ana", "inbox");
    let folder = DataFolder::new();
    let mut piped =
        folder.command(&["source", "add", "tidings", &serving.url, "--token", "-", "--name", "Piped"]);
    let mut child = piped.stdin(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{token}").unwrap();
    assert!(child.wait().unwrap().success());
    let mut named = folder.command(&["source", "add", "tidings", &serving.url, "--name", "Named"]);
    let named = DataFolder::run_command(named.env("TIDINGS_TOKEN", &token));
    assert_eq!(named.code, Some(0), "{named:?}");
    folder.run(&["pull"]);
    let none = folder.try_run(&["source", "add", "tidings", &serving.url, "--name", "None"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    let wrong =
        folder.try_run(&["source", "add", "tidings", &serving.url, "--token", "tdg_no", "--name", "No"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("does not take this token") && !wrong.err.contains("tdg_"), "{wrong:?}");
    let taken =
        folder.try_run(&["source", "add", "tidings", &serving.url, "--token", &token, "--name", "Named"]);
    assert_eq!(taken.code, Some(1), "{taken:?}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(folder.path().join("tokens.json")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn an_address_without_a_scheme_is_tried_with_https_and_on_this_machine_with_http() {
    let (server_dir, serving, _) = server_and_replica();
    let (token, typed) = (server_dir.token("ana", "inbox"), serving.url.strip_prefix("http://").unwrap());
    let folder = DataFolder::new();
    let said = folder.run(&["source", "add", "tidings", typed, "--token", &token, "--name", "Near"]);
    assert_eq!(said, format!("added Near, at {}\n", serving.url));
    assert_eq!(folder.json(&["source", "list"])[0]["url"], serving.url.as_str());
    folder.run(&["pull"]);
    assert_eq!(serving.terminate().0, Some(0));
    let typed = folder.json(&["source", "list"])[0]["url"].as_str().unwrap().replace("http://", "");
    let gone = folder.try_run(&["source", "add", "tidings", &typed, "--token", &token, "--name", "Gone"]);
    assert!(
        gone.code == Some(1) && gone.err.contains(&format!("https://{typed} or http://{typed}")),
        "{gone:?}"
    );
}

#[test]
fn a_revoked_token_needs_a_sign_in() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let tokens = server_dir.json(&["token", "list", "--user", "ana"]);
    server_dir.run(&["token", "revoke", tokens[0]["id"].as_str().unwrap()]);
    let result = laptop.try_run(&["pull"]);
    assert_eq!((result.code, result.err.trim()), (Some(1), "tidings: Work: Sign-in needed"));
}

//! Tests of the headless server from the terminal, its users and tokens, and the exit codes of commands.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tidings_testkit::wait::until_blocking;

use crate::data_folder::{DataFolder, server_and_replica};
use crate::serving::Serving;

#[test]
fn users_and_tokens_are_kept_on_the_server_running_or_not() {
    let server_dir = DataFolder::new();
    server_dir.run(&["user", "add", "bo"]);
    assert_eq!(server_dir.json(&["user", "list"])[0]["id"], "bo");
    let twice = server_dir.try_run(&["user", "add", "bo"]);
    assert_eq!(twice.code, Some(1), "{twice:?}");
    let created =
        server_dir.json(&["token", "create", "--user", "bo", "--scope", "inbox", "--scope", "publish"]);
    assert!(created["token"].as_str().unwrap().starts_with("tdg_"));
    assert_eq!(created["scopes"], json!(["inbox", "publish"]));
    let listed = server_dir.run(&["token", "list"]);
    assert!(listed.contains("inbox,publish") && !listed.contains("tdg_"), "{listed}");
    server_dir.run(&["token", "revoke", created["id"].as_str().unwrap()]);
    assert_eq!(server_dir.json(&["token", "list"]), json!([]));
    assert_eq!(created["made_by"], json!(null), "no token made it");
    server_dir.run(&["user", "remove", "bo"]);
    assert_eq!(server_dir.json(&["user", "list"]), json!([]));
    assert_eq!(server_dir.try_run(&["token", "create", "--user", "bo", "--scope", "inbox"]).code, Some(1));
    assert_eq!(server_dir.try_run(&["token", "create", "--user", "bo", "--scope", "all"]).code, Some(2));
}

#[test]
fn a_user_is_renamed_exported_and_removed_for_good_from_a_terminal() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["user", "add", "bo"]);
    assert_eq!(server_dir.json(&["user", "rename", "bo", "Bo Kessler"])["name"], "Bo Kessler");
    let token = server_dir.token("bo", "inbox");
    let mut send = server_dir.command(&["send", "--to", "ana", "it goes with Bo"]);
    let sent = DataFolder::run_command(send.env("TIDINGS_SERVER", &serving.url).env("TIDINGS_TOKEN", &token));
    assert_eq!(sent.code, Some(0), "{sent:?}");
    server_dir.run(&["send", "--to", "ana", "it stays"]);
    let listed = || {
        laptop.run(&["pull"]);
        laptop.run(&["list"])
    };
    let list = listed();
    assert!(list.contains("it goes with Bo") && list.contains("it stays"), "{list}");
    let exported = server_dir.run(&["user", "export", "bo"]);
    let profile: serde_json::Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    assert_eq!(profile["profile"]["name"], "Bo Kessler");
    assert_eq!(server_dir.try_run(&["user", "remove", "bo", "--content", "some"]).code, Some(2));
    // Whoever runs it without a terminal is not asked.
    server_dir.run(&["user", "remove", "bo", "--content", "delete"]);
    let users = server_dir.json(&["user", "list"]);
    assert!(users.as_array().unwrap().iter().all(|user| user["id"] != "bo"), "{users}");
    for args in [["user", "add", "bo"].as_slice(), &["user", "export", "bo"], &["user", "rename", "bo", "x"]]
    {
        assert_eq!(server_dir.try_run(args).code, Some(1), "{args:?}");
    }
    until_blocking("it to be recalled", || !listed().contains("it goes with Bo"));
    assert!(listed().contains("it stays"));
}

#[test]
fn a_server_tells_its_token_once_and_ends_in_order() {
    let server_dir = DataFolder::new();
    let first = server_dir.serve();
    assert!(first.token.is_some());
    assert!(server_dir.path().join("endpoint.json").exists());
    let second = server_dir.try_run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.code, Some(1));
    assert!(second.err.contains("another server runs on"), "{second:?}");
    let taken = DataFolder::new().try_run(&["serve", "--listen", first.url.trim_start_matches("http://")]);
    assert_eq!(taken.code, Some(1));
    assert!(taken.err.contains("another program uses"), "{taken:?}");
    let (code, shutdown_time) = first.terminate();
    assert_eq!(code, Some(0));
    assert!(shutdown_time < Duration::from_secs(5), "{shutdown_time:?}");
    assert!(!server_dir.path().join("endpoint.json").exists(), "nobody is sent to a server that is gone");
    assert_eq!(server_dir.serve().token, None, "the token was shown once");
}

#[test]
fn a_server_prints_a_document_in_each_line_if_it_is_to_print_json() {
    let folder = DataFolder::new();
    let serving = Serving::watch(&folder, &["serve", "--listen", "127.0.0.1:0", "--json"]);
    let [first, then] = [(); 2].map(|()| serde_json::from_str::<Value>(&serving.line()).unwrap());
    assert_eq!(first["user"], "admin");
    assert!(first["token"].as_str().unwrap().starts_with("tdg_"), "{first}");
    assert!(then["listening"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{then}");
}

/// A standard output whose buffer is full: a writer blocks until the other end is read.
fn full_output() -> (UnixStream, Stdio) {
    let (program_end, test_end) = UnixStream::pair().unwrap();
    program_end.set_nonblocking(true).unwrap();
    while (&program_end).write(&[b'.'; 4_096]).is_ok() {}
    (&program_end).write(b".").unwrap_err();
    program_end.set_nonblocking(false).unwrap();
    (test_end, Stdio::from(OwnedFd::from(program_end)))
}

#[test]
fn a_server_that_is_asked_to_end_before_it_could_say_where_it_listens_ends_in_order() {
    let server_dir = DataFolder::new();
    server_dir.run(&["user", "add", "bo"]);
    let (output, full) = full_output();
    let mut command = server_dir.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut serving =
        Serving::with_unread_output(command.stdout(full).stderr(Stdio::inherit()).spawn().unwrap());
    drop(command);
    let endpoint = server_dir.path().join("endpoint.json");
    until_blocking("its start", || endpoint.exists());
    serving.send_sigterm();
    serving.read(output);
    let status = serving.wait_for_exit();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!endpoint.exists(), "nobody is sent to a server that is gone");
    assert_eq!(server_dir.json(&["token", "list"]), json!([]), "its token is revoked");
}

#[test]
fn a_server_that_could_not_say_where_it_listens_leaves_no_way_to_it_behind() {
    let server_dir = DataFolder::new();
    server_dir.run(&["user", "add", "bo"]);
    let (nobody, closed) = UnixStream::pair().unwrap();
    drop(nobody);
    let mut command = server_dir.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut serving =
        Serving::with_unread_output(command.stdout(Stdio::from(OwnedFd::from(closed))).spawn().unwrap());
    serving.wait_for_exit();
    assert!(!server_dir.path().join("endpoint.json").exists());
    assert_eq!(server_dir.json(&["token", "list"]), json!([]));
}

#[test]
fn a_server_that_was_told_so_forgets_what_is_old_and_any_other_keeps_it() {
    let (server_dir, serving, _) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Old"]);
    let kept = || server_dir.run(&["export", "--format", "json", "--of", "server"]).contains("Old");
    serving.terminate();
    drop(server_dir.serve());
    assert!(kept());
    // The message has to be older than the retention of one second.
    std::thread::sleep(Duration::from_millis(1_100));
    let _serving = Serving::start(&server_dir, &["serve", "--listen", "127.0.0.1:0", "--retain", "1s"]);
    until_blocking("it to be gone", || !kept());
    for wrong in ["0d", "soon", "-1d"] {
        assert_eq!(server_dir.try_run(&["serve", &format!("--retain={wrong}")]).code, Some(2), "{wrong}");
    }
    for wrong in ["--file-limit=lots", "--files-total=-1", "--files-keep=0d", "--public-url=push.example.org"]
    {
        assert_eq!(server_dir.try_run(&["serve", wrong]).code, Some(2), "{wrong}");
    }
    server_dir.run(&["check"]);
}

#[test]
fn mail_to_a_headless_server_is_published_and_both_addresses_are_told() {
    let server_dir = DataFolder::new();
    let serving = Serving::start(&server_dir, &["serve", "--listen", "127.0.0.1:0", "--smtp", "127.0.0.1:0"]);
    let address = serving.line_after("smtp on ");
    let mut stream = TcpStream::connect(&address).unwrap();
    let token = serving.token.clone().expect("the first start says it");
    let dialogue = format!(
        "EHLO nas\r\nMAIL FROM:<nas@x>\r\nRCPT TO:<backups+{token}@x>\r\nDATA\r\nSubject: Done\r\n\r\nText\r\n.\r\nQUIT\r\n"
    );
    stream.write_all(dialogue.as_bytes()).unwrap();
    let mut replies = String::new();
    stream.read_to_string(&mut replies).unwrap();
    assert!(replies.ends_with("250 published\r\n221 goodbye\r\n"), "{replies}");
    let second = DataFolder::new();
    let taken = second.try_run(&["serve", "--listen", "127.0.0.1:0", "--smtp", &address]);
    assert!(taken.code == Some(1) && taken.err.contains("choose another address with --smtp"), "{taken:?}");
    let alone = second.try_run(&["serve", "--listen", "127.0.0.1:0", "--smtp-domain", "mail.example"]);
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert_eq!(serving.terminate().0, Some(0));
}

/// Leaves the mark of an input behind, as a process that ended while it read it does.
fn leave_mark(folder: &DataFolder, kind: &str, input: &[u8]) {
    let marks = folder.path().join(tidings_sandbox::marks::FOLDER);
    std::fs::create_dir_all(&marks).unwrap();
    let mark = json!({
        "kind": kind, "of": "ci", "digest": tidings_sandbox::marks::digest([input]),
        "version": env!("CARGO_PKG_VERSION"),
    });
    std::fs::write(marks.join(format!("{kind}.mark")), mark.to_string()).unwrap();
}

/// Sends a request over a connection of its own; the whole answer.
fn request(url: &str, token: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_mail_and_a_payload_at_which_the_server_ended_are_not_read_again_and_named() {
    let server_dir = DataFolder::new();
    let (mail, payload) = ("Subject: Deadly\r\n\r\nText\r\n", r#"{"alert": "deadly"}"#);
    leave_mark(&server_dir, "mail", mail.as_bytes());
    leave_mark(&server_dir, "hook", payload.as_bytes());
    let serving = Serving::start(&server_dir, &["serve", "--listen", "127.0.0.1:0", "--smtp", "127.0.0.1:0"]);
    let address = serving.line_after("smtp on ");
    let token = serving.token.clone().expect("the first start says it");

    let send = |mail: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let dialogue =
            format!("EHLO nas\r\nMAIL FROM:<nas@x>\r\nRCPT TO:<ci+{token}@x>\r\nDATA\r\n{mail}.\r\nQUIT\r\n");
        stream.write_all(dialogue.as_bytes()).unwrap();
        let mut replies = String::new();
        stream.read_to_string(&mut replies).unwrap();
        replies
    };
    assert!(send(mail).contains("250 published"), "nothing is lost");
    let told = request(&serving.url, &token, "GET /ci/json?poll=1", "");
    assert!(told.contains("shown as it came") && told.contains("Subject: Deadly"), "{told}");
    assert!(send("Subject: Another\r\n\r\nText\r\n").contains("250 published"), "others are read");

    assert!(
        request(&serving.url, &token, "POST /hooks/ci", payload).starts_with("HTTP/1.1 200"),
        "nothing is lost"
    );
    let told = request(&serving.url, &token, "GET /ci/json?poll=1", "");
    assert!(told.contains("deadly") && told.matches("shown as it came").count() == 2, "{told}");

    let checked = server_dir.run(&["check"]);
    let ids: Vec<&str> =
        checked.split("source retry ").skip(1).filter_map(|rest| rest.split('`').next()).collect();
    assert!(ids.len() == 2 && ids.iter().any(|id| id.starts_with("hook-")), "{checked}");
    for id in ids {
        server_dir.run(&["source", "retry", id]);
    }
    assert!(send(mail).contains("250 published"));
    let told = request(&serving.url, &token, "GET /ci/json?poll=1", "");
    assert!(told.contains("\"title\":\"Deadly\""), "it is read again by hand: {told}");
    assert_eq!(serving.terminate().0, Some(0));
}

#[test]
fn wrong_usage_is_2_and_failure_is_1_and_both_speak_on_standard_error() {
    let folder = DataFolder::new();
    for args in [
        &["nonsense"][..],
        &["mark", "read"],
        &["mark", "read", "--all", "m1"],
        &["list", "--kind", "rumour"],
        &["send", "--priority", "6", "x"],
        &["snooze", "m1", "--until", "tomorrow"],
        &["serve", "--store", "mysql://x"],
        &["source", "add", "carrier-pigeon", "http://x", "--token", "t"],
    ] {
        let result = folder.try_run(args);
        assert_eq!((result.code, result.out.as_str()), (Some(2), ""), "{args:?}: {result:?}");
        assert!(!result.err.is_empty());
    }
    for args in [
        &["send", "nobody listens"][..],
        &["mark", "read", "no-such-one"],
        &["source", "add", "ntfy", "https://ntfy.sh/x", "--token", "t"],
        &["source", "pause", "nothing"],
        &["serve", "--store", "postgres://localhost/x"],
        &["restore", "/nonexistent/file"],
        &["backup", "/nonexistent/file"],
    ] {
        let result = folder.try_run(args);
        assert_eq!(result.code, Some(1), "{args:?}: {result:?}");
        let lines = result.err.lines().filter(|line| line.starts_with("tidings: ")).count();
        assert_eq!(lines, 1, "{args:?}: {result:?}");
    }
}

//! Tests that no token is sent to strangers: a program that takes a server's port after its end, an address from
//! somebody's backup, other users of the machine.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tidings_model::SystemClock;
use tidings_replica::{NewSource, Replica};
use tidings_sync::TokenStore;
use tidings_testkit::wait::until_blocking;

use crate::data_folder::{DataFolder, replica, server_and_replica};

/// A server that answers every request alike and records the bytes that it receives.
struct RecordingServer {
    url: String,
    received: Arc<Mutex<Vec<u8>>>,
}

impl RecordingServer {
    fn at(address: &str) -> Self {
        let listener = until_blocking("the port to be free", || TcpListener::bind(address).ok());
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::<Mutex<Vec<u8>>>::default();
        let recorded = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let recorded = Arc::clone(&recorded);
                std::thread::spawn(move || {
                    let (mut stream, mut buffer) = (stream, [0_u8; 4_096]);
                    while let Ok(read @ 1..) = stream.read(&mut buffer) {
                        recorded.lock().unwrap().extend_from_slice(&buffer[..read]);
                        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n\
                            {\"healthy\": true}";
                        let _ = stream.write_all(answer.as_bytes());
                    }
                });
            }
        });
        Self { url, received }
    }

    fn received(&self) -> String {
        String::from_utf8_lossy(&self.received.lock().unwrap()).to_lowercase()
    }

    fn assert_no_token_received(&self) {
        let received = self.received();
        assert!(!received.contains("tdg_") && !received.contains("authorization"), "{received}");
    }
}

fn host(url: &str) -> &str {
    url.trim_start_matches("http://")
}

fn endpoint(folder: &DataFolder) -> Value {
    serde_json::from_slice(&fs::read(folder.path().join("endpoint.json")).unwrap()).unwrap()
}

fn labels(folder: &DataFolder) -> Vec<String> {
    let listed = folder.json(&["token", "list"]);
    listed.as_array().unwrap().iter().map(|token| token["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn whoever_takes_the_port_of_a_killed_server_gets_no_token() {
    let folder = DataFolder::new();
    let serving = folder.serve();
    folder.run(&["send", "hello"]);
    let url = serving.url.clone();
    // The server is killed, so that its endpoint file stays behind.
    drop(serving);
    assert_eq!(endpoint(&folder)["url"], url);
    let stranger = RecordingServer::at(host(&url));
    for args in [&["send", "hello"][..], &["send", "--to", "admin", "hello"], &["group", "list"]] {
        let result = folder.try_run(args);
        assert_eq!(result.code, Some(1), "{args:?}: {result:?}");
        assert!(result.err.contains("nothing was sent"), "{args:?}: {result:?}");
    }
    let mut with_own_token = folder.command(&["send", "hello"]);
    with_own_token.env("TIDINGS_TOKEN", "tdg_mine");
    assert_eq!(DataFolder::run_command(&mut with_own_token).code, Some(1));
    assert!(stranger.received().contains("challenge="), "it was asked for a proof");
    stranger.assert_no_token_received();
    // The next start replaces the file, at whatever address it listens.
    let again = folder.serve();
    assert_ne!(again.url, url);
    folder.run(&["send", "hello"]);
    stranger.assert_no_token_received();
}

#[test]
fn the_token_of_endpoint_json_only_publishes_is_new_at_each_start_and_goes_with_the_server() {
    let folder = DataFolder::new();
    let first = folder.serve();
    let before = endpoint(&folder);
    assert_eq!(before.as_object().unwrap().keys().collect::<Vec<_>>(), ["token", "url"]);
    let scopes = |folder: &DataFolder| -> Value {
        let listed = folder.json(&["token", "list"]);
        let all = listed.as_array().unwrap();
        all.iter().find(|token| token["label"] == "endpoint.json").unwrap()["scopes"].clone()
    };
    assert_eq!(scopes(&folder), json!(["publish"]));
    // After a kill and another start there is still one such token, a new one.
    drop(first);
    let second = folder.serve();
    assert_ne!(endpoint(&folder)["token"], before["token"]);
    assert_eq!(labels(&folder).iter().filter(|label| *label == "endpoint.json").count(), 1);
    // A command that needs more scopes creates a token for the time of its run.
    folder.run(&["group", "create", "Crew"]);
    assert_eq!(labels(&folder).len(), 2, "the first start's and the endpoint's: {:?}", labels(&folder));
    second.terminate();
    assert!(!folder.path().join("endpoint.json").exists());
    assert_eq!(labels(&folder), ["first start"]);
}

#[test]
fn a_backup_that_names_another_address_is_sent_no_token() {
    let (_server_dir, _serving, laptop) = server_and_replica();
    laptop.run(&["pull"]);
    // Somebody else's backup, in which the source of the same id and user has another address.
    let elsewhere = DataFolder::new();
    let their_server = elsewhere.serve();
    elsewhere.run(&["user", "add", "ana", "--name", "Ana"]);
    let evil = replica(&elsewhere, &their_server);
    let backup = laptop.path().join("evil.tar");
    evil.run(&["backup", backup.to_str().unwrap()]);
    let url = their_server.url.clone();
    their_server.terminate();
    let stranger = RecordingServer::at(host(&url));
    laptop.run(&["restore", backup.to_str().unwrap()]);
    let listed = laptop.json(&["source", "list"]);
    assert_eq!((&listed[0]["name"], &listed[0]["url"]), (&json!("Work"), &json!(url)));
    let result = laptop.try_run(&["pull"]);
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(result.err.contains("Work: "), "{result:?}");
    stranger.assert_no_token_received();
}

#[test]
fn a_restored_source_at_the_same_address_keeps_its_token_and_an_inbox_put_there_by_hand_gets_none() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Before"]);
    laptop.run(&["pull"]);
    let backup = laptop.path().join("mine.tar");
    laptop.run(&["backup", backup.to_str().unwrap()]);
    laptop.run(&["restore", backup.to_str().unwrap()]);
    laptop.run(&["pull"]);
    // The source's address is changed in the database, under the same id.
    let stranger = RecordingServer::at("127.0.0.1:0");
    let opened = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let id = opened.sources().unwrap()[0].id;
    let change = tidings_replica::SourceChange { url: Some(stranger.url.clone()), ..Default::default() };
    opened.change_source(id, change).unwrap();
    drop(opened);
    assert_eq!(laptop.try_run(&["pull"]).code, Some(1));
    stranger.assert_no_token_received();
    drop(serving);
}

#[test]
fn the_own_servers_token_goes_to_no_server_but_the_one_that_runs_here() {
    let folder = DataFolder::new();
    let serving = folder.serve();
    let token = folder.token("admin", "inbox");
    let own = |url: &str| NewSource {
        name: "Here".to_owned(),
        protocol: "tidings".to_owned(),
        url: url.to_owned(),
        user: Some("admin".to_owned()),
        own: true,
    };
    let opened = Replica::open(folder.path(), Arc::new(SystemClock)).unwrap();
    let id = opened.add_source(own(&serving.url)).unwrap();
    assert!(opened.add_source(NewSource { name: "Two".to_owned(), ..own("http://x.example") }).is_err());
    let token_store = TokenStore::without_keyring(folder.path());
    token_store.set(&opened.source(id).unwrap(), &token).unwrap();
    drop(opened);
    folder.run(&["send", "--to", "admin", "hello"]);
    folder.run(&["pull"]);
    let url = serving.url.clone();
    drop(serving);
    let stranger = RecordingServer::at(host(&url));
    let result = folder.try_run(&["pull"]);
    assert_eq!(result.code, Some(1), "{result:?}");
    stranger.assert_no_token_received();
}

#[test]
fn what_a_former_version_kept_by_number_is_taken_over_once() {
    let (server_dir, serving, laptop) = server_and_replica();
    let tokens_file = laptop.path().join("tokens.json");
    let now: Value = serde_json::from_slice(&fs::read(&tokens_file).unwrap()).unwrap();
    let token = now["tokens"][0]["token"].as_str().unwrap();
    let id = now["tokens"][0]["source"].as_i64().unwrap();
    fs::write(&tokens_file, json!({ id.to_string(): token }).to_string()).unwrap();
    server_dir.run(&["send", "--to", "ana", "Still here"]);
    laptop.run(&["pull"]);
    assert_eq!(laptop.unread(), 1);
    // After a former version's restore the ids may belong to other sources: the program asks once for a new sign-in.
    fs::write(&tokens_file, json!({ id.to_string(): token }).to_string()).unwrap();
    fs::write(laptop.path().join("replica.db.before"), "").unwrap();
    let result = laptop.try_run(&["pull"]);
    assert_eq!(result.code, Some(1));
    assert!(result.err.contains("sign in again to 1 of its sources"), "{result:?}");
    assert!(!laptop.try_run(&["pull"]).err.contains("sign in again"));
    drop(serving);
}

#[test]
fn nothing_in_the_data_folder_is_for_others_whatever_the_umask() {
    let folder = DataFolder::new();
    let folder = folder.path().join("data");
    let run = |args: &str| {
        let program = env!("CARGO_BIN_EXE_tidings");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("umask 0; exec '{program}' {args}")]);
        command.env("TIDINGS_DATA_DIR", &folder).env("TIDINGS_NO_KEYRING", "1");
        command.env_remove("TIDINGS_SERVER").env_remove("TIDINGS_TOKEN");
        command
    };
    let mut serving = run("serve --listen 127.0.0.1:0").stdout(std::process::Stdio::null()).spawn().unwrap();
    until_blocking("its start", || folder.join("endpoint.json").exists());
    let out = run("token create --user admin --scope inbox --json").output().unwrap();
    let created: Value = serde_json::from_slice(&out.stdout).unwrap();
    let url = serde_json::from_slice::<Value>(&fs::read(folder.join("endpoint.json")).unwrap()).unwrap();
    let (url, token) = (url["url"].as_str().unwrap(), created["token"].as_str().unwrap());
    let added = run(&format!("source add tidings {url} --token {token} --name Here")).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    assert!(run("pull").status().unwrap().success());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let mut seen = Vec::new();
    for file in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
        assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
        seen.push(file.file_name().unwrap().to_string_lossy().into_owned());
    }
    for name in ["server.db", "server.db-wal", "replica.db", "tokens.json", "endpoint.json"] {
        assert!(seen.iter().any(|one| one == name), "{name} is missing: {seen:?}");
    }
    serving.kill().unwrap();
    serving.wait().unwrap();
    // Permissions that a former version left open to others are closed.
    fs::set_permissions(folder.join("server.db"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(run("user list").output().unwrap().status.success());
    assert_eq!((mode(&folder), mode(&folder.join("server.db"))), (0o700, 0o600));
}

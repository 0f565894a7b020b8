//! The `tidings` program as people and scripts run it. Refuses to reach into a crate: what is typed and what is
//! printed is what is checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A data folder, and what is run on it.
struct Desk {
    dir: TempDir,
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Desk {
    fn new() -> Self {
        Self { dir: TempDir::with_prefix("tidings-cli.").unwrap() }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command
            .args(args)
            .env("TIDINGS_DATA_DIR", self.path())
            .env("TIDINGS_NO_KEYRING", "1")
            .env("LANG", "C.UTF-8")
            .env_remove("LC_ALL")
            .env_remove("TIDINGS_SERVER")
            .env_remove("TIDINGS_TOKEN")
            .env_remove("TIDINGS_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn ended(command: &mut Command) -> Ended {
        let done = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
    }

    fn try_run(&self, args: &[&str]) -> Ended {
        Self::ended(&mut self.command(args))
    }

    fn run(&self, args: &[&str]) -> String {
        let ended = self.try_run(args);
        assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
        ended.out
    }

    /// Adds `--json`; standard output must be that one document.
    fn json(&self, args: &[&str]) -> Value {
        let out = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}"))
    }

    fn serve(&self) -> Serving {
        Serving::start(self, &["serve", "--listen", "127.0.0.1:0", "--open-publish"])
    }

    fn unread(&self) -> u64 {
        self.json(&["unread"])["total"].as_u64().unwrap()
    }

    fn until_unread(&self, count: u64) {
        let start = Instant::now();
        while self.unread() != count {
            assert!(start.elapsed() < Duration::from_secs(20), "{} unread, not {count}", self.unread());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A process whose lines are read as they come; killed with the test.
struct Serving {
    child: Child,
    lines: mpsc::Receiver<String>,
    url: String,
    token: Option<String>,
}

impl Serving {
    fn start(desk: &Desk, args: &[&str]) -> Self {
        let mut serving = Self::watch(desk, args);
        loop {
            let line = serving.line();
            if let Some(at) = line.find("tdg_") {
                serving.token = Some(line[at..].trim().to_owned());
            }
            if let Some(url) = line.strip_prefix("listening on ") {
                url.clone_into(&mut serving.url);
                return serving;
            }
        }
    }

    fn watch(desk: &Desk, args: &[&str]) -> Self {
        let mut child = desk.command(args).stderr(Stdio::inherit()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines, url: String::new(), token: None }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("another line")
    }

    fn says(&self, words: &str) {
        while !self.line().contains(words) {}
    }

    /// SIGTERM; how it ended, and after how long.
    fn terminate(mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        (self.child.wait().unwrap().code(), start.elapsed())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A running server, and another data folder that pulls ana's inbox from it.
fn house() -> (Desk, Serving, Desk) {
    let hall = Desk::new();
    let serving = hall.serve();
    hall.run(&["user", "add", "ana", "--name", "Ana"]);
    let laptop = replica(&hall, &serving);
    (hall, serving, laptop)
}

fn replica(hall: &Desk, serving: &Serving) -> Desk {
    let token = hall.json(&["token", "create", "--user", "ana", "--scope", "inbox"])["token"].clone();
    let laptop = Desk::new();
    laptop.run(&[
        "source",
        "add",
        "tidings",
        &serving.url,
        "--token",
        token.as_str().unwrap(),
        "--name",
        "Work",
    ]);
    laptop
}

/// A PUT that must succeed.
fn put(url: &str, path: &str, token: &str, body: &Value) {
    let host = url.trim_start_matches("http://");
    let body = body.to_string();
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    write!(
        stream,
        "PUT {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
}

fn msgid(item: &Value) -> &str {
    item["msgid"].as_str().unwrap()
}

#[test]
fn a_message_is_sent_pulled_counted_found_read_and_the_server_hears_of_it() {
    let (hall, serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "--title", "Nightly", "--priority", "4", "Backup", "done", "备份完成"]);
    hall.run(&["send", "--to", "ana", "Second one"]);
    assert_eq!(laptop.json(&["pull"])["sources"]["Work"]["arrived"], 2);
    assert_eq!(
        laptop.json(&["unread"]),
        json!({"total": 2, "announcement": 0, "reminder": 0, "message": 2, "sources": {"Work": 2}})
    );
    let list = laptop.json(&["list"]);
    assert_eq!(list[0]["body"], "Second one", "newest first");
    assert_eq!(list[1]["title"], "Nightly");
    assert_eq!(list[1]["priority"], 4);
    assert_eq!(list[1]["source"], "Work");
    assert_eq!(list[1]["conversation"], "user:admin");
    assert!(list[1]["read_at"].is_null());
    let found = laptop.json(&["search", "备份"]);
    assert_eq!((found.as_array().unwrap().len(), msgid(&found[0])), (1, msgid(&list[1])));

    laptop.run(&["mark", "archive", msgid(&list[0])]);
    assert_eq!(laptop.unread(), 1, "a mark holds before it is sent");
    let other = replica(&hall, &serving);
    other.run(&["pull"]);
    assert_eq!(other.unread(), 2);
    laptop.run(&["pull"]);
    other.run(&["pull"]);
    assert_eq!(other.unread(), 1);
    laptop.run(&["mark", "read", "--all"]);
    laptop.run(&["pull"]);
    other.run(&["pull"]);
    assert_eq!(other.unread(), 0);
    for desk in [&hall, &laptop, &other] {
        desk.run(&["check"]);
    }
}

#[test]
fn what_is_pulled_stays_readable_with_the_server_gone() {
    let (hall, serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "Still here"]);
    laptop.run(&["pull"]);
    drop(serving);
    let ended = laptop.try_run(&["pull"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.err.trim(), "tidings: Work: The server doesn't answer");
    assert_eq!(laptop.json(&["search", "still"]).as_array().unwrap().len(), 1);
    assert_eq!(laptop.unread(), 1);
    let lines = laptop.run(&["list"]);
    assert!(lines.starts_with("● ") && lines.contains("Still here"), "{lines}");
}

#[test]
fn a_topic_reaches_who_is_subscribed_to_it() {
    let (hall, serving, laptop) = house();
    let token = hall.json(&["token", "create", "--user", "ana", "--scope", "inbox"])["token"].clone();
    let wish = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    put(&serving.url, "/api/v1/subscriptions", token.as_str().unwrap(), &wish);
    let mut send = hall.command(&["send", "--topic", "backups", "Backup done", "--json"]);
    send.env("TIDINGS_SERVER", &serving.url).env("TIDINGS_TOKEN", token.as_str().unwrap());
    let sent = Desk::ended(&mut send);
    assert_eq!(sent.code, Some(0), "{sent:?}");
    laptop.run(&["pull"]);
    let list = laptop.json(&["list", "--kind", "reminder", "--unread"]);
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["target"]["id"], "backups");
    assert_eq!(laptop.json(&["list", "--kind", "message"]), json!([]));
    let thread = list[0]["thread"].as_str().unwrap();
    assert_eq!(laptop.json(&["list", "--thread", thread]).as_array().unwrap().len(), 1);
    assert_eq!(laptop.json(&["list", "--thread", "other"]), json!([]));
}

#[test]
fn watching_brings_what_comes_and_sends_what_is_marked_beside_it() {
    let (hall, serving, laptop) = house();
    let watch = Serving::watch(&laptop, &["pull", "--watch"]);
    watch.says("Work: live");
    hall.run(&["send", "--to", "ana", "One"]);
    laptop.until_unread(1);
    // Another process marks; the one that watches sends it at once.
    laptop.run(&["mark", "read", "--all"]);
    let other = replica(&hall, &serving);
    let start = Instant::now();
    loop {
        other.run(&["pull"]);
        if other.unread() == 0 {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "the mark never arrived");
    }
    // A pull beside it asks it to.
    assert_eq!(laptop.json(&["pull"]), json!({"asked": "app"}));
    let second = laptop.try_run(&["pull", "--watch"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert_eq!(watch.terminate().0, Some(0));
    assert!(!laptop.path().join("app.sock").exists());
    laptop.run(&["check"]);
}

#[test]
fn a_source_added_beside_a_watcher_is_pulled_by_it() {
    let (hall, serving, _) = house();
    hall.run(&["send", "--to", "ana", "Waiting"]);
    let token = hall.json(&["token", "create", "--user", "ana", "--scope", "inbox"])["token"].clone();
    let desk = Desk::new();
    let watch = Serving::watch(&desk, &["pull", "--watch"]);
    // The socket is there before the first line could be.
    let start = Instant::now();
    while !desk.path().join("app.sock").exists() {
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(10));
    }
    desk.run(&["source", "add", "tidings", &serving.url, "--token", token.as_str().unwrap()]);
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
    let token = hall.json(&["token", "create", "--user", "ana", "--scope", "inbox"])["token"].clone();
    let token = token.as_str().unwrap();
    let desk = Desk::new();
    let mut piped =
        desk.command(&["source", "add", "tidings", &serving.url, "--token", "-", "--name", "Piped"]);
    let mut child = piped.stdin(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{token}").unwrap();
    assert!(child.wait().unwrap().success());
    let mut named = desk.command(&["source", "add", "tidings", &serving.url, "--name", "Named"]);
    let named = Desk::ended(named.env("TIDINGS_TOKEN", token));
    assert_eq!(named.code, Some(0), "{named:?}");
    desk.run(&["pull"]);
    let none = desk.try_run(&["source", "add", "tidings", &serving.url, "--name", "None"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    let wrong =
        desk.try_run(&["source", "add", "tidings", &serving.url, "--token", "tdg_no", "--name", "No"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("does not take this token") && !wrong.err.contains("tdg_"), "{wrong:?}");
    let taken =
        desk.try_run(&["source", "add", "tidings", &serving.url, "--token", token, "--name", "Named"]);
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

#[test]
fn users_and_tokens_are_kept_on_the_server_running_or_not() {
    let hall = Desk::new();
    hall.run(&["user", "add", "bo"]);
    assert_eq!(hall.json(&["user", "list"])[0]["id"], "bo");
    let twice = hall.try_run(&["user", "add", "bo"]);
    assert_eq!(twice.code, Some(1), "{twice:?}");
    let made = hall.json(&["token", "create", "--user", "bo", "--scope", "inbox", "--scope", "publish"]);
    assert!(made["token"].as_str().unwrap().starts_with("tdg_"));
    assert_eq!(made["scopes"], json!(["inbox", "publish"]));
    let listed = hall.run(&["token", "list"]);
    assert!(listed.contains("inbox,publish") && !listed.contains("tdg_"), "{listed}");
    hall.run(&["token", "revoke", made["id"].as_str().unwrap()]);
    assert_eq!(hall.json(&["token", "list"]), json!([]));
    hall.run(&["user", "remove", "bo"]);
    assert_eq!(hall.json(&["user", "list"]), json!([]));
    assert_eq!(hall.try_run(&["token", "create", "--user", "bo", "--scope", "inbox"]).code, Some(1));
    assert_eq!(hall.try_run(&["token", "create", "--user", "bo", "--scope", "all"]).code, Some(2));
}

#[test]
fn a_server_tells_its_token_once_and_ends_in_order() {
    let hall = Desk::new();
    let first = hall.serve();
    assert!(first.token.is_some());
    assert!(hall.path().join("endpoint.json").exists());
    let second = hall.try_run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.code, Some(1));
    assert!(second.err.contains("another server runs on"), "{second:?}");
    let taken = Desk::new().try_run(&["serve", "--listen", first.url.trim_start_matches("http://")]);
    assert_eq!(taken.code, Some(1));
    assert!(taken.err.contains("in use"), "{taken:?}");
    let (code, took) = first.terminate();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(!hall.path().join("endpoint.json").exists(), "nobody is sent to a server that is gone");
    assert_eq!(hall.serve().token, None, "the token was shown once");
}

#[test]
fn wrong_usage_is_2_and_failure_is_1_and_both_speak_on_standard_error() {
    let desk = Desk::new();
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
        let ended = desk.try_run(args);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{args:?}: {ended:?}");
        assert!(!ended.err.is_empty());
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
        let ended = desk.try_run(args);
        assert_eq!(ended.code, Some(1), "{args:?}: {ended:?}");
        let lines = ended.err.lines().filter(|line| line.starts_with("tidings: ")).count();
        assert_eq!(lines, 1, "{args:?}: {ended:?}");
    }
}

#[test]
fn an_empty_inbox_is_no_failure() {
    let desk = Desk::new();
    assert_eq!(desk.json(&["list"]), json!([]));
    assert_eq!(desk.json(&["search", "anything"]), json!([]));
    assert_eq!(desk.json(&["pull"]), json!({"sources": {}}));
    assert_eq!(
        desk.json(&["unread"]),
        json!({"total": 0, "announcement": 0, "reminder": 0, "message": 0, "sources": {}})
    );
    assert_eq!(desk.json(&["check"]), json!({"server": null, "replica": []}));
    let nothing: Value = serde_json::from_str(&desk.run(&["export", "--format", "json"])).unwrap();
    assert_eq!(nothing, json!([]));
}

#[test]
fn a_snoozed_notification_is_not_unread_until_then() {
    let (hall, _serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "Later"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    laptop.run(&["snooze", msgid(&list[0]), "--until", "2h"]);
    assert_eq!(laptop.unread(), 0);
    laptop.run(&["pull"]);
    assert_eq!(laptop.unread(), 0);
    assert!(!laptop.json(&["list"])[0]["snoozed_until"].is_null());
}

#[test]
fn an_unread_mark_brings_it_back() {
    let (hall, serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "Again"]);
    laptop.run(&["pull"]);
    laptop.run(&["mark", "read", "--all"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    laptop.run(&["mark", "unread", msgid(&list[0])]);
    laptop.run(&["pull"]);
    let other = replica(&hall, &serving);
    other.run(&["pull"]);
    assert_eq!((laptop.unread(), other.unread()), (1, 1));
    laptop.run(&["mark", "delete", msgid(&list[0])]);
    laptop.run(&["pull"]);
    other.run(&["pull"]);
    assert_eq!((laptop.json(&["list"]), other.json(&["list"])), (json!([]), json!([])));
}

#[test]
fn everything_can_be_taken_along() {
    let (hall, _serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "--title", "Zürich", "From here\n=1+1"]);
    laptop.run(&["pull"]);
    let json: Value = serde_json::from_str(&laptop.run(&["export", "--format", "json"])).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["title"]), (1, &json!("Zürich")));
    let csv = laptop.run(&["export", "--format", "csv"]);
    assert!(csv.starts_with("msgid,source,user,kind,") && csv.contains("\"From here\n=1+1\""), "{csv}");
    let mbox = laptop.run(&["export", "--format", "mbox"]);
    assert!(mbox.starts_with("From admin@tidings.invalid "), "{mbox}");
    assert!(mbox.contains("\n>From here\n"), "{mbox}");
}

#[test]
fn a_server_that_was_told_so_forgets_what_is_old_and_any_other_keeps_it() {
    let (hall, serving, _) = house();
    hall.run(&["send", "--to", "ana", "Old"]);
    let kept = || hall.run(&["export", "--format", "json", "--of", "server"]).contains("Old");
    serving.terminate();
    drop(hall.serve());
    assert!(kept());
    // It has to be older than that.
    std::thread::sleep(Duration::from_millis(1_100));
    let _serving = Serving::start(&hall, &["serve", "--listen", "127.0.0.1:0", "--retain", "1s"]);
    let start = Instant::now();
    while kept() {
        assert!(start.elapsed() < Duration::from_secs(20), "it is still there");
    }
    for wrong in ["0d", "soon", "-1d"] {
        assert_eq!(hall.try_run(&["serve", &format!("--retain={wrong}")]).code, Some(2), "{wrong}");
    }
    hall.run(&["check"]);
}

#[test]
fn what_the_server_has_is_taken_along_too() {
    let (hall, serving, _) = house();
    let token = hall.json(&["token", "create", "--user", "admin", "--scope", "admin"])["token"].clone();
    hall.run(&["send", "--to", "ana", "To both of us"]);
    hall.run(&[
        "source",
        "add",
        "tidings",
        &serving.url,
        "--token",
        token.as_str().unwrap(),
        "--name",
        "Here",
    ]);
    hall.run(&["pull"]);
    hall.run(&["send", "--to", "ana", "Only on the server yet"]);
    let export = |args: &[&str]| -> Vec<Value> {
        let out = hall.run(&[&["export", "--format", "json"], args].concat());
        serde_json::from_str::<Value>(&out).unwrap().as_array().unwrap().clone()
    };
    let whose = |items: Vec<Value>| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let place = |item: &Value| text(&item["source"]) + &text(&item["user"]);
        let mut all: Vec<_> = items.iter().map(|item| (place(item), text(&item["body"]))).collect();
        all.sort();
        all
    };
    let of = |place: &str, bodies: &[&str]| -> Vec<(String, String)> {
        bodies.iter().map(|body| (place.to_owned(), (*body).to_owned())).collect()
    };
    let both = ["Only on the server yet", "To both of us"];
    let served = [of("admin", &both), of("ana", &both)].concat();
    assert_eq!(whose(export(&["--of", "inbox"])), of("Here", &both[1..]));
    assert_eq!(whose(export(&["--of", "server"])), served);
    assert_eq!(whose(export(&[])), [of("Here", &both[1..]), served.clone()].concat());
    let mbox = hall.run(&["export", "--format", "mbox", "--of", "server"]);
    assert_eq!(mbox.matches("\nDelivered-To: ana@tidings.invalid\n").count(), 2, "{mbox}");
    let unread: Vec<_> = mbox.split("Status: ").skip(1).map(|rest| rest.starts_with("O\n")).collect();
    assert_eq!(unread, [false, false, true, true], "own messages are read: {mbox}");
    let csv = hall.run(&["export", "--format", "csv", "--of", "server"]);
    assert_eq!(csv.matches(",,ana,message,").count(), 2, "{csv}");
    serving.terminate();
    assert_eq!(whose(export(&["--of", "server"])), served, "running or not");
    hall.run(&["check"]);
}

#[test]
fn a_backup_brings_server_and_inbox_back_and_replicas_pull_anew() {
    let (hall, serving, laptop) = house();
    hall.run(&["send", "--to", "ana", "Before"]);
    laptop.run(&["pull"]);
    let file = |name: &str| -> PathBuf { hall.path().join(name) };
    let backup = file("all.tar");
    hall.run(&["backup", backup.to_str().unwrap()]);
    assert_eq!(hall.try_run(&["backup", backup.to_str().unwrap()]).code, Some(1), "never overwritten");
    hall.run(&["send", "--to", "ana", "After"]);
    laptop.run(&["pull"]);
    assert_eq!(
        hall.try_run(&["restore", backup.to_str().unwrap()]).code,
        Some(1),
        "not under a running server"
    );
    let listen = serving.url.trim_start_matches("http://").to_owned();
    serving.terminate();
    fs::write(file("junk"), "no backup at all").unwrap();
    assert_eq!(hall.try_run(&["restore", file("junk").to_str().unwrap()]).code, Some(1));
    hall.run(&["restore", backup.to_str().unwrap()]);
    let _serving = Serving::start(&hall, &["serve", "--listen", &listen]);
    hall.run(&["send", "--to", "ana", "Since"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    let bodies: Vec<_> = list.as_array().unwrap().iter().map(|item| item["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, ["Since", "After", "Before"], "what the server lost is kept here");
    hall.run(&["check"]);
    laptop.run(&["check"]);
}

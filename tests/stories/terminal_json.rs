//! Tests that every command is in docs/tidings.schema.json, and that what it prints with `--json` fits it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rusqlite::Connection;
use serde_json::{Value, json};
use support::{
    app::add_source,
    client::Client,
    clients::{program, work_folder},
    program::{built, root},
    server::ServerProcess,
    wait,
};
use tempfile::TempDir;
use tidings_testkit::tls::Authority;

/// Commands that print no document: a script, a protocol, lines of their own, or what another command prints.
const WITHOUT_DOCUMENT: &[&str] = &["completions", "mcp", "run", "user export"];
/// Commands that would not end by themselves, or need a browser, a database, or an input that ended a process.
const NOT_RUN: &[&str] = &["serve", "watch", "migrate", "source sign-in", "source retry"];

fn schema() -> PathBuf {
    root().join("docs/tidings.schema.json")
}

/// The names of the commands that the help lists, those of groups of commands with the group.
fn commands_below(group: &[&str]) -> Vec<String> {
    let help = Command::new(built("tidings")).args(group).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return vec![group.join(" ")] };
    let names = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("    "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.flat_map(|name| commands_below(&[group, &[name]].concat())).collect()
}

#[test]
fn every_command_is_in_the_schema() {
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema()).unwrap()).unwrap();
    let described: BTreeSet<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let commands = commands_below(&[]);
    let printing: BTreeSet<&str> =
        commands.iter().map(String::as_str).filter(|name| !WITHOUT_DOCUMENT.contains(name)).collect();
    assert_eq!(described, printing);
}

/// What commands printed, each in a file for the checker.
struct Printed {
    folder: TempDir,
    commands: BTreeSet<String>,
    files: Vec<PathBuf>,
}

impl Printed {
    /// Runs a command whose words before `args` are its name, with the token of a user or that of the data folder. A
    /// failure that it reports in its document will do.
    fn run(&mut self, data: &Path, user: Option<&Client>, name: &str, args: &[&str]) -> Value {
        let mut command = Command::new(built("tidings"));
        command.args(name.split(' ')).args(args).arg("--json").stdin(Stdio::null());
        command
            .env("TIDINGS_DATA_DIR", data)
            .env("TIDINGS_NO_KEYRING", "1")
            .env_remove("DBUS_SESSION_BUS_ADDRESS");
        match user {
            Some(user) => command.env("TIDINGS_SERVER", &user.url).env("TIDINGS_TOKEN", &user.token),
            None => command.env_remove("TIDINGS_SERVER").env_remove("TIDINGS_TOKEN"),
        };
        let done = command.output().unwrap();
        let printed: Value = serde_json::from_slice(&done.stdout)
            .unwrap_or_else(|error| panic!("{name} {args:?}: {error}: {done:?}"));
        let file = self.folder.path().join(format!("{}.json", self.files.len()));
        fs::write(&file, json!({ name: printed }).to_string()).unwrap();
        self.files.push(file);
        self.commands.insert(name.to_owned());
        printed
    }

    /// What the checker says of the files, if they don't fit.
    fn check(&self) -> Result<(), String> {
        let mut command = Command::new(program("check-jsonschema"));
        let done = command.arg("--schemafile").arg(schema()).args(&self.files).output().unwrap();
        let said = [done.stdout, done.stderr].concat();
        if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&said).into_owned()) }
    }
}

fn msgid(document: &Value) -> String {
    document["msgid"].as_str().unwrap_or_else(|| panic!("{document}")).to_owned()
}

/// What an administrator does with a server.
fn administer(printed: &mut Printed, server: &Path) {
    printed.run(server, None, "user add", &["cy", "--name", "Cy Ode"]);
    printed.run(server, None, "user rename", &["cy", "Cy O."]);
    printed.run(server, None, "user list", &[]);
    let token = printed.run(server, None, "token create", &["--user", "cy", "--scope", "inbox"]);
    printed.run(server, None, "token list", &[]);
    printed.run(server, None, "token revoke", &[token["id"].as_str().unwrap()]);
    printed.run(server, None, "topic set", &["backups", "--name", "Backups", "--expect", "26h"]);
    printed.run(server, None, "topic show", &["backups"]);
    printed.run(server, None, "topic list", &[]);
    printed.run(server, None, "topic remove", &["backups"]);
    printed.run(server, None, "user remove", &["cy", "--yes"]);
    printed.run(server, None, "check", &[]);
    printed.run(server, None, "export", &["--format", "json"]);
}

/// What a member does with a group; returns the msgid of a message in it.
fn gather(printed: &mut Printed, server: &Path, bo: &Client) {
    let bo = Some(bo);
    printed.run(server, bo, "group create", &["Crew", "--id", "crew", "--member", "ana"]);
    let said = printed.run(server, bo, "send", &["--to", "group:crew", "Lunch at noon?"]);
    printed.run(server, bo, "group receipts", &["crew", &msgid(&said)]);
    printed.run(server, bo, "group rename", &["crew", "The crew"]);
    printed.run(server, bo, "group remove", &["crew", "ana"]);
    printed.run(server, bo, "group add", &["crew", "ana"]);
    printed.run(server, bo, "group show", &["crew"]);
    printed.run(server, bo, "group list", &[]);
    printed.run(server, bo, "group create", &["Other", "--id", "other"]);
    printed.run(server, bo, "group end", &["other"]);
    printed.run(server, bo, "group hand-over", &["crew", "ana"]);
    printed.run(server, bo, "group leave", &["crew"]);
    let sent = printed.run(server, None, "send", &["--topic", "backups", "Backup don"]);
    printed.run(server, None, "send", &["--edit", &msgid(&sent), "Backup done"]);
    printed.run(server, None, "recall", &[&msgid(&sent)]);
}

/// Overwrites the beginning of the table of items.
fn damage(file: &Path) {
    let conn = Connection::open(file).unwrap();
    conn.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let of = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, usize>(0)).unwrap();
    let start = (of("SELECT rootpage FROM sqlite_master WHERE name = 'items'") - 1) * of("PRAGMA page_size");
    drop(conn);
    let mut bytes = fs::read(file).unwrap();
    bytes[start..start + 16].fill(0xa5);
    fs::write(file, bytes).unwrap();
}

/// What a person does with an inbox, in which something is.
fn read(printed: &mut Printed, inbox: &Path) {
    let listed = printed.run(inbox, None, "list", &[]);
    let first = msgid(&listed[0]);
    printed.run(inbox, None, "search", &["lunch"]);
    printed.run(inbox, None, "unread", &[]);
    printed.run(inbox, None, "mark", &["read", "--all"]);
    printed.run(inbox, None, "snooze", &[&first, "--until", "2h"]);
    printed.run(inbox, None, "mute", &[&first]);
    printed.run(inbox, None, "unmute", &[&first]);
    printed.run(inbox, None, "mute", &["--source", "Work"]);
    printed.run(inbox, None, "quiet", &[]);
    printed.run(inbox, None, "unmute", &["--source", "Work"]);
    printed.run(inbox, None, "doctor", &[]);
    printed.run(inbox, None, "check", &[]);
    printed.run(inbox, None, "repair", &[]);
    printed.run(inbox, None, "export", &["--format", "json"]);
    damage(&inbox.join("replica.db"));
    let repaired = printed.run(inbox, None, "repair", &[]);
    assert_eq!(repaired["repaired"], true, "{repaired}");
}

/// What a person does with what is around an inbox.
fn keep(printed: &mut Printed, inbox: &Path, ana: &Client) {
    let at = |name: &str| inbox.join(name).to_str().unwrap().to_owned();
    fs::write(at("ca.pem"), Authority::new("Company CA").pem()).unwrap();
    let origin = "https://git.example:8443";
    printed.run(inbox, None, "certificate add", &[origin, &at("ca.pem")]);
    printed.run(inbox, None, "certificate list", &[]);
    printed.run(inbox, None, "certificate remove", &[origin]);
    let entry =
        "<outline type=\"rss\" text=\"Blog\" xmlUrl=\"http://127.0.0.1:9/feed\"/><outline text=\"A note\"/>";
    fs::write(at("feeds.opml"), format!("<opml version=\"2.0\"><body>{entry}</body></opml>")).unwrap();
    printed.run(inbox, None, "source import", &[&at("feeds.opml"), "--private"]);
    printed.run(inbox, None, "source opml", &[]);
    printed.run(inbox, None, "source list", &[]);
    printed.run(inbox, None, "source pause", &["Work"]);
    printed.run(inbox, None, "source resume", &["Work"]);
    printed.run(inbox, None, "man", &["--to", &at("man")]);
    printed.run(inbox, None, "backup", &[&at("all.tar")]);
    printed.run(inbox, None, "restore", &[&at("all.tar")]);
    printed.run(inbox, None, "source remove", &["Work"]);
    printed.run(inbox, None, "source add", &["tidings", &ana.url, "--token", &ana.token]);
}

#[tokio::test]
async fn what_every_command_prints_fits_the_schema() {
    let server = ServerProcess::start();
    let (admin, data) = (server.admin(), server.data_dir());
    let ana = admin.user("ana", &["inbox"]).await;
    let bo = admin.user("bo", &["inbox", "publish"]).await;
    let inbox = TempDir::with_prefix("tidings-inbox.").unwrap();
    add_source(inbox.path(), &ana);
    let mut printed = Printed { folder: work_folder(), commands: BTreeSet::new(), files: Vec::new() };
    administer(&mut printed, &data);
    gather(&mut printed, &data, &bo);
    admin.post("announcements", json!({"title": "Maintenance at 22:00"})).await.is(201);

    // Bo asks, and Ana answers from her inbox.
    let (at, asking) = (data.clone(), bo.clone());
    let asked = tokio::task::spawn_blocking(move || {
        let mut printed = Printed { folder: work_folder(), commands: BTreeSet::new(), files: Vec::new() };
        printed.run(
            &at,
            Some(&asking),
            "ask",
            &["Deploy?", "--answer", "Yes", "--answer", "No", "--to", "ana"],
        );
        printed
    });
    let question = wait::until("the question to arrive", || async {
        let found = ana.inbox().await.into_iter().find(|item| item["body"] == "Deploy?")?;
        Some(msgid(&found))
    });
    let question = question.await;
    printed.run(inbox.path(), None, "pull", &[]);
    printed.run(inbox.path(), None, "answer", &[&question, "yes"]);
    printed.run(inbox.path(), None, "pull", &[]);
    let asked = asked.await.unwrap();
    read(&mut printed, inbox.path());
    keep(&mut printed, inbox.path(), &ana);

    for one in [&printed, &asked] {
        one.check().unwrap_or_else(|said| panic!("{said}"));
    }
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema()).unwrap()).unwrap();
    let described = schema["properties"].as_object().unwrap().keys();
    let run: BTreeSet<&String> = printed.commands.union(&asked.commands).collect();
    let left: Vec<&String> =
        described.filter(|name| !run.contains(name) && !NOT_RUN.contains(&name.as_str())).collect();
    assert!(left.is_empty(), "not run: {left:?}");

    // The checker finds what is not described.
    let unread = printed.folder.path().join("unread.json");
    fs::write(&unread, json!({ "unread": { "totals": 1 } }).to_string()).unwrap();
    printed.files = vec![unread];
    assert!(printed.check().is_err_and(|said| said.contains("totals")));
}

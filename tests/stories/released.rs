//! Tests that everything that a released version wrote is there with this one. Of each release `tests/data` has the data of a
//! server and of an inbox, and the checksums of the migrations that made their tables.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use rusqlite::Connection;
use serde_json::{Value, json};
use support::{app::try_tidings_with, client::Client, program::root, server::ServerProcess};
use tempfile::TempDir;
use tidings_model::{Clock, SystemClock};
use tidings_replica::{
    Mark, Mute, NewSource, Place, Replica, Rule, RuleThen, RuleWhen, SavedSearch, SourceChange, Targets,
    ThreadQuery,
};
use tidings_testkit::{clock::ManualClock, wrong_clock};

use crate::migrating::{People, bearer, everything, file, live};

/// What is kept of each release.
const PARTS: [&str; 5] =
    ["kept.json", "server/server.db", "server/files", "inbox/replica.db", "inbox/tokens.json"];

/// The files of the releases with this ending.
pub(crate) fn kept(ending: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("tests/data")).expect("tests/data is there");
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ending));
    let first = format!("0.1.0{ending}");
    assert!(files.iter().any(|file| file.ends_with(&first)), "tests/data has no {first}");
    files
}

fn is_done(mut command: Command) {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Runs the program on a folder, so many seconds ahead of now.
fn tidings(ahead: i64, data: &Path, args: &[&str]) -> String {
    let (done, out, err) = try_tidings_with(data, args, |command| {
        command.env("TIDINGS_NO_KEYRING", "1").envs(wrong_clock::ahead_by(ahead));
    });
    assert!(done, "{args:?}: {err}{out}");
    out
}

/// Opens an inbox, so many seconds ahead of now.
fn open(ahead: i64, inbox: &Path) -> Replica {
    let clock = ManualClock::running();
    clock.advance(ahead);
    Replica::open(inbox, Arc::new(clock)).unwrap()
}

/// Puts something of every sort into an inbox of Ana's: some of it her server has, some of it waits to be sent.
async fn fill(ana: &Client, inbox: &Path) {
    let now = SystemClock.now();
    let topic = json!({"target": {"type": "topic", "id": "gate"}, "actions": ["publish"]});
    ana.put("subscriptions", topic).await.success();
    ana.publish("gate", "Open the gate?", &[("X-Ask", "Yes,No"), ("Authorization", &bearer(ana))]).await;
    tidings(0, inbox, &["source", "add", "tidings", &ana.url, "--token", &ana.token, "--name", "Work"]);
    tidings(0, inbox, &["pull"]);
    let replica = open(0, inbox);
    let work = replica.sources().unwrap()[0].id;
    let feed = NewSource {
        name: "News".into(),
        protocol: "feed".into(),
        url: "https://news.example.org/feed".into(),
        user: None,
        own: false,
    };
    let feed = replica.add_source(feed).unwrap();
    replica.change_source(feed, SourceChange { paused: Some(true), ..SourceChange::default() }).unwrap();
    let rule = Rule {
        name: "Builds".into(),
        on: true,
        when: RuleWhen {
            source: Some(work),
            words: "nightly".into(),
            tags: vec!["ci".into()],
            at_least: Some(3),
            ..RuleWhen::default()
        },
        then: RuleThen { pin: true, priority: 1, ..RuleThen::default() },
        ..Rule::default()
    };
    replica.save_rule(rule).unwrap();
    let search = SavedSearch { id: 0, name: "By Bob".into(), query: "from:bob is:unread".into() };
    replica.save_search(search).unwrap();
    let mute = Mute { source: work, origin: "topic:doors".into(), until: Some(now.plus_secs(86_400)) };
    replica.mute(&mute).unwrap();
    replica.set_setting("desktop", &json!({"theme": "dark"})).unwrap();
    let threads = replica.threads(&ThreadQuery::top(Place::Inbox, 100)).unwrap().rows;
    let [pinned, archived, snoozed, ..] = &threads[..] else { panic!("too few threads: {threads:?}") };
    let until = now.plus_secs(7 * 86_400);
    for (thread, mark) in [(pinned, Mark::Pin), (archived, Mark::Archive), (snoozed, Mark::Snooze { until })]
    {
        replica.mark(Targets::Threads(vec![thread.id]), mark).unwrap();
    }
    replica.save_draft(work, "user:cat", "Not yet, 还没有").unwrap();
    let message = serde_json::from_value(json!({"body": "Soon"})).unwrap();
    replica.write_message(work, "user:bob", message).unwrap();
}

/// What an inbox shows, so many seconds ahead of now.
fn shown(ahead: i64, inbox: &Path) -> Value {
    let printed = |args: &[&str]| -> Value {
        serde_json::from_str(&tidings(ahead, inbox, &[args, &["--json"]].concat())).unwrap()
    };
    let replica = open(ahead, inbox);
    let places = [Place::Inbox, Place::Unread, Place::Pinned, Place::Snoozed, Place::Done].map(|place| {
        let rows = replica.threads(&ThreadQuery::top(place, 100)).unwrap().rows;
        rows.into_iter().map(|thread| thread.key).collect::<Vec<_>>()
    });
    let work = replica.sources().unwrap()[0].id;
    let searches = replica.saved_searches().unwrap().into_iter();
    let mutes = replica.mutes().unwrap().into_iter();
    let outgoing = replica.outgoing(work).unwrap().into_iter();
    let outgoing = outgoing.map(|sent| json!([sent.conversation, sent.message.content.body]));
    json!({
        "items": printed(&["list", "--limit", "1000"]),
        "unread": printed(&["unread"]),
        "sources": printed(&["source", "list"]),
        "quiet": printed(&["quiet"]),
        "places": places,
        "rules": replica.rules().unwrap(),
        "searches": searches.map(|search| json!([search.name, search.query])).collect::<Vec<_>>(),
        "mutes": mutes.map(|mute| json!([mute.source, mute.origin, mute.until])).collect::<Vec<_>>(),
        "outgoing": outgoing.collect::<Vec<_>>(),
        "draft": replica.draft(work, "user:cat").unwrap(),
        "settings": replica.setting("desktop").unwrap(),
    })
}

/// Asserts that what was seen once is seen now. A later version may show more of it.
#[track_caller]
fn is_kept(place: &str, before: &Value, now: &Value) {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            for (key, value) in before {
                is_kept(&format!("{place}/{key}"), value, now.get(key).unwrap_or(&Value::Null));
            }
        }
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            for (n, (before, now)) in before.iter().zip(now).enumerate() {
                is_kept(&format!("{place}/{n}"), before, now);
            }
        }
        _ => assert_eq!(before, now, "{place}"),
    }
}

#[tokio::test]
#[ignore = "it writes into tests/data what is kept of a release, once"]
async fn data_of_this_version_is_kept_for_later_ones() {
    let name = root().join("tests/data").join(env!("CARGO_PKG_VERSION")).display().to_string();
    let archive = format!("{name}.tar.gz");
    assert!(!Path::new(&archive).exists(), "{archive}: what a release wrote is never written anew");
    let folder = TempDir::new().unwrap();
    let [server_folder, inbox] = ["server", "inbox"].map(|part| folder.path().join(part));
    let mut server = ServerProcess::in_folder(&server_folder, &[], "");
    let people = live(server.admin()).await;
    fill(&people.ana, &inbox).await;
    let People { admin, ana, bob, cat, backup } = &people;
    let tokens = [admin, ana, bob, cat, backup].map(|person| &person.token);
    let kept = json!({
        "server": everything(&people).await,
        "inbox": shown(0, &inbox),
        "tokens": tokens,
        "at": SystemClock.now().as_secs() + 1,
    });
    fs::write(folder.path().join("kept.json"), serde_json::to_string_pretty(&kept).unwrap()).unwrap();
    server.stop();
    for file in [PARTS[1], PARTS[3]] {
        // Its log is beside it else.
        let database = Connection::open(folder.path().join(file)).unwrap();
        database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    }
    fs::create_dir_all(root().join("tests/data")).unwrap();
    let mut pack = Command::new("tar");
    pack.args([
        "--create",
        "--gzip",
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ]);
    pack.arg("--file").arg(&archive).arg("--directory").arg(folder.path()).args(PARTS);
    is_done(pack);
    let mut sums = Command::new("sh");
    sums.args(["-c", "sha256sum crates/*/migrations/*.sql >\"$0\"", &format!("{name}.sha256")]);
    sums.current_dir(root());
    is_done(sums);
}

#[tokio::test]
async fn everything_that_a_release_wrote_is_there_and_goes_on() {
    for archive in kept(".tar.gz") {
        let folder = TempDir::new().unwrap();
        let mut unpack = Command::new("tar");
        unpack.args(["--extract", "--gzip", "--file"]).arg(&archive).arg("--directory").arg(folder.path());
        is_done(unpack);
        goes_on(folder.path()).await;
    }
}

/// A server and an inbox of a release, at the time at which they were written: what has a term has not ended.
async fn goes_on(folder: &Path) {
    let kept: Value = serde_json::from_str(&fs::read_to_string(folder.join("kept.json")).unwrap()).unwrap();
    let written = kept.to_string();
    let of_server = ["We move", "Message 2", "crew", "Who reads this?", "Doors", "door.bin", "Backup"];
    let of_inbox = ["News", "Open the gate?", "Builds", "By Bob", "topic:doors", "Soon", "还没有", "dark"];
    for word in of_server.into_iter().chain(of_inbox) {
        assert!(written.contains(word), "nothing says {word}");
    }
    let ahead = kept["at"].as_i64().unwrap() - SystemClock.now().as_secs();
    let [admin, ana, bob, cat, backup] =
        [0, 1, 2, 3, 4].map(|person: usize| kept["tokens"][person].as_str().unwrap());
    let [server_folder, inbox] = ["server", "inbox"].map(|part| folder.join(part));
    is_kept("inbox", &kept["inbox"], &shown(ahead, &inbox));

    let server = ServerProcess::in_folder(&server_folder, &wrong_clock::ahead_by(ahead), admin);
    let of = |token: &str| Client::new(&server.url(), token);
    let people = People { admin: of(admin), ana: of(ana), bob: of(bob), cat: of(cat), backup: of(backup) };
    is_kept("server", &kept["server"], &everything(&people).await);
    assert_eq!(file(&people).await, [0, 159, 146, 150]);

    // What waited is sent, and what is new arrives, once the inbox knows where its server is now.
    let replica = open(ahead, &inbox);
    let work = replica.sources().unwrap().swap_remove(0);
    let change = SourceChange { url: Some(server.url()), ..SourceChange::default() };
    replica.change_source(work.id, change).unwrap();
    drop(replica);
    let tokens = inbox.join("tokens.json");
    let moved = fs::read_to_string(&tokens).unwrap().replace(work.url.trim_end_matches('/'), &server.url());
    fs::write(&tokens, moved).unwrap();
    people.bob.post("messages", json!({"to": "ana", "body": "Still here?"})).await.is(201);
    tidings(ahead, &inbox, &["pull"]);
    assert_eq!(people.bob.inbox().await[0]["body"], "Soon");
    assert!(tidings(ahead, &inbox, &["list", "--json"]).contains("Still here?"));
    for data in [&inbox, &server_folder] {
        tidings(ahead, data, &["check"]);
    }
}

#[test]
fn migrations_of_a_release_are_never_changed() {
    for list in kept(".sha256") {
        let mut command = Command::new("sha256sum");
        let done = command.args(["--check", "--quiet"]).arg(&list).current_dir(root()).output().unwrap();
        assert!(
            done.status.success(),
            "{}{}: migrations of a release stay as they are, because databases out there were made by them. \
             Undo the change, and write a migration with the next number that makes it.",
            String::from_utf8_lossy(&done.stdout),
            list.display()
        );
        let text = fs::read_to_string(&list).unwrap();
        let released: Vec<_> = text.lines().map(|line| line.split("  ").nth(1).unwrap()).collect();
        for store in ["replica-tables", "store-sqlite", "store-postgres"] {
            let folder = format!("crates/{store}/migrations/");
            let last = released.iter().filter(|path| path.starts_with(&folder)).max().expect(store);
            for file in fs::read_dir(root().join(&folder)).unwrap() {
                let path = format!("{folder}{}", file.unwrap().file_name().to_string_lossy());
                assert!(
                    released.contains(&path.as_str()) || path.as_str() > *last,
                    "{path}: a new migration has a higher number than {last}, which was released"
                );
            }
        }
    }
}

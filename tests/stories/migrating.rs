//! Tests of moving a server from its data folder into PostgreSQL and back, with the real program at both ends.

use std::path::Path;
use std::process::Command;

use reqwest::Method;
use serde_json::{Value, json};
use support::{client::Client, program::built, server::ServerProcess, wait};
use tempfile::TempDir;
use tidings_testkit::postgres::Database;

/// What a run of the program gave.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    #[track_caller]
    fn done(self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }

    /// Asserts that it failed with a sentence that has these words.
    #[track_caller]
    fn refused(self, words: &str) {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.err);
        assert!(self.err.contains(words) && self.out.is_empty(), "{}{}", self.out, self.err);
    }
}

fn tidings(args: &[&str], data: &Path) -> Run {
    let mut command = Command::new(built("tidings"));
    command.args(args).env("TIDINGS_DATA_DIR", data).env_remove("TIDINGS_STORE").env_remove("TIDINGS_LOG");
    let done = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

fn migrate(from: &str, to: &str) -> Run {
    let data = TempDir::new().unwrap();
    tidings(&["--json", "migrate", "--from", from, "--to", to], data.path())
}

fn folder(server: &ServerProcess) -> String {
    server.data_dir().display().to_string()
}

/// The people of the story, at one server after the other.
pub(crate) struct People {
    pub(crate) admin: Client,
    pub(crate) ana: Client,
    pub(crate) bob: Client,
    pub(crate) cat: Client,
    /// A program that publishes by Gotify's API to ana.
    pub(crate) backup: Client,
}

impl People {
    fn at(&self, server: &ServerProcess) -> Self {
        let there = |client: &Client| Client::new(&server.url(), &client.token);
        Self {
            admin: there(&self.admin),
            ana: there(&self.ana),
            bob: there(&self.bob),
            cat: there(&self.cat),
            backup: there(&self.backup),
        }
    }

    fn readers(&self) -> [&Client; 3] {
        [&self.ana, &self.bob, &self.cat]
    }
}

/// Things of every kind: read and unread, in groups and conversations, waiting and uploaded.
pub(crate) async fn live(admin: Client) -> People {
    let ana = admin.user_named("ana", "Ana", &["inbox", "publish"]).await;
    let bob = admin.user_named("bob", "Bob", &["inbox"]).await;
    let cat = admin.user("cat", &["inbox"]).await;
    let made = ana.post("/application", json!({"name": "Backup", "description": "nightly"})).await.is(200);
    let backup = ana.with_token(made["token"].as_str().unwrap());
    let people = People { admin, ana, bob, cat, backup };
    let People { admin, ana, bob, cat, backup } = &people;

    admin.post("announcements", json!({"title": "Tonight", "body": "We move"})).await.is(201);
    bob.subscribe("42", &["comment", "like"]).await;
    bob.put("follows/cat", Value::Null).await.success();
    bob.patch("preferences", json!({"actions": {"like": false}})).await.is(200);
    ana.remind("ana", "comment", "42").await;
    ana.remind("cat", "create", "7").await;
    for n in 0..3 {
        ana.post("messages", json!({"to": "bob", "body": format!("Message {n}")})).await.is(201);
    }
    bob.post("messages", json!({"to": "ana", "body": "Answer"})).await.is(201);
    ana.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob", "cat"]})).await.is(201);
    ana.post("groups/crew/messages", json!({"body": "Who reads this?"})).await.is(201);
    cat.post("groups/crew/messages", json!({"body": "I do"})).await.is(201);
    for reader in people.readers() {
        reader.pull(None, 100).await;
    }
    read_newest(bob, "user:ana").await;
    read_newest(cat, "group:crew").await;
    let archived = bob.inbox().await[0]["msgid"].as_str().unwrap().to_owned();
    bob.op("archive", &[&archived], json!({})).await;
    let snoozed = ana.inbox().await[0]["msgid"].as_str().unwrap().to_owned();
    ana.op("snooze", &[&snoozed], json!({"until": "2199-01-01T00:00:00Z"})).await;

    backup.post("/message", json!({"title": "Backup", "message": "done", "priority": 8})).await.is(200);
    admin.put("topics/doors", json!({"name": "Doors", "priority_floor": 3})).await.is(200);
    let doors =
        ana.request(Method::PUT, "/doors").header("Filename", "door.bin").body(vec![0, 159, 146, 150]);
    ana.send(doors).await.is(200);
    ana.publish("doors", "Open", &[("X-Sequence-ID", "front"), ("Authorization", &bearer(ana))]).await;
    ana.publish("doors", "Later", &[("Delay", "2 days"), ("Authorization", &bearer(ana))]).await;
    people
}

pub(crate) fn bearer(client: &Client) -> String {
    format!("Bearer {}", client.token)
}

/// Reads a conversation up to its newest message.
async fn read_newest(reader: &Client, conversation: &str) {
    let path = format!("conversations/{conversation}");
    let newest = reader.get(&format!("{path}/messages?limit=1")).await.is(200)["items"][0]["msgid"].clone();
    reader.put(&format!("{path}/read"), json!({"through": newest})).await.is(200);
}

/// Everything that anybody can see, as it is at one server.
pub(crate) async fn everything(people: &People) -> Value {
    let mut seen = serde_json::Map::new();
    let mut see = |what: String, answer: Value| seen.insert(what, answer);
    for (n, reader) in people.readers().into_iter().enumerate() {
        let mut pull = reader.get("sync?limit=500").await.is(200);
        // The next position of a pull from the beginning is that of the last thing on it.
        pull.as_object_mut().unwrap().remove("remaining");
        see(format!("{n} pull"), pull);
        for path in [
            "unread",
            "conversations",
            "inbox?archived=true",
            "groups",
            "groups/crew",
            "groups/crew/members",
            "subscriptions",
            "follows",
            "preferences",
            "receipts",
            "me",
            "views/conversation/user:ana",
        ] {
            see(format!("{n} {path}"), reader.get(path).await.body);
        }
    }
    for path in ["/message", "/application", "/doors/json?poll=1&scheduled=1"] {
        see(path.to_owned(), people.ana.get(path).await.is(200));
    }
    for path in ["users", "catalog", "topics"] {
        see(path.to_owned(), people.admin.get(path).await.is(200));
    }
    let tokens = people.admin.get("tokens").await.is(200);
    // Those that a server makes for itself are new with each start.
    let lasting = |token: &&Value| !token["id"].as_str().unwrap().starts_with("program-");
    see("tokens".into(), tokens.as_array().unwrap().iter().filter(lasting).cloned().collect());
    Value::Object(seen)
}

/// Asserts that two servers show the same, one thing after the other.
#[track_caller]
fn assert_same(before: &Value, after: &Value) {
    for (what, seen) in before.as_object().unwrap() {
        assert_eq!(seen, &after[what], "{what}");
    }
}

/// The bytes of the file that was uploaded to the topic.
pub(crate) async fn file(people: &People) -> Vec<u8> {
    let lines = people.ana.get("/doors/json?poll=1").await.is(200);
    let lines = lines.as_str().unwrap().to_owned();
    let with_file = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let message = with_file.into_iter().find(|message| message["attachment"].is_object()).expect("a file");
    let url = message["attachment"]["url"].as_str().unwrap().to_owned();
    let path = format!("/file/{}", url.split("/file/").nth(1).unwrap());
    let answer = people.ana.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn a_server_is_moved_to_postgresql_and_back_and_nobody_notices() {
    let mut first = ServerProcess::start();
    let people = live(first.admin()).await;
    let keyed = json!({"to": "bob", "body": "Once"});
    let once = people.ana.post_keyed("messages", keyed.clone(), "a-key").await.unwrap().is(201);
    let op = json!({"ops": [{"id": "an-op", "op": "seen", "msgids": [once["msgid"]]}]});
    people.bob.post("inbox/ops", op.clone()).await.is(200);
    let middle = people.bob.pull(None, 5).await.2;
    let before = everything(&people).await;

    let database = Database::empty();
    migrate(&folder(&first), &database.url).refused("stop it first");
    first.stop();
    let moved = migrate(&folder(&first), &database.url).done();
    assert_eq!((&moved["files"], &moved["tables"]["users"]), (&json!(1), &json!(4)), "{moved}");
    migrate(&folder(&first), &database.url).refused("is not empty");

    let files = first.data_dir().join("files");
    assert_eq!(moved["files_folder"], files.display().to_string());
    let mut second = first.successor(Some(&database.url), Some(files.clone()));
    second.restart();
    let there = people.at(&second);
    assert_same(&before, &everything(&there).await);
    assert_eq!(file(&there).await, [0, 159, 146, 150]);
    let again = there.ana.post_keyed("messages", keyed.clone(), "a-key").await.unwrap().is(201);
    assert_eq!(again, once, "the key is known");
    there.bob.post("inbox/ops", op).await.is(200);
    let (items, ..) = there.bob.pull(Some(&middle), 100).await;
    assert!(items.is_empty(), "a client goes on where it was: {items:?}");
    let refused = there.bob.get("sync?since=2000-01-01T00:00:00.000000Z&epoch=another").await;
    refused.problem(410, "resync", None);

    // What happens there has its own order in each inbox.
    there.ana.post("messages", json!({"to": "bob", "body": "From PostgreSQL"})).await.is(201);
    there.ana.delete("groups/crew/members/cat").await.success();
    there.ana.post("groups/crew/messages", json!({"body": "Without cat"})).await.is(201);
    for reader in there.readers() {
        reader.pull(None, 100).await;
    }
    read_newest(&there.bob, "user:ana").await;
    read_newest(&there.ana, "user:bob").await;
    let between = everything(&there).await;
    let mut third = first.successor(None, None);
    migrate(&database.url, &folder(&third)).refused("servers are connected");
    second.stop();
    migrate(&database.url, &folder(&first)).refused("already");
    migrate(&database.url, &folder(&third)).done();

    std::fs::rename(&files, third.data_dir().join("files")).unwrap();
    third.restart();
    let back = people.at(&third);
    assert_same(&between, &everything(&back).await);
    assert_eq!(file(&back).await, [0, 159, 146, 150]);
    assert_eq!(back.ana.post_keyed("messages", keyed, "a-key").await.unwrap().is(201), once);
    back.bob.post("messages", json!({"to": "ana", "body": "Home again"})).await.is(201);
    assert_eq!(back.ana.inbox().await[0]["body"], "Home again");
    third.stop();
    let checked = tidings(&["check"], &third.data_dir());
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
}

#[tokio::test]
async fn what_waits_to_be_delivered_is_delivered_once_where_it_was_moved_to() {
    let mut first = ServerProcess::start();
    let ana = first.admin().user("ana", &["inbox", "publish"]).await;
    ana.publish("doors", "Later", &[("Delay", "10s"), ("Authorization", &bearer(&ana))]).await;
    first.stop();
    let database = Database::empty();
    migrate(&folder(&first), &database.url).done();
    let mut second = first.successor(Some(&database.url), None);
    second.restart();
    let there = Client::new(&second.url(), &ana.token);
    let listed = || async {
        let lines = there.get("/doors/json?poll=1").await.is(200);
        lines.as_str().map_or(usize::from(lines.is_object()), |lines| lines.lines().count())
    };
    wait::until("it is delivered", || async { listed().await == 1 }).await;
    second.stop();
    second.restart();
    assert_eq!(listed().await, 1, "once");
}

#[test]
fn a_migration_says_what_it_can_not_move_and_never_shows_a_password() {
    let (data, database) = (TempDir::new().unwrap(), Database::empty());
    let (here, url) =
        (data.path().join("none").display().to_string(), format!("{}&password=s3cret", database.url));
    migrate(&here, &url).refused("there is no server in");
    migrate(&url, &here).refused("there is no server in postgres://");
    assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
    for (from, to) in [(&here, &here), (&url, &url)] {
        let run = migrate(from, to);
        assert_eq!(run.code, Some(2), "{}", run.err);
        assert!(!run.err.contains("s3cret"), "{}", run.err);
    }
    let unreachable = migrate("postgres://ana:s3cret@127.0.0.1:1/t", &here);
    assert_eq!(unreachable.code, Some(1), "{}", unreachable.err);
    assert!(!unreachable.err.contains("s3cret"), "{}", unreachable.err);
    // A table of ours, of whatever origin.
    database.sql("CREATE TABLE tokens (id text)");
    std::fs::create_dir_all(&here).unwrap();
    let added = tidings(&["user", "add", "ana"], Path::new(&here));
    assert_eq!(added.code, Some(0), "{}", added.err);
    migrate(&here, &url).refused("the table `tokens`");
}

//! A server that many write to, and its first start.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use reqwest::Method;
use serde_json::{Value, json};
use support::app::tidings;
use support::client::Client;
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_testkit::disk::{Calls, Disk, Fault, Image, Plan};
use tokio::task::block_in_place;

use super::{images, serve};

/// Who write at the same time.
const WRITERS: usize = 4;
/// Rounds of each of them between two restarts.
const ROUNDS: usize = 12;

/// What a server acknowledged.
#[derive(Debug, Clone)]
enum Fact {
    User(String),
    /// A token that its user has, and what it may ask for.
    Token(Client),
    /// A message that the reader has, by its msgid, with its stamp.
    Message {
        msgid: String,
        stamp: String,
    },
    Read(String),
    Group(String),
    Subscription,
    File {
        path: String,
        bytes: Vec<u8>,
    },
}

/// The facts with the position of the record at which each was known.
#[derive(Clone)]
struct Acknowledged {
    disk: Arc<Disk>,
    facts: Arc<Mutex<Vec<(u64, Fact)>>>,
}

impl Acknowledged {
    fn note(&self, fact: Fact) {
        self.facts.lock().unwrap().push((self.disk.position(), fact));
    }

    /// One round of a writer's work.
    async fn round(&self, admin: &Client, reader: &Client, writer: usize, round: usize) {
        let name = format!("w{writer}-{round}");
        // As long as the one that a full page has, and as a short one.
        let body = format!("{name} {}", "x".repeat(round % 5 * 900));
        let posted = admin.post("messages", json!({"to": "reader", "body": body})).await.is(201);
        let text = |name: &str| posted[name].as_str().unwrap().to_owned();
        self.note(Fact::Message { msgid: text("msgid"), stamp: text("stamp") });
        match round % 6 {
            0 => {
                let user = admin.user(&name, &["inbox", "publish"]).await;
                self.note(Fact::User(name.clone()));
                self.note(Fact::Token(user.clone()));
                let group = json!({"id": name, "name": "Crew", "members": ["reader"]});
                user.post("groups", group).await.is(201);
                self.note(Fact::Group(name));
            }
            1 | 4 => {
                reader.op("read", &[&text("msgid")], json!({})).await;
                self.note(Fact::Read(text("msgid")));
            }
            2 => {
                let bytes: Vec<u8> = (0..4_000 + 3_000 * writer)
                    .map(|n| u8::try_from((n * 7 + round) % 251).unwrap())
                    .collect();
                let put = admin.request(Method::PUT, "/photos").header("Filename", "flower.bin");
                let message = admin.send(put.body(bytes.clone())).await.is(200);
                let url = message["attachment"]["url"].as_str().unwrap();
                let path = url.split_once("/file/").map(|(_, name)| format!("/file/{name}")).unwrap();
                self.note(Fact::File { path, bytes });
            }
            3 => {
                let target = json!({"type": "topic", "id": "photos"});
                reader.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
                self.note(Fact::Subscription);
            }
            _ => {}
        }
    }

    /// All writers at once.
    async fn rounds(&self, server: &ServerProcess, reader: &Client, phase: usize) {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (this, admin, reader) = (self.clone(), server.admin(), reader.clone());
                tokio::spawn(async move {
                    for round in 0..ROUNDS {
                        this.round(&admin, &reader, writer, phase * ROUNDS + round).await;
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
    }

    /// Asserts that an image has what was acknowledged before it.
    async fn are_in(&self, image: &Image, admin: &str, reader: &str) {
        let data = image.folder().join("data");
        let server = serve(&data).await;
        let (admin, reader) = (Client::new(&server.url, admin), Client::new(&server.url, reader));
        let known = self.known_at(image.position);
        if !known.is_empty() {
            compare(&known, &admin, &reader).await;
        }
        server.stop().await;
        if image.position.is_multiple_of(7) {
            block_in_place(|| tidings(&data, &["check"]));
        }
    }

    /// What was known before a position.
    fn known_at(&self, position: u64) -> Vec<Fact> {
        let facts = self.facts.lock().unwrap();
        facts.iter().filter(|(known, _)| *known <= position).map(|(_, fact)| fact.clone()).collect()
    }
}

/// Asserts that a server has what is known.
async fn compare(known: &[Fact], admin: &Client, reader: &Client) {
    let has_reader = known.iter().any(|fact| matches!(fact, Fact::Message { .. }));
    let inbox: BTreeMap<String, Value> = if has_reader {
        let items = reader.pull(None, 500).await.0.into_iter();
        items.map(|item| (item["msgid"].as_str().unwrap().to_owned(), item)).collect()
    } else {
        BTreeMap::new()
    };
    let users = admin.get("users").await.is(200);
    let mut newest = String::new();
    for fact in known {
        match fact {
            Fact::User(id) => assert!(users.to_string().contains(&format!("\"{id}\"")), "{fact:?}"),
            Fact::Token(user) => drop(Client::new(&admin.url, &user.token).get("me").await.is(200)),
            Fact::Message { msgid, stamp } => {
                assert!(inbox.contains_key(msgid), "{fact:?}");
                newest = newest.max(stamp.clone());
            }
            Fact::Read(msgid) => assert!(inbox[msgid]["read_at"].is_string(), "{fact:?}"),
            Fact::Group(id) => {
                let groups = reader.get("groups").await.is(200);
                assert!(groups.to_string().contains(&format!("\"{id}\"")), "{fact:?}");
            }
            Fact::Subscription => {
                let all = reader.get("subscriptions").await.is(200);
                assert!(all.to_string().contains("photos"), "{all}");
            }
            Fact::File { path, bytes } => {
                let file = admin.request(Method::GET, path).send().await.unwrap();
                assert_eq!(file.status(), 200, "{path}");
                assert_eq!(file.bytes().await.unwrap(), bytes, "{path}");
            }
        }
    }
    if has_reader {
        let next = admin.post("messages", json!({"to": "reader", "body": "On it goes"})).await.is(201);
        assert!(next["stamp"].as_str().unwrap() > newest.as_str(), "stamps grow: {next} {newest}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_server_acknowledged_survives_a_loss_of_power() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Arc::new(Disk::recorded(folder.path()));
    let data = disk.folder().join("data");
    let mut server = block_in_place(|| ServerProcess::in_folder(&data, &disk.env(), ""));
    let acknowledged = Acknowledged { disk: Arc::clone(&disk), facts: Arc::default() };
    let admin = server.admin();
    acknowledged.note(Fact::Token(admin.clone()));
    let reader = admin.user("reader", &["inbox", "publish"]).await;
    acknowledged.note(Fact::User("reader".into()));

    acknowledged.rounds(&server, &reader, 0).await;
    // It leaves one file, and begins a new log.
    block_in_place(|| server.stop());
    block_in_place(|| server.restart());
    acknowledged.rounds(&server, &reader, 1).await;
    // It is killed in the middle of a post.
    disk.plan(&Plan::kill(Calls::WRITE, 3));
    let post = admin.request(Method::POST, "messages").json(&json!({"to": "reader", "body": "Gone"}));
    assert!(Client::try_send(post).await.is_none());
    disk.heal();
    block_in_place(|| server.kill());
    block_in_place(|| server.restart());
    acknowledged.rounds(&server, &reader, 2).await;
    block_in_place(|| server.stop());

    for image in images(&disk, 40) {
        acknowledged.are_in(&image, &admin.token, &reader.token).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_start_that_loses_power_begins_anew_or_goes_on() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Arc::new(Disk::recorded(folder.path()));
    let data = disk.folder().join("data");
    let mut server = block_in_place(|| ServerProcess::in_folder(&data, &disk.env(), ""));
    let acknowledged = Acknowledged { disk: Arc::clone(&disk), facts: Arc::default() };
    let admin = server.admin();
    acknowledged.note(Fact::Token(admin.clone()));
    block_in_place(|| server.stop());
    for image in images(&disk, 20) {
        acknowledged.are_in(&image, &admin.token, "").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_acknowledged_after_a_failed_sync_survives_a_loss_of_power() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Arc::new(Disk::recorded(folder.path()));
    let data = disk.folder().join("data");
    let mut server = block_in_place(|| ServerProcess::in_folder(&data, &disk.env(), ""));
    let acknowledged = Acknowledged { disk: Arc::clone(&disk), facts: Arc::default() };
    let admin = server.admin();
    let reader = admin.user("reader", &["inbox"]).await;
    let mut refused = 0;
    for n in 0..80 {
        if n % 4 == 0 {
            disk.plan(&Plan::fail(Calls::SYNC, Fault::Io, 1).times(1 + n % 3));
        }
        let message = json!({"to": "reader", "body": format!("{n} {}", "x".repeat(40_000))});
        let answer = admin.post("messages", message).await;
        if answer.status == 201 {
            let text = |name: &str| answer.body[name].as_str().unwrap().to_owned();
            acknowledged.note(Fact::Message { msgid: text("msgid"), stamp: text("stamp") });
        } else {
            answer.problem(503, "unavailable", None);
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused} were refused");
    disk.heal();
    block_in_place(|| server.stop());
    for image in images(&disk, 10) {
        acknowledged.are_in(&image, &admin.token, &reader.token).await;
    }
}

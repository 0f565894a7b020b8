//! Tests durability: 64 publishers, and a server that is killed 100 times. Every acknowledged publication must be in
//! the recipient's inbox exactly once.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{app::tidings, client::Client, server::ServerProcess, wait};

const PUBLISHERS: usize = 64;
const KILLS: usize = 100;
/// The server is killed at a random moment within this many milliseconds after its start.
const LONGEST: u64 = 160;
/// Publications in an array.
const MANY: usize = 3;

/// Random numbers, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// A publication with its own idempotency key. The body contains the key, by which the item is recognised.
#[derive(Clone)]
struct Publication {
    key: String,
    method: Method,
    path: &'static str,
    body: Value,
}

impl Publication {
    /// A publisher's `n`th publication: the kinds take turns, and kinds that may come as an array also do.
    fn new(publisher: usize, n: usize) -> Self {
        let key = format!("{publisher}-{n}");
        let one = |kind: usize, words: &str| match kind {
            0 => json!({"to": "reader", "body": words}),
            1 => {
                json!({"actor": "bob", "action": "comment", "target": {"type": "article", "id": "42"}, "body": words})
            }
            _ => json!({"title": "News", "body": words}),
        };
        let many = |kind: usize| Value::Array((0..MANY).map(|i| one(kind, &format!("{key}#{i}"))).collect());
        let (method, path, body) = match (publisher + n) % 8 {
            0 => (Method::POST, "/api/v1/messages", one(0, &key)),
            1 => (Method::POST, "/api/v1/reminders", one(1, &key)),
            2 => (Method::POST, "/api/v1/announcements", one(2, &key)),
            3 => (Method::POST, "/api/v1/groups/crew/messages", json!({"body": key})),
            4 => (Method::PUT, "/kills", Value::String(key.clone())),
            5 => (Method::POST, "/api/v1/messages", many(0)),
            6 => (Method::POST, "/api/v1/reminders", many(1)),
            _ => (Method::POST, "/api/v1/announcements", many(2)),
        };
        Self { key, method, path, body }
    }

    /// The bodies of the expected items, each with the id that the server returned.
    fn expected(&self, answer: &Value) -> Vec<(String, String)> {
        let id = |one: &Value| one.get("msgid").or(one.get("id")).unwrap().as_str().unwrap().to_owned();
        match answer {
            Value::Array(all) => {
                assert_eq!(all.len(), MANY, "{answer}");
                all.iter().enumerate().map(|(i, one)| (format!("{}#{i}", self.key), id(one))).collect()
            }
            one => vec![(self.key.clone(), id(one))],
        }
    }
}

/// The state that all publishers share.
struct Press {
    url: String,
    token: String,
    /// Every acknowledged body, with the id in the first answer.
    acknowledged: Mutex<BTreeMap<String, String>>,
    /// The number of requests that were cut off and repeated.
    cut: AtomicUsize,
    /// The number of requests that were repeated although they had been answered.
    repeated: AtomicUsize,
    stop: AtomicBool,
}

impl Press {
    /// Sends a request until it is answered; the answer must be 200 or 201.
    async fn send(&self, http: &reqwest::Client, what: &Publication) -> Value {
        loop {
            let request = http
                .request(what.method.clone(), format!("{}{}", self.url, what.path))
                .bearer_auth(&self.token)
                .header("Idempotency-Key", &what.key);
            let request = match &what.body {
                Value::String(text) => request.body(text.clone()),
                body => request.json(body),
            };
            let answer = match request.send().await {
                Ok(response) => (response.status(), response.bytes().await),
                Err(error) => {
                    if !error.is_connect() {
                        self.cut.fetch_add(1, Ordering::Relaxed);
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            };
            let (status, Ok(bytes)) = answer else {
                self.cut.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            assert!(matches!(status, StatusCode::CREATED | StatusCode::OK), "{}: {status} {text}", what.path);
            return serde_json::from_slice(&bytes).unwrap();
        }
    }

    /// Records acknowledged publications; a repeated one must have the same id.
    fn note(&self, what: &Publication, answer: &Value) {
        let mut acknowledged = self.acknowledged.lock().unwrap();
        for (words, id) in what.expected(answer) {
            let first = acknowledged.entry(words).or_insert_with(|| id.clone());
            assert_eq!(*first, id, "the same key has the same answer, also after a power cut");
        }
    }

    async fn publish(self: Arc<Self>, publisher: usize) {
        let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(1).build().unwrap();
        let mut chance = Chance(publisher as u64 + 1);
        for n in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let what = Publication::new(publisher, n);
            let answer = self.send(&http, &what).await;
            self.note(&what, &answer);
            if chance.below(4) == 0 {
                // As a client would that died before it recorded the answer.
                let again = self.send(&http, &what).await;
                self.note(&what, &again);
                self.repeated.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Creates the reader, whom every publication reaches, and returns the reader's client and the publishers' token.
async fn people(server: &ServerProcess) -> (Client, String) {
    let admin = server.admin();
    let reader = admin.user("reader", &["inbox"]).await;
    let press = admin.user("press", &["inbox", "publish"]).await;
    for (kind, id, action) in [("article", "42", "comment"), ("topic", "kills", "publish")] {
        let wish = json!({"target": {"type": kind, "id": id}, "actions": [action]});
        reader.put("subscriptions", wish).await.success();
    }
    press.post("groups", json!({"id": "crew", "name": "Crew", "members": ["reader"]})).await.success();
    (reader, press.token)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_publication_is_there_once_though_the_server_is_killed_a_hundred_times() {
    let seed = std::env::var("TIDINGS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_120);
    println!("TIDINGS_SEED={seed}");
    let mut chance = Chance(seed);
    let mut server = ServerProcess::start();
    let (reader, token) = people(&server).await;
    let press = Arc::new(Press {
        url: server.url(),
        token,
        acknowledged: Mutex::default(),
        cut: AtomicUsize::new(0),
        repeated: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    });
    let publishers: Vec<_> = (0..PUBLISHERS).map(|n| tokio::spawn(press.clone().publish(n))).collect();
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(chance.below(LONGEST))).await;
        // However slow the machine is, each kill interrupts publications.
        let before = press.acknowledged.lock().unwrap().len();
        wait::until("a publication since the last kill", || async {
            press.acknowledged.lock().unwrap().len() > before
        })
        .await;
        tokio::task::block_in_place(|| {
            server.kill();
            server.restart();
        });
    }
    press.stop.store(true, Ordering::Relaxed);
    for publisher in publishers {
        publisher.await.unwrap();
    }
    let acknowledged = press.acknowledged.lock().unwrap().clone();
    let (cut, repeated) = (press.cut.load(Ordering::Relaxed), press.repeated.load(Ordering::Relaxed));
    println!("{} publications, {cut} requests cut off, {repeated} made twice", acknowledged.len());
    assert!(
        cut > KILLS / 2 && repeated > PUBLISHERS,
        "the kills came in the middle of work: {cut} {repeated}"
    );

    let inbox = reader.pull(None, 5_000).await.0;
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for item in &inbox {
        let text = |name: &str| item[name].as_str().unwrap().to_owned();
        let twice = found.insert(text("body"), text("msgid"));
        assert_eq!(twice, None, "{} is there twice", item["body"]);
    }
    let lost: Vec<_> = acknowledged.iter().filter(|(words, id)| found.get(*words) != Some(id)).collect();
    assert!(lost.is_empty(), "{} acknowledged and not there: {:?}", lost.len(), &lost[..lost.len().min(5)]);
    assert_eq!(found.len(), acknowledged.len(), "and nothing that nobody acknowledged in the end");
    server.stop();
    tidings(&server.data_dir(), &["check"]);
}

//! Durability: sixty-four publishers, and a server that is killed a hundred times. What it acknowledged must be in the
//! recipient's inbox, once.

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
/// The server is killed at a random moment within so many milliseconds after it is back.
const LONGEST: u64 = 160;
/// Publications in an array.
const MANY: usize = 3;

/// Numbers by chance, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// One publication under a key of its own. Its words are its key, so that it is known again wherever it turns up.
#[derive(Clone)]
struct Publication {
    key: String,
    method: Method,
    path: &'static str,
    body: Value,
}

impl Publication {
    /// The `n`th of a publisher: all kinds take turns, each of them also as an array where there is one.
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

    /// What it must be in the inbox: its words, and the ids that the server gave.
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

/// What all publishers share.
struct Press {
    url: String,
    token: String,
    /// Everything that was acknowledged: words, and the id that the first answer gave them.
    acknowledged: Mutex<BTreeMap<String, String>>,
    /// Requests that were cut off and had to be made again.
    cut: AtomicUsize,
    /// Requests that were made again though they had been answered.
    repeated: AtomicUsize,
    stop: AtomicBool,
}

impl Press {
    /// Sends until there is an answer, which must say that it is done.
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

    /// Notes what was acknowledged; what had been before must be the same.
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
                // As a client does that died before it could note the answer.
                let again = self.send(&http, &what).await;
                self.note(&what, &again);
                self.repeated.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// The reader, whom everything reaches, and the token of the publishers.
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
        // However slow the machine is, each kill comes in the middle of work.
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

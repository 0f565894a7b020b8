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
const MAX_KILL_INTERVAL_MS: u64 = 160;
/// Publications in an array.
const BATCH_SIZE: usize = 3;

/// Random numbers, the same for the same seed.
struct XorShift(u64);

impl XorShift {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
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
        let fields = |kind: usize, text: &str| match kind {
            0 => json!({"to": "reader", "body": text}),
            1 => {
                json!({"actor": "bob", "action": "comment", "target": {"type": "article", "id": "42"}, "body": text})
            }
            _ => json!({"title": "News", "body": text}),
        };
        let batch = |kind: usize| {
            Value::Array((0..BATCH_SIZE).map(|i| fields(kind, &format!("{key}#{i}"))).collect())
        };
        let (method, path, body) = match (publisher + n) % 8 {
            0 => (Method::POST, "/api/v1/messages", fields(0, &key)),
            1 => (Method::POST, "/api/v1/reminders", fields(1, &key)),
            2 => (Method::POST, "/api/v1/announcements", fields(2, &key)),
            3 => (Method::POST, "/api/v1/groups/crew/messages", json!({"body": key})),
            4 => (Method::PUT, "/kills", Value::String(key.clone())),
            5 => (Method::POST, "/api/v1/messages", batch(0)),
            6 => (Method::POST, "/api/v1/reminders", batch(1)),
            _ => (Method::POST, "/api/v1/announcements", batch(2)),
        };
        Self { key, method, path, body }
    }

    /// The bodies of the expected items, each with the id that the server returned.
    fn expected(&self, answer: &Value) -> Vec<(String, String)> {
        let id =
            |posted: &Value| posted.get("msgid").or(posted.get("id")).unwrap().as_str().unwrap().to_owned();
        match answer {
            Value::Array(all) => {
                assert_eq!(all.len(), BATCH_SIZE, "{answer}");
                all.iter().enumerate().map(|(i, posted)| (format!("{}#{i}", self.key), id(posted))).collect()
            }
            posted => vec![(self.key.clone(), id(posted))],
        }
    }
}

/// The state that all publishers share.
struct LoadRun {
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

impl LoadRun {
    /// Sends a request until it is answered; the answer must be 200 or 201.
    async fn send(&self, http: &reqwest::Client, publication: &Publication) -> Value {
        loop {
            let request = http
                .request(publication.method.clone(), format!("{}{}", self.url, publication.path))
                .bearer_auth(&self.token)
                .header("Idempotency-Key", &publication.key);
            let request = match &publication.body {
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
            assert!(
                matches!(status, StatusCode::CREATED | StatusCode::OK),
                "{}: {status} {text}",
                publication.path
            );
            return serde_json::from_slice(&bytes).unwrap();
        }
    }

    /// Records acknowledged publications; a repeated one must have the same id.
    fn note(&self, publication: &Publication, answer: &Value) {
        let mut acknowledged = self.acknowledged.lock().unwrap();
        for (text, id) in publication.expected(answer) {
            let first = acknowledged.entry(text).or_insert_with(|| id.clone());
            assert_eq!(*first, id, "the same key has the same answer, also after a power cut");
        }
    }

    async fn publish(self: Arc<Self>, publisher: usize) {
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).pool_max_idle_per_host(1);
        let http = http.build().unwrap();
        let mut rng = XorShift(publisher as u64 + 1);
        for n in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let publication = Publication::new(publisher, n);
            let answer = self.send(&http, &publication).await;
            self.note(&publication, &answer);
            if rng.below(4) == 0 {
                // It does what a client would do that died before it recorded the answer.
                let again = self.send(&http, &publication).await;
                self.note(&publication, &again);
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
        let subscription = json!({"target": {"type": kind, "id": id}, "actions": [action]});
        reader.put("subscriptions", subscription).await.success();
    }
    press.post("groups", json!({"id": "crew", "name": "Crew", "members": ["reader"]})).await.success();
    (reader, press.token)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_publication_is_there_once_though_the_server_is_killed_a_hundred_times() {
    let seed = std::env::var("TIDINGS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_120);
    println!("TIDINGS_SEED={seed}");
    let mut rng = XorShift(seed);
    let mut server = ServerProcess::start();
    let (reader, token) = people(&server).await;
    let load = Arc::new(LoadRun {
        url: server.url(),
        token,
        acknowledged: Mutex::default(),
        cut: AtomicUsize::new(0),
        repeated: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    });
    let publishers: Vec<_> = (0..PUBLISHERS).map(|n| tokio::spawn(load.clone().publish(n))).collect();
    for kills in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(rng.below(MAX_KILL_INTERVAL_MS))).await;
        // However slow the machine is, each kill interrupts publications, and some of them are made twice.
        let before = load.acknowledged.lock().unwrap().len();
        wait::until("a publication since the last kill", || async {
            let published = load.acknowledged.lock().unwrap().len();
            published > before && load.repeated.load(Ordering::Relaxed) > kills
        })
        .await;
        tokio::task::block_in_place(|| {
            server.kill();
            server.restart();
        });
    }
    load.stop.store(true, Ordering::Relaxed);
    for publisher in publishers {
        publisher.await.unwrap();
    }
    let acknowledged = load.acknowledged.lock().unwrap().clone();
    let (cut, repeated) = (load.cut.load(Ordering::Relaxed), load.repeated.load(Ordering::Relaxed));
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
    let missing: Vec<_> = acknowledged.iter().filter(|(text, id)| found.get(*text) != Some(id)).collect();
    assert!(
        missing.is_empty(),
        "{} acknowledged and not there: {:?}",
        missing.len(),
        &missing[..missing.len().min(5)]
    );
    assert_eq!(found.len(), acknowledged.len(), "and nothing that nobody acknowledged in the end");
    server.stop();
    tidings(&server.data_dir(), &["check"]);
}

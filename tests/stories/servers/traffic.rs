//! Users who post at several servers, users who pull beside them, and the check that everything came through. Every
//! publication that was acknowledged is pulled once by each entitled reader, in the order of its sender, and counted
//! right.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{app::try_tidings, client::Client, server::ServerProcess, wait};
use tokio::task::JoinHandle;

/// The longest time until a server answers whose database does not, and what a busy machine takes for the rest.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(10 + 5);

/// How soon a server serves again after its database does.
pub(super) const RECOVERY_TIME: Duration = Duration::from_secs(15);

const SENDERS: usize = 6;
/// The first one has subscribed to what the senders remind of.
const READERS: [&str; 2] = ["bob", "cid"];
/// The pause after a request that failed.
const PAUSE: Duration = Duration::from_millis(50);

/// A publication that was acknowledged.
#[derive(Debug)]
struct Acknowledged {
    msgid: String,
    readers: &'static [&'static str],
}

/// An item as a reader has pulled it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pulled {
    msgid: String,
    created_at: String,
    stamp: String,
    body: String,
}

/// What senders and readers have to do with each other.
#[derive(Debug, Default)]
struct Progress {
    stop: AtomicBool,
    /// Whether everything was posted that will be.
    complete: AtomicBool,
    /// What each sender has posted, in the order of the acknowledgements.
    acknowledged: Mutex<Vec<Vec<Acknowledged>>>,
    /// How many requests each server refused.
    refused: AtomicUsize,
    /// The longest time until an answer, microseconds.
    longest: AtomicU64,
}

/// Senders and readers at work.
pub(super) struct Traffic {
    progress: Arc<Progress>,
    sending: Vec<JoinHandle<()>>,
    reading: Vec<JoinHandle<Vec<Pulled>>>,
    readers: Vec<Client>,
}

impl Traffic {
    /// Creates users, and lets them post and pull at these servers until [`Traffic::end`]. What fails is asked for again
    /// at the next server, with the same key.
    pub(super) async fn start(servers: &[&ServerProcess]) -> Self {
        let admin = servers[0].admin();
        let mut readers = Vec::new();
        for id in READERS {
            readers.push(admin.user(id, &["inbox"]).await);
        }
        readers[0].subscribe("42", &["comment"]).await;
        let mut senders = Vec::new();
        for n in 0..SENDERS {
            senders.push(admin.user(&format!("sender-{n}"), &["inbox", "publish"]).await);
        }
        let ids: Vec<String> = (1..SENDERS).map(|n| format!("sender-{n}")).collect();
        let members: Vec<&str> = ids.iter().map(String::as_str).chain(READERS).collect();
        let crew = json!({"id": "crew", "name": "Crew", "members": members});
        senders[0].post("groups", crew).await.success();
        let progress = Arc::new(Progress::default());
        progress.acknowledged.lock().unwrap().resize_with(SENDERS, Vec::new);
        let everywhere = |client: &Client| -> Vec<Client> {
            servers.iter().map(|server| Client::new(&server.url(), &client.token)).collect()
        };
        let sending = senders
            .iter()
            .enumerate()
            .map(|(n, sender)| tokio::spawn(Arc::clone(&progress).send(n, everywhere(sender))))
            .collect();
        let reading = readers
            .iter()
            .map(|reader| tokio::spawn(Arc::clone(&progress).read(everywhere(reader))))
            .collect();
        Self { progress, sending, reading, readers }
    }

    /// Waits until the senders have posted some more, at any server.
    pub(super) async fn goes_on(&self) {
        let before = self.progress.count();
        wait::until("further publications are acknowledged", || async {
            // A check that failed in a task is to be seen at once.
            assert!(
                self.progress.stop.load(Ordering::SeqCst)
                    || !self.sending.iter().any(JoinHandle::is_finished)
            );
            self.progress.count() >= before + 5 * SENDERS
        })
        .await;
    }

    /// Lets the senders end, and the readers when they have pulled everything; then checks it all. `data` is any folder,
    /// and `store` the address of the database.
    pub(super) async fn end(self, store: &str) {
        self.progress.stop.store(true, Ordering::SeqCst);
        for sender in self.sending {
            sender.await.unwrap();
        }
        self.progress.complete.store(true, Ordering::SeqCst);
        let acknowledged = std::mem::take(&mut *self.progress.acknowledged.lock().unwrap());
        let count: usize = acknowledged.iter().map(Vec::len).sum();
        let refused = self.progress.refused.load(Ordering::SeqCst);
        let longest = Duration::from_micros(self.progress.longest.load(Ordering::SeqCst));
        println!(
            "{count} publications, {refused} refused and asked for again, the longest answer took {longest:?}"
        );
        for (id, (reading, client)) in READERS.into_iter().zip(self.reading.into_iter().zip(&self.readers)) {
            let pulled = reading.await.unwrap();
            check_reader(id, &pulled, &acknowledged);
            let again: Vec<String> =
                client.pull(None, 1_000).await.0.iter().map(|item| text(item, "msgid")).collect();
            let first: Vec<String> = pulled.into_iter().map(|item| item.msgid).collect();
            assert_eq!(again, first, "a new device of {id} pulls the same, in the same order");
        }
        tokio::task::block_in_place(|| is_well(store));
    }

    /// The longest time that a server took for an answer.
    pub(super) fn longest_answer(&self) -> Duration {
        Duration::from_micros(self.progress.longest.load(Ordering::SeqCst))
    }
}

/// Counts everything in a database again.
pub(super) fn is_well(store: &str) {
    let data = tempfile::tempdir().unwrap();
    let (is_well, out, err) = try_tidings(data.path(), &["check", "--store", store]);
    assert!(is_well && out.contains("all is well"), "{out}{err}");
}

/// Checks what a reader has pulled.
fn check_reader(id: &'static str, pulled: &[Pulled], acknowledged: &[Vec<Acknowledged>]) {
    let by_msgid: BTreeMap<&str, &Pulled> = pulled.iter().map(|item| (item.msgid.as_str(), item)).collect();
    assert_eq!(by_msgid.len(), pulled.len(), "{id} pulled something twice");
    let mut expected = BTreeSet::new();
    for of_sender in acknowledged {
        let mine = of_sender.iter().filter(|posted| posted.readers.contains(&id));
        let mut last = "";
        for posted in mine {
            let Some(item) = by_msgid.get(posted.msgid.as_str()) else {
                panic!("{id} missed {posted:?}, one of {} that were acknowledged", of_sender.len())
            };
            assert!(item.created_at.as_str() > last, "{item:?} is before what its sender posted before it");
            last = &item.created_at;
            expected.insert(posted.msgid.as_str());
        }
    }
    let unexpected: Vec<_> = pulled.iter().filter(|item| !expected.contains(item.msgid.as_str())).collect();
    assert!(unexpected.is_empty(), "{id} pulled what nobody knows of: {unexpected:?}");
    let created: BTreeSet<&str> = pulled.iter().map(|item| item.created_at.as_str()).collect();
    assert_eq!(created.len(), pulled.len(), "each has a stamp of its own");
    assert!(pulled.is_sorted_by(|a, b| a.stamp < b.stamp), "{id} pulls in the order of the inbox");
}

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().expect("a text").to_owned()
}

/// The `n`th publication of a sender: where it goes, what it is, and who gets it.
fn publication(sender: usize, n: usize) -> (&'static str, Value, &'static [&'static str]) {
    let body = format!("{sender}-{n}");
    match (sender + n) % 5 {
        0 => ("messages", json!({"to": "bob", "body": body}), &["bob"]),
        1 => ("announcements", json!({"title": "News", "body": body}), &["bob", "cid"]),
        2 => {
            let target = json!({"type": "article", "id": "42"});
            let actor = format!("sender-{sender}");
            let reminder = json!({"actor": actor, "action": "comment", "target": target, "body": body});
            ("reminders", reminder, &["bob"])
        }
        3 => ("messages", json!({"to": "cid", "body": body}), &["cid"]),
        _ => ("groups/crew/messages", json!({"body": body}), &["bob", "cid"]),
    }
}

impl Progress {
    fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().iter().map(Vec::len).sum()
    }

    /// Posts one after the other, beginning at one of the servers.
    async fn send(self: Arc<Self>, sender: usize, servers: Vec<Client>) {
        let mut at = sender % servers.len();
        for n in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let (path, body, readers) = publication(sender, n);
            let key = format!("{sender}-{n}");
            let posted = loop {
                let began = Instant::now();
                let answer = servers[at].post_keyed(path, body.clone(), &key).await;
                if let Some(posted) = self.taken(answer, began) {
                    break posted;
                }
                at = (at + 1) % servers.len();
                tokio::time::sleep(PAUSE).await;
            };
            let posted = Acknowledged { msgid: text(&posted, "msgid"), readers };
            self.acknowledged.lock().unwrap()[sender].push(posted);
        }
    }

    /// The answer of success; a server that can't answer with success says `unavailable`, in time.
    fn taken(&self, answer: Option<support::client::Answer>, began: Instant) -> Option<Value> {
        let answer = answer?;
        let took = u64::try_from(began.elapsed().as_micros()).unwrap();
        self.longest.fetch_max(took, Ordering::SeqCst);
        if answer.status.is_success() {
            return Some(answer.body);
        }
        self.refused.fetch_add(1, Ordering::SeqCst);
        answer.problem(503, "unavailable", None);
        None
    }

    /// Pulls again and again, from one server and then from the next; gives everything in the order in which it came.
    async fn read(self: Arc<Self>, servers: Vec<Client>) -> Vec<Pulled> {
        let (mut pulled, mut since) = (Vec::new(), String::new());
        for at in (0..servers.len()).cycle() {
            let is_last = self.complete.load(Ordering::SeqCst);
            let request = servers[at].request(reqwest::Method::GET, &format!("sync?limit=20{since}"));
            let began = Instant::now();
            let answer = Client::try_send(request).await;
            if let Some(page) = self.taken(answer, began) {
                let items = page["items"].as_array().expect("items").iter();
                pulled.extend(items.map(|item| Pulled {
                    msgid: text(item, "msgid"),
                    created_at: text(item, "created_at"),
                    stamp: text(item, "stamp"),
                    body: text(item, "body"),
                }));
                since = format!("&since={}", text(&page, "next"));
                let is_done = page["more"] == false;
                if is_last && is_done {
                    break;
                }
                if is_done {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            } else {
                tokio::time::sleep(PAUSE).await;
            }
        }
        pulled
    }
}

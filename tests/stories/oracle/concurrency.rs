//! Tests concurrent writers of every kind, readers who mark, and pullers of tiny pages, under a clock that jumps. No
//! item is missed or repeated in the same version, and stamps grow.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use support::client::Client;
use tidings_model::Stamp;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::rules::{PublicationKind, Rules};

use super::{host::Host, in_thread::ServerBounds, world::READERS};

/// The number of publications of each writer.
const PUBLICATIONS_EACH: usize = 40;
const CREW: &str = "crew";
const ACTORS: [&str; 4] = ["ana", "bo", "dana", "eve"];

/// The msgid and kind of every publication that was answered with 201, by stamp.
type Posted = Arc<Mutex<BTreeMap<Stamp, (String, PublicationKind)>>>;

/// The items that a puller has received, and its position.
#[derive(Default)]
struct Pulled {
    /// The newest version of each item, by msgid.
    items: HashMap<String, Value>,
    stamp: Stamp,
    mark: Stamp,
    since: String,
}

impl Pulled {
    /// Pulls a page; returns whether there are more.
    async fn page(&mut self, reader: &Client, limit: usize) -> bool {
        let page = reader.get(&format!("sync?limit={limit}{}", self.since)).await.is(200);
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= limit);
        for item in items {
            let stamp = time(&item["stamp"]);
            assert!(stamp > self.stamp, "stamps grow: {} then {item}", self.stamp);
            self.stamp = stamp;
            let before = self.items.insert(item["msgid"].as_str().unwrap().to_owned(), item.clone());
            let newer = before.as_ref().is_none_or(|b| b["version"].as_u64() < item["version"].as_u64());
            assert!(newer, "twice: {before:?} then {item}");
        }
        for mark in page["marks"].as_array().unwrap() {
            assert!(time(&mark["stamp"]) > self.mark, "marks come once: {mark}");
            self.mark = time(&mark["stamp"]);
        }
        let next = time(&page["next"]);
        assert!(next >= self.stamp.max(self.mark), "the next pull begins after this one");
        self.since = format!("&since={next}");
        page["more"] == true
    }
}

fn time(value: &Value) -> Stamp {
    value.as_str().unwrap().parse().unwrap()
}

/// Publishes one notification after the other; each writer publishes one kind.
async fn write(sort: usize, client: Client, admin: Client, posted: Posted) {
    let mut rng = StdRng::seed_from_u64(sort as u64);
    let mut last = Stamp::ZERO;
    for n in 0..PUBLICATIONS_EACH {
        let body = format!("{sort}.{n}");
        let reader = READERS[rng.random_range(0..3)].to_owned();
        let (by, path, fields, kind) = match sort % 4 {
            0 => (
                &admin,
                "announcements",
                json!({"title": "news", "body": body}),
                PublicationKind::Announcement { by: "admin".to_owned() },
            ),
            1 => {
                let actor = ACTORS[rng.random_range(0..4)];
                let action = ["comment", "like", "share"][rng.random_range(0..3)];
                let target = json!({"type": "article", "id": "1"});
                let fields = json!({"actor": actor, "action": action, "target": target, "body": body});
                let (actor, action, target) = (actor.to_owned(), action.to_owned(), "article:1".to_owned());
                (&admin, "reminders", fields, PublicationKind::Reminder { actor, action, target })
            }
            2 => {
                let fields = json!({"to": reader, "body": body, "from": "bo"});
                (&admin, "messages", fields, PublicationKind::Direct { from: "bo".to_owned(), to: reader })
            }
            _ => {
                let members = READERS.map(str::to_owned).into();
                let kind = PublicationKind::Group { gid: CREW.to_owned(), from: "ana".to_owned(), members };
                (&client, "groups/crew/messages", json!({ "body": body }), kind)
            }
        };
        let answer = by.post(path, fields).await.success();
        let stamp = time(&answer["stamp"]);
        assert!(stamp > last, "what is posted later has a later stamp");
        last = stamp;
        let before =
            posted.lock().unwrap().insert(stamp, (answer["msgid"].as_str().unwrap().to_owned(), kind));
        assert!(before.is_none(), "a stamp is handed out once");
    }
}

/// Marks items, so that the server sends them again, and acknowledges messages of the group.
async fn mark(who: usize, reader: Client, clock: ManualClock, ended: Arc<AtomicBool>) {
    let mut rng = StdRng::seed_from_u64(100 + who as u64);
    let mut n = 0;
    while !ended.load(Ordering::SeqCst) {
        n += 1;
        // Moves the clock by up to 5 minutes in either direction while the others work.
        clock.advance_micros(rng.random_range(-300_000_000..300_000_000));
        let inbox = reader.inbox().await;
        if inbox.is_empty() {
            continue;
        }
        let msgid = &inbox[rng.random_range(0..inbox.len())]["msgid"];
        let op = ["read", "unread", "seen", "archive", "unarchive"][rng.random_range(0..5)];
        let ops = json!({"ops": [{"id": format!("{who}.{n}"), "op": op, "msgids": [msgid]}]});
        reader.post("inbox/ops", ops).await.success();
        if rng.random_range(0..3) == 0 {
            reader.put("views/conversation/group:crew", Value::Null).await;
        }
    }
}

/// Pulls tiny pages until no more changes can come.
async fn pull(seed: u64, reader: Client, ended: Arc<AtomicBool>) -> Pulled {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut pulled = Pulled::default();
    loop {
        let last = ended.load(Ordering::SeqCst);
        while pulled.page(&reader, rng.random_range(1..8)).await {}
        if last {
            return pulled;
        }
    }
}

/// Pulls a sender's receipts, three at a time, without acknowledging any.
async fn receipts(sender: Client, ended: Arc<AtomicBool>) -> BTreeSet<(String, String)> {
    let (mut got, mut since) = (BTreeSet::new(), String::new());
    loop {
        let last = ended.load(Ordering::SeqCst);
        loop {
            let page = sender.get(&format!("receipts?limit=3{since}")).await.is(200);
            for receipt in page["receipts"].as_array().unwrap() {
                let name = |key: &str| receipt[key].as_str().unwrap().to_owned();
                assert!(got.insert((name("msgid"), name("reader"))), "a receipt comes once: {receipt}");
            }
            since = format!("&since={}", page["next"].as_str().unwrap());
            if page["more"] == false {
                break;
            }
        }
        if last {
            return got;
        }
    }
}

/// The rules with the same publications, in the order of their stamps.
fn rules(posted: &Posted) -> Rules {
    let mut rules = super::catalog::rules();
    for id in READERS {
        rules.add_user(id);
        rules.subscribe(id, "article:1", &["comment", "share"]);
        rules.follow(id, "eve");
    }
    for (stamp, (msgid, kind)) in &*posted.lock().unwrap() {
        rules.publish(msgid, *stamp, "", kind.clone());
    }
    for id in READERS {
        rules.pull(id);
    }
    rules
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_of_everything_beside_pullers_of_tiny_pages_make_nobody_miss_or_repeat() {
    let host = Host::inside(&ServerBounds::default()).await;
    let (admin, clock) = (host.admin(), host.manual_clock().unwrap());
    let mut readers = Vec::new();
    for id in READERS {
        let reader = admin.user(id, &["inbox"]).await;
        let body = json!({"target": {"type": "article", "id": "1"}, "actions": ["comment", "share"]});
        for (path, body) in [("subscriptions", body), ("follows/eve", Value::Null)] {
            reader.put(path, body).await.success();
        }
        readers.push(reader);
    }
    readers[0].post("groups", json!({"id": CREW, "name": CREW, "members": ["bo", "cy"]})).await.success();

    let posted = Posted::default();
    // Pullers go on until nobody writes or marks any more.
    let (written, quiet) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let writers =
        (0..8).map(|sort| tokio::spawn(write(sort, readers[0].clone(), admin.clone(), posted.clone())));
    let writers: Vec<_> = writers.collect();
    let each = || readers.iter().cloned().enumerate();
    let markers: Vec<_> =
        each().map(|(who, reader)| tokio::spawn(mark(who, reader, clock.clone(), written.clone()))).collect();
    let pullers = each().chain(each()).enumerate();
    let pullers: Vec<_> = pullers
        .map(|(n, (who, reader))| (who, tokio::spawn(pull(n as u64, reader, quiet.clone()))))
        .collect();
    let received = tokio::spawn(receipts(readers[0].clone(), quiet.clone()));
    for writer in writers {
        writer.await.unwrap();
    }
    written.store(true, Ordering::SeqCst);
    for marker in markers {
        marker.await.unwrap();
    }
    for reader in &readers[1..] {
        reader.put("views/conversation/group:crew", Value::Null).await;
    }
    quiet.store(true, Ordering::SeqCst);

    let rules = rules(&posted);
    assert_eq!(rules.now(), 8 * PUBLICATIONS_EACH);
    for (who, puller) in pullers {
        let pulled = puller.await.unwrap();
        let id = READERS[who];
        let named = rules.users[id].inbox.keys().map(|nth| rules.history[*nth].msgid.as_str());
        let got: BTreeSet<&str> = pulled.items.keys().map(String::as_str).collect();
        assert_eq!(got, named.collect(), "{id} got exactly what the rules name");
        let mut complete = Pulled::default();
        while complete.page(&readers[who], 5_000).await {}
        for (msgid, item) in &complete.items {
            // An item that a view mark covers is not sent again; only the mark is, so `read_at` is not compared.
            let comparable =
                |item: &Value| json!([item["stamp"], item["version"], item["archived_at"], item["receipt"]]);
            assert_eq!(comparable(&pulled.items[msgid]), comparable(item), "the newest of {msgid}");
        }
    }
    let from_ana = |kind: &PublicationKind| matches!(kind, PublicationKind::Group { .. });
    let crew: Vec<String> =
        rules.history.iter().filter(|p| from_ana(&p.kind)).map(|p| p.msgid.clone()).collect();
    let all = crew.iter().flat_map(|msgid| ["bo", "cy"].map(|id| (msgid.clone(), id.to_owned())));
    assert_eq!(received.await.unwrap(), all.collect(), "each receipt once");
    assert_eq!(host.check().await, [""; 0]);
}

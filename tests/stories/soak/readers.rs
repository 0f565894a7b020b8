//! A reader's device that pulls small pages from one server and the other, and another one that marks what it has.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::RngExt;
use reqwest::Method;
use serde_json::{Value, json};
use support::client::Client;

use super::record::{Item, ReaderRecord};
use super::work::Work;

/// The pause of a device that has everything.
const IDLE: Duration = Duration::from_millis(20);

/// What the marks on an item have made of it; `None` if it was not touched.
#[derive(Debug, Clone, Copy, Default)]
struct Marked {
    archived: Option<bool>,
    read: Option<bool>,
}

#[derive(Debug)]
pub(super) struct Reader {
    id: &'static str,
    client: Client,
    items: Mutex<HashMap<String, Item>>,
    marked: Mutex<HashMap<String, Marked>>,
}

/// An item of a page, with its msgid.
pub(super) fn item_of(item: &Value) -> (String, Item) {
    let text = |name: &str| item[name].as_str().expect("a text").to_owned();
    let of = Item {
        created_at: text("created_at"),
        stamp: text("stamp"),
        version: item["version"].as_u64().expect("a number"),
        body: text("body"),
        is_manual: item["auto"] == false,
        is_read: item["read_at"].is_string(),
        is_archived: item["archived_at"].is_string(),
    };
    (text("msgid"), of)
}

/// How far a device has pulled: the query that goes on, and the stamp of the last item.
#[derive(Default)]
pub(super) struct Position {
    since: String,
    stamp: String,
}

impl Reader {
    pub(super) fn new(id: &'static str, client: Client) -> Arc<Self> {
        Arc::new(Self { id, client, items: Mutex::default(), marked: Mutex::default() })
    }

    /// Pulls until everything has come that will; gives what it reached.
    pub(super) async fn pull(self: Arc<Self>, work: Arc<Work>, n: usize) -> Position {
        self.pull_on(&work, n, Position::default()).await
    }

    /// Goes on from a position: stamps grow, and no version of an item comes twice.
    pub(super) async fn pull_on(&self, work: &Work, n: usize, from: Position) -> Position {
        let mut rng = work.rng(1_000 + n as u64);
        let Position { mut since, mut stamp } = from;
        loop {
            let is_last = work.complete.load(Ordering::SeqCst);
            let limit = if is_last { 1_000 } else { rng.random_range(1..40) };
            let path = format!("sync?limit={limit}{since}");
            let page = work
                .ask(&self.client, rng.random_range(0..2), |at| at.request(Method::GET, &path))
                .await
                .body;
            work.pages.fetch_add(1, Ordering::SeqCst);
            for item in page["items"].as_array().expect("items") {
                let (msgid, item) = item_of(item);
                assert!(item.stamp > stamp, "{}: stamps grow: {stamp}, then {msgid} {item:?}", self.id);
                stamp.clone_from(&item.stamp);
                let before = self.items.lock().unwrap().insert(msgid, item.clone());
                let is_newer = before.as_ref().is_none_or(|before| before.version < item.version);
                assert!(is_newer, "{}: no version comes twice: {before:?}, then {item:?}", self.id);
            }
            since = format!("&since={}", page["next"].as_str().expect("a position"));
            if page["more"] == false {
                if is_last {
                    return Position { since, stamp };
                }
                tokio::time::sleep(IDLE).await;
            }
        }
    }

    /// Marks items that have come, and looks at views, until the work ends.
    pub(super) async fn mark(self: Arc<Self>, work: Arc<Work>, n: usize) {
        let mut rng = work.rng(2_000 + n as u64);
        for op in 0.. {
            if work.ended.load(Ordering::SeqCst) {
                return;
            }
            work.rest(&mut rng).await;
            let first = rng.random_range(0..2);
            if rng.random_range(0..8) == 0 {
                let view = ["announcements/all", "conversation/group:crew"][rng.random_range(0..2)];
                let path = format!("views/{view}");
                work.ask(&self.client, first, |at| at.request(Method::PUT, &path)).await;
                continue;
            }
            let Some((msgid, is_manual)) = self.any_item(rng.random_range(0..1_000)) else { continue };
            let ops: &[&str] = if is_manual {
                &["archive", "unarchive", "read", "unread"]
            } else {
                &["archive", "unarchive"]
            };
            let name = ops[rng.random_range(0..ops.len())];
            let body = json!({"ops": [{"id": format!("{}-{op}", self.id), "op": name, "msgids": [msgid]}]});
            let done =
                work.ask(&self.client, first, |at| at.request(Method::POST, "inbox/ops").json(&body)).await;
            assert_eq!(done.body["results"][0]["ok"], true, "{}", done.body);
            work.marks.fetch_add(1, Ordering::SeqCst);
            let mut marked = self.marked.lock().unwrap();
            let marked = marked.entry(msgid).or_default();
            match name {
                "archive" | "unarchive" => marked.archived = Some(name == "archive"),
                _ => marked.read = Some(name == "read"),
            }
        }
    }

    /// Any item that has come, and whether it is read by itself.
    fn any_item(&self, n: usize) -> Option<(String, bool)> {
        let items = self.items.lock().unwrap();
        let (msgid, item) = items.iter().nth(n % items.len().max(1))?;
        Some((msgid.clone(), item.is_manual))
    }

    /// What it has.
    pub(super) fn record(&self, subscriptions: BTreeMap<String, String>) -> ReaderRecord {
        ReaderRecord { id: self.id.to_owned(), items: self.items.lock().unwrap().clone(), subscriptions }
    }

    /// A device that pulls from the beginning has the same items at the same stamps, as the marks left them.
    pub(super) async fn compare_with_new_device(&self, client: &Client) {
        let there: HashMap<String, Item> = client.pull(None, 5_000).await.0.iter().map(item_of).collect();
        let (items, marked) = (self.items.lock().unwrap(), self.marked.lock().unwrap());
        assert_eq!(there.len(), items.len(), "{}: as many items", self.id);
        for (msgid, item) in &there {
            let here = items.get(msgid).unwrap_or_else(|| panic!("{} missed {msgid} {item:?}", self.id));
            let place =
                |item: &Item| (item.stamp.clone(), item.version, item.created_at.clone(), item.is_archived);
            assert_eq!(place(here), place(item), "{}: {msgid}", self.id);
            let of = marked.get(msgid).copied().unwrap_or_default();
            assert_eq!(item.is_archived, of.archived.unwrap_or(false), "{}: {msgid} {item:?}", self.id);
            if item.is_manual {
                assert_eq!(item.is_read, of.read.unwrap_or(false), "{}: {msgid} {item:?}", self.id);
            }
        }
    }
}

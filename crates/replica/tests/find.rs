//! Finding, paging and marking all that a list holds, told as stories.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // also in what the tests share

mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use server::Hand;
use tempfile::TempDir;
use tidings_model::{Clock, Kind, Notification, Stamp};
use tidings_replica::*;

struct Desk {
    dir: TempDir,
    clock: Hand,
    replica: Replica,
    sources: Vec<SourceId>,
    count: i64,
}

impl Desk {
    fn new(sources: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Hand::new();
        let replica = Replica::open(dir.path(), Arc::new(clock.clone())).unwrap();
        let sources = (0..sources)
            .map(|n| {
                let source = NewSource {
                    name: format!("source {n}"),
                    protocol: "tidings".into(),
                    url: "http://127.0.0.1:7878".into(),
                    user: Some("me".into()),
                    own: false,
                };
                replica.add_source(source).unwrap()
            })
            .collect();
        Self { dir, clock, replica, sources, count: 0 }
    }

    /// An item in a thread; `with` says what is special about it.
    fn bring(&mut self, source: usize, thread: &str, with: &Value) {
        self.count += 1;
        self.clock.forward(1_000_000);
        let at = self.clock.now();
        let mut item = json!({
            "msgid": format!("m{}", self.count), "stamp": at, "version": 1, "kind": "reminder", "created_at": at,
            "thread": thread, "actor": {"id": "bob", "name": "Bob Kessler"}, "action": "comment", "body": "words",
        });
        for (key, value) in with.as_object().unwrap() {
            item[key] = value.clone();
        }
        let items: Vec<Notification> = vec![serde_json::from_value(item).unwrap()];
        self.replica.apply(self.sources[source], Page { items, ..Page::default() }).unwrap();
    }

    fn keys(&self, query: &ThreadQuery) -> Vec<String> {
        self.replica.threads(query).unwrap().rows.into_iter().map(|row| row.key).collect()
    }

    fn found(&self, find: Find) -> Vec<String> {
        let mut keys = self.keys(&ThreadQuery { find, ..ThreadQuery::top(Place::Inbox, 500) });
        keys.sort();
        keys
    }

    fn id(&self, key: &str) -> ThreadId {
        let mut all = self.sources.iter().map(|source| self.replica.thread_by_key(*source, key).unwrap());
        all.find_map(|row| row).unwrap().id
    }

    fn mark(&self, key: &str, mark: Mark) {
        self.replica.mark(Targets::Threads(vec![self.id(key)]), mark).unwrap();
    }

    fn all_is_well(&self) {
        assert_eq!(self.replica.check().unwrap(), []);
    }
}

fn is(states: &[Is]) -> Find {
    Find { is: states.to_vec(), ..Find::default() }
}

#[test]
fn every_condition_finds_what_it_should() {
    let mut desk = Desk::new(2);
    desk.bring(0, "plain", &json!({}));
    desk.bring(0, "urgent", &json!({"priority": 5}));
    desk.bring(0, "file", &json!({"attachment": {"name": "a.txt", "url": "https://x.example/a"}}));
    desk.bring(1, "link", &json!({"body": "see https://x.example for words"}));
    desk.bring(
        1,
        "news",
        &json!({"kind": "announcement", "actor": {"id": "ops", "name": "Operations"}, "action": null}),
    );
    desk.bring(
        1,
        "user:lin",
        &json!({"kind": "message", "actor": {"id": "lin", "name": "林晓"}, "action": null,
        "conversation": "user:lin", "body": "数据库备份"}),
    );
    let all = ["file", "link", "news", "plain", "urgent", "user:lin"];

    assert_eq!(
        desk.found(Find { from: vec![vec!["bo".into()]], ..Find::default() }),
        ["file", "link", "plain", "urgent"]
    );
    assert_eq!(
        desk.found(Find { from: vec![vec!["kess".into()]], ..Find::default() }).len(),
        4,
        "a word of the name"
    );
    assert_eq!(desk.found(Find { from: vec![vec!["Bob Kess".into()]], ..Find::default() }).len(), 4);
    assert_eq!(
        desk.found(Find { from: vec![vec!["林".into(), "op".into()]], ..Find::default() }),
        ["news", "user:lin"]
    );
    assert_eq!(desk.found(Find { from: vec![vec!["--".into()]], ..Find::default() }), [""; 0]);
    assert_eq!(desk.found(Find { priority: Some(4), ..Find::default() }), ["urgent"]);
    assert_eq!(desk.found(Find { priority: Some(2), ..Find::default() }), all);
    assert_eq!(desk.found(Find { attachment: true, ..Find::default() }), ["file"]);
    assert_eq!(desk.found(Find { link: true, ..Find::default() }), ["link"]);
    assert_eq!(desk.found(Find { kinds: Some(vec![Kind::Message]), ..Find::default() }), ["user:lin"]);
    assert_eq!(
        desk.found(Find { sources: Some(vec![desk.sources[1]]), ..Find::words("words") }),
        ["link", "news"]
    );
    assert_eq!(desk.found(Find { sources: Some(Vec::new()), ..Find::words("words") }), [""; 0]);
    assert_eq!(desk.found(Find::words("备份")), ["user:lin"]);
    assert_eq!(desk.found(Find::words("\u{e000}k1")), [""; 0], "what is marked on items is no word");

    let third = desk.replica.threads_by_id(&[desk.id("file")]).unwrap()[0].last_at;
    assert_eq!(desk.found(Find { before: Some(third), ..Find::default() }), ["plain", "urgent"]);
    assert_eq!(desk.found(Find { since: Some(third), ..Find::words("words") }), ["file", "link", "news"]);

    desk.mark("plain", Mark::Read);
    desk.mark("file", Mark::Pin);
    desk.mark("link", Mark::Mute);
    desk.mark("news", Mark::Archive);
    let until = Stamp::from_micros(desk.clock.now().as_micros() + 1_000_000_000);
    desk.mark("urgent", Mark::Snooze { until });
    assert_eq!(desk.found(is(&[Is::Unread])), ["file", "link", "user:lin"]);
    assert_eq!(desk.found(is(&[Is::Read])), ["news", "plain", "urgent"]);
    assert_eq!(desk.found(is(&[Is::Read, Is::Unread])), [""; 0]);
    assert_eq!(desk.found(is(&[Is::Pinned])), ["file"]);
    assert_eq!(desk.found(is(&[Is::Muted])), ["link"]);
    assert_eq!(desk.found(is(&[Is::Muted, Is::Pinned])), [""; 0]);
    assert_eq!(desk.found(is(&[Is::Snoozed])), ["urgent"]);
    assert_eq!(desk.found(Find { is: vec![Is::Done], ..Find::words("words") }), ["news"]);
    assert_eq!(desk.found(Find::words("words")).len(), 5, "it looks everywhere");
    let within =
        ThreadQuery { within: true, find: Find::words("words"), ..ThreadQuery::top(Place::Inbox, 9) };
    assert_eq!(desk.keys(&within).len(), 3, "unless it is told not to");
    let done = ThreadQuery { find: Find::words("words"), ..ThreadQuery::top(Place::Done, 9) };
    assert_eq!(desk.keys(&done), ["news"]);
    assert_eq!(
        desk.replica.search(&Find { is: vec![Is::Pinned], ..Find::words("words") }, 9).unwrap().len(),
        1
    );
    assert_eq!(desk.replica.unread_of(&Find::words("words"), 100).unwrap(), 2);
    assert_eq!(desk.replica.unread_of(&Find::default(), 2).unwrap(), 2, "counted up to there");
    desk.all_is_well();
}

#[test]
fn all_that_is_asked_of_an_item_holds_for_one_and_the_same() {
    let mut desk = Desk::new(1);
    desk.bring(0, "apart", &json!({"body": "disk", "priority": 5}));
    desk.bring(0, "apart", &json!({"body": "full", "actor": {"id": "ana", "name": "Ana"}}));
    desk.bring(
        0,
        "together",
        &json!({"body": "disk full", "priority": 5, "actor": {"id": "ana", "name": "Ana"}}),
    );
    assert_eq!(desk.found(Find::words("disk full ")), ["together"]);
    let urgent = Find { priority: Some(5), from: vec![vec!["ana".into()]], ..Find::default() };
    assert_eq!(desk.found(urgent.clone()), ["together"]);
    let read = desk.replica.items_of(desk.id("together"), None, 9).unwrap().items[0].id;
    desk.replica.mark(Targets::Items(vec![read]), Mark::Read).unwrap();
    assert_eq!(desk.found(urgent.clone().and(is(&[Is::Unread]))), [""; 0]);
    assert_eq!(desk.found(urgent.and(is(&[Is::Read]))), ["together"]);
    assert_eq!(desk.found(Find::words("dis").and(Find::words("full "))), ["together"]);
    assert_eq!(desk.found(Find::words("dis ").and(Find::words("full "))), [""; 0]);
}

#[test]
fn the_search_index_of_an_older_version_is_written_anew_beside_everything_else() {
    let mut desk = Desk::new(1);
    for n in 0..1_200 {
        desk.bring(0, &format!("t{n}"), &json!({"priority": 5}));
    }
    let Desk { dir, clock, replica, .. } = desk;
    drop(replica);
    let conn = rusqlite::Connection::open(dir.path().join(FILE)).unwrap();
    conn.execute_batch(
        "DELETE FROM search; INSERT INTO search (rowid, body) SELECT id, body FROM items;
         INSERT INTO reindex VALUES (0);",
    )
    .unwrap();
    drop(conn);
    let replica = Replica::open(dir.path(), Arc::new(clock)).unwrap();
    let urgent = ThreadQuery {
        find: Find { priority: Some(5), ..Find::default() },
        ..ThreadQuery::top(Place::Inbox, 1)
    };
    let begun = Instant::now();
    while replica.threads(&urgent).unwrap().total < 1_200 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is not written anew");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(replica.check().unwrap(), []);
}

#[test]
fn people_are_known_by_the_beginning_of_their_names() {
    let mut desk = Desk::new(1);
    desk.bring(0, "a", &json!({"actor": {"id": "u1", "name": "Bob Kessler"}}));
    desk.bring(0, "b", &json!({"actor": {"id": "kim", "name": "Kim"}}));
    desk.bring(0, "c", &json!({"actor": {"id": "u1", "name": "Bobby Kessler"}}));
    let names = |like: &str| -> Vec<String> {
        desk.replica.people(like, 6).unwrap().into_iter().map(|actor| actor.name).collect()
    };
    assert_eq!(names("k"), ["Bobby Kessler", "Kim"], "whoever was there last comes first");
    assert_eq!(names("U1"), ["Bobby Kessler"]);
    assert_eq!(names("bob"), ["Bobby Kessler"], "by the name used last");
    assert_eq!(names("x"), [""; 0]);
}

#[test]
fn kept_searches_stay_in_the_order_they_were_put_in() {
    let desk = Desk::new(1);
    let keep = |id, name: &str| {
        desk.replica.save_search(Search { id, name: name.into(), query: "is:unread".into() }).unwrap()
    };
    let (a, b, c) = (keep(0, "a"), keep(0, "b"), keep(0, "c"));
    desk.replica.order_searches(&[c, a]).unwrap();
    keep(b, "B");
    let names = || -> Vec<String> { desk.replica.searches().unwrap().into_iter().map(|s| s.name).collect() };
    assert_eq!(names(), ["c", "a", "B"]);
    desk.replica.remove_search(a).unwrap();
    assert_eq!(names(), ["c", "B"]);
    assert_ne!(keep(0, "d"), a, "an id is never used again");
}

fn everything(place: Place, find: Find) -> Everything {
    Everything { place, within: false, find }
}

#[test]
fn all_that_a_list_holds_is_marked_in_portions_and_taken_back() {
    let mut desk = Desk::new(2);
    for n in 0..2_400 {
        let body = if n % 2 == 0 { "build failed" } else { "build passed" };
        desk.bring(n % 2, &format!("t{}", n / 2), &json!({"body": body}));
    }
    let unread = || desk.replica.numbers().unwrap().total;
    let waiting = || desk.replica.numbers().unwrap().waiting;
    let (done, threads) =
        desk.replica.mark_everything(&everything(Place::Inbox, Find::default()), Mark::Read).unwrap();
    assert_eq!((done.items, threads, unread(), waiting()), (2_400, 2_400, 0, 2), "one operation a source");
    desk.all_is_well();
    let back = desk.replica.undo(&done.undo.unwrap()).unwrap();
    assert_eq!((back.items, unread()), (2_400, 2_400));
    desk.all_is_well();

    let failed = everything(Place::Inbox, Find::words("failed"));
    let (done, threads) = desk.replica.mark_everything(&failed, Mark::Archive).unwrap();
    assert_eq!((done.items, threads, desk.replica.numbers().unwrap().places.done), (1_200, 1_200, 1_200));
    desk.all_is_well();
    // One of them is brought back meanwhile: that is left alone.
    let one = desk.replica.threads(&ThreadQuery::top(Place::Done, 1)).unwrap().rows[0].id;
    desk.replica.mark(Targets::Threads(vec![one]), Mark::Unarchive).unwrap();
    assert_eq!(desk.replica.undo(&done.undo.unwrap()).unwrap().items, 1_199);
    assert_eq!(desk.replica.numbers().unwrap().places.done, 0);
    desk.all_is_well();

    let until = Stamp::from_micros(desk.clock.now().as_micros() + 60_000_000);
    for (mark, place) in [
        (Mark::Snooze { until }, Place::Snoozed),
        (Mark::Pin, Place::Pinned),
        (Mark::Archive, Place::Done),
        (Mark::Unarchive, Place::Inbox),
    ] {
        let from = if mark == Mark::Unarchive { Place::Done } else { Place::Inbox };
        if mark == Mark::Unarchive {
            desk.replica.mark_everything(&everything(Place::Inbox, Find::default()), Mark::Archive).unwrap();
        }
        let (done, threads) = desk.replica.mark_everything(&everything(from, Find::default()), mark).unwrap();
        let there = |place| desk.replica.threads(&ThreadQuery::top(place, 1)).unwrap().total;
        assert_eq!((threads, there(place)), (2_400, 2_400), "{mark:?}");
        desk.all_is_well();
        desk.replica.undo(&done.undo.unwrap()).unwrap();
        assert_eq!(there(from), 2_400, "{mark:?} is taken back");
        desk.all_is_well();
    }
    let (done, threads) =
        desk.replica.mark_everything(&everything(Place::Pinned, Find::default()), Mark::Unpin).unwrap();
    assert_eq!((threads, done.undo), (0, None), "nothing changed");
}

#[test]
fn others_write_while_all_is_marked() {
    let mut desk = Desk::new(1);
    for n in 0..3_000 {
        desk.bring(0, &format!("t{n}"), &json!({}));
    }
    let replica = desk.replica.clone();
    let marking = std::thread::spawn(move || {
        replica.mark_everything(&everything(Place::Inbox, Find::default()), Mark::Archive).unwrap()
    });
    let mut between = 0;
    while !marking.is_finished() {
        desk.bring(0, "meanwhile", &json!({}));
        between += u64::from(!marking.is_finished());
    }
    marking.join().unwrap();
    assert!(between > 0, "nobody else came to write");
    assert_eq!(desk.replica.numbers().unwrap().places.inbox, 1);
    desk.all_is_well();
}

#[derive(Debug, Clone)]
struct Row {
    source: usize,
    thread: u8,
    sort: u8,
    mark: u8,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..3_usize, 0..20_u8, 0..6_u8, 0..10_u8);
    proptest::collection::vec(
        row.prop_map(|(source, thread, sort, mark)| Row { source, thread, sort, mark }),
        1..60,
    )
}

fn inbox_of(rows: &[Row]) -> Desk {
    let mut desk = Desk::new(3);
    let order: Vec<SourceId> = desk.sources.clone();
    desk.replica
        .change_source(order[2], SourceChange { position: Some(-1), ..SourceChange::default() })
        .unwrap();
    let until = Stamp::from_micros(desk.clock.now().as_micros() + 1_000_000_000);
    for Row { source, thread, sort, mark } in rows {
        let with = match sort {
            0 => json!({"kind": "announcement", "action": null}),
            1 => json!({"priority": 5, "body": "disk full"}),
            2 => json!({"actor": {"id": "ana", "name": "Ana"}}),
            _ => json!({}),
        };
        let key = format!("t{thread}");
        desk.bring(*source, &key, &with);
        let id = desk.replica.thread_by_key(desk.sources[*source], &key).unwrap().unwrap().id;
        let mark = match mark {
            0 | 1 => Mark::Read,
            2 => Mark::Archive,
            3 => Mark::Snooze { until },
            4 => Mark::Pin,
            5 => Mark::Mute,
            _ => continue,
        };
        desk.replica.mark(Targets::Threads(vec![id]), mark).unwrap();
    }
    desk
}

fn ids(rows: &[Thread]) -> Vec<ThreadId> {
    rows.iter().map(|row| row.id).collect()
}

/// The whole list, page by page from one end.
fn walked(desk: &Desk, query: &ThreadQuery, up: bool) -> Vec<ThreadId> {
    let mut query = ThreadQuery { start: if up { Start::Bottom } else { Start::Top }, ..query.clone() };
    let mut all = Vec::new();
    loop {
        let page = desk.replica.threads(&query).unwrap();
        assert!(page.rows.len() <= query.limit);
        let rows = ids(&page.rows);
        if up {
            all.splice(0..0, rows);
        } else {
            all.extend(rows);
        }
        query.start = match if up { page.prev.map(Start::Before) } else { page.next.map(Start::After) } {
            Some(start) => start,
            None => return all,
        };
        assert!(all.len() <= 200, "it goes in circles");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn pages_forwards_and_backwards_agree_with_one_big_list(rows in rows(), limit in 1..9_usize) {
        let desk = inbox_of(&rows);
        let finds = [
            Find::default(),
            is(&[Is::Unread]),
            is(&[Is::Read]),
            is(&[Is::Muted]),
            Find::words("disk"),
            Find { from: vec![vec!["ana".into()]], is: vec![Is::Unread], ..Find::default() },
            Find { kinds: Some(vec![Kind::Announcement]), ..Find::default() },
        ];
        let places = [
            Place::Inbox, Place::Unread, Place::Pinned, Place::Snoozed, Place::Done,
            Place::Kind(Kind::Reminder), Place::Source(desk.sources[1]),
        ];
        let position = |id: SourceId| desk.replica.sources().unwrap().iter().position(|s| s.id == id);
        for place in places {
            for find in &finds {
                for order in [Order::Newest, Order::Source] {
                    let big = ThreadQuery { find: find.clone(), order, ..ThreadQuery::top(place, 500) };
                    let whole = desk.replica.threads(&big).unwrap();
                    let sorted = whole.rows.is_sorted_by_key(|row| {
                        let group = if order == Order::Source { position(row.source) } else { None };
                        (group, std::cmp::Reverse((row.last_at, row.id)))
                    });
                    prop_assert!(sorted, "{place:?} {find:?} {order:?}");
                    prop_assert_eq!((whole.next, whole.prev), (None, None));
                    prop_assert_eq!(whole.total, whole.rows.len() as u64, "{:?} {:?}", place, find);
                    let query = ThreadQuery { limit, ..big };
                    prop_assert_eq!(walked(&desk, &query, false), ids(&whole.rows));
                    prop_assert_eq!(walked(&desk, &query, true), ids(&whole.rows));
                }
            }
        }
    }
}

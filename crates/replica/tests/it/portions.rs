//! Tests of writes in portions: other writes go between two of them.

use std::collections::BTreeSet;

use rusqlite::Connection;
use tidings_model::wire::Change;
use tidings_model::{Mark, MsgId, Notification};
use tidings_replica::*;
use tidings_testkit::wait::{TEST_TIMEOUT, until_blocking};

use crate::device::{Device, server};
use crate::server::Server;

/// The number of transactions that `work` commits.
fn writes(device: &Device, work: impl FnOnce()) -> usize {
    let mut events = device.replica.subscribe();
    work();
    std::iter::from_fn(|| events.try_recv().ok()).count()
}

#[test]
pub(crate) fn a_large_page_is_written_at_once_where_nobody_waits() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..1_700_u32 {
        device.clock.advance_micros(10);
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    let page = server.sync(None, 2_000);
    let mut applied = Applied::default();
    let written =
        writes(&device, || applied = device.replica.apply(device.source, page.clone().into()).unwrap());
    assert_eq!(written, 1);
    assert_eq!(applied.arrived.len(), 1_700);
    assert_eq!(device.replica.source(device.source).unwrap().cursor, Some(page.next.to_string()));
    device.assert_consistent();
    let again = device.replica.apply(device.source, page.into()).unwrap();
    assert!(again.arrived.is_empty() && again.updated.is_empty());
    device.assert_consistent();
}

#[test]
pub(crate) fn marks_have_their_turn_while_a_large_page_is_written() {
    let mut server = server();
    let device = Device::at(&server);
    let known: Vec<MsgId> = (0..200).map(|_| server.post(1, 1, "known")).collect();
    let first = server.sync(None, 200);
    let since = first.next;
    device.replica.apply(device.source, first.into()).unwrap();
    for n in 0..4_000_u32 {
        device.clock.advance_micros(10);
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    let page = server.sync(Some(since), 5_000);
    let (replica, source, next) = (device.replica.clone(), device.source, page.next);
    let applying = std::thread::spawn(move || replica.apply(source, page.into()).unwrap());
    let mut marked = 0;
    for msgid in known {
        if applying.is_finished() {
            break;
        }
        device.replica.mark(Targets::MsgIds(vec![msgid]), Mark::Archive).unwrap();
        marked += 1;
    }
    assert!(marked >= 20, "{marked} marks had their turn");
    assert_eq!(applying.join().unwrap().arrived.len(), 4_000);
    assert_eq!(device.replica.source(device.source).unwrap().cursor, Some(next.to_string()));
    assert_eq!(device.unread(), 4_200 - marked);
    device.assert_consistent();
}

#[test]
pub(crate) fn a_page_that_gave_way_is_written_at_once_again_after_its_first_items() {
    const ITEMS: u32 = 8_000;
    let mut server = server();
    let device = Device::at(&server);
    let known = server.post(1, 1, "known");
    let first = server.sync(None, 1);
    let since = first.next;
    device.replica.apply(device.source, first.into()).unwrap();
    for n in 0..ITEMS {
        device.clock.advance_micros(10);
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    let page = server.sync(Some(since), 10_000);
    let (replica, source, next) = (device.replica.clone(), device.source, page.next);
    let before = device.replica.changes();
    let applying = std::thread::spawn(move || replica.apply(source, page.into()).unwrap());
    // Each mark is one write; one more is a part of the page, which has given way.
    let mut marks = 0;
    while device.replica.changes() <= before + marks {
        assert!(!applying.is_finished(), "the page gave way to none of {marks} marks");
        let mark = if marks % 2 == 0 { Mark::Archive } else { Mark::Unarchive };
        device.replica.mark(Targets::MsgIds(vec![known.clone()]), mark).unwrap();
        marks += 1;
    }
    assert_eq!(applying.join().unwrap().arrived.len(), 8_000);
    let written = device.replica.changes() - before - marks;
    // 5,000 items are 40 parts, and 8,000 would be 64.
    assert!((41..50).contains(&written), "{written} writes");
    assert_eq!(device.replica.source(device.source).unwrap().cursor, Some(next.to_string()));
    device.assert_consistent();
}

#[test]
fn a_mark_that_a_page_gives_way_to_begins_no_log() {
    let mut server = server();
    let device = Device::at(&server);
    // Few pages of the file stay in memory: what is written goes into the log at once.
    let bounds = Bounds { items_cache_kib: 64, end_cache_kib: 64, ..Bounds::default() };
    let replica = device.replica.clone().with_bounds(bounds);
    let known = server.post(1, 1, "known");
    let first = server.sync(None, 1);
    let since = first.next;
    replica.apply(device.source, first.into()).unwrap();
    for n in 0..8_000_u32 {
        device.clock.advance_micros(10);
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    let page = server.sync(Some(since), 10_000);
    let log = device.dir.path().join("replica.db-wal");
    let bytes = || std::fs::metadata(&log).unwrap().len();
    // What tells a log from the one before is in its head.
    let salt = || std::fs::read(&log).unwrap()[16..24].to_vec();
    let (before, started) = (salt(), bytes());
    let applying = std::thread::spawn({
        let (replica, source) = (replica.clone(), device.source);
        move || replica.apply(source, page.into()).unwrap()
    });
    until_blocking("the page to write to the log", || bytes() > started + (1 << 20));
    // Beside the page all that was written before it is copied.
    file(&device).query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
    replica.mark(Targets::MsgIds(vec![known]), Mark::Archive).unwrap();
    assert_eq!(salt(), before);
    assert_eq!(applying.join().unwrap().arrived.len(), 8_000);
    device.assert_consistent();
}

/// The ids of the items that are listed.
fn listed(replica: &Replica) -> BTreeSet<ItemId> {
    replica.items(&ItemFilter::default(), 5_000).unwrap().iter().map(|item| item.id).collect()
}

/// The ids of the items that a search finds.
fn found(replica: &Replica, words: &str) -> BTreeSet<ItemId> {
    replica.search(&SearchFilter::words(words), 5_000).unwrap().iter().map(|item| item.id).collect()
}

/// Asserts that a word and the beginning of one find exactly the items and the threads that are listed; gives their number.
#[track_caller]
fn finds_what_is_listed(replica: &Replica) -> usize {
    let listed = listed(replica);
    let threads = |filter: SearchFilter| -> BTreeSet<ThreadId> {
        let query = ThreadQuery { filter, ..ThreadQuery::top(Place::Inbox, 500) };
        replica.threads(&query).unwrap().rows.iter().map(|row| row.id).collect()
    };
    for words in ["words", "wor"] {
        assert!(found(replica, words) == listed, "{words} finds other items than those that are listed");
        assert_eq!(threads(SearchFilter::words(words)), threads(SearchFilter::default()), "{words}");
    }
    listed.len()
}

#[test]
pub(crate) fn a_search_during_a_backlog_finds_everything_that_is_listed() {
    const PAGE: usize = 400;
    let mut server = server();
    let device = Device::at(&server);
    let replica = device.replica.clone().with_bounds(Bounds { whole_items: 0, ..Bounds::default() });
    for n in 0..3_200_u32 {
        device.clock.advance_micros(10);
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    let file = file(&device);
    let mut since = None;
    for nth in 0..3 {
        // The page fails between two of its parts, of which the first ones stay.
        let (before, fails_at) = (nth * PAGE, nth * PAGE + 150 + 100 * nth);
        let page = server.sync(since, PAGE);
        since = Some(page.next);
        file.execute_batch(&format!(
            "CREATE TRIGGER gives_up BEFORE INSERT ON items WHEN (SELECT count(*) FROM items) >= {fails_at}
             BEGIN SELECT RAISE(ABORT, 'gives up'); END"
        ))
        .unwrap();
        assert!(replica.apply(device.source, page.clone().into()).is_err());
        let items = finds_what_is_listed(&replica);
        assert!((before + 1..=fails_at).contains(&items), "{items} items between two parts");
        file.execute_batch("DROP TRIGGER gives_up").unwrap();
        replica.apply(device.source, page.into()).unwrap();
        assert_eq!(finds_what_is_listed(&replica), before + PAGE);
    }

    // Beside a search parts are written: it finds what was listed before it, and nothing that is not listed after it.
    let (page, applying) = (server.sync(since, 5_000), replica.clone());
    let source = device.source;
    let applying = std::thread::spawn(move || applying.apply(source, page.into()).unwrap());
    while !applying.is_finished() {
        let (before, found, after) = (listed(&replica), found(&replica, "words"), listed(&replica));
        assert!(before.is_subset(&found) && found.is_subset(&after));
    }
    assert_eq!(applying.join().unwrap().arrived.len(), 2_000);
    assert_eq!(finds_what_is_listed(&replica), 3_200);
    device.assert_consistent();
}

#[test]
pub(crate) fn answers_and_what_wakes_are_taken_in_portions() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..1_200_u32 {
        device.clock.advance_micros(10);
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    device.replica.apply(device.source, server.sync(None, 2_000).into()).unwrap();
    let threads: Vec<ThreadId> = device
        .replica
        .threads(&ThreadQuery::top(Place::Inbox, 500))
        .unwrap()
        .rows
        .iter()
        .map(|t| t.id)
        .collect();
    let until = tidings_model::Clock::now(&device.clock).plus_secs(60);
    device.replica.mark(Targets::Threads(threads), Mark::Snooze { until }).unwrap();
    let answered =
        writes(&device, || while server.receive_operations(&device.replica, device.source, 1_000) {});
    assert!(answered >= 3, "{answered} writes");
    device.assert_consistent();
    device.clock.advance_micros(120_000_000);
    let woken = writes(&device, || drop(device.replica.wake(until.plus_secs(1)).unwrap()));
    assert!(woken >= 5, "{woken} writes");
    assert_eq!(device.unread(), 1_200);
    device.assert_consistent();
}

/// Waits until a query returns 0.
fn until_none(file: &Connection, sql: &str) {
    until_blocking(sql, || file.query_row(sql, [], |r| r.get::<_, i64>(0)).unwrap() == 0);
}

/// A second connection to the replica's open file.
fn file(device: &Device) -> Connection {
    let file = Connection::open(device.dir.path().join(FILE)).unwrap();
    file.busy_timeout(TEST_TIMEOUT).unwrap();
    file
}

/// The number of a table's rows that belong to a source.
fn rows(conn: &Connection, table: &str, source: SourceId) -> i64 {
    let sql = format!("SELECT count(*) FROM {table} WHERE source = ?1");
    conn.query_row(&sql, [source], |r| r.get(0)).unwrap()
}

#[test]
pub(crate) fn a_source_is_removed_in_portions_and_what_a_crash_left_goes_at_the_next_start() {
    let mut server = server();
    let mut device = Device::at(&server);
    for n in 0..1_000_u32 {
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    let page: Page = server.sync(None, 2_000).into();
    device.replica.apply(device.source, page.clone()).unwrap();
    let other = NewSource {
        name: "other".into(),
        protocol: "tidings".into(),
        url: "https://other.example".into(),
        user: None,
        own: false,
    };
    let other = device.replica.add_source(other).unwrap();
    let mut small_page = page;
    small_page.items.truncate(5);
    device.replica.apply(other, small_page).unwrap();
    let pinned = device.all(Place::Source(device.source))[0].id;
    device.replica.mark(Targets::Threads(vec![pinned]), Mark::Pin).unwrap();
    device.replica.mark(Targets::Threads(vec![pinned]), Mark::Archive).unwrap();
    device.replica.save_draft(device.source, "user:p1", "Not yet").unwrap();

    // A trigger makes the removal fail after a part of the items is deleted, as a full disk would.
    let file = Connection::open(device.dir.path().join(FILE)).unwrap();
    file.execute_batch(
        "CREATE TRIGGER gives_up BEFORE DELETE ON items WHEN (SELECT count(*) FROM items) <= 450
         BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    assert!(device.replica.remove_source(device.source, false).is_err());
    let left = rows(&file, "items", device.source);
    assert!((400..=900).contains(&left), "{left} items are left: other portions were written");

    // The source is hidden, its name is free, and other writes succeed.
    let sources: Vec<SourceId> = device.replica.sources().unwrap().iter().map(|s| s.id).collect();
    assert_eq!(sources, [other]);
    assert!(matches!(device.replica.source(device.source), Err(Error::NoSource(_))));
    let counts = device.replica.counts().unwrap();
    assert_eq!((counts.sources.len(), counts.places.pinned, counts.places.done), (1, 0, 0));
    assert!(device.replica.threads_by_id(&[pinned]).unwrap().is_empty());
    for place in [Place::Inbox, Place::Pinned, Place::Done] {
        let rows = device.replica.threads(&ThreadQuery::top(place, 500)).unwrap().rows;
        assert!(rows.iter().all(|row| row.source == other), "{place:?}");
    }
    let found = device.replica.search(&SearchFilter::words("words"), 500).unwrap();
    assert!(found.iter().all(|item| item.source == other));
    let listed = device.replica.items(&ItemFilter::default(), 2_000).unwrap();
    assert_eq!(listed.len(), 5);
    device
        .replica
        .change_source(other, SourceChange { name: Some("home".into()), ..Default::default() })
        .unwrap();

    file.execute_batch("DROP TRIGGER gives_up").unwrap();
    device.reopen();
    until_none(&file, "SELECT count(*) FROM sources WHERE removing = 1");
    for table in ["items", "threads", "views", "counters", "outbox", "drafts"] {
        assert_eq!(rows(&file, table, device.source), 0, "{table}");
    }
    device.assert_consistent();
    assert_eq!(device.replica.items(&ItemFilter::default(), 2_000).unwrap().len(), 5);
}

#[test]
pub(crate) fn a_check_where_nothing_can_be_written_leaves_a_half_removed_source_out() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..400_u32 {
        server.post(u8::try_from(n % 5).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    device.replica.apply(device.source, server.sync(None, 2_000).into()).unwrap();
    device.replica.visit(device.source, &conversation(), None).unwrap();
    let file = file(&device);
    file.execute_batch(
        "CREATE TRIGGER gives_up BEFORE DELETE ON items WHEN (SELECT count(*) FROM items) <= 150
         BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    assert!(device.replica.remove_source(device.source, false).is_err());
    assert!(rows(&file, "items", device.source) > 0);
    let differences = || {
        let dir = tempfile::tempdir().unwrap();
        device.replica.backup(&dir.path().join(FILE)).unwrap();
        let clock = std::sync::Arc::new(device.clock.clone());
        Replica::open_read_only(dir.path(), clock).unwrap().check().unwrap()
    };
    assert_eq!(differences(), []);
    // The removal stops again when its items and operations are deleted, with five threads left.
    file.execute_batch(
        "CREATE TRIGGER keeps BEFORE DELETE ON threads WHEN (SELECT count(*) FROM threads) <= 5
         BEGIN SELECT RAISE(ABORT, 'gives up'); END;
         DROP TRIGGER gives_up",
    )
    .unwrap();
    device.assert_consistent();
    assert_eq!(rows(&file, "items", device.source), 0);
    assert_eq!(differences(), []);
    // The check reports the differences of a source that is not being removed.
    file.execute_batch("UPDATE sources SET removing = 0").unwrap();
    assert!(differences().len() > 3);
}

#[test]
pub(crate) fn another_user_of_a_source_is_taken_in_in_portions_and_after_a_crash_to_the_end() {
    let mut server = server();
    let mut device = Device::at(&server);
    for n in 0..1_700_u32 {
        server.post([0, 1, 3, 4][n as usize % 4], u8::try_from(n % 2).unwrap(), "words");
    }
    device.replica.apply(device.source, server.sync(None, 2_000).into()).unwrap();
    let own = "SELECT count(*) FROM items WHERE own = 1";
    let file = file(&device);
    let count = |sql: &str| file.query_row(sql, [], |r| r.get::<_, i64>(0)).unwrap();
    assert_eq!((count(own), device.unread()), (425, 1_275));
    let become_ = |user: &str| SourceChange { user: Some(user.into()), ..SourceChange::default() };
    file.execute_batch(
        "CREATE TRIGGER gives_up BEFORE UPDATE OF own ON items
            WHEN (SELECT count(*) FROM items WHERE own = 1 AND actor = 'p0') > 150
         BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    assert!(device.replica.change_source(device.source, become_("p0")).is_err());
    let halfway = count("SELECT count(*) FROM items WHERE own = 1 AND actor = 'me'");
    assert!((1..425).contains(&halfway), "{halfway} are left: portions were written");
    // Every count is right halfway, and a page that arrives then knows the new user.
    device.assert_consistent();
    server.post(4, 1, "words");
    let since = device.replica.source(device.source).unwrap().cursor.map(|c| c.parse().unwrap());
    device.replica.apply(device.source, server.sync(since, 2_000).into()).unwrap();
    file.execute_batch("DROP TRIGGER gives_up").unwrap();
    device.reopen();
    until_none(&file, "SELECT count(*) FROM sources WHERE own_recheck_from IS NOT NULL");
    assert_eq!(count("SELECT count(*) FROM items WHERE own <> (actor = 'p0')"), 0);
    device.assert_consistent();

    let written = writes(&device, || device.replica.change_source(device.source, become_("me")).unwrap());
    assert!(written >= 4, "{written} writes");
    assert_eq!((count(own), device.unread()), (426, 1_275));
    device.assert_consistent();
}

#[test]
pub(crate) fn what_waits_for_a_source_that_is_kept_goes_in_portions_and_after_a_crash_to_the_end() {
    let mut server = server();
    let mut device = Device::at(&server);
    for n in 0..1_700_u32 {
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    device.replica.apply(device.source, server.sync(None, 2_000).into()).unwrap();
    let all = BulkTarget { place: Place::Inbox, place_only: true, filter: SearchFilter::default() };
    device.replica.mark_bulk(&all, Mark::Archive).unwrap();
    let message = serde_json::from_value(serde_json::json!({"to": "p1", "body": "Soon"})).unwrap();
    device.replica.write_message(device.source, "user:p1", message).unwrap();
    device.replica.save_draft(device.source, "user:p1", "Not yet").unwrap();
    let file = file(&device);
    file.execute_batch(
        "CREATE TRIGGER holds_on BEFORE DELETE ON server_state WHEN (SELECT count(*) FROM server_state) <= 900
         BEGIN SELECT RAISE(ABORT, 'gives up'); END;
         CREATE TRIGGER gives_up BEFORE DELETE ON outbox_items WHEN (SELECT count(*) FROM outbox_items) <= 900
         BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    assert!(device.replica.remove_source(device.source, true).is_err());
    let stored = count(&file, "SELECT count(*) FROM server_state");
    assert!((900..1_700).contains(&stored), "{stored} are held: portions were written");
    // The removal goes on to the operations that wait, where the other trigger stops it.
    file.execute_batch("DROP TRIGGER holds_on").unwrap();
    device.assert_consistent();
    assert_eq!(count(&file, "SELECT count(*) FROM server_state"), 0);
    let left = "SELECT count(*) FROM outbox_items";
    let rows = file.query_row(left, [], |r| r.get::<_, i64>(0)).unwrap();
    assert!((900..1_700).contains(&rows), "{rows} are left: portions were written");
    assert_eq!(device.replica.source(device.source).unwrap().protocol, "kept");
    device.assert_consistent();
    file.execute_batch("DROP TRIGGER gives_up").unwrap();
    device.reopen();
    until_none(&file, "SELECT count(*) FROM sources WHERE discarding = 1");
    for table in ["outbox_items", "outbox", "server_state", "outgoing", "drafts"] {
        let left = format!("SELECT count(*) FROM {table}");
        assert_eq!(file.query_row(&left, [], |r| r.get::<_, i64>(0)).unwrap(), 0, "{table}");
    }
    let counts = device.replica.counts().unwrap();
    assert_eq!((counts.waiting, counts.places.inbox, counts.places.done), (0, 0, 200));
    device.assert_consistent();
}

#[test]
pub(crate) fn who_acts_in_a_long_thread_stays_right_without_counting_it_again() {
    let mut server = server();
    let device = Device::at(&server);
    let mut page: Page = Page::default();
    for n in 0..600_u32 {
        let name = server.post(1, 1, "words");
        let mut item = server.items[&name].clone();
        // The actors of the first hundred items act again at the end.
        let who = n % 500;
        item.actor = tidings_model::Actor { id: format!("a{who}"), name: format!("Name {who} at {n}") };
        page.items.push(item);
    }
    device.replica.apply(device.source, page.clone()).unwrap();
    let file = file(&device);
    file.execute_batch(
        "CREATE TABLE written (thread INTEGER);
         CREATE TRIGGER put AFTER INSERT ON thread_actors BEGIN INSERT INTO written VALUES (new.thread); END;
         CREATE TRIGGER changed AFTER UPDATE ON thread_actors BEGIN INSERT INTO written VALUES (new.thread); END;
         CREATE TRIGGER gone AFTER DELETE ON thread_actors BEGIN INSERT INTO written VALUES (old.thread); END;",
    )
    .unwrap();
    let thread = device.thread_of(&page.items[0].msgid);
    let actors = || {
        let row = device.replica.threads_by_id(&[thread]).unwrap().remove(0);
        (row.actor_count, row.actors.into_iter().map(|a| a.name).collect::<Vec<_>>())
    };
    let delete = |nth: usize| {
        let item = device.replica.items_by_msgid(None, &[page.items[nth].msgid.clone()]).unwrap()[0].id;
        device.replica.mark(Targets::Items(vec![item]), Mark::Delete).unwrap();
        device.assert_consistent();
    };
    assert_eq!(actors().0, 500);
    // Delete the newest item of an actor who acted before, then the only item of another actor.
    delete(599);
    assert_eq!(actors().0, 500);
    // The actor's previous item is looked for among the newest hundred items only; without one there, the actor's time
    // becomes that of the oldest of these.
    let last_at = count(&file, "SELECT last_at FROM thread_actors WHERE actor = 'a99'");
    assert_eq!(last_at, page.items[500].created_at.as_micros());
    delete(480);
    let latest = ["Name 98 at 598", "Name 97 at 597", "Name 96 at 596"].map(String::from).to_vec();
    assert_eq!(actors(), (499, latest));
    // Delete the older item of an actor who acted again later.
    delete(98);
    assert_eq!(actors().0, 499);
    let written: i64 = file.query_row("SELECT count(*) FROM written", [], |r| r.get(0)).unwrap();
    assert!(written <= 6, "{written} rows were written");

    // In a short thread the previous item of the actor is found.
    let short = server.post(1, 2, "words");
    let mut first = server.items[&short].clone();
    first.actor.id = "b".into();
    let mut second = first.clone();
    (second.msgid, second.actor.id) = ("second".into(), "c".into());
    (second.created_at, second.stamp) = (first.created_at.plus_micros(1), first.stamp.plus_micros(1));
    let mut third = second.clone();
    (third.msgid, third.actor.id) = ("third".into(), "b".into());
    (third.created_at, third.stamp) = (first.created_at.plus_micros(2), first.stamp.plus_micros(2));
    device
        .replica
        .apply(device.source, Page { items: vec![first, second, third.clone()], ..Page::default() })
        .unwrap();
    let ids = || {
        let thread = device.thread_of(&short);
        let row = device.replica.threads_by_id(&[thread]).unwrap().remove(0);
        row.actors.into_iter().map(|a| a.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(), ["b", "c"]);
    let item = device.replica.items_by_msgid(None, &[third.msgid]).unwrap()[0].id;
    device.replica.mark(Targets::Items(vec![item]), Mark::Delete).unwrap();
    assert_eq!(ids(), ["c", "b"]);
    device.assert_consistent();
}

#[test]
pub(crate) fn few_actors_are_in_the_row_of_their_thread_and_many_in_their_table() {
    let mut server = server();
    let device = Device::at(&server);
    let mut posted = Vec::new();
    for n in 0..10 {
        let msgid = server.post(1, 1, "words");
        let mut item = server.items[&msgid].clone();
        item.actor = tidings_model::Actor { id: format!("a{n}"), name: format!("Name {n}") };
        posted.push(item);
    }
    let apply = |items: &[Notification]| {
        device.replica.apply(device.source, Page { items: items.to_vec(), ..Page::default() }).unwrap();
        device.assert_consistent();
    };
    let delete = |nth: usize| {
        let item = device.replica.items_by_msgid(None, &[posted[nth].msgid.clone()]).unwrap()[0].id;
        device.replica.mark(Targets::Items(vec![item]), Mark::Delete).unwrap();
        device.assert_consistent();
    };
    let file = file(&device);
    let thread = || {
        let row = device.replica.threads_by_id(&[device.thread_of(&posted[0].msgid)]).unwrap().remove(0);
        let names: Vec<String> = row.actors.into_iter().map(|actor| actor.name).collect();
        (row.actor_count, names, count(&file, "SELECT count(*) FROM thread_actors"))
    };
    let names = |last: [&str; 3]| last.map(str::to_owned).to_vec();
    apply(&posted[..8]);
    assert_eq!(thread(), (8, names(["Name 7", "Name 6", "Name 5"]), 0));
    apply(&posted[8..9]);
    assert_eq!(thread(), (9, names(["Name 8", "Name 7", "Name 6"]), 9));
    apply(&posted[9..]);
    assert_eq!(thread(), (10, names(["Name 9", "Name 8", "Name 7"]), 10));
    delete(9);
    delete(8);
    assert_eq!(thread(), (8, names(["Name 7", "Name 6", "Name 5"]), 0));
    delete(6);
    assert_eq!(thread(), (7, names(["Name 7", "Name 5", "Name 4"]), 0));
}

/// A device that has pulled this many items of these sorts.
fn filled(items: u32, sorts: &[u8]) -> (Server, Device) {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..items as usize {
        device.clock.advance_micros(10);
        server.post(sorts[n % sorts.len()], 1, "words");
    }
    device.replica.apply(device.source, server.sync(None, 5_000).into()).unwrap();
    device.assert_consistent();
    (server, device)
}

fn unread_on_server(server: &Server) -> u64 {
    server.items.values().filter(|n| !n.deleted && server.unread(n)).count() as u64
}

/// Pulls all new items in one page.
fn pull(device: &Device, server: &Server) {
    let since = device.replica.source(device.source).unwrap().cursor.map(|c| c.parse().unwrap());
    device.replica.apply(device.source, server.sync(since, 5_000).into()).unwrap();
    device.assert_consistent();
}

fn conversation() -> tidings_model::View {
    "conversation/user:p1".parse().unwrap()
}

#[test]
pub(crate) fn a_long_conversation_is_read_in_portions_and_that_is_taken_back() {
    let (mut server, device) = filled(1_700, &[3]);
    let mut read = Marked::default();
    let written =
        writes(&device, || read = device.replica.visit(device.source, &conversation(), None).unwrap());
    assert!(written >= 4, "{written} writes");
    let waiting = device.replica.counts().unwrap().waiting;
    assert_eq!((read.items, device.unread(), waiting), (1_700, 0, 1), "one operation says it all");
    device.assert_consistent();
    device.flush(&mut server);
    pull(&device, &server);
    assert_eq!((device.unread(), unread_on_server(&server)), (0, 0));

    let mut back = Marked::default();
    let undo = read.undo.unwrap();
    let written = writes(&device, || back = device.replica.undo(&undo).unwrap());
    assert!(written >= 4, "{written} writes");
    let waiting = device.replica.counts().unwrap().waiting;
    assert_eq!((back.items, device.unread(), waiting), (1_700, 1_700, 1));
    device.assert_consistent();
    device.flush(&mut server);
    pull(&device, &server);
    assert_eq!((device.unread(), unread_on_server(&server)), (1_700, 1_700));
    assert_eq!(device.replica.undo(&undo).unwrap().items, 0, "it is back already");

    // The mark is made by the thread, and by each of its items.
    let thread = device.all(Place::Inbox)[0].id;
    let items: Vec<ItemId> =
        device.replica.items(&ItemFilter::default(), 5_000).unwrap().iter().map(|item| item.id).collect();
    for targets in [Targets::Threads(vec![thread]), Targets::Items(items)] {
        let mut read = Marked::default();
        let written = writes(&device, || read = device.replica.mark(targets, Mark::Read).unwrap());
        assert!(written >= 4, "{written} writes");
        assert_eq!((read.items, device.unread()), (1_700, 0));
        device.assert_consistent();
        device.replica.undo(&read.undo.unwrap()).unwrap();
        assert_eq!(device.unread(), 1_700);
        device.assert_consistent();
    }
}

#[test]
pub(crate) fn a_long_conversation_that_was_read_elsewhere_is_taken_in_in_portions() {
    let (mut server, device) = filled(1_700, &[3]);
    server.apply(&Change::Visit { view: conversation(), at: None });
    let first = server.items.values().min_by_key(|n| n.created_at).unwrap().msgid.clone();
    let written = writes(&device, || pull(&device, &server));
    assert!(written >= 4, "{written} writes");
    assert_eq!(device.unread(), 0);
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: vec![first], at: None });
    let written = writes(&device, || pull(&device, &server));
    assert!(written >= 4, "{written} writes");
    assert_eq!((device.unread(), unread_on_server(&server)), (1_700, 1_700));
}

#[test]
pub(crate) fn everything_is_read_in_portions_with_one_operation() {
    let (mut server, device) = filled(2_000, &[0, 1, 2, 3]);
    let all = Targets::All { source: None, kind: None, through: None };
    let mut read = Marked::default();
    let written = writes(&device, || read = device.replica.mark(all.clone(), Mark::Read).unwrap());
    assert!(written >= 4, "{written} writes");
    let waiting = device.replica.counts().unwrap().waiting;
    assert_eq!((read.items, device.unread(), waiting), (2_000, 0, 1));
    device.assert_consistent();
    let written = writes(&device, || drop(device.replica.undo(&read.undo.unwrap()).unwrap()));
    assert!(written >= 4, "{written} writes");
    assert_eq!(device.unread(), 2_000);
    device.assert_consistent();
    device.replica.mark(all, Mark::Read).unwrap();
    device.flush(&mut server);
    pull(&device, &server);
    assert_eq!((device.unread(), unread_on_server(&server)), (0, 0));

    // Items of manual class, each read by its own mark and none by a view's mark.
    let (_, device) = filled(1_700, &[1]);
    let all = Targets::All { source: None, kind: None, through: None };
    let mut read = Marked::default();
    let written = writes(&device, || read = device.replica.mark(all, Mark::Read).unwrap());
    assert!(written >= 4, "{written} writes");
    let waiting = device.replica.counts().unwrap().waiting;
    assert_eq!((read.items, device.unread(), waiting), (1_700, 0, 1));
    device.assert_consistent();
}

/// A replica in which everything is marked read and the server has not received that. A pull has brought every item
/// again, so that `server_state` holds the server's state of each.
fn all_read_with_stored_server_state() -> (Server, Device, Vec<MsgId>) {
    let (mut server, device) = filled(1_700, &[1]);
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    let mut items: Vec<_> = server.items.values().map(|n| (n.created_at, n.msgid.clone())).collect();
    items.sort();
    let msgids: Vec<MsgId> = items.into_iter().map(|(_, msgid)| msgid).collect();
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: msgids.clone(), at: None });
    pull(&device, &server);
    assert_eq!((device.unread(), count(&file(&device), "SELECT count(*) FROM server_state")), (0, 1_700));
    (server, device, msgids)
}

fn count(file: &Connection, sql: &str) -> i64 {
    file.query_row(sql, [], |r| r.get(0)).unwrap()
}

#[test]
pub(crate) fn the_answer_to_reading_everything_is_taken_in_in_portions_and_the_badge_stays_true() {
    let (mut server, device, _) = all_read_with_stored_server_state();
    let file = file(&device);
    let mut events = device.replica.subscribe();
    device.flush(&mut server);
    let badges: Vec<u64> =
        std::iter::from_fn(|| events.try_recv().ok()).map(|changed| changed.counts.badge).collect();
    assert!(badges.len() >= 4, "{} writes", badges.len());
    assert!(badges.iter().all(|badge| *badge == 0), "{badges:?}");
    for table in ["server_state", "outbox"] {
        assert_eq!(count(&file, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    pull(&device, &server);
    assert_eq!((device.unread(), unread_on_server(&server)), (0, 0));
}

#[test]
pub(crate) fn an_answer_to_reading_everything_that_a_crash_cut_short_is_taken_in_to_the_end() {
    let (mut server, mut device, msgids) = all_read_with_stored_server_state();
    let file = file(&device);
    file.execute_batch(
        "CREATE TRIGGER gives_up BEFORE UPDATE OF settled_to ON outbox WHEN (SELECT count(*) FROM server_state) < 900
         BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    let ops = device.replica.pending(device.source, 1_000).unwrap();
    let results: Vec<_> = ops.iter().map(|op| server.op(op)).collect();
    assert!(device.replica.acknowledge(device.source, &results).is_err());
    let stored = "SELECT count(*) FROM server_state";
    assert!((600..1_700).contains(&count(&file, stored)), "{}: portions were written", count(&file, stored));
    assert_eq!(device.unread(), 0);
    device.assert_consistent();
    // The operation is answered: nothing is sent again, and nothing waits.
    assert_eq!(device.replica.pending(device.source, 1_000).unwrap(), []);
    assert_eq!(
        (device.replica.has_unsent(device.source).unwrap(), device.replica.counts().unwrap().waiting),
        (false, 0)
    );
    // Changes on the server after its answer take effect, whether the item was settled by then or not.
    let ends = vec![msgids[0].clone(), msgids[1_699].clone()];
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: ends, at: None });
    server.post(1, 1, "meanwhile");
    pull(&device, &server);
    assert_eq!((device.unread(), unread_on_server(&server)), (3, 3));

    file.execute_batch("DROP TRIGGER gives_up").unwrap();
    device.reopen();
    until_none(&file, "SELECT count(*) FROM outbox");
    assert_eq!((count(&file, stored), device.unread()), (0, 3));
    device.assert_consistent();
}

#[test]
pub(crate) fn reading_everything_that_the_server_refuses_is_taken_back_in_portions() {
    let (server, device) = filled(1_700, &[3]);
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    assert_eq!(device.unread(), 0);
    let refused: Vec<_> = device
        .replica
        .pending(device.source, 1_000)
        .unwrap()
        .into_iter()
        .map(|op| tidings_model::wire::OpResult { id: op.id, ok: false, code: None })
        .collect();
    let written = writes(&device, || drop(device.replica.acknowledge(device.source, &refused).unwrap()));
    assert!(written >= 4, "{written} writes");
    assert_eq!((device.unread(), device.replica.counts().unwrap().waiting), (1_700, 0));
    assert_eq!(device.replica.source(device.source).unwrap().cursor, None, "all is asked for again");
    device.assert_consistent();
    pull(&device, &server);
    assert_eq!((device.unread(), unread_on_server(&server)), (1_700, 1_700));
}

/// Makes the next large mark fail after its first step, as a power loss would.
fn crash_after_first_step(file: &Connection) {
    let last = "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'mark_steps'), 0)";
    let last: i64 = file.query_row(last, [], |r| r.get(0)).unwrap();
    let trigger = format!(
        "CREATE TRIGGER power_goes BEFORE DELETE ON mark_steps WHEN old.seq > {last} + 1
         BEGIN SELECT RAISE(ABORT, 'the power went'); END"
    );
    file.execute_batch(&trigger).unwrap();
}

#[test]
pub(crate) fn a_large_mark_and_what_takes_it_back_are_done_to_the_end_after_a_crash() {
    let (mut server, mut device) = filled(1_700, &[1]);
    let all = Targets::All { source: Some(device.source), kind: None, through: None };
    let file = file(&device);
    crash_after_first_step(&file);
    assert!(device.replica.mark(all.clone(), Mark::Archive).is_err());
    let archived = "SELECT count(*) FROM items WHERE archived_at IS NOT NULL";
    let count = || file.query_row(archived, [], |r| r.get::<_, i64>(0)).unwrap();
    assert_eq!((count(), device.unread()), (500, 1_200), "what was done is whole, and counted");
    device.assert_consistent();
    // A pull comes between, and the completed part is sent.
    server.post(1, 2, "meanwhile");
    device.flush(&mut server);
    pull(&device, &server);
    assert_eq!((count(), device.unread()), (500, 1_201));
    file.execute_batch("DROP TRIGGER power_goes").unwrap();
    device.reopen();
    until_none(&file, "SELECT count(*) FROM mark_jobs");
    assert_eq!((count(), device.unread()), (1_700, 1), "what came later is left alone");
    device.assert_consistent();

    let back = Targets::All { source: Some(device.source), kind: None, through: None };
    let unarchived = device.replica.mark(back, Mark::Unarchive).unwrap();
    assert_eq!((unarchived.items, count()), (1_700, 0));
    crash_after_first_step(&file);
    assert!(device.replica.undo(&unarchived.undo.unwrap()).is_err());
    assert_eq!(count(), 500);
    device.assert_consistent();
    file.execute_batch("DROP TRIGGER power_goes").unwrap();
    device.reopen();
    until_none(&file, "SELECT count(*) FROM mark_jobs");
    assert_eq!((count(), device.unread()), (1_700, 1));
    device.assert_consistent();
    device.flush(&mut server);
    pull(&device, &server);
    assert_eq!(unread_on_server(&server), 1);
}

#[test]
pub(crate) fn what_is_left_of_a_large_mark_that_failed_is_given_up() {
    let (_, mut device) = filled(1_700, &[1]);
    let all = Targets::All { source: None, kind: None, through: None };
    let file = file(&device);
    file.execute_batch(
        "CREATE TRIGGER fails BEFORE UPDATE OF archived_at ON items
            WHEN (SELECT count(*) FROM items WHERE archived_at IS NOT NULL) >= 600
         BEGIN SELECT RAISE(ABORT, 'fails'); END",
    )
    .unwrap();
    assert!(device.replica.mark(all, Mark::Archive).is_err());
    assert_eq!(device.unread(), 1_200);
    file.execute_batch("DROP TRIGGER fails").unwrap();
    device.reopen();
    assert_eq!(file.query_row("SELECT count(*) FROM mark_steps", [], |r| r.get::<_, i64>(0)).unwrap(), 0);
    assert_eq!(device.unread(), 1_200);
    device.assert_consistent();
}

#[test]
pub(crate) fn a_backup_that_is_restored_during_a_removal_keeps_everything_that_is_in_it() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..2_000_u32 {
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    device.replica.apply(device.source, server.sync(None, 5_000).into()).unwrap();
    let pinned = device.all(Place::Source(device.source))[0].id;
    device.replica.mark(Targets::Threads(vec![pinned]), Mark::Pin).unwrap();
    let before = device.replica.counts().unwrap();
    let copy = device.dir.path().join("copy.db");
    device.replica.backup(&copy).unwrap();
    Replica::vet(&copy).unwrap();

    let file = Connection::open(device.dir.path().join(FILE)).unwrap();
    let (replica, source) = (device.replica.clone(), device.source);
    let removal = std::thread::spawn(move || replica.remove_source(source, false));
    until_blocking("some portions are gone", || rows(&file, "items", device.source) <= 1_800);
    device.replica.restore(&copy).unwrap();
    removal.join().unwrap().unwrap();

    assert_eq!(device.replica.source(device.source).unwrap().name, "home");
    assert_eq!(device.replica.items(&ItemFilter::default(), 5_000).unwrap().len(), 2_000);
    assert_eq!(device.replica.counts().unwrap(), before, "the counters, and the mark that waits");
    device.assert_consistent();
}

#[test]
pub(crate) fn nothing_waits_for_a_source_that_is_being_removed() {
    let mut server = server();
    let mut device = Device::at(&server);
    for n in 0..300_u32 {
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    device.replica.apply(device.source, server.sync(None, 1_000).into()).unwrap();
    let pinned = device.all(Place::Source(device.source))[0].id;
    device.replica.mark(Targets::Threads(vec![pinned]), Mark::Archive).unwrap();
    device.replica.mark(Targets::Threads(vec![pinned]), Mark::Pin).unwrap();
    assert!(
        device.replica.counts().unwrap().waiting > 0 && device.replica.has_unsent(device.source).unwrap()
    );

    device.replica.begin_removal(device.source, false).unwrap();
    assert_eq!(device.replica.counts().unwrap().waiting, 0);
    assert!(!device.replica.has_unsent(device.source).unwrap());
    assert_eq!(device.replica.pending(device.source, 1_000).unwrap(), [], "nothing more is sent to it");
    device.replica.finish_removal(false).unwrap();
    device.reopen();
    assert_eq!(device.replica.counts().unwrap().waiting, 0);
    device.assert_consistent();
}

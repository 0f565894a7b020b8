//! Work in portions, told as stories: between two of them others write.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use tidings_replica::*;

use crate::desk::{Desk, server};

/// How often something was written while `work` ran.
fn writes(desk: &Desk, work: impl FnOnce()) -> usize {
    let mut told = desk.replica.subscribe();
    work();
    std::iter::from_fn(|| told.try_recv().ok()).count()
}

#[test]
pub(crate) fn a_large_page_is_written_in_parts_and_the_cursor_with_the_last() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..1_700_u32 {
        desk.clock.forward(10);
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    let page = server.sync(None, 2_000);
    let mut applied = Applied::default();
    let parts = writes(&desk, || applied = desk.replica.apply(desk.source, page.clone().into()).unwrap());
    assert_eq!(parts, 4);
    assert_eq!(applied.arrived.len(), 1_700);
    assert_eq!(desk.replica.source(desk.source).unwrap().cursor, Some(page.next.to_string()));
    desk.well();
    let again = desk.replica.apply(desk.source, page.into()).unwrap();
    assert!(again.arrived.is_empty() && again.renewed.is_empty());
    desk.well();
}

#[test]
pub(crate) fn answers_and_what_wakes_are_taken_in_portions() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..1_200_u32 {
        desk.clock.forward(10);
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    desk.replica.apply(desk.source, server.sync(None, 2_000).into()).unwrap();
    let threads: Vec<ThreadId> = desk
        .replica
        .threads(&ThreadQuery::top(Place::Inbox, 500))
        .unwrap()
        .rows
        .iter()
        .map(|t| t.id)
        .collect();
    let until = tidings_model::Clock::now(&desk.clock).plus_secs(60);
    desk.replica.mark(Targets::Threads(threads), Mark::Snooze { until }).unwrap();
    let answered = writes(&desk, || while server.take(&desk.replica, desk.source, 1_000) {});
    assert!(answered >= 3, "{answered} writes");
    desk.well();
    desk.clock.forward(120_000_000);
    let woken = writes(&desk, || drop(desk.replica.wake(until.plus_secs(1)).unwrap()));
    assert!(woken >= 5, "{woken} writes");
    assert_eq!(desk.unread(), 1_200);
    desk.well();
}

/// How many rows of a table belong to a source.
fn rows(conn: &Connection, table: &str, source: SourceId) -> i64 {
    let sql = format!("SELECT count(*) FROM {table} WHERE source = ?1");
    conn.query_row(&sql, [source], |r| r.get(0)).unwrap()
}

#[test]
pub(crate) fn a_source_is_removed_in_portions_and_what_a_crash_left_goes_at_the_next_start() {
    let mut server = server();
    let mut desk = Desk::at(&server);
    for n in 0..1_000_u32 {
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    let page: Page = server.sync(None, 2_000).into();
    desk.replica.apply(desk.source, page.clone()).unwrap();
    let other = NewSource {
        name: "other".into(),
        protocol: "tidings".into(),
        url: "https://other.example".into(),
        user: None,
        own: false,
    };
    let other = desk.replica.add_source(other).unwrap();
    let mut few = page;
    few.items.truncate(5);
    desk.replica.apply(other, few).unwrap();
    let pinned = desk.all(Place::Source(desk.source))[0].id;
    desk.replica.mark(Targets::Threads(vec![pinned]), Mark::Pin).unwrap();
    desk.replica.mark(Targets::Threads(vec![pinned]), Mark::Archive).unwrap();
    desk.replica.save_draft(desk.source, "user:p1", "Not yet").unwrap();

    // The disk gives up when a part of it is gone.
    let file = Connection::open(desk.dir.path().join(FILE)).unwrap();
    file.execute_batch(
        "CREATE TRIGGER gives_up BEFORE DELETE ON items WHEN (SELECT count(*) FROM items) <= 450
         BEGIN SELECT RAISE(ABORT, 'gives up'); END",
    )
    .unwrap();
    assert!(desk.replica.remove_source(desk.source, false).is_err());
    let left = rows(&file, "items", desk.source);
    assert!((400..=900).contains(&left), "{left} items are left: other portions were written");

    // It is hidden, its name is free, and others write.
    let sources: Vec<SourceId> = desk.replica.sources().unwrap().iter().map(|s| s.id).collect();
    assert_eq!(sources, [other]);
    assert!(matches!(desk.replica.source(desk.source), Err(Error::NoSource(_))));
    let numbers = desk.replica.numbers().unwrap();
    assert_eq!((numbers.sources.len(), numbers.places.pinned, numbers.places.done), (1, 0, 0));
    assert!(desk.replica.threads_by_id(&[pinned]).unwrap().is_empty());
    for place in [Place::Inbox, Place::Pinned, Place::Done] {
        let rows = desk.replica.threads(&ThreadQuery::top(place, 500)).unwrap().rows;
        assert!(rows.iter().all(|row| row.source == other), "{place:?}");
    }
    let found = desk.replica.search(&Find::words("words"), 500).unwrap();
    assert!(found.iter().all(|item| item.source == other));
    let listed = desk.replica.items(&ItemFilter::default(), 2_000).unwrap();
    assert_eq!(listed.len(), 5);
    desk.replica
        .change_source(other, SourceChange { name: Some("home".into()), ..Default::default() })
        .unwrap();

    file.execute_batch("DROP TRIGGER gives_up").unwrap();
    desk.reopen();
    let until = Instant::now() + Duration::from_secs(60);
    let is_there = "SELECT EXISTS (SELECT 1 FROM sources WHERE going = 1)";
    while file.query_row(is_there, [], |r| r.get::<_, bool>(0)).unwrap() {
        assert!(Instant::now() < until, "the source is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
    for table in ["items", "threads", "views", "counters", "outbox", "drafts"] {
        assert_eq!(rows(&file, table, desk.source), 0, "{table}");
    }
    desk.well();
    assert_eq!(desk.replica.items(&ItemFilter::default(), 2_000).unwrap().len(), 5);
}

/// Waits until this is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
pub(crate) fn a_backup_that_is_restored_during_a_removal_keeps_everything_that_is_in_it() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..2_000_u32 {
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    desk.replica.apply(desk.source, server.sync(None, 5_000).into()).unwrap();
    let pinned = desk.all(Place::Source(desk.source))[0].id;
    desk.replica.mark(Targets::Threads(vec![pinned]), Mark::Pin).unwrap();
    let before = desk.replica.numbers().unwrap();
    let copy = desk.dir.path().join("copy.db");
    desk.replica.backup(&copy).unwrap();
    Replica::vet(&copy).unwrap();

    let file = Connection::open(desk.dir.path().join(FILE)).unwrap();
    let (replica, source) = (desk.replica.clone(), desk.source);
    let removal = std::thread::spawn(move || replica.remove_source(source, false));
    until("some portions are gone", || rows(&file, "items", desk.source) <= 1_800);
    desk.replica.restore(&copy).unwrap();
    removal.join().unwrap().unwrap();

    assert_eq!(desk.replica.source(desk.source).unwrap().name, "home");
    assert_eq!(desk.replica.items(&ItemFilter::default(), 5_000).unwrap().len(), 2_000);
    assert_eq!(desk.replica.numbers().unwrap(), before, "the counters, and the mark that waits");
    desk.well();
}

#[test]
pub(crate) fn nothing_waits_for_a_source_that_is_being_removed() {
    let mut server = server();
    let mut desk = Desk::at(&server);
    for n in 0..300_u32 {
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    desk.replica.apply(desk.source, server.sync(None, 1_000).into()).unwrap();
    let pinned = desk.all(Place::Source(desk.source))[0].id;
    desk.replica.mark(Targets::Threads(vec![pinned]), Mark::Archive).unwrap();
    desk.replica.mark(Targets::Threads(vec![pinned]), Mark::Pin).unwrap();
    assert!(desk.replica.numbers().unwrap().waiting > 0 && desk.replica.waits(desk.source).unwrap());

    desk.replica.begin_removal(desk.source, false).unwrap();
    assert_eq!(desk.replica.numbers().unwrap().waiting, 0);
    assert!(!desk.replica.waits(desk.source).unwrap());
    assert_eq!(desk.replica.pending(desk.source, 1_000).unwrap(), [], "nothing more is sent to it");
    desk.replica.finish_removal(false).unwrap();
    desk.reopen();
    assert_eq!(desk.replica.numbers().unwrap().waiting, 0);
    desk.well();
}

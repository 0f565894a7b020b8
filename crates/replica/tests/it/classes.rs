//! Tests of the class of items and of revisions. Every replica agrees with the server, whenever it began to pull.

use tidings_model::wire::Change;
use tidings_model::{Clock, Mark, MsgId, Notification};
use tidings_replica::*;

use crate::device::{Device, server};
use crate::server::Server;

/// The number of items that the server counts as unread.
fn unread_on_server(server: &Server) -> u64 {
    server.items.values().filter(|n| !n.deleted && server.unread(n)).count() as u64
}

/// The items that the replica shows, sorted by msgid.
fn shown(device: &Device) -> Vec<Notification> {
    let mut items: Vec<Notification> = device
        .replica
        .items(&ItemFilter::default(), 1_000)
        .unwrap()
        .into_iter()
        .map(|item| item.notification)
        .collect();
    items.sort_by(|a, b| a.msgid.cmp(&b.msgid));
    items
}

/// Asserts that an old replica and one that pulls only now agree with the server. Returns the number of unread items.
fn agreed_unread(server: &Server, old: &Device) -> u64 {
    old.pull(server);
    let fresh = Device::at(server);
    fresh.pull(server);
    let expected: Vec<Notification> =
        server.items.values().filter(|n| !n.deleted).map(|n| server.shown(n)).collect();
    assert_eq!(shown(old), expected);
    assert_eq!(shown(&fresh), expected);
    assert_eq!((old.unread(), fresh.unread()), (unread_on_server(server), unread_on_server(server)));
    old.unread()
}

fn visit(device: &Device, msgid: &MsgId) {
    let item = device.replica.items_by_msgid(None, std::slice::from_ref(msgid)).unwrap().remove(0);
    device.replica.visit(device.source, &item.notification.view().unwrap(), None).unwrap();
}

/// A server and a device with two unread items of auto class in one view, the older first.
fn two_unread_likes() -> (Server, Device, [MsgId; 2]) {
    let mut server = server();
    let device = Device::at(&server);
    let first = server.post(2, 7, "first");
    device.clock.advance_micros(1_000);
    let second = server.post(2, 7, "second");
    device.pull(&server);
    (server, device, [first, second])
}

#[test]
pub(crate) fn a_class_that_changes_in_the_catalog_touches_nothing_that_is_there() {
    let mut server = server();
    let device = Device::at(&server);
    let mut likes = Vec::new();
    for _ in 0..3 {
        device.clock.advance_micros(1_000);
        server.post(1, 42, "a comment");
        likes.push(server.post(2, 42, "a like"));
    }
    device.pull(&server);
    visit(&device, &likes[2]);
    device.flush(&mut server);
    assert_eq!(agreed_unread(&server, &device), 3, "the comments wait to be marked");

    // Likes become manual and comments auto, for items published from now on.
    for action in ["like", "comment"] {
        server.switch_class(action);
    }
    device.replica.set_catalog(device.source, &server.catalog).unwrap();
    assert_eq!(agreed_unread(&server, &device), 3);
    device.clock.advance_micros(1_000);
    let comment = server.post(1, 42, "a comment of the other class");
    server.post(2, 42, "a like of the other class");
    assert_eq!(agreed_unread(&server, &device), 5);
    visit(&device, &comment);
    assert_eq!(device.unread(), 4, "looking reads what is of auto class by itself");
    device.flush(&mut server);
    assert_eq!(agreed_unread(&server, &device), 4);
}

#[test]
pub(crate) fn a_revised_item_is_unread_until_its_view_is_looked_at_again() {
    let (mut server, device, [first, second]) = two_unread_likes();
    visit(&device, &second);
    device.flush(&mut server);
    assert_eq!(agreed_unread(&server, &device), 0);

    device.clock.advance_micros(1_000);
    server.edit(&first, "first, revised", 3);
    assert_eq!(agreed_unread(&server, &device), 1, "the mark does not cover what was revised after it");
    let item = device.replica.items_by_msgid(None, std::slice::from_ref(&first)).unwrap().remove(0);
    assert!(item.notification.auto, "its class stays");

    // A read mark on the item moves the view's mark to the revision; undo moves it to just before the item.
    let marked = device.replica.mark(Targets::Items(vec![item.id]), Mark::Read).unwrap();
    assert_eq!(device.unread(), 0);
    device.flush(&mut server);
    assert_eq!(agreed_unread(&server, &device), 0);
    device.replica.undo(&marked.undo.unwrap()).unwrap();
    device.flush(&mut server);
    let after = agreed_unread(&server, &device);
    assert!(after >= 1, "{after} unread after it was taken back");

    // Another device reads the item by visiting its view.
    let view = item.notification.view().unwrap();
    server.apply(&Change::Visit { view, at: None });
    assert_eq!(agreed_unread(&server, &device), 0);
}

#[test]
pub(crate) fn what_its_publisher_cleared_is_read_alone() {
    let (mut server, device, [first, second]) = two_unread_likes();
    assert_eq!(agreed_unread(&server, &device), 2);
    device.clock.advance_micros(1_000);
    server.clear(&second);
    assert_eq!(agreed_unread(&server, &device), 1, "the first one is as unread as it was");
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![second.clone()], at: None });
    assert_eq!(agreed_unread(&server, &device), 1);
    server.apply(&Change::Mark { mark: Mark::Read, msgids: vec![first.clone()], at: None });
    assert_eq!(agreed_unread(&server, &device), 0);
    let here = device.replica.items_by_msgid(None, &[first, second]).unwrap();
    for (item, unread) in here.iter().zip([1, 2]) {
        device.replica.mark(Targets::Items(vec![item.id]), Mark::Unread).unwrap();
        device.flush(&mut server);
        assert_eq!(agreed_unread(&server, &device), unread);
    }
}

#[test]
pub(crate) fn what_a_page_says_of_an_item_itself_is_told_and_not_what_its_views_mark_says() {
    let (mut server, device, [first, second]) = two_unread_likes();
    let told = |server: &Server| {
        let pages = device.pull(server);
        let arrivals = pages.into_iter().flat_map(|applied| applied.updated);
        arrivals.map(|a| (a.notification.msgid, a.unread, a.unread_again)).collect::<Vec<_>>()
    };
    server.clear(&second);
    server.apply(&Change::Mark { mark: Mark::Read, msgids: vec![second.clone()], at: None });
    assert_eq!(told(&server), [(second.clone(), false, false)]);
    // The mark goes back over both, and the item that comes with it is read all the same.
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: vec![first.clone()], at: None });
    assert_eq!(told(&server), [(second.clone(), false, false)]);
    assert_eq!(agreed_unread(&server, &device), 1);
    // The mark moves over an item that is revised afterwards, in the same page.
    server.apply(&Change::Mark { mark: Mark::Read, msgids: vec![first.clone()], at: None });
    server.edit(&first, "first, revised", 3);
    assert_eq!(told(&server), [(first, true, true)]);
    assert_eq!(agreed_unread(&server, &device), 1);
}

#[test]
pub(crate) fn check_tells_a_wrong_class_a_wrong_view_and_a_wrong_mark() {
    let mut server = server();
    let device = Device::at(&server);
    let post = server.post(3, 7, "hello");
    server.post(2, 7, "a like");
    server.post(0, 0, "news");
    device.pull(&server);
    visit(&device, &post);
    device.flush(&mut server);
    device.pull(&server);
    let conn = rusqlite::Connection::open(device.dir.path().join(FILE)).unwrap();
    let differences_after = |sql: &str| -> Vec<String> {
        conn.execute_batch(&format!("SAVEPOINT wrong; {sql}; RELEASE wrong")).unwrap();
        device.replica.check().unwrap().into_iter().map(|difference| difference.what).collect()
    };
    assert_eq!(differences_after("SELECT 1"), Vec::<String>::new());
    let view = "(SELECT id FROM views WHERE view = 'announcements/all')";
    let differences = differences_after(&format!("UPDATE items SET view = {view} WHERE kind = 2"));
    assert!(differences.iter().any(|what| what.starts_with("view of item")), "{differences:?}");
    let differences = differences_after("UPDATE items SET view = NULL WHERE kind = 1");
    assert!(differences.iter().any(|what| what.starts_with("class of item")), "{differences:?}");
    let differences =
        differences_after("UPDATE views SET through = through + 1 WHERE view LIKE 'conversation/%'");
    assert!(differences.iter().any(|what| what.starts_with("mark of view")), "{differences:?}");
    let differences = differences_after("UPDATE items SET own = 1, unread = 0 WHERE kind = 3");
    assert!(differences.iter().any(|what| what.starts_with("sender of message")), "{differences:?}");
}

#[test]
pub(crate) fn check_tells_every_item_that_the_search_index_lacks() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..101 {
        server.post(2, n, "a like");
    }
    device.pull(&server);
    let conn = rusqlite::Connection::open(device.dir.path().join(FILE)).unwrap();
    conn.execute_batch("DELETE FROM search").unwrap();
    let differences = device.replica.check().unwrap();
    assert_eq!(differences.iter().filter(|found| found.what.starts_with("search row")).count(), 101);
}

#[test]
fn a_check_ends_at_a_thousand_differences_of_all_its_looks_and_says_that_there_are_more() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(2, 7, "a like");
    device.pull(&server);
    let conn = rusqlite::Connection::open(device.dir.path().join(FILE)).unwrap();
    let add_rows = |from: i64, rows: i64| {
        conn.execute_batch(&format!(
            "WITH RECURSIVE n (id) AS (VALUES ({from}) UNION ALL SELECT id + 1 FROM n LIMIT {rows})
             INSERT INTO search (rowid, title, body, actor, target) SELECT id, '', '', '', '' FROM n"
        ))
        .unwrap();
        device.replica.check().unwrap()
    };
    assert_eq!(add_rows(1_000, 1_000).len(), 1_000, "all of them");
    conn.execute_batch("UPDATE items SET unread = 0").unwrap();
    let differences = add_rows(3_000, 1_000);
    assert!(differences[0].what.starts_with("unread of item"), "{}", differences[0]);
    assert_eq!(differences.len(), 1_001);
    assert_eq!(differences[1_000].what, "further differences than the 1000 that are listed");
}

#[test]
pub(crate) fn what_its_publisher_cleared_while_everything_was_read_keeps_the_time_of_the_clearing() {
    let (mut server, device, [first, second]) = two_unread_likes();
    // The server has cleared both items before it receives the mark on everything, which then moves no view's mark.
    device.clock.advance_micros(1_000);
    server.clear(&first);
    server.clear(&second);
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all.clone(), Mark::Read).unwrap();
    device.flush(&mut server);
    assert_eq!(device.unread(), 0, "nothing turns unread between the answer and the pull");
    assert!(server.marks.is_empty());
    assert_eq!(agreed_unread(&server, &device), 0);
    // With an item that was not cleared, the mark on everything moves the view's mark over all of them.
    device.clock.advance_micros(1_000);
    server.post(2, 7, "third");
    device.pull(&server);
    device.replica.mark(all, Mark::Read).unwrap();
    device.flush(&mut server);
    assert_eq!(server.marks.len(), 1);
    assert_eq!(agreed_unread(&server, &device), 0);
}

#[test]
pub(crate) fn what_was_revised_last_is_read_with_everything_and_what_is_revised_later_is_not() {
    let (mut server, device, [first, second]) = two_unread_likes();
    device.clock.advance_micros(1_000);
    server.edit(&first, "first, revised", 3);
    device.pull(&server);
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    // Revised before the server receives the mark.
    device.clock.advance_micros(1_000);
    server.edit(&second, "second, revised", 3);
    device.flush(&mut server);
    assert_eq!(agreed_unread(&server, &device), 1);
    let first = device.replica.items_by_msgid(None, &[first]).unwrap().remove(0);
    assert!(!first.unread);

    // An item that existed when everything was marked read, but was first pulled after a revision, is unread at once.
    device.clock.advance_micros(1_000);
    let third = server.post(2, 8, "third");
    device.clock.advance_micros(1_000);
    let all = Targets::All { source: None, kind: None, through: Some(device.clock.now()) };
    device.replica.mark(all, Mark::Read).unwrap();
    assert_eq!(device.unread(), 0);
    device.clock.advance_micros(1_000);
    server.edit(&third, "third, revised", 3);
    device.pull(&server);
    assert_eq!(device.unread(), 1);
    device.flush(&mut server);
    assert_eq!(agreed_unread(&server, &device), 1);
}

/// The time from which on the server's next change is.
fn later(device: &Device) {
    device.clock.advance_micros(1_000);
}

#[test]
pub(crate) fn what_is_revised_is_listed_searched_and_summed_up_by_the_time_of_its_revision() {
    let (mut server, device, [first, second]) = two_unread_likes();
    later(&device);
    let since = device.clock.now();
    later(&device);
    let message = server.post(3, 1, "hello");
    later(&device);
    device.pull(&server);
    let listed = |device: &Device| -> Vec<MsgId> {
        let items = device.replica.items(&ItemFilter::default(), 9).unwrap();
        items.into_iter().map(|item| item.notification.msgid).collect()
    };
    assert_eq!(listed(&device), [message.clone(), second.clone(), first.clone()]);
    let between = device.clock.now();
    let summed_up = |device: &Device| -> (u64, Vec<u64>, Vec<ThreadId>) {
        let last_item = device.replica.last_item().unwrap();
        let scope = DigestScope { since, last_item, source: None, thread: None };
        let digest = device.replica.digest(scope, &|since| vec![since, between]).unwrap();
        let lines = digest.sources.iter().flat_map(|source| &source.lines);
        (digest.items, digest.bars.clone(), lines.map(|line| line.thread.id).collect())
    };
    let (likes, talk) = (device.thread_of(&first), device.thread_of(&message));
    assert_eq!(summed_up(&device), (1, vec![1, 0], vec![talk]));
    later(&device);
    server.edit(&first, "first, revised", 3);
    later(&device);
    // A message keeps its place.
    server.edit(&message, "hello again, revised", 3);
    device.pull(&server);
    device.assert_consistent();
    assert_eq!(listed(&device), [first.clone(), message.clone(), second.clone()]);
    let edited = device.replica.items_by_msgid(None, std::slice::from_ref(&message)).unwrap().remove(0);
    assert!(edited.notification.revised_at.is_some());
    assert_eq!(edited.notification.content.body, "hello again, revised");
    let filter = ItemFilter { before: Some(device.clock.now().plus_micros(-1_500)), ..ItemFilter::default() };
    assert_eq!(device.replica.items(&filter, 9).unwrap().len(), 2, "the revision is later");
    let page = device.replica.items_of(likes, &ItemPosition::Newest, 9).unwrap();
    let page: Vec<MsgId> = page.items.into_iter().map(|item| item.notification.msgid).collect();
    assert_eq!(page.last(), Some(&first));
    assert_eq!(device.all(Place::Inbox)[0].id, likes, "its thread is the newest");
    assert_eq!(device.replica.counted_since(since, 9).unwrap(), 2);
    let (items, bars, mut threads) = summed_up(&device);
    threads.sort_unstable();
    let mut both = vec![likes, talk];
    both.sort_unstable();
    assert_eq!((items, bars, threads), (2, vec![1, 1], both), "the revision counts by its own time");
    let found = |filter: SearchFilter| -> Vec<MsgId> {
        let items = device.replica.search(&filter, 9).unwrap();
        items.into_iter().map(|item| item.notification.msgid).collect()
    };
    assert_eq!(found(SearchFilter::words("revised")), [first.clone(), message.clone()]);
    assert_eq!(found(SearchFilter::default()), [first.clone(), message.clone(), second]);
    let lately = SearchFilter { since: Some(between), ..SearchFilter::words("revised") };
    assert_eq!(found(lately), [first]);
}

#[test]
pub(crate) fn what_was_revised_lately_outlives_the_retention_of_its_server() {
    let (mut server, device, [first, second]) = two_unread_likes();
    later(&device);
    let third = server.post(2, 9, "third");
    later(&device);
    server.edit(&first, "first, revised", 3);
    device.pull(&server);
    server.retain_newest(2, false);
    device.pull(&server);
    device.assert_consistent();
    let there =
        |msgid: &MsgId| !device.replica.items_by_msgid(None, std::slice::from_ref(msgid)).unwrap().is_empty();
    assert!(there(&first) && there(&third) && !there(&second));
}

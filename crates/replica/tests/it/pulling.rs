//! Tests of pulls: what they bring, and what they must not overwrite.

use tidings_model::wire::{Change, Count, UnreadCounts};
use tidings_model::{Kind, Mark, View};
use tidings_replica::*;

use crate::device::{Device, server};

#[test]
pub(crate) fn what_is_pulled_can_be_listed_counted_and_found() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 42, "I disagree with the conclusion");
    device.clock.advance_micros(10);
    server.post(1, 42, "So do I");
    server.post(0, 0, "数据库备份完成，用Rust写的");
    server.post(3, 7, "lunch?");
    server.post(4, 7, "yes");
    let applied = device.pull(&server);
    assert_eq!(applied[0].arrived.len(), 5);
    assert_eq!(applied[0].arrived.iter().filter(|a| a.unread).count(), 4);

    let counts = device.replica.counts().unwrap();
    assert_eq!((counts.total, counts.announcement, counts.reminder, counts.message), (4, 1, 2, 1));
    // The announcement has the lowest priority, so it is listed but not counted.
    assert_eq!((counts.badge, counts.places.inbox, counts.places.unread), (3, 3, 3));

    let rows = device.all(Place::Inbox);
    let keys: Vec<&str> = rows.iter().map(|t| t.key.as_str()).collect();
    assert_eq!(keys, ["user:p7", "announcements", "article:42#comment"]);
    let article = &rows[2];
    assert_eq!((article.total, article.unread, article.actor_count), (2, 2, 2));
    assert_eq!(article.actors[0].id, "u2", "the latest first");
    assert_eq!(article.preview.body, "So do I");
    assert_eq!(article.preview.target.as_ref().unwrap().title.as_deref(), Some("Article 42"));
    assert!(rows[0].preview.own);
    assert_eq!(rows[0].actor_count, 1, "the reader is not one of the others");

    for (words, found) in [
        ("disagree", 1),
        ("disag", 1),
        ("DISAGREE concl", 1),
        ("备份", 1),
        ("数据库", 1),
        ("份", 1),
        ("rust", 1),
        ("Rust写", 1),
        ("备库", 0),
        ("article", 2),
        ("user", 2),
        ("\"so do\"", 1),
        ("\"do so\"", 0),
        ("disagree lunch", 0),
        ("\" OR *", 0),
        ("p7", 2),
    ] {
        let items = device.replica.search(&SearchFilter::words(words), 50).unwrap();
        assert_eq!(items.len(), found, "{words}");
    }
    let query = ThreadQuery { filter: SearchFilter::words("do I"), ..ThreadQuery::top(Place::Inbox, 10) };
    assert_eq!(device.replica.threads(&query).unwrap().rows.len(), 1);

    let items =
        device.replica.items(&ItemFilter { kind: Some(Kind::Reminder), ..Default::default() }, 10).unwrap();
    assert_eq!(items[0].notification.content.body, "So do I");
    assert_eq!(items[0].notification.thread, "article:42#comment");
    let filter = ItemFilter { thread: Some("user:p7".into()), unread: true, ..Default::default() };
    assert_eq!(device.replica.items(&filter, 10).unwrap().len(), 1);
    device.assert_consistent();
}

#[test]
pub(crate) fn what_came_after_an_item_is_known_by_its_order() {
    let mut server = server();
    let device = Device::at(&server);
    assert_eq!((device.replica.last_item().unwrap(), device.replica.oldest().unwrap()), (0, None));
    server.post(1, 42, "one");
    device.pull(&server);
    let first = device.replica.last_item().unwrap();
    let oldest = device.replica.oldest().unwrap();
    for text in ["two", "three"] {
        server.post(1, 42, text);
    }
    device.pull(&server);
    let bodies = |after, limit| {
        let items = device.replica.items_after(after, limit).unwrap();
        items.into_iter().map(|item| item.notification.content.body).collect::<Vec<_>>()
    };
    assert_eq!((bodies(0, 10).len(), bodies(first, 10)), (3, vec!["two".to_owned(), "three".to_owned()]));
    assert_eq!(device.replica.oldest().unwrap(), oldest);
    assert_eq!(
        (bodies(first, 1), bodies(device.replica.last_item().unwrap(), 10).len()),
        (vec!["two".to_owned()], 0)
    );
}

#[test]
pub(crate) fn a_page_applied_twice_changes_nothing() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..20 {
        server.post(n % 5, n % 3, "again and again");
    }
    device.pull(&server);
    let before = (device.replica.counts().unwrap(), device.all(Place::Inbox));
    let page = server.sync(None, 100);
    let applied = device.replica.apply(device.source, page.into()).unwrap();
    assert!(applied.arrived.is_empty() && applied.updated.is_empty() && applied.changed.is_empty());
    assert_eq!(before, (device.replica.counts().unwrap(), device.all(Place::Inbox)));
    device.assert_consistent();
}

#[test]
pub(crate) fn the_servers_numbers_stand_until_the_backlog_is_in() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..25 {
        server.post(1, n % 4, "backlog");
    }
    let count = |count| Count { count, capped: false };
    let counts = UnreadCounts { total: count(25), reminder: count(25), ..UnreadCounts::default() };
    device.replica.apply_counts(device.source, &counts).unwrap();
    let shown = device.replica.counts().unwrap();
    assert_eq!((shown.total, shown.reminder, shown.sources[0].provisional), (25, 25, true));
    let page = server.sync(None, 10);
    device.replica.apply(device.source, page.into()).unwrap();
    assert_eq!(device.unread(), 25);
    let first = device.all(Place::Inbox)[0].id;
    let marked = device.replica.mark(Targets::Threads(vec![first]), Mark::Read).unwrap();
    assert_eq!(device.unread(), 25 - marked.items);
    device.pull(&server);
    assert_eq!(device.unread(), 25 - marked.items);
    assert!(!device.replica.counts().unwrap().sources[0].provisional);
    device.replica.apply_counts(device.source, &counts).unwrap();
    assert_eq!(device.unread(), 25 - marked.items, "the replica knows better");
    device.assert_consistent();
}

#[test]
pub(crate) fn a_server_restored_from_a_backup_takes_nothing_away() {
    let mut server = server();
    let device = Device::at(&server);
    let old = server.post(1, 1, "before the backup");
    let chat = server.post(3, 1, "hi");
    let gone = server.post(1, 3, "to be deleted");
    device.pull(&server);
    let mut restored = server.clone();
    restored.epoch = 2;
    server.post(1, 2, "after the backup");
    device.pull(&server);
    device.replica.mark(Targets::MsgIds(vec![old.clone(), chat]), Mark::Read).unwrap();
    device.replica.mark(Targets::MsgIds(vec![gone]), Mark::Delete).unwrap();
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), 1);

    server = restored;
    device.replica.resync(device.source).unwrap();
    device.clock.advance_micros(1_000);
    server.post(1, 2, "in the new history");
    device.pull(&server);
    assert_eq!(device.unread(), 2, "what was read stays read, what the server lost stays");
    device.assert_consistent();
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), 2);
    assert!(server.items[&old].read_at.is_some(), "the server learns of it again");
    device.assert_consistent();
}

#[test]
fn a_change_that_a_restored_server_has_lost_gives_way_even_if_its_stamp_is_given_again() {
    let mut server = server();
    let device = Device::at(&server);
    let id = server.post(0, 1, "as it was");
    device.pull(&server);
    let mut restored = server.clone();
    restored.epoch = 2;
    server.edit(&id, "edited", 3);
    let body = || {
        let items = device.replica.items_by_msgid(None, std::slice::from_ref(&id)).unwrap();
        items.into_iter().map(|item| item.notification.content.body).collect::<String>()
    };
    device.pull(&server);
    assert_eq!(body(), "edited");

    restored.items.get_mut(&id).unwrap().stamp = server.items[&id].stamp;
    device.replica.resync(device.source).unwrap();
    device.pull(&restored);
    assert_eq!(body(), "as it was");
    device.assert_consistent();
}

#[test]
pub(crate) fn every_change_is_told_to_whoever_listens() {
    let mut server = server();
    let device = Device::at(&server);
    let mut events = device.replica.subscribe();
    server.post(1, 1, "hello");
    device.pull(&server);
    let changed = events.try_recv().unwrap();
    assert_eq!((changed.threads.len(), changed.counts.total), (1, 1));
    device.pull(&server);
    assert!(events.try_recv().is_err(), "an empty page is no news");

    device.replica.mark(Targets::All { source: None, kind: None, through: None }, Mark::Read).unwrap();
    assert_eq!(events.try_recv().unwrap().counts.waiting, 1);
    device.flush(&mut server);
    assert_eq!(events.try_recv().unwrap().counts.waiting, 0, "what waits is told as well");
}

#[test]
pub(crate) fn what_was_read_up_to_itself_and_marked_unread_during_a_first_pull_is_unread() {
    let mut server = server();
    let device = Device::at(&server);
    let first = server.post(0, 0, "first");
    server.apply(&Change::Visit { view: View::Announcements, at: None });
    server.post(0, 0, "second");
    // The page ends before the view's mark, and says because of the item where it is.
    let page = server.sync(None, 1);
    assert!(
        page.more
            && page.later_marks[0].stamp > page.next
            && page.items[0].read_at == Some(page.items[0].stamp)
    );
    device.replica.apply(device.source, page.into()).unwrap();
    assert_eq!(device.unread(), 0);
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: vec![first], at: None });
    device.pull(&server);
    assert_eq!(device.unread(), 2);
}

#[test]
pub(crate) fn a_row_has_the_beginning_of_a_long_item_also_after_it_was_revised() {
    let mut server = server();
    let device = Device::at(&server);
    let name = server.post(1, 42, &format!("First {}", "long words ".repeat(1_000)));
    device.pull(&server);
    let preview = || device.all(Place::Inbox).remove(0).preview;
    assert!(preview().body.starts_with("First long words long"));
    assert!(preview().body.chars().count() <= ThreadPreview::SNIPPET_CHARS);
    assert_eq!(preview().target.unwrap().title.as_deref(), Some("Article 42"));
    for body in [format!("Second {}", "long words ".repeat(1_000)), "Third".to_owned()] {
        let mut item = server.items[&name].clone();
        item.content.body.clone_from(&body);
        (item.version, item.stamp) = (item.version + 1, item.stamp.plus_micros(1));
        server.items.insert(name.clone(), item.clone());
        device.replica.apply(device.source, Page { items: vec![item], ..Page::default() }).unwrap();
        let words = body.split(' ').next().unwrap();
        assert!(preview().body.starts_with(words), "{:?}", preview().body);
        assert_eq!(preview().msgid, name.0);
    }
    device.assert_consistent();
}

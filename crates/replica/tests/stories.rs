//! What the replica promises, told as stories.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // also in what the tests share

mod server;

use std::sync::Arc;

use serde_json::json;
use server::{Hand, Server};
use tempfile::TempDir;
use tidings_model::wire::{Count, NewMessage, OpResult, UnreadCounts};
use tidings_model::{Clock, Code, Kind, View};
use tidings_replica::*;

struct Desk {
    dir: TempDir,
    clock: Hand,
    replica: Replica,
    source: SourceId,
    server: Server,
}

impl Desk {
    fn new() -> Self {
        let clock = Hand::new();
        let server = Server::new(clock.clone());
        let (dir, replica, source) = server.inbox();
        Self { dir, clock, replica, source, server }
    }

    fn pull(&self) -> Vec<Applied> {
        let mut all = Vec::new();
        loop {
            let cursor = self.replica.source(self.source).unwrap().cursor;
            let page = self.server.sync(cursor.map(|c| c.parse().unwrap()), 10);
            let more = page.more;
            all.push(self.replica.apply(self.source, page.into()).unwrap());
            if !more {
                return all;
            }
        }
    }

    fn flush(&mut self) {
        while self.server.take(&self.replica, self.source, 1_000) {}
    }

    fn unread(&self) -> u64 {
        self.replica.numbers().unwrap().total
    }

    fn all(&self, place: Place) -> Vec<Thread> {
        let query = ThreadQuery::top(place, 100);
        let page = self.replica.threads(&query).unwrap();
        assert_eq!(page.total, page.rows.len() as u64);
        page.rows
    }

    fn well(&self) {
        let found = self.replica.check().unwrap();
        assert!(found.is_empty(), "{found:#?}");
    }

    fn reopen(&mut self) {
        self.replica = Replica::open(self.dir.path(), Arc::new(self.clock.clone())).unwrap();
    }
}

#[test]
fn what_is_pulled_can_be_listed_counted_and_found() {
    let mut desk = Desk::new();
    desk.server.post(1, 42, "I disagree with the conclusion");
    desk.clock.forward(10);
    desk.server.post(1, 42, "So do I");
    desk.server.post(0, 0, "数据库备份完成，用Rust写的");
    desk.server.post(3, 7, "lunch?");
    desk.server.post(4, 7, "yes");
    let applied = desk.pull();
    assert_eq!(applied[0].arrived.len(), 5);
    assert_eq!(applied[0].arrived.iter().filter(|a| a.unread).count(), 4);

    let numbers = desk.replica.numbers().unwrap();
    assert_eq!((numbers.total, numbers.announcement, numbers.reminder, numbers.message), (4, 1, 2, 1));
    // The announcement is of the lowest priority: listed, not counted.
    assert_eq!((numbers.badge, numbers.places.inbox, numbers.places.unread), (3, 3, 3));

    let rows = desk.all(Place::Inbox);
    let keys: Vec<&str> = rows.iter().map(|t| t.key.as_str()).collect();
    assert_eq!(keys, ["user:p7", "announcements", "article:42#comment"]);
    let article = &rows[2];
    assert_eq!((article.total, article.unread, article.actor_count), (2, 2, 2));
    assert_eq!(article.actors[0].id, "u2", "the latest first");
    assert_eq!(article.last.body, "So do I");
    assert_eq!(article.last.target.as_ref().unwrap().title.as_deref(), Some("Article 42"));
    assert!(rows[0].last.own);
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
        let items = desk.replica.search(&Find::words(words), 50).unwrap();
        assert_eq!(items.len(), found, "{words}");
    }
    let query = ThreadQuery { find: Find::words("do I"), ..ThreadQuery::top(Place::Inbox, 10) };
    assert_eq!(desk.replica.threads(&query).unwrap().rows.len(), 1);

    let items =
        desk.replica.items(&ItemFilter { kind: Some(Kind::Reminder), ..Default::default() }, 10).unwrap();
    assert_eq!(items[0].notification.body, "So do I");
    assert_eq!(items[0].notification.thread, "article:42#comment");
    let filter = ItemFilter { thread: Some("user:p7".into()), unread: true, ..Default::default() };
    assert_eq!(desk.replica.items(&filter, 10).unwrap().len(), 1);
    desk.well();
}

#[test]
fn a_page_applied_twice_changes_nothing() {
    let mut desk = Desk::new();
    for n in 0..20 {
        desk.server.post(n % 5, n % 3, "again and again");
    }
    desk.pull();
    let before = (desk.replica.numbers().unwrap(), desk.all(Place::Inbox));
    let page = desk.server.sync(None, 100);
    let applied = desk.replica.apply(desk.source, page.into()).unwrap();
    assert!(applied.arrived.is_empty() && applied.renewed.is_empty() && applied.changed.is_empty());
    assert_eq!(before, (desk.replica.numbers().unwrap(), desk.all(Place::Inbox)));
    desk.well();
}

#[test]
fn to_have_looked_at_a_list_is_no_mark_that_waits() {
    let mut desk = Desk::new();
    desk.server.post(1, 1, "first");
    desk.pull();
    let thread = desk.all(Place::Unread)[0].id;
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Seen).unwrap();
    let first = &desk.all(Place::Inbox)[0];
    assert_eq!((first.unseen, first.pending), (0, false));
    assert_eq!(desk.replica.numbers().unwrap().waiting, 0);
    assert_eq!(desk.replica.pending(desk.source, 10).unwrap().len(), 1, "the server is told all the same");
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    assert!(desk.all(Place::Inbox)[0].pending);
    assert_eq!(desk.replica.numbers().unwrap().waiting, 1);
}

#[test]
fn a_local_mark_wins_until_the_server_has_taken_it() {
    let mut desk = Desk::new();
    let id = desk.server.post(1, 1, "first");
    desk.pull();
    let thread = desk.all(Place::Unread)[0].id;
    let marked = desk.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    assert_eq!((marked.items, desk.unread()), (1, 0));
    assert!(desk.all(Place::Inbox)[0].pending);

    // The server changes the item meanwhile and does not know of the mark yet.
    desk.server.items.get_mut(&id).unwrap().body = "first, edited".into();
    desk.server.apply(&tidings_model::wire::Change::Seen { msgids: vec![id.clone()] });
    desk.pull();
    assert_eq!(desk.unread(), 0, "the local mark wins");
    let item = desk.replica.items_by_msgid(None, &[id]).unwrap().remove(0);
    assert_eq!(item.notification.body, "first, edited");
    assert!(item.pending && item.notification.read_at.is_some() && item.notification.seen_at.is_some());
    desk.well();

    desk.reopen();
    assert_eq!(desk.replica.numbers().unwrap().waiting, 1);
    desk.flush();
    desk.pull();
    assert_eq!((desk.unread(), desk.replica.numbers().unwrap().waiting), (0, 0));
    assert!(!desk.all(Place::Inbox)[0].pending);
    desk.well();
}

#[test]
fn a_refused_mark_gives_way_to_what_the_server_says() {
    let mut desk = Desk::new();
    let id = desk.server.post(1, 1, "first");
    desk.pull();
    desk.replica.mark(Targets::MsgIds(vec![id.clone()]), Mark::Archive).unwrap();
    desk.replica.mark(Targets::MsgIds(vec![id.clone()]), Mark::Delete).unwrap();
    assert_eq!(desk.unread(), 0);
    let ops = desk.replica.pending(desk.source, 10).unwrap();
    let refused: Vec<OpResult> =
        ops.iter().map(|op| OpResult { id: op.id.clone(), ok: false, code: Some(Code::Invalid) }).collect();
    desk.replica.acknowledge(desk.source, &refused).unwrap();
    assert_eq!(desk.unread(), 1);
    assert_eq!(desk.all(Place::Inbox).len(), 1);
    desk.well();
}

#[test]
fn looking_at_a_conversation_reads_what_it_holds_and_a_mark_moves_back_again() {
    let mut desk = Desk::new();
    for _ in 0..3 {
        desk.server.post(3, 1, "hello");
        desk.clock.forward(5);
    }
    desk.pull();
    let view: View = "conversation/user:p1".parse().unwrap();
    desk.replica.visit(desk.source, &view, None).unwrap();
    assert_eq!(desk.unread(), 0);
    let thread = desk.all(Place::Inbox)[0].id;
    let items = desk.replica.items_of(thread, None, 10).unwrap().items;
    desk.replica.mark(Targets::Items(vec![items[1].id]), Mark::Unread).unwrap();
    assert_eq!(desk.unread(), 2, "the item and what came after it");
    desk.flush();
    desk.pull();
    assert_eq!(desk.unread(), 2);
    desk.well();

    // Another device reads up to the end.
    desk.server.apply(&tidings_model::wire::Change::Visit { view, at: None });
    desk.pull();
    assert_eq!(desk.unread(), 0);
    desk.well();
}

#[test]
fn what_sleeps_leaves_the_inbox_and_wakes_at_its_time() {
    let mut desk = Desk::new();
    desk.server.post(1, 1, "later");
    desk.pull();
    let thread = desk.all(Place::Inbox)[0].id;
    let until = desk.clock.now().plus_secs(60);
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
    assert_eq!((desk.unread(), desk.all(Place::Inbox).len()), (0, 0));
    assert_eq!(desk.all(Place::Snoozed)[0].snoozed_until, Some(until));
    assert_eq!(desk.replica.next_wake().unwrap(), Some(until));
    desk.clock.forward(61_000_000);
    let changed = desk.replica.wake(desk.clock.now()).unwrap();
    assert_eq!((changed.threads.as_slice(), changed.numbers.total), ([thread].as_slice(), 1));
    assert_eq!(desk.replica.next_wake().unwrap(), None);
    desk.well();

    // A thread that sleeps comes back whole when something new arrives in it.
    let until = desk.clock.now().plus_secs(60);
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
    desk.server.post(1, 1, "news");
    desk.pull();
    assert_eq!((desk.unread(), desk.all(Place::Inbox).len()), (2, 1));
    desk.well();
}

#[test]
fn everything_can_be_taken_back() {
    let mut desk = Desk::new();
    for n in 0..12 {
        desk.server.post(n % 5, n % 2, "undo");
        desk.clock.forward(3);
    }
    desk.pull();
    let before = (desk.unread(), desk.replica.numbers().unwrap().places);
    let threads: Vec<ThreadId> = desk.all(Place::Inbox).iter().map(|t| t.id).collect();
    let until = desk.clock.now().plus_secs(600);
    for mark in [Mark::Read, Mark::Archive, Mark::Snooze { until }, Mark::Delete, Mark::Pin, Mark::Mute] {
        let marked = desk.replica.mark(Targets::Threads(threads.clone()), mark).unwrap();
        assert!(!marked.changed.is_empty(), "{mark:?}");
        desk.well();
        desk.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(before, (desk.unread(), desk.replica.numbers().unwrap().places), "{mark:?}");
        desk.well();
    }
    let shown = desk.replica.mark(Targets::Threads(threads), Mark::Seen).unwrap();
    assert!(shown.items > 0 && shown.undo.is_none(), "what was shown was shown");
    desk.well();
    let marked = desk.replica.mark(Targets::Place(Place::Inbox), Mark::Read).unwrap();
    assert_eq!(desk.unread(), 0);
    desk.replica.undo(&marked.undo.unwrap()).unwrap();
    assert_eq!(desk.unread(), before.0);
    desk.flush();
    desk.pull();
    assert_eq!(desk.unread(), before.0);
    desk.well();
}

#[test]
fn what_the_server_knows_already_can_be_taken_back_too() {
    let mut desk = Desk::new();
    desk.server.post(1, 1, "undo");
    desk.pull();
    let threads: Vec<ThreadId> = desk.all(Place::Inbox).iter().map(|t| t.id).collect();
    for mark in [Mark::Read, Mark::Archive] {
        let marked = desk.replica.mark(Targets::Threads(threads.clone()), mark).unwrap();
        // The server keeps a time of its own for it.
        desk.clock.forward(5_000_000);
        desk.flush();
        desk.pull();
        let done = |desk: &Desk| (desk.unread(), desk.all(Place::Inbox).len());
        assert_ne!(done(&desk), (1, 1), "{mark:?}");
        desk.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(done(&desk), (1, 1), "{mark:?}");
        desk.flush();
        desk.pull();
        assert_eq!(done(&desk), (1, 1), "{mark:?}");
        desk.well();
    }
}

#[test]
fn a_muted_thread_counts_but_stays_off_the_badge() {
    let mut desk = Desk::new();
    desk.server.post(1, 1, "noise");
    desk.server.post(1, 2, "signal");
    desk.pull();
    let noisy = desk.replica.thread_by_key(desk.source, "article:1#comment").unwrap().unwrap().id;
    desk.replica.mark(Targets::Threads(vec![noisy]), Mark::Mute).unwrap();
    let numbers = desk.replica.numbers().unwrap();
    assert_eq!((numbers.total, numbers.badge), (2, 1));
    desk.server.post(1, 1, "more noise");
    let applied = desk.pull().remove(0);
    assert_eq!(applied.arrived[0].telling.tell, Some(Tell::Nothing));
    assert_eq!(applied.changed.numbers.badge, 1);
    desk.well();
}

#[test]
fn the_servers_numbers_stand_until_the_backlog_is_in() {
    let mut desk = Desk::new();
    for n in 0..25 {
        desk.server.post(1, n % 4, "backlog");
    }
    let count = |count| Count { count, capped: false };
    let counts = UnreadCounts { total: count(25), reminder: count(25), ..UnreadCounts::default() };
    desk.replica.apply_counts(desk.source, &counts).unwrap();
    let numbers = desk.replica.numbers().unwrap();
    assert_eq!((numbers.total, numbers.reminder, numbers.sources[0].provisional), (25, 25, true));
    let page = desk.server.sync(None, 10);
    desk.replica.apply(desk.source, page.into()).unwrap();
    assert_eq!(desk.unread(), 25);
    let first = desk.all(Place::Inbox)[0].id;
    let marked = desk.replica.mark(Targets::Threads(vec![first]), Mark::Read).unwrap();
    assert_eq!(desk.unread(), 25 - marked.items);
    desk.pull();
    assert_eq!(desk.unread(), 25 - marked.items);
    assert!(!desk.replica.numbers().unwrap().sources[0].provisional);
    desk.replica.apply_counts(desk.source, &counts).unwrap();
    assert_eq!(desk.unread(), 25 - marked.items, "the replica knows better");
    desk.well();
}

#[test]
fn a_server_restored_from_a_backup_takes_nothing_away() {
    let mut desk = Desk::new();
    let old = desk.server.post(1, 1, "before the backup");
    let chat = desk.server.post(3, 1, "hi");
    let gone = desk.server.post(1, 3, "to be deleted");
    desk.pull();
    let mut restored = desk.server.clone();
    restored.epoch = 2;
    desk.server.post(1, 2, "after the backup");
    desk.pull();
    desk.replica.mark(Targets::MsgIds(vec![old.clone(), chat]), Mark::Read).unwrap();
    desk.replica.mark(Targets::MsgIds(vec![gone]), Mark::Delete).unwrap();
    desk.flush();
    desk.pull();
    assert_eq!(desk.unread(), 1);

    desk.server = restored;
    desk.replica.resync(desk.source).unwrap();
    desk.clock.forward(1_000);
    desk.server.post(1, 2, "in the new history");
    desk.pull();
    assert_eq!(desk.unread(), 2, "what was read stays read, what the server lost stays");
    desk.well();
    desk.flush();
    desk.pull();
    assert_eq!(desk.unread(), 2);
    assert!(desk.server.items[&old].read_at.is_some(), "the server learns of it again");
    desk.well();
}

#[test]
fn sources_come_and_go() {
    let mut desk = Desk::new();
    desk.server.post(1, 1, "hello");
    desk.pull();
    let new = NewSource {
        name: "home".into(),
        protocol: "ntfy".into(),
        url: "https://ntfy.example.org/x".into(),
        user: None,
        own: false,
    };
    assert!(matches!(desk.replica.add_source(new.clone()), Err(Error::NameTaken(_))));
    let second = desk.replica.add_source(NewSource { name: "work".into(), ..new }).unwrap();
    desk.replica
        .change_source(
            second,
            SourceChange { paused: Some(true), name: Some("Work".into()), ..Default::default() },
        )
        .unwrap();
    assert!(desk.replica.source(second).unwrap().paused);
    desk.replica.remove_source(second, false).unwrap();
    desk.replica.remove_source(desk.source, true).unwrap();
    assert_eq!((desk.unread(), desk.replica.sources().unwrap()[0].protocol.as_str()), (1, "kept"));
    desk.well();
    desk.replica.remove_source(desk.source, false).unwrap();
    assert_eq!((desk.unread(), desk.replica.sources().unwrap().len()), (0, 0));
    desk.well();
}

#[test]
fn messages_wait_in_the_outbox_and_settings_are_kept() {
    let mut desk = Desk::new();
    desk.server.post(3, 1, "hi");
    desk.pull();
    let message: NewMessage = serde_json::from_value(json!({"to": "p1", "body": "hello"})).unwrap();
    let id = desk.replica.write_message(desk.source, "user:p1", message).unwrap();
    assert!(desk.all(Place::Inbox)[0].pending);
    desk.replica.message_refused(&id, "no such user").unwrap();
    assert_eq!(desk.replica.outgoing(desk.source).unwrap()[0].refused.as_deref(), Some("no such user"));
    assert_eq!(desk.replica.numbers().unwrap().waiting, 0);
    desk.replica.message_again(&id).unwrap();
    assert_eq!(desk.replica.numbers().unwrap().waiting, 1);
    desk.replica.message_done(&id).unwrap();
    assert!(desk.replica.outgoing(desk.source).unwrap().is_empty());

    desk.replica.set_setting("theme", &json!("dark")).unwrap();
    desk.reopen();
    assert_eq!(desk.replica.setting("theme").unwrap(), Some(json!("dark")));
    desk.replica.set_setting("theme", &json!(null)).unwrap();
    assert!(desk.replica.settings().unwrap().is_empty());
    desk.well();
}

#[test]
fn every_change_is_told_to_whoever_listens() {
    let mut desk = Desk::new();
    let mut hears = desk.replica.subscribe();
    desk.server.post(1, 1, "hello");
    desk.pull();
    let changed = hears.try_recv().unwrap();
    assert_eq!((changed.threads.len(), changed.numbers.total), (1, 1));
    desk.pull();
    assert!(hears.try_recv().is_err(), "an empty page is no news");

    desk.replica.mark(Targets::All { source: None, kind: None, through: None }, Mark::Read).unwrap();
    assert_eq!(hears.try_recv().unwrap().numbers.waiting, 1);
    desk.flush();
    assert_eq!(hears.try_recv().unwrap().numbers.waiting, 0, "what waits is told as well");
}

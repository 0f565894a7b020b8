//! Tests of marks on items and threads, until the server has received them, and of undo.

use tidings_model::wire::{Change, OpResult};
use tidings_model::{Clock, Code, Mark, View};
use tidings_replica::*;

use crate::desk::{Desk, server};

#[test]
pub(crate) fn to_have_looked_at_a_list_is_no_mark_that_waits() {
    let mut server = server();
    let desk = Desk::at(&server);
    server.post(1, 1, "first");
    desk.pull(&server);
    let thread = desk.all(Place::Unread)[0].id;
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Seen).unwrap();
    let first = &desk.all(Place::Inbox)[0];
    assert_eq!((first.unseen, first.pending), (0, false));
    assert_eq!(desk.replica.counts().unwrap().waiting, 0);
    assert_eq!(desk.replica.pending(desk.source, 10).unwrap().len(), 1, "the server is told all the same");
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    assert!(desk.all(Place::Inbox)[0].pending);
    assert_eq!(desk.replica.counts().unwrap().waiting, 1);
}

#[test]
pub(crate) fn a_local_mark_wins_until_the_server_has_taken_it() {
    let mut server = server();
    let mut desk = Desk::at(&server);
    let id = server.post(1, 1, "first");
    desk.pull(&server);
    let thread = desk.all(Place::Unread)[0].id;
    let marked = desk.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    assert_eq!((marked.items, desk.unread()), (1, 0));
    assert!(desk.all(Place::Inbox)[0].pending);

    // Meanwhile the item changes at the server, which has not received the mark yet.
    server.items.get_mut(&id).unwrap().content.body = "first, edited".into();
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![id.clone()] });
    desk.pull(&server);
    assert_eq!(desk.unread(), 0, "the local mark wins");
    let item = desk.replica.items_by_msgid(None, &[id]).unwrap().remove(0);
    assert_eq!(item.notification.content.body, "first, edited");
    assert!(item.pending && item.notification.read_at.is_some() && item.notification.seen_at.is_some());
    desk.well();

    desk.reopen();
    assert_eq!(desk.replica.counts().unwrap().waiting, 1);
    desk.flush(&mut server);
    desk.pull(&server);
    assert_eq!((desk.unread(), desk.replica.counts().unwrap().waiting), (0, 0));
    assert!(!desk.all(Place::Inbox)[0].pending);
    desk.well();
}

#[test]
pub(crate) fn a_refused_mark_gives_way_to_what_the_server_says() {
    let mut server = server();
    let desk = Desk::at(&server);
    let id = server.post(1, 1, "first");
    desk.pull(&server);
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
pub(crate) fn looking_at_a_conversation_reads_what_it_holds_and_a_mark_moves_back_again() {
    let mut server = server();
    let desk = Desk::at(&server);
    for _ in 0..3 {
        server.post(3, 1, "hello");
        desk.clock.advance_micros(5);
    }
    desk.pull(&server);
    let view: View = "conversation/user:p1".parse().unwrap();
    desk.replica.visit(desk.source, &view, None).unwrap();
    assert_eq!(desk.unread(), 0);
    let thread = desk.all(Place::Inbox)[0].id;
    let items = desk.replica.items_of(thread, None, 10).unwrap().items;
    desk.replica.mark(Targets::Items(vec![items[1].id]), Mark::Unread).unwrap();
    assert_eq!(desk.unread(), 2, "the item and what came after it");
    desk.flush(&mut server);
    desk.pull(&server);
    assert_eq!(desk.unread(), 2);
    desk.well();

    // Another device reads the view up to its end.
    server.apply(&Change::Visit { view, at: None });
    desk.pull(&server);
    assert_eq!(desk.unread(), 0);
    desk.well();
}

#[test]
pub(crate) fn what_sleeps_leaves_the_inbox_and_wakes_at_its_time() {
    let mut server = server();
    let desk = Desk::at(&server);
    server.post(1, 1, "later");
    desk.pull(&server);
    let thread = desk.all(Place::Inbox)[0].id;
    let until = desk.clock.now().plus_secs(60);
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
    assert_eq!((desk.unread(), desk.all(Place::Inbox).len()), (0, 0));
    assert_eq!(desk.all(Place::Snoozed)[0].snoozed_until, Some(until));
    assert_eq!(desk.replica.next_wake().unwrap(), Some(until));
    desk.clock.advance_micros(61_000_000);
    let changed = desk.replica.wake(desk.clock.now()).unwrap();
    assert_eq!((changed.threads.as_slice(), changed.counts.total), ([thread].as_slice(), 1));
    assert_eq!(desk.replica.next_wake().unwrap(), None);
    desk.well();

    // A snoozed thread wakes as a whole when a new item arrives in it.
    let until = desk.clock.now().plus_secs(60);
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
    server.post(1, 1, "news");
    desk.pull(&server);
    assert_eq!((desk.unread(), desk.all(Place::Inbox).len()), (2, 1));
    desk.well();
}

#[test]
pub(crate) fn everything_can_be_taken_back() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..12 {
        server.post(n % 5, n % 2, "undo");
        desk.clock.advance_micros(3);
    }
    desk.pull(&server);
    let before = (desk.unread(), desk.replica.counts().unwrap().places);
    let threads: Vec<ThreadId> = desk.all(Place::Inbox).iter().map(|t| t.id).collect();
    let until = desk.clock.now().plus_secs(600);
    for mark in [Mark::Read, Mark::Archive, Mark::Snooze { until }, Mark::Delete, Mark::Pin, Mark::Mute] {
        let marked = desk.replica.mark(Targets::Threads(threads.clone()), mark).unwrap();
        assert!(!marked.changed.is_empty(), "{mark:?}");
        desk.well();
        desk.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(before, (desk.unread(), desk.replica.counts().unwrap().places), "{mark:?}");
        desk.well();
    }
    let shown = desk.replica.mark(Targets::Threads(threads), Mark::Seen).unwrap();
    assert!(shown.items > 0 && shown.undo.is_none(), "what was shown was shown");
    desk.well();
    let marked = desk.replica.mark(Targets::Place(Place::Inbox), Mark::Read).unwrap();
    assert_eq!(desk.unread(), 0);
    desk.replica.undo(&marked.undo.unwrap()).unwrap();
    assert_eq!(desk.unread(), before.0);
    desk.flush(&mut server);
    desk.pull(&server);
    assert_eq!(desk.unread(), before.0);
    desk.well();
}

#[test]
pub(crate) fn what_the_server_knows_already_can_be_taken_back_too() {
    let mut server = server();
    let desk = Desk::at(&server);
    server.post(1, 1, "undo");
    desk.pull(&server);
    let threads: Vec<ThreadId> = desk.all(Place::Inbox).iter().map(|t| t.id).collect();
    for mark in [Mark::Read, Mark::Archive] {
        let marked = desk.replica.mark(Targets::Threads(threads.clone()), mark).unwrap();
        // The server records the mark with a later time of its own.
        desk.clock.advance_micros(5_000_000);
        desk.flush(&mut server);
        desk.pull(&server);
        let done = |desk: &Desk| (desk.unread(), desk.all(Place::Inbox).len());
        assert_ne!(done(&desk), (1, 1), "{mark:?}");
        desk.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(done(&desk), (1, 1), "{mark:?}");
        desk.flush(&mut server);
        desk.pull(&server);
        assert_eq!(done(&desk), (1, 1), "{mark:?}");
        desk.well();
    }
}

#[test]
pub(crate) fn a_muted_thread_counts_but_stays_off_the_badge() {
    let mut server = server();
    let desk = Desk::at(&server);
    server.post(1, 1, "noise");
    server.post(1, 2, "signal");
    desk.pull(&server);
    let noisy = desk.replica.thread_by_key(desk.source, "article:1#comment").unwrap().unwrap().id;
    desk.replica.mark(Targets::Threads(vec![noisy]), Mark::Mute).unwrap();
    let counts = desk.replica.counts().unwrap();
    assert_eq!((counts.total, counts.badge), (2, 1));
    server.post(1, 1, "more noise");
    let applied = desk.pull(&server).remove(0);
    assert_eq!(applied.arrived[0].notify.level, Some(NotifyLevel::Nothing));
    assert_eq!(applied.changed.counts.badge, 1);
    desk.well();
}

//! Tests of marks on items and threads, until the server has received them, and of undo.

use tidings_model::wire::{Change, OpResult};
use tidings_model::{Clock, Code, Mark, View};
use tidings_replica::*;

use crate::device::{Device, server};

#[test]
pub(crate) fn to_have_looked_at_a_list_is_no_mark_that_waits() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 1, "first");
    device.pull(&server);
    let thread = device.all(Place::Unread)[0].id;
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Seen).unwrap();
    let first = &device.all(Place::Inbox)[0];
    assert_eq!((first.unseen, first.pending), (0, false));
    assert_eq!(device.replica.counts().unwrap().waiting, 0);
    assert_eq!(
        device.replica.pending(device.source, 10).unwrap().len(),
        1,
        "the server is told all the same"
    );
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    assert!(device.all(Place::Inbox)[0].pending);
    assert_eq!(device.replica.counts().unwrap().waiting, 1);
}

#[test]
pub(crate) fn a_local_mark_wins_until_the_server_has_taken_it() {
    let mut server = server();
    let mut device = Device::at(&server);
    let id = server.post(1, 1, "first");
    device.pull(&server);
    let thread = device.all(Place::Unread)[0].id;
    let marked = device.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    assert_eq!((marked.items, device.unread()), (1, 0));
    assert!(device.all(Place::Inbox)[0].pending);

    // Meanwhile the item changes at the server, which has not received the mark yet.
    server.items.get_mut(&id).unwrap().content.body = "first, edited".into();
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![id.clone()], at: None });
    device.pull(&server);
    assert_eq!(device.unread(), 0, "the local mark wins");
    let item = device.replica.items_by_msgid(None, &[id]).unwrap().remove(0);
    assert_eq!(item.notification.content.body, "first, edited");
    assert!(item.pending && item.notification.read_at.is_some() && item.notification.seen_at.is_some());
    device.assert_consistent();

    device.reopen();
    assert_eq!(device.replica.counts().unwrap().waiting, 1);
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!((device.unread(), device.replica.counts().unwrap().waiting), (0, 0));
    assert!(!device.all(Place::Inbox)[0].pending);
    device.assert_consistent();
}

#[test]
pub(crate) fn a_refused_mark_gives_way_to_what_the_server_says() {
    let mut server = server();
    let device = Device::at(&server);
    let id = server.post(1, 1, "first");
    device.pull(&server);
    device.replica.mark(Targets::MsgIds(vec![id.clone()]), Mark::Archive).unwrap();
    device.replica.mark(Targets::MsgIds(vec![id.clone()]), Mark::Delete).unwrap();
    assert_eq!(device.unread(), 0);
    let ops = device.replica.pending(device.source, 10).unwrap();
    let refused: Vec<OpResult> =
        ops.iter().map(|op| OpResult { id: op.id.clone(), ok: false, code: Some(Code::Invalid) }).collect();
    device.replica.acknowledge(device.source, &refused).unwrap();
    assert_eq!(device.unread(), 1);
    assert_eq!(device.all(Place::Inbox).len(), 1);
    device.assert_consistent();
}

#[test]
pub(crate) fn looking_at_a_conversation_reads_what_it_holds_and_a_mark_moves_back_again() {
    let mut server = server();
    let device = Device::at(&server);
    for _ in 0..3 {
        server.post(3, 1, "hello");
        device.clock.advance_micros(5);
    }
    device.pull(&server);
    let view: View = "conversation/user:p1".parse().unwrap();
    device.replica.visit(device.source, &view, None).unwrap();
    assert_eq!(device.unread(), 0);
    let thread = device.all(Place::Inbox)[0].id;
    let items = device.replica.items_of(thread, &ItemPosition::Newest, 10).unwrap().items;
    device.replica.mark(Targets::Items(vec![items[1].id]), Mark::Unread).unwrap();
    assert_eq!(device.unread(), 2, "the item and what came after it");
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), 2);
    device.assert_consistent();

    // Another device reads the view up to its end.
    server.apply(&Change::Visit { view, at: None });
    device.pull(&server);
    assert_eq!(device.unread(), 0);
    device.assert_consistent();
}

#[test]
pub(crate) fn what_sleeps_leaves_the_inbox_and_wakes_at_its_time() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 1, "later");
    device.pull(&server);
    let thread = device.all(Place::Inbox)[0].id;
    let until = device.clock.now().plus_secs(60);
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
    assert_eq!((device.unread(), device.all(Place::Inbox).len()), (0, 0));
    assert_eq!(device.all(Place::Snoozed)[0].snoozed_until, Some(until));
    assert_eq!(device.replica.next_wake().unwrap(), Some(until));
    device.clock.advance_micros(61_000_000);
    let changed = device.replica.wake(device.clock.now()).unwrap();
    assert_eq!((changed.threads.as_slice(), changed.counts.total), ([thread].as_slice(), 1));
    assert_eq!(device.replica.next_wake().unwrap(), None);
    device.assert_consistent();

    // A snoozed thread wakes as a whole when a new item arrives in it.
    let until = device.clock.now().plus_secs(60);
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
    server.post(1, 1, "news");
    device.pull(&server);
    assert_eq!((device.unread(), device.all(Place::Inbox).len()), (2, 1));
    device.assert_consistent();
}

#[test]
pub(crate) fn everything_can_be_taken_back() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..12 {
        server.post(n % 5, n % 2, "undo");
        device.clock.advance_micros(3);
    }
    device.pull(&server);
    let before = (device.unread(), device.replica.counts().unwrap().places);
    let threads: Vec<ThreadId> = device.all(Place::Inbox).iter().map(|t| t.id).collect();
    let until = device.clock.now().plus_secs(600);
    for mark in [
        Mark::Read,
        Mark::Archive,
        Mark::Snooze { until },
        Mark::Delete,
        Mark::Pin,
        Mark::Mute { until: None },
    ] {
        let marked = device.replica.mark(Targets::Threads(threads.clone()), mark).unwrap();
        assert!(!marked.changed.is_empty(), "{mark:?}");
        device.assert_consistent();
        device.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(before, (device.unread(), device.replica.counts().unwrap().places), "{mark:?}");
        device.assert_consistent();
    }
    let shown = device.replica.mark(Targets::Threads(threads), Mark::Seen).unwrap();
    assert!(shown.items > 0 && shown.undo.is_none(), "what was shown was shown");
    device.assert_consistent();
    let everything = Targets::All { source: None, kind: None, through: None };
    let marked = device.replica.mark(everything, Mark::Read).unwrap();
    assert_eq!(device.unread(), 0);
    device.replica.undo(&marked.undo.unwrap()).unwrap();
    assert_eq!(device.unread(), before.0);
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), before.0);
    device.assert_consistent();
}

#[test]
pub(crate) fn what_the_server_knows_already_can_be_taken_back_too() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 1, "undo");
    device.pull(&server);
    let threads: Vec<ThreadId> = device.all(Place::Inbox).iter().map(|t| t.id).collect();
    for mark in [Mark::Read, Mark::Archive] {
        let marked = device.replica.mark(Targets::Threads(threads.clone()), mark).unwrap();
        // The server records the mark with a later time of its own.
        device.clock.advance_micros(5_000_000);
        device.flush(&mut server);
        device.pull(&server);
        let done = |device: &Device| (device.unread(), device.all(Place::Inbox).len());
        assert_ne!(done(&device), (1, 1), "{mark:?}");
        device.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(done(&device), (1, 1), "{mark:?}");
        device.flush(&mut server);
        device.pull(&server);
        assert_eq!(done(&device), (1, 1), "{mark:?}");
        device.assert_consistent();
    }
}

#[test]
pub(crate) fn a_muted_thread_counts_but_stays_off_the_badge() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 1, "noise");
    server.post(1, 2, "signal");
    device.pull(&server);
    let noisy = device.replica.thread_by_key(device.source, "article:1#comment").unwrap().unwrap().id;
    device.replica.mark(Targets::Threads(vec![noisy]), Mark::Mute { until: None }).unwrap();
    let counts = device.replica.counts().unwrap();
    assert_eq!((counts.total, counts.badge), (2, 1));
    server.post(1, 1, "more noise");
    let applied = device.pull(&server).remove(0);
    assert_eq!(applied.arrived[0].notify.level, Some(NotifyLevel::Nothing));
    assert_eq!(applied.changed.counts.badge, 1);
    device.assert_consistent();
}

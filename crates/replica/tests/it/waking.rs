//! Tests of snoozed items: they come back at their time, or early as a new item arrives in their thread.

use tidings_model::wire::Change;
use tidings_model::{Clock, Mark};
use tidings_replica::*;

use crate::device::{Device, server};

#[test]
pub(crate) fn a_snoozed_thread_wakes_early_when_something_new_arrives() {
    let mut server = server();
    let (device, phone) = (Device::at(&server), Device::at(&server));
    let first = server.post(1, 42, "I disagree");
    server.post(1, 42, "So do I");
    for device in [&device, &phone] {
        device.pull(&server);
    }
    let thread = device.thread_of(&first);
    device.snooze(thread);
    device.flush(&mut server);
    phone.pull(&server);
    device.pull(&server);
    assert_eq!((device.unread(), phone.place(phone.thread_of(&first))), (0, "asleep"));

    server.post(1, 42, "Why?");
    let applied = device.pull(&server);
    assert_eq!((device.place(thread), device.unread()), ("inbox", 3), "also what slept with it");
    assert_eq!(device.replica.next_wake().unwrap(), None);
    assert_eq!((applied[0].arrived.len(), applied[0].changed.threads.as_slice()), (1, [thread].as_slice()));

    // The other device learns of the wake from the server, with its own early wake switched off.
    phone.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    device.flush(&mut server);
    phone.pull(&server);
    assert_eq!((phone.place(phone.thread_of(&first)), phone.unread()), ("inbox", 3));
    device.pull(&server);
    assert_eq!((device.place(thread), device.unread()), ("inbox", 3));
}

#[test]
pub(crate) fn what_was_there_before_the_sleep_and_what_is_own_or_read_wakes_nobody() {
    let mut server = server();
    let (device, phone) = (Device::at(&server), Device::at(&server));
    let first = server.post(3, 7, "lunch?");
    let second = server.post(3, 7, "at noon?");
    phone.pull(&server);
    phone
        .replica
        .mark(Targets::MsgIds(vec![first.clone()]), Mark::Snooze { until: phone.clock.now().plus_secs(99) })
        .unwrap();
    phone.flush(&mut server);
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![second.clone()], at: None });
    // The first pull brings an item of the same thread that changed after the snooze.
    device.pull(&server);
    let asleep = |device: &Device| device.replica.next_wake().unwrap().is_some();
    assert!(asleep(&device));

    server.post(4, 7, "I wrote this on the phone");
    device.pull(&server);
    assert!(asleep(&device), "the user's own words are no news");

    let read = server.post(3, 7, "never mind");
    server.apply(&Change::Mark { mark: Mark::Archive, msgids: vec![read], at: None });
    device.pull(&server);
    assert!(asleep(&device), "nor is what was dealt with elsewhere");
    assert_eq!(device.replica.counts().unwrap().waiting, 0);

    server.post(3, 7, "dinner?");
    device.pull(&server);
    assert!(!asleep(&device));
}

#[test]
pub(crate) fn with_the_switch_off_sleepers_sleep_until_their_time() {
    let mut server = server();
    let device = Device::at(&server);
    let first = server.post(1, 42, "later");
    device.pull(&server);
    let thread = device.thread_of(&first);
    device.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    device.snooze(thread);
    server.post(1, 42, "news");
    device.pull(&server);
    assert_eq!((device.unread(), device.replica.next_wake().unwrap().is_some()), (1, true));
    device.replica.set_setting(EARLY_WAKE, &true.into()).unwrap();
    server.post(1, 42, "more news");
    device.pull(&server);
    assert_eq!((device.unread(), device.replica.next_wake().unwrap()), (3, None));
}

#[test]
pub(crate) fn a_page_that_comes_twice_wakes_what_was_put_to_sleep_again_only_once() {
    let mut server = server();
    let device = Device::at(&server);
    let first = server.post(1, 42, "one");
    device.pull(&server);
    let thread = device.thread_of(&first);
    device.snooze(thread);
    server.post(1, 42, "two");
    let page = server.sync(None, 100);
    device.pull(&server);
    assert_eq!(device.place(thread), "inbox");
    device.snooze(thread);
    device.replica.apply(device.source, page.into()).unwrap();
    device.assert_consistent();
    assert_eq!(device.place(thread), "asleep");
}

#[test]
pub(crate) fn what_was_read_comes_back_from_a_snooze_unread_and_on_top_also_at_the_server() {
    let mut server = server();
    let mut device = Device::at(&server);
    let (comment, message) = (server.post(1, 42, "I disagree"), server.post(3, 7, "lunch?"));
    device.pull(&server);
    let threads = [device.thread_of(&comment), device.thread_of(&message)];
    let all = Targets::Threads(threads.to_vec());
    device.replica.mark(all.clone(), Mark::Read).unwrap();
    let until = device.clock.now().plus_secs(3_600);
    let snoozed = device.replica.mark(all.clone(), Mark::Snooze { until }).unwrap();
    device.replica.undo(&snoozed.undo.unwrap()).unwrap();
    assert_eq!((device.place(threads[0]), device.unread()), ("inbox", 0), "an undone snooze leaves no trace");
    device.replica.mark(all, Mark::Snooze { until }).unwrap();
    device.flush(&mut server);
    device.clock.advance(1_800);
    let newer = server.post(1, 5, "newer");
    device.pull(&server);
    assert_eq!(device.unread(), 1);

    device.clock.advance(1_800);
    device.reopen();
    device.assert_consistent();
    let rows = device.all(Place::Inbox);
    let shown: Vec<_> = rows.iter().map(|row| (row.id, row.unread, row.woken_at)).collect();
    let newer = device.thread_of(&newer);
    assert_eq!(shown, [(threads[1], 1, Some(until)), (threads[0], 1, Some(until)), (newer, 1, None)]);
    assert_eq!([&comment, &message].map(|id| server.unread(&server.items[id])), [true; 2]);

    // The items wait to be announced, whichever process opened the replica.
    let woken = device.replica.woken().unwrap();
    assert_eq!(woken.iter().map(|one| &one.msgid).collect::<Vec<_>>(), [&comment, &message]);
    device.replica.forget_woken(&woken.iter().map(|one| one.item).collect::<Vec<_>>()).unwrap();
    assert_eq!(device.replica.woken().unwrap(), []);

    device.clock.advance(1);
    server.post(1, 42, "news");
    device.pull(&server);
    assert_eq!(device.replica.threads_by_id(&threads[..1]).unwrap()[0].woken_at, None);
}

#[test]
pub(crate) fn a_snooze_of_a_whole_list_comes_back_unread_and_is_taken_back_as_a_whole() {
    let mut server = server();
    let device = Device::at(&server);
    let device = Device {
        replica: device.replica.clone().with_bounds(Bounds { marked_rows: 3, ..Bounds::default() }),
        ..device
    };
    for article in 0..5 {
        server.post(1, article, "one");
        server.post(1, article, "two");
    }
    device.pull(&server);
    let all = BulkTarget { place: Place::Inbox, place_only: true, filter: SearchFilter::default() };
    device.replica.mark_bulk(&all, Mark::Read).unwrap();
    let snooze = Mark::Snooze { until: device.clock.now().plus_secs(60) };
    let (snoozed, threads) = device.replica.mark_bulk(&all, snooze).unwrap();
    assert_eq!((threads, device.all(Place::Snoozed).len()), (5, 5));
    device.replica.undo(&snoozed.undo.unwrap()).unwrap();
    assert_eq!((device.all(Place::Inbox).len(), device.unread()), (5, 0));

    device.replica.mark_bulk(&all, snooze).unwrap();
    device.clock.advance(60);
    device.replica.wake(device.clock.now()).unwrap();
    device.assert_consistent();
    let unread: Vec<u64> = device.all(Place::Inbox).iter().map(|row| row.unread).collect();
    assert_eq!(unread, [1; 5]);
}

#[test]
pub(crate) fn a_row_speaks_for_the_item_that_came_back_until_something_newer_arrives_or_it_is_archived() {
    let mut server = server();
    let device = Device::at(&server);
    let disk = server.post(1, 42, "the disk is full");
    server.post(1, 42, "the build passed");
    device.pull(&server);
    let thread = device.thread_of(&disk);
    device.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    let row = || {
        let row = device.replica.threads_by_id(&[thread]).unwrap().remove(0);
        (row.preview.body, row.woken_at)
    };
    let one = |mark| device.replica.mark(Targets::MsgIds(vec![disk.clone()]), mark).unwrap();
    let sleep = || {
        let until = device.clock.now().plus_secs(60);
        one(Mark::Snooze { until });
        device.clock.advance(60);
        device.replica.wake(device.clock.now()).unwrap();
        device.assert_consistent();
        until
    };
    assert_eq!(row(), ("the build passed".into(), None));
    let until = sleep();
    assert_eq!(row(), ("the disk is full".into(), Some(until)));
    one(Mark::Read);
    assert_eq!(row().0, "the disk is full", "and goes on as one reads it");
    one(Mark::Archive);
    device.assert_consistent();
    assert_eq!(row(), ("the build passed".into(), None), "what is archived decides no row");
    one(Mark::Unarchive);

    let until = sleep();
    assert_eq!(row(), ("the disk is full".into(), Some(until)));
    device.clock.advance(1);
    server.post(1, 42, "the tests failed");
    device.pull(&server);
    assert_eq!(row(), ("the tests failed".into(), None));
}

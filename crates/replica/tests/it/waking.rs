//! Tests of snoozed items that wake early as a new item arrives in their thread.

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

//! Tests of snoozed items that wake early as a new item arrives in their thread.

use tidings_model::wire::Change;
use tidings_model::{Clock, Mark};
use tidings_replica::*;

use crate::desk::{Desk, server};

#[test]
pub(crate) fn a_snoozed_thread_wakes_early_when_something_new_arrives() {
    let mut server = server();
    let (desk, phone) = (Desk::at(&server), Desk::at(&server));
    let first = server.post(1, 42, "I disagree");
    server.post(1, 42, "So do I");
    for device in [&desk, &phone] {
        device.pull(&server);
    }
    let thread = desk.thread_of(&first);
    desk.snooze(thread);
    desk.flush(&mut server);
    phone.pull(&server);
    desk.pull(&server);
    assert_eq!((desk.unread(), phone.place(phone.thread_of(&first))), (0, "asleep"));

    server.post(1, 42, "Why?");
    let applied = desk.pull(&server);
    assert_eq!((desk.place(thread), desk.unread()), ("inbox", 3), "also what slept with it");
    assert_eq!(desk.replica.next_wake().unwrap(), None);
    assert_eq!((applied[0].arrived.len(), applied[0].changed.threads.as_slice()), (1, [thread].as_slice()));

    // The other device learns of the wake from the server, with its own early wake switched off.
    phone.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    desk.flush(&mut server);
    phone.pull(&server);
    assert_eq!((phone.place(phone.thread_of(&first)), phone.unread()), ("inbox", 3));
    desk.pull(&server);
    assert_eq!((desk.place(thread), desk.unread()), ("inbox", 3));
}

#[test]
pub(crate) fn what_was_there_before_the_sleep_and_what_is_own_or_read_wakes_nobody() {
    let mut server = server();
    let (desk, phone) = (Desk::at(&server), Desk::at(&server));
    let first = server.post(3, 7, "lunch?");
    let second = server.post(3, 7, "at noon?");
    phone.pull(&server);
    phone
        .replica
        .mark(Targets::MsgIds(vec![first.clone()]), Mark::Snooze { until: phone.clock.now().plus_secs(99) })
        .unwrap();
    phone.flush(&mut server);
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![second.clone()] });
    // The first pull brings an item of the same thread that changed after the snooze.
    desk.pull(&server);
    let asleep = |desk: &Desk| desk.replica.next_wake().unwrap().is_some();
    assert!(asleep(&desk));

    server.post(4, 7, "I wrote this on the phone");
    desk.pull(&server);
    assert!(asleep(&desk), "the user's own words are no news");

    let read = server.post(3, 7, "never mind");
    server.apply(&Change::Mark { mark: Mark::Archive, msgids: vec![read] });
    desk.pull(&server);
    assert!(asleep(&desk), "nor is what was dealt with elsewhere");
    assert_eq!(desk.replica.counts().unwrap().waiting, 0);

    server.post(3, 7, "dinner?");
    desk.pull(&server);
    assert!(!asleep(&desk));
}

#[test]
pub(crate) fn with_the_switch_off_sleepers_sleep_until_their_time() {
    let mut server = server();
    let desk = Desk::at(&server);
    let first = server.post(1, 42, "later");
    desk.pull(&server);
    let thread = desk.thread_of(&first);
    desk.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    desk.snooze(thread);
    server.post(1, 42, "news");
    desk.pull(&server);
    assert_eq!((desk.unread(), desk.replica.next_wake().unwrap().is_some()), (1, true));
    desk.replica.set_setting(EARLY_WAKE, &true.into()).unwrap();
    server.post(1, 42, "more news");
    desk.pull(&server);
    assert_eq!((desk.unread(), desk.replica.next_wake().unwrap()), (3, None));
}

#[test]
pub(crate) fn a_page_that_comes_twice_wakes_what_was_put_to_sleep_again_only_once() {
    let mut server = server();
    let desk = Desk::at(&server);
    let first = server.post(1, 42, "one");
    desk.pull(&server);
    let thread = desk.thread_of(&first);
    desk.snooze(thread);
    server.post(1, 42, "two");
    let page = server.sync(None, 100);
    desk.pull(&server);
    assert_eq!(desk.place(thread), "inbox");
    desk.snooze(thread);
    desk.replica.apply(desk.source, page.into()).unwrap();
    desk.well();
    assert_eq!(desk.place(thread), "asleep");
}

//! Tests of the items that count for the badge, and of the notify levels of threads and sources.

use tidings_model::wire::Change;
use tidings_model::{Mark, MsgId};
use tidings_replica::*;

use crate::device::{Device, server};

#[test]
pub(crate) fn the_badge_counts_what_deserves_it_and_follows_a_preference_at_once() {
    let mut server = server();
    let device = Device::at(&server);
    // Priorities 1 to 5, each in a thread of its own; the last thread has two items.
    let posted: Vec<MsgId> = (0..5).map(|to| server.post(1, to, "words")).collect();
    server.post(1, 4, "more words");
    device.pull(&server);
    let threads: Vec<ThreadId> = posted.iter().map(|id| device.thread_of(id)).collect();
    let set = |key, value: serde_json::Value| device.replica.set_setting(key, &value).unwrap();
    let source = |notify| device.replica.set_source_notify(device.source, notify).unwrap();
    let thread = |n: usize, notify| device.replica.set_thread_notify(threads[n], notify).unwrap();
    let from_priority = |n| NotifySettings { from_priority: Some(n), ..NotifySettings::default() };
    let notify_level =
        |notify_level| NotifySettings { level: Some(notify_level), ..NotifySettings::default() };
    assert_eq!((device.badge(), device.unread()), (4, 6), "3 and above, unless told otherwise");

    set(FROM_PRIORITY, 5.into());
    assert_eq!(device.badge(), 2);
    source(from_priority(2));
    assert_eq!(device.badge(), 5, "the source goes before the settings");
    thread(4, from_priority(5));
    thread(3, from_priority(5));
    assert_eq!(device.badge(), 4, "the thread goes before the source");
    thread(0, from_priority(1));
    assert_eq!(device.badge(), 5);

    source(notify_level(NotifyLevel::Nothing));
    assert_eq!(
        (device.badge(), device.unread()),
        (0, 6),
        "a muted source is counted nowhere, and stays unread"
    );
    thread(4, notify_level(NotifyLevel::Badge));
    assert_eq!(device.badge(), 2, "but for a thread that is to be heard all the same");
    source(NotifySettings::default());
    set(FROM_PRIORITY, serde_json::Value::Null);
    assert_eq!(device.badge(), 4, "1, 3, and twice 5; 4 has a bar of its own");

    device.replica.mark(Targets::Threads(vec![threads[4]]), Mark::Mute { until: None }).unwrap();
    assert_eq!(device.badge(), 2);
    assert_eq!(device.replica.thread_notify(threads[4]).unwrap().level, Some(NotifyLevel::Nothing));
    device.replica.mark(Targets::Threads(vec![threads[4]]), Mark::Unmute).unwrap();
    assert_eq!(
        device.replica.thread_notify(threads[4]).unwrap().level,
        Some(NotifyLevel::Badge),
        "as it was before"
    );
    assert_eq!(device.badge(), 4);
    device.replica.mark(Targets::Threads(vec![threads[2]]), Mark::Read).unwrap();
    device.snooze(threads[0]);
    assert_eq!(device.badge(), 2);
    assert!(device.replica.set_thread_notify(999, NotifySettings::default()).is_err());
    assert!(device.replica.set_source_notify(999, NotifySettings::default()).is_err());
}

#[test]
pub(crate) fn what_a_thread_may_tell_outlives_its_items() {
    let mut server = server();
    let device = Device::at(&server);
    let first = server.post(1, 42, "one");
    device.pull(&server);
    let thread = device.thread_of(&first);
    let quiet =
        NotifySettings { level: Some(NotifyLevel::Badge), from_priority: Some(4), sound: Some(false) };
    device.replica.set_thread_notify(thread, quiet).unwrap();
    server.apply(&Change::Mark { mark: Mark::Delete, msgids: vec![first], at: None });
    device.pull(&server);
    let next = server.post(1, 42, "two");
    let applied = device.pull(&server);
    assert_eq!((device.thread_of(&next), applied[0].arrived[0].notify), (thread, quiet));
}

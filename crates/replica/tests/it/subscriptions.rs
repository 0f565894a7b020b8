//! Tests of subscriptions at a service: what the reader wants is in force until the service has answered.

use tidings_replica::*;

use crate::device::Device;
use crate::service::{apply, device, item};

/// A device with the threads of two issues.
fn with_two() -> (Device, [ThreadId; 2]) {
    let device = device();
    apply(&device, vec![item("1", 0, "one"), item("2", 1, "two")]);
    let threads = ["1", "2"].map(|msgid| device.thread_of(&msgid.into()));
    (device, threads)
}

fn put(device: &Device, threads: &[ThreadId], mark: Mark) -> Option<Undo> {
    let marked = device.replica.mark(Targets::Threads(threads.to_vec()), mark).unwrap();
    device.assert_consistent();
    marked.undo
}

fn row(device: &Device, thread: ThreadId) -> Thread {
    device.replica.threads_by_id(&[thread]).unwrap().remove(0)
}

/// What waits to be sent.
fn waiting(device: &Device) -> Vec<WaitingSubscription> {
    device.replica.waiting_subscriptions(device.source, 100).unwrap()
}

#[test]
pub(crate) fn what_is_wanted_is_in_force_until_the_service_has_answered() {
    let (device, [first, second]) = with_two();
    assert_eq!(row(&device, first).subscription, None);
    put(&device, &[first], Mark::Unsubscribe).unwrap();
    let wanted = row(&device, first);
    assert_eq!((wanted.subscription, wanted.pending), (Some(Subscription::Unsubscribed), true));
    assert_eq!(device.replica.counts().unwrap().waiting, 1);
    assert!(device.replica.has_unsent(device.source).unwrap());
    // What the service says meanwhile is known, but not in force.
    device.replica.set_subscription(first, Subscription::Subscribed).unwrap();
    assert_eq!(row(&device, first).subscription, Some(Subscription::Unsubscribed));

    let sent = waiting(&device).remove(0);
    assert_eq!((sent.to, sent.subject.msgid.as_str()), (Subscription::Unsubscribed, "1"));
    assert_eq!(sent.subject.target.as_ref().unwrap().id, "1");
    device.replica.subscription_answered(&sent, true).unwrap();
    let taken = row(&device, first);
    assert_eq!((taken.subscription, taken.pending), (Some(Subscription::Unsubscribed), false));
    assert!(!device.replica.has_unsent(device.source).unwrap() && waiting(&device).is_empty());
    assert_eq!(row(&device, second).subscription, None);
    let (subject, known) = device.replica.subject(second).unwrap().unwrap();
    assert_eq!((subject.key.as_str(), known), ("issue:2#comment", None));
}

#[test]
pub(crate) fn a_refused_subscription_gives_way_to_what_the_service_said() {
    let (device, [first, _]) = with_two();
    device.replica.set_subscription(first, Subscription::Subscribed).unwrap();
    put(&device, &[first], Mark::Unsubscribe).unwrap();
    let sent = waiting(&device).remove(0);
    device.replica.subscription_answered(&sent, false).unwrap();
    let now = row(&device, first);
    assert_eq!((now.subscription, now.pending), (Some(Subscription::Subscribed), false));
}

#[test]
pub(crate) fn only_the_last_wish_is_sent_and_an_answer_to_an_earlier_one_does_not_end_it() {
    let (device, [first, _]) = with_two();
    put(&device, &[first], Mark::Unsubscribe).unwrap();
    put(&device, &[first], Mark::Subscribe).unwrap();
    assert_eq!(waiting(&device).iter().map(|one| one.to).collect::<Vec<_>>(), [Subscription::Subscribed]);
    let sent = waiting(&device).remove(0);
    put(&device, &[first], Mark::Unsubscribe).unwrap();
    device.replica.subscription_answered(&sent, true).unwrap();
    assert_eq!(row(&device, first).subscription, Some(Subscription::Unsubscribed));
    assert_eq!(waiting(&device)[0].to, Subscription::Unsubscribed);
}

#[test]
pub(crate) fn a_subscription_is_taken_back_unsent_or_by_another_request() {
    let (device, [first, second]) = with_two();
    let undo = put(&device, &[first, second], Mark::Ignore).unwrap();
    assert!(row(&device, first).muted && row(&device, second).muted);
    assert_eq!(put(&device, &[first, second], Mark::Ignore), None, "nothing changed");
    device.replica.undo(&undo).unwrap();
    assert_eq!((row(&device, first).muted, row(&device, first).subscription), (false, None));
    assert!(waiting(&device).is_empty(), "nothing was sent, and nothing is");

    let undo = put(&device, &[first], Mark::Ignore).unwrap();
    let sent = waiting(&device).remove(0);
    device.replica.undo(&undo).unwrap();
    let back = waiting(&device).remove(0);
    assert_eq!((back.to, row(&device, first).muted), (Subscription::Subscribed, false));
    device.replica.subscription_answered(&sent, true).unwrap();
    device.replica.subscription_answered(&back, true).unwrap();
    assert_eq!(row(&device, first).subscription, Some(Subscription::Subscribed));

    // Once something else is in force, an undo changes nothing.
    let undo = put(&device, &[first], Mark::Unsubscribe).unwrap();
    put(&device, &[first], Mark::Ignore).unwrap();
    device.replica.undo(&undo).unwrap();
    assert_eq!(row(&device, first).subscription, Some(Subscription::Ignored));
}

#[test]
pub(crate) fn subscriptions_are_of_few_threads_that_are_named() {
    let (device, [first, _]) = with_two();
    let refused = |targets| device.replica.mark(targets, Mark::Unsubscribe).is_err();
    assert!(refused(Targets::Threads(vec![first; Subscription::MAX_THREADS + 1])));
    let everything = Targets::All { source: None, kind: None, through: None };
    assert!(refused(everything) && refused(Targets::MsgIds(vec!["1".into()])));
    let all = BulkTarget { place: Place::Inbox, place_only: true, filter: SearchFilter::default() };
    assert!(device.replica.mark_bulk(&all, Mark::Ignore).is_err());
    assert!(waiting(&device).is_empty());
}

#[test]
pub(crate) fn a_subscription_goes_with_its_thread_and_with_its_source() {
    let (device, [first, second]) = with_two();
    put(&device, &[first, second], Mark::Unsubscribe).unwrap();
    apply(&device, vec![ServiceItem::deleted("1")]);
    assert_eq!(waiting(&device).iter().map(|one| one.thread).collect::<Vec<_>>(), [second]);
    device.replica.remove_source(device.source, true).unwrap();
    assert_eq!(device.replica.counts().unwrap().waiting, 0, "of a source that is kept nothing waits");
    assert_eq!(row(&device, second).subscription, None);

    let (device, [first, _]) = with_two();
    put(&device, &[first], Mark::Unsubscribe).unwrap();
    device.replica.remove_source(device.source, false).unwrap();
    assert_eq!(device.replica.sources().unwrap(), []);
    device.assert_consistent();
}

#[test]
pub(crate) fn details_are_of_the_version_that_lacked_them() {
    let (device, _) = with_two();
    let detailed = |version| {
        let mut item = item("1", 0, "one");
        (item.news, item.part) = (false, Part::OfVersion(version));
        item.content.body = "Looks good".into();
        item
    };
    apply(&device, vec![item("1", 5, "one, changed")]);
    let body = || {
        let mut found = device.replica.items_by_msgid(None, &["1".into()]).unwrap();
        found.remove(0).notification.content.body
    };
    apply(&device, vec![detailed(1)]);
    assert_eq!(body(), "", "it changed while its details were fetched");
    apply(&device, vec![detailed(2)]);
    assert_eq!((body(), device.unread()), ("Looks good".to_owned(), 2));
    let mut unknown = detailed(1);
    unknown.msgid = "9".into();
    apply(&device, vec![unknown]);
    assert_eq!(device.replica.items_by_msgid(None, &["9".into()]).unwrap(), []);
}

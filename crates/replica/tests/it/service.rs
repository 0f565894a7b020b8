//! Tests of items of services that keep no stamps and little or no state.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::wire::OpResult;
use tidings_model::{Actor, Clock, Code, Kind, Stamp, Target};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;

use crate::device::Device;

/// A replica whose source is a service without stamps.
pub(crate) fn device() -> Device {
    let (dir, clock) = (tempfile::tempdir().unwrap(), ManualClock::default());
    let replica = Replica::open(dir.path(), Arc::new(clock.clone())).unwrap();
    let service = NewSource {
        name: "hub".into(),
        protocol: "hub".into(),
        url: "https://hub.example".into(),
        user: Some("me".into()),
        own: false,
    };
    let source = replica.add_source(service).unwrap();
    Device { dir, clock, replica, source }
}

/// The whole second `secs` after the start of the service's history.
fn second(secs: i64) -> Stamp {
    Stamp::from_secs(1_790_000_000 + secs)
}

pub(crate) fn item(msgid: &str, secs: i64, text: &str) -> ServiceItem {
    let actor = Actor { id: "bob".into(), name: "Bob".into() };
    let mut item = ServiceItem::new(msgid, second(secs), format!("issue:{msgid}#comment"), actor);
    item.action = Some("comment".into());
    item.target = Some(Target { kind: "issue".into(), id: msgid.into(), ..Target::default() });
    item.content.title = text.into();
    item
}

pub(crate) fn apply(device: &Device, items: Vec<ServiceItem>) -> Applied {
    let page = Page { service_items: items, next: Some("1".into()), ..Page::default() };
    let applied = device.replica.apply(device.source, page).unwrap();
    device.assert_consistent();
    applied
}

fn is_nothing(applied: &Applied) -> bool {
    applied.arrived.is_empty() && applied.updated.is_empty() && applied.changed.is_empty()
}

fn stored(device: &Device, msgid: &str) -> Item {
    device.replica.items_by_msgid(None, &[msgid.into()]).unwrap().remove(0)
}

fn mark(device: &Device, msgid: &str, mark: Mark) {
    device.replica.mark(Targets::MsgIds(vec![msgid.into()]), mark).unwrap();
    device.assert_consistent();
}

/// Answers everything that waits in the outbox.
fn answer(device: &Device, ok: bool) {
    let code = (!ok).then_some(Code::Forbidden);
    let ops = device.replica.pending(device.source, 1_000).unwrap();
    let results: Vec<OpResult> = ops.iter().map(|op| OpResult { id: op.id.clone(), ok, code }).collect();
    device.replica.acknowledge(device.source, &results).unwrap();
    device.assert_consistent();
}

#[test]
pub(crate) fn items_of_one_second_keep_their_order_and_are_known_when_they_come_again() {
    let device = device();
    let burst = |from: usize, to: usize| -> Vec<ServiceItem> {
        (from..to).map(|n| item(&format!("m{n}"), 0, &format!("item {n}"))).collect()
    };
    assert_eq!(apply(&device, burst(0, 700)).arrived.len(), 700);
    assert_eq!(apply(&device, burst(0, 1_500)).arrived.len(), 800);
    let listed = device.replica.items(&ItemFilter::default(), 2_000).unwrap();
    let titles: Vec<_> = listed.iter().rev().map(|item| item.notification.content.title.clone()).collect();
    let expected: Vec<_> = (0..1_500).map(|n| format!("item {n}")).collect();
    assert_eq!(titles, expected);
    assert_eq!(listed.last().unwrap().notification.created_at, second(0));
    assert!(listed.is_sorted_by(|a, b| a.notification.created_at > b.notification.created_at));
    assert!(
        listed.is_sorted_by(|a, b| a.notification.stamp > b.notification.stamp),
        "the clock stands still, and the stamps grow"
    );
    assert!(is_nothing(&apply(&device, burst(0, 1_500))));
    assert!(is_nothing(&apply(&device, burst(700, 800).into_iter().rev().collect())));
    device.clock.advance(-3_600);
    apply(&device, vec![item("late", 5, "the clock went back")]);
    assert!(stored(&device, "late").notification.stamp > listed[0].notification.stamp);
    assert_eq!(device.unread(), 1_501);
}

#[test]
pub(crate) fn another_source_may_use_the_same_times_and_names() {
    let device = device();
    let other = NewSource {
        name: "other".into(),
        protocol: "hub".into(),
        url: "https://other.example".into(),
        user: None,
        own: false,
    };
    let other = device.replica.add_source(other).unwrap();
    apply(&device, vec![item("a", 0, "here"), item("b", 0, "here")]);
    let page = Page { service_items: vec![item("a", 0, "there")], next: Some("1".into()), ..Page::default() };
    device.replica.apply(other, page).unwrap();
    device.assert_consistent();
    let found = device.replica.items_by_msgid(None, &["a".into()]).unwrap();
    assert!(found.len() == 2 && found.iter().all(|item| item.notification.created_at == second(0)));
}

#[test]
pub(crate) fn news_on_a_known_item_make_it_unread_again_and_take_it_out_of_done() {
    let device = device();
    apply(&device, vec![item("a", 0, "opened"), item("b", 0, "other")]);
    mark(&device, "a", Mark::Read);
    mark(&device, "a", Mark::Archive);
    answer(&device, true);
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "opened")])), "it keeps the marks of this device");
    assert_eq!((device.place(device.thread_of(&"a".into())), device.unread()), ("done", 1));

    device.clock.advance(10);
    let applied = apply(&device, vec![item("a", 60, "opened")]);
    let news = &applied.updated[0];
    assert!(applied.arrived.is_empty() && news.unread && news.unread_again);
    let found = stored(&device, "a").notification;
    assert_eq!((found.version, found.created_at, found.read_at), (2, second(60), None));
    assert_eq!((device.place(device.thread_of(&"a".into())), device.unread()), ("inbox", 2));

    // Another text within the same second is news as well; the same again is none.
    mark(&device, "a", Mark::Read);
    assert!(is_nothing(&apply(&device, vec![item("a", 60, "opened")])));
    answer(&device, true);
    assert_eq!(apply(&device, vec![item("a", 60, "closed")]).updated.len(), 1);
    assert_eq!((device.unread(), stored(&device, "a").notification.created_at), (2, second(60)));
    assert!(is_nothing(&apply(&device, vec![item("a", 60, "closed")])));
}

#[test]
pub(crate) fn an_older_version_that_comes_late_changes_nothing() {
    let device = device();
    let applied = apply(&device, vec![item("a", 60, "second"), item("a", 0, "first"), item("b", 30, "b")]);
    assert_eq!(applied.arrived.len(), 2);
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "first"), item("a", 60, "second")])));
    assert_eq!(stored(&device, "a").notification.content.title, "second");
    mark(&device, "a", Mark::Read);
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "first")])));
    assert_eq!(device.unread(), 1);
}

#[test]
pub(crate) fn a_correction_only_increases_the_version() {
    let device = device();
    let entry = |secs: i64, text: &str| ServiceItem { news: false, ..item("entry", secs, text) };
    apply(&device, vec![entry(0, "A headline with a typo")]);
    mark(&device, "entry", Mark::Read);
    mark(&device, "entry", Mark::Archive);
    device.clock.advance(10);
    let applied = apply(&device, vec![entry(0, "A headline")]);
    assert!(!applied.updated[0].unread && !applied.updated[0].unread_again);
    // A feed without dates gives another time with each pull.
    assert!(is_nothing(&apply(&device, vec![entry(90, "A headline")])));
    let found = stored(&device, "entry").notification;
    assert_eq!((found.version, found.created_at, &*found.content.title), (2, second(0), "A headline"));
    assert!(found.read_at.is_some() && found.archived_at.is_some());
    let searched = device.replica.search(&SearchFilter::words("headline"), 10).unwrap();
    assert_eq!(searched.len(), 1);
    assert!(device.replica.search(&SearchFilter::words("typo"), 10).unwrap().is_empty());
}

#[test]
pub(crate) fn what_the_service_says_of_read_and_done_holds_in_both_directions() {
    let device = device();
    let at = |read: bool, archived: bool| ServiceItem {
        read: Some(read),
        archived: Some(archived),
        ..item("a", 0, "text")
    };
    assert!(!apply(&device, vec![at(true, false)]).arrived[0].unread);
    assert_eq!(device.unread(), 0);
    let read_at = stored(&device, "a").notification.read_at;
    device.clock.advance(5);
    assert!(is_nothing(&apply(&device, vec![at(true, false)])));
    assert!(apply(&device, vec![at(false, false)]).updated[0].unread_again);
    assert_eq!(device.unread(), 1);
    apply(&device, vec![at(true, true)]);
    let found = stored(&device, "a").notification;
    assert!(found.read_at > read_at && found.archived_at.is_some());
    assert_eq!(device.place(device.thread_of(&"a".into())), "done");
    // If it says nothing of it any more, what it said last stays.
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "text")])));
    // News that were read elsewhere before they came here.
    let read = ServiceItem { read: Some(true), ..item("a", 9, "more") };
    assert!(!apply(&device, vec![read]).updated[0].unread);
    assert_eq!((device.place(device.thread_of(&"a".into())), device.unread()), ("inbox", 0));
}

#[test]
pub(crate) fn a_local_mark_wins_until_the_service_has_taken_it() {
    let device = device();
    let at = |read: bool| ServiceItem { read: Some(read), ..item("a", 0, "text") };
    apply(&device, vec![at(false)]);
    mark(&device, "a", Mark::Read);
    apply(&device, vec![at(false)]);
    assert_eq!(device.unread(), 0, "the mark waits");
    answer(&device, true);
    assert_eq!(device.unread(), 0);
    assert!(is_nothing(&apply(&device, vec![at(true)])));

    // Read at the service while `unread` waits here.
    mark(&device, "a", Mark::Unread);
    apply(&device, vec![at(true)]);
    assert_eq!(device.unread(), 1);
    answer(&device, false);
    assert_eq!(device.unread(), 0, "after a refusal the service's state is in force");
    apply(&device, vec![at(false)]);
    assert_eq!(device.unread(), 1, "somebody marked it as unread there");
}

#[test]
pub(crate) fn everything_is_read_until_the_service_has_refused_it() {
    let device = device();
    let at = |msgid: &str, secs: i64| ServiceItem { read: Some(false), ..item(msgid, secs, "text") };
    apply(&device, vec![at("a", 0), at("b", 0)]);
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    apply(&device, vec![at("a", 0), at("b", 0), at("earlier", -5), at("later", 5)]);
    assert_eq!(device.unread(), 1, "only what came after it");
    answer(&device, false);
    apply(&device, vec![at("a", 0), at("b", 0), at("earlier", -5), at("later", 5)]);
    assert_eq!(device.unread(), 4);
}

#[test]
pub(crate) fn news_while_a_mark_waits_go_by_what_the_reader_knew() {
    let device = device();
    apply(&device, vec![item("a", 0, "first")]);
    mark(&device, "a", Mark::Delete);
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "first")])));
    apply(&device, vec![item("a", 5, "second")]);
    assert_eq!(device.unread(), 0, "the deletion waits");
    answer(&device, true);
    assert!(is_nothing(&apply(&device, vec![item("a", 5, "second")])), "listed again, it stays deleted");
    assert_eq!((device.unread(), device.all(Place::Inbox).len()), (0, 0));
    apply(&device, vec![item("a", 9, "third")]);
    assert_eq!((device.unread(), device.all(Place::Inbox).len()), (1, 1), "news bring it back");
}

#[test]
pub(crate) fn what_the_service_deleted_does_not_come_back_with_an_older_page() {
    let device = device();
    apply(&device, vec![item("a", 0, "first"), item("b", 0, "other")]);
    mark(&device, "b", Mark::Read);
    let applied = apply(&device, vec![item("a", 3, "second"), ServiceItem::deleted("a")]);
    assert!(!applied.updated[0].unread, "it has no toast");
    assert_eq!((device.unread(), device.all(Place::Inbox).len()), (0, 1));
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "first"), item("a", 3, "second")])));
    assert!(is_nothing(&apply(&device, vec![ServiceItem::deleted("a"), ServiceItem::deleted("never seen")])));
    // A service that forgets what is old says nothing of it.
    assert!(is_nothing(&apply(&device, Vec::new())));
    assert_eq!(device.all(Place::Inbox).len(), 1);
    let applied = apply(&device, vec![item("a", 60, "published again")]);
    assert_eq!((applied.arrived.len(), device.unread()), (1, 1));
}

#[test]
pub(crate) fn what_was_done_long_ago_and_removed_here_comes_back_with_news_only() {
    let device = device();
    let entry = |secs: i64| ServiceItem { news: false, ..item("entry", secs, "entry") };
    apply(&device, vec![item("a", 0, "text"), entry(0)]);
    mark(&device, "a", Mark::Archive);
    mark(&device, "entry", Mark::Archive);
    answer(&device, true);
    assert_eq!(device.replica.apply_retention(device.clock.now().plus_secs(9), 9).unwrap(), 2);
    device.assert_consistent();
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "text"), entry(0)])));
    assert!(is_nothing(&apply(&device, vec![entry(90)])), "a feed without dates gives other times");
    assert_eq!(apply(&device, vec![item("a", 5, "text")]).arrived.len(), 1);
}

#[test]
pub(crate) fn a_history_that_is_pulled_again_changes_nothing() {
    let device = device();
    let page = || vec![item("a", 0, "a"), item("b", 0, "b"), item("b", 7, "b again"), item("c", 9, "c")];
    apply(&device, page());
    mark(&device, "a", Mark::Read);
    mark(&device, "c", Mark::Archive);
    answer(&device, true);
    apply(&device, vec![ServiceItem::deleted("c")]);
    device.replica.resync(device.source).unwrap();
    assert_eq!(device.replica.source(device.source).unwrap().cursor, None);
    assert!(is_nothing(&apply(&device, page())));
    assert_eq!((device.unread(), device.replica.counts().unwrap().waiting), (1, 0));
}

#[test]
pub(crate) fn messages_and_announcements_of_a_service_are_read_one_by_one() {
    let device = device();
    let kind = |msgid: &str, kind: Kind, thread: &str, actor: &str| ServiceItem {
        kind,
        thread: thread.into(),
        conversation: (kind == Kind::Message).then(|| thread.to_owned()),
        actor: Actor { id: actor.into(), name: actor.into() },
        action: None,
        target: None,
        ..item(msgid, 0, "hello")
    };
    apply(
        &device,
        vec![
            kind("news", Kind::Announcement, "announcements", "ops"),
            kind("first", Kind::Message, "user:eve", "eve"),
            kind("second", Kind::Message, "user:eve", "eve"),
            kind("mine", Kind::Message, "user:eve", "me"),
        ],
    );
    assert_eq!(device.unread(), 3);
    assert!(!stored(&device, "first").notification.auto && stored(&device, "mine").own);
    mark(&device, "second", Mark::Read);
    assert_eq!(device.unread(), 2, "what is before it is not covered");
    mark(&device, "news", Mark::Read);
    answer(&device, true);
    assert_eq!(device.unread(), 1);
}

#[test]
pub(crate) fn rules_act_on_news_again_and_not_on_repeats_or_corrections() {
    let device = device();
    let when = RuleWhen { actor: "bob".into(), ..RuleWhen::default() };
    let then = RuleThen { archive: true, priority: -1, ..RuleThen::default() };
    device.replica.save_rule(Rule { id: 0, name: String::new(), on: true, when, then }).unwrap();
    let applied = apply(&device, vec![item("a", 0, "text")]);
    assert_eq!((applied.arrived[0].unread, applied.arrived[0].priority), (false, 2));
    answer(&device, true);
    mark(&device, "a", Mark::Unarchive);
    answer(&device, true);
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "text")])), "the rule's priority is no change");
    let corrected = ServiceItem { news: false, ..item("a", 0, "another text") };
    apply(&device, vec![corrected]);
    assert_eq!(device.unread(), 1, "what the reader took out of done stays");
    let applied = apply(&device, vec![item("a", 5, "another text")]);
    assert!(!applied.updated[0].unread_again);
    assert_eq!(device.place(device.thread_of(&"a".into())), "done");
}

#[test]
pub(crate) fn news_wake_what_sleeps_unless_it_is_to_sleep_on() {
    let device = device();
    apply(&device, vec![item("a", 0, "text")]);
    let thread = device.thread_of(&"a".into());
    device.snooze(thread);
    answer(&device, true);
    assert!(is_nothing(&apply(&device, vec![item("a", 0, "text")])));
    assert_eq!(device.place(thread), "asleep");
    let applied = apply(&device, vec![item("a", 5, "text")]);
    assert!(applied.updated[0].unread_again);
    assert_eq!(device.place(thread), "inbox");
    device.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    device.snooze(thread);
    apply(&device, vec![item("a", 9, "text")]);
    assert_eq!(device.place(thread), "asleep");
}

#[test]
pub(crate) fn an_item_moves_when_its_thread_or_its_actor_changes() {
    let device = device();
    apply(&device, vec![item("a", 0, "text"), item("b", 1, "text")]);
    mark(&device, "a", Mark::Read);
    let moved = ServiceItem {
        thread: "issue:b#comment".into(),
        actor: Actor { id: "eve".into(), name: "Eve".into() },
        ..item("a", 0, "text")
    };
    let applied = apply(&device, vec![moved.clone()]);
    assert_eq!((applied.updated.len(), device.unread()), (1, 1), "the same text at the same time is no news");
    assert_eq!(device.all(Place::Inbox).len(), 1);
    assert!(is_nothing(&apply(&device, vec![moved])));
}

#[test]
pub(crate) fn a_wait_that_a_server_asked_for_outlives_a_restart_and_ends_in_time() {
    let mut device = device();
    let secs = Duration::from_secs;
    let waits = |device: &Device| device.replica.waits(device.source).unwrap();
    assert_eq!(waits(&device), Waits::default());
    let until = device.replica.postpone_requests(device.source, secs(90)).unwrap();
    assert_eq!(until, device.clock.now().plus_secs(90));
    device.replica.postpone_polls(device.source, secs(60)).unwrap();
    device.replica.postpone_requests(device.source, secs(5)).unwrap();
    device.reopen();
    device.clock.advance(30);
    let polls = Some(until.plus_secs(-30));
    assert_eq!(
        waits(&device),
        Waits { requests: Some(until), polls },
        "the longer wait is the one that counts"
    );
    device.clock.advance(60);
    assert_eq!(waits(&device), Waits::default());

    // Nobody waits longer than a day, even if the clock goes back.
    let until = device.replica.postpone_requests(device.source, secs(9_000_000)).unwrap();
    assert_eq!(until, device.clock.now().plus_secs(86_400));
    device.clock.advance(-3_600);
    assert_eq!(waits(&device).requests, None);
    device.replica.postpone_requests(device.source, secs(10)).unwrap();
    assert_eq!(waits(&device).requests, Some(device.clock.now().plus_secs(10)));
    let moved = SourceChange { url: Some("https://moved.example".into()), ..SourceChange::default() };
    device.replica.change_source(device.source, moved).unwrap();
    assert_eq!(waits(&device).requests, None, "another server did not ask for it");
}

#[test]
pub(crate) fn a_large_page_of_a_service_is_written_at_once_where_nobody_waits() {
    let device = device();
    let mut events = device.replica.subscribe();
    let items = (0..1_700).map(|n| item(&format!("m{n}"), n, "words")).collect();
    let applied = apply(&device, items);
    assert_eq!((applied.arrived.len(), device.unread()), (1_700, 1_700));
    assert_eq!(std::iter::from_fn(|| events.try_recv().ok()).count(), 1);
    assert_eq!(device.replica.source(device.source).unwrap().cursor.as_deref(), Some("1"));
    let stamps = device.replica.items(&ItemFilter::default(), 2_000).unwrap();
    assert!(stamps.is_sorted_by(|a, b| a.notification.stamp > b.notification.stamp));
    assert!(stamps.iter().all(|item| item.notification.stamp >= device.clock.now()));
}

#[test]
pub(crate) fn where_only_the_state_counts_text_time_and_place_stay() {
    let device = device();
    apply(&device, vec![item("a", 10, "with details"), item("b", 20, "other")]);
    let state = |read: Option<bool>, archived: Option<bool>| ServiceItem::state("a", read, archived);
    assert!(is_nothing(&apply(&device, vec![state(None, None), state(Some(false), None)])));
    apply(&device, vec![state(Some(true), None)]);
    let found = stored(&device, "a");
    assert!(!found.unread && found.notification.content.title == "with details");
    assert_eq!((found.notification.created_at, device.unread()), (second(10), 1));
    assert!(is_nothing(&apply(
        &device,
        vec![state(Some(true), None), ServiceItem::state("c", Some(true), None)]
    )));
    apply(&device, vec![state(Some(false), None)]);
    assert_eq!(device.unread(), 2);
    apply(&device, vec![state(None, Some(true))]);
    assert_eq!((device.unread(), stored(&device, "a").notification.archived_at.is_some()), (1, true));

    // What was read elsewhere later than it was written here keeps its place; a new item is taken whole.
    let read = |msgid: &str| ServiceItem { read: Some(true), part: Part::IfNew, ..item(msgid, 90, "bare") };
    apply(&device, vec![read("b"), read("new")]);
    let (known, new) = (stored(&device, "b").notification, stored(&device, "new").notification);
    assert_eq!((known.created_at, known.content.title.as_str()), (second(20), "other"));
    assert_eq!((new.created_at, new.content.title.as_str()), (second(90), "bare"));
    assert_eq!(device.unread(), 0);

    // The list has what is known again, without its details, until it changes.
    let listed =
        |secs: i64| ServiceItem { read: Some(false), part: Part::IfNewer, ..item("a", secs, "bare") };
    apply(&device, vec![listed(10)]);
    let found = stored(&device, "a").notification;
    assert_eq!((found.content.title.as_str(), found.archived_at.is_some()), ("with details", true));
    apply(&device, vec![listed(11)]);
    let found = stored(&device, "a");
    assert!(found.unread && found.notification.content.title == "bare");
    assert_eq!(found.notification.created_at, second(11));

    // What was deleted here does not come again because it was read.
    mark(&device, "b", Mark::Delete);
    answer(&device, true);
    apply(&device, vec![ServiceItem { created_at: device.clock.now().plus_secs(60), ..read("b") }]);
    assert!(
        device
            .replica
            .items_by_msgid(None, &["b".into()])
            .unwrap()
            .iter()
            .all(|item| item.notification.deleted)
    );
}

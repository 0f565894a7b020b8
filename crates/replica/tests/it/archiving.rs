//! Tests of threads of which a part is archived or asleep: the row shows the newest item of those that put it in its place.

use tidings_model::{Clock, MsgId, Stamp};
use tidings_replica::*;

use crate::device::{Device, server};

fn row(device: &Device, thread: ThreadId) -> (&'static str, String, u64) {
    device.assert_consistent();
    let row = device.replica.threads_by_id(&[thread]).unwrap().remove(0);
    (device.place(thread), row.preview.body, row.total)
}

/// The rows of Done: the text, the number of items, and the number of unread ones.
fn done(device: &Device) -> Vec<(String, u64, u64)> {
    device.assert_consistent();
    let rows = device.all(Place::Done);
    assert_eq!(device.replica.counts().unwrap().places.done, rows.len() as u64);
    assert!(rows.iter().all(|row| row.archived));
    rows.into_iter().map(|row| (row.preview.body, row.total, row.unread)).collect()
}

fn mark(device: &Device, msgids: &[&MsgId], mark: Mark) -> Marked {
    device.replica.mark(Targets::MsgIds(msgids.iter().copied().cloned().collect()), mark).unwrap()
}

#[test]
pub(crate) fn what_is_archived_decides_no_row_of_the_inbox() {
    let mut server = server();
    let device = Device::at(&server);
    let [one, two, three] = ["one", "two", "three"].map(|text| server.post(1, 42, text));
    let other = server.post(1, 5, "other");
    device.pull(&server);
    let (thread, other) = (device.thread_of(&one), device.thread_of(&other));
    let order = |device: &Device| device.all(Place::Inbox).iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(row(&device, thread), ("inbox", "three".into(), 3));

    let archived = mark(&device, &[&three], Mark::Archive);
    assert_eq!(row(&device, thread), ("inbox", "two".into(), 2));
    device.replica.undo(&archived.undo.unwrap()).unwrap();
    assert_eq!(row(&device, thread), ("inbox", "three".into(), 3));
    mark(&device, &[&two, &three], Mark::Archive);
    assert_eq!(row(&device, thread), ("inbox", "one".into(), 1));
    mark(&device, &[&one], Mark::Archive);
    assert_eq!(row(&device, thread), ("done", "three".into(), 3));
    mark(&device, &[&two], Mark::Unarchive);
    assert_eq!(row(&device, thread), ("inbox", "two".into(), 1));
    assert_eq!(order(&device), [other, thread]);

    // What sleeps speaks for its thread only when nothing else is there.
    let until = device.clock.now().plus_secs(60);
    mark(&device, &[&three], Mark::Unarchive);
    mark(&device, &[&three], Mark::Snooze { until });
    assert_eq!(row(&device, thread), ("inbox", "two".into(), 1));
    device.clock.advance(60);
    device.replica.wake(until).unwrap();
    assert_eq!((row(&device, thread), order(&device)), (("inbox", "three".into(), 2), vec![thread, other]));
    mark(&device, &[&three], Mark::Delete);
    assert_eq!(row(&device, thread), ("inbox", "two".into(), 1));
}

#[test]
pub(crate) fn what_a_rule_archives_neither_lifts_its_thread_nor_speaks_for_it() {
    let mut server = server();
    let device = Device::at(&server);
    let when = RuleWhen { words: "ok".into(), ..RuleWhen::default() };
    let then = RuleThen { archive: true, ..RuleThen::default() };
    let rule = Rule { id: 0, name: "noise".into(), on: true, when, then };
    device.replica.save_rule(rule).unwrap();
    let (failed, other) = (server.post(1, 42, "4812 failed"), server.post(1, 5, "other"));
    device.pull(&server);
    let (thread, other) = (device.thread_of(&failed), device.thread_of(&other));
    let passed = server.post(1, 42, "4813 ok");
    server.post(1, 42, "4814 ok");
    let all_fine = server.post(1, 6, "ok");
    device.pull(&server);
    assert_eq!(row(&device, thread), ("inbox", "4812 failed".into(), 1));
    assert_eq!(device.all(Place::Inbox).iter().map(|row| row.id).collect::<Vec<_>>(), [other, thread]);
    assert_eq!(row(&device, device.thread_of(&all_fine)), ("done", "ok".into(), 1));

    // A revision that the rule does not concern comes up, and the server has heard of the rest.
    device.flush(&mut server);
    server.edit(&passed, "4813 failed after all", 3);
    device.pull(&server);
    assert_eq!(row(&device, thread), ("inbox", "4813 failed after all".into(), 2));
    let archived = server.items.values().filter(|item| item.archived_at.is_some()).count();
    assert_eq!(archived, 2);
}

#[test]
pub(crate) fn one_item_speaks_in_a_row_and_the_badge_still_counts_the_urgent_one_before_it() {
    let mut server = server();
    let device = Device::at(&server);
    let (failed, passed) = (server.post(1, 42, "4812 failed"), server.post(1, 42, "4811 ok"));
    server.edit(&failed, "4812 failed", 5);
    server.edit(&passed, "4811 ok", 2);
    device.pull(&server);
    let shown = device.replica.threads_by_id(&[device.thread_of(&failed)]).unwrap().remove(0);
    assert_eq!((shown.preview.body.as_str(), shown.priority, shown.unread_priority), ("4811 ok", 2, 5));
    assert!(shown.counts(NotifySettings::default(), 5));
    assert_eq!(device.badge(), 1);
}

#[test]
pub(crate) fn one_archived_item_is_in_done_while_the_rest_of_its_thread_is_in_the_inbox() {
    let mut server = server();
    let device = Device::at(&server);
    let [one, two, three] = ["one", "two", "three"].map(|text| server.post(1, 42, text));
    let other = server.post(1, 5, "other");
    let four = server.post(1, 42, "four");
    device.pull(&server);
    let thread = device.thread_of(&one);
    assert_eq!(done(&device), []);

    mark(&device, &[&one], Mark::Archive);
    assert_eq!(done(&device), [("one".into(), 1, 0)]);
    assert_eq!(row(&device, thread), ("inbox", "four".into(), 3));
    // The list is in the order of the archived items, not of the threads.
    mark(&device, &[&other], Mark::Archive);
    assert_eq!(done(&device), [("other".into(), 1, 0), ("one".into(), 1, 0)]);
    let archived = mark(&device, &[&three, &four], Mark::Archive);
    assert_eq!(done(&device), [("four".into(), 3, 0), ("other".into(), 1, 0)]);
    assert_eq!(row(&device, thread), ("inbox", "two".into(), 1));
    device.replica.undo(&archived.undo.unwrap()).unwrap();
    assert_eq!(done(&device), [("other".into(), 1, 0), ("one".into(), 1, 0)]);

    // The list follows new and deleted items, and those that come back, too.
    mark(&device, &[&three], Mark::Archive);
    mark(&device, &[&three], Mark::Delete);
    assert_eq!(done(&device), [("other".into(), 1, 0), ("one".into(), 1, 0)]);
    let until = device.clock.now().plus_secs(60);
    mark(&device, &[&two, &four], Mark::Snooze { until });
    assert_eq!((device.place(thread), done(&device).len()), ("asleep", 2));
    mark(&device, &[&one], Mark::Unarchive);
    assert_eq!(done(&device), [("other".into(), 1, 0)]);
    let parts = device.replica.archived_in_part(&[thread]).unwrap();
    assert_eq!(parts, []);
}

#[test]
pub(crate) fn what_was_archived_since_a_time_is_counted_by_thread_whenever_it_came() {
    let mut server = server();
    let device = Device::at(&server);
    let [one, two] = ["one", "two"].map(|text| server.post(1, 42, text));
    let other = server.post(1, 5, "other");
    device.pull(&server);
    mark(&device, &[&one], Mark::Archive);
    device.clock.advance(86_400);
    let today = device.clock.now();
    let count = |since, most| {
        let count = device.replica.archived_since(since, most).unwrap();
        (count.threads, count.at_least)
    };
    assert_eq!(count(today, 9), (0, false));
    mark(&device, &[&two, &other], Mark::Archive);
    assert_eq!((count(today, 9), count(Stamp::ZERO, 9)), ((2, false), (2, false)));
    assert_eq!(count(Stamp::ZERO, 1), (1, true), "it looks at no more than that");
    mark(&device, &[&other], Mark::Delete);
    assert_eq!(count(today, 9), (1, false));
}

#[test]
pub(crate) fn a_list_of_done_goes_on_where_its_page_ended_and_finds_only_what_is_archived() {
    let mut server = server();
    let device = Device::at(&server);
    let first: Vec<MsgId> = (1..=9).map(|to| server.post(1, to, "backup done")).collect();
    let later: Vec<MsgId> = (1..=9).rev().map(|to| server.post(1, to, "backup failed")).collect();
    device.pull(&server);
    mark(&device, &first.iter().collect::<Vec<_>>(), Mark::Archive);
    let top = ThreadQuery::top(Place::Done, 4);
    let page = |start| device.replica.threads(&ThreadQuery { start, ..top.clone() }).unwrap();
    let times = |page: &ThreadPage| page.rows.iter().map(|row| row.last_at).collect::<Vec<_>>();
    let mut all = Vec::new();
    let mut next = page(Start::Top);
    loop {
        all.extend(times(&next));
        let Some(cursor) = next.next else { break };
        next = page(Start::After(cursor));
    }
    let wanted: Vec<_> = first.iter().rev().map(|msgid| server.items[msgid].created_at).collect();
    assert_eq!(all, wanted);
    assert_eq!(times(&page(Start::Bottom)), wanted[5..]);

    let found = |filter: SearchFilter, place: Place, place_only: bool| {
        device
            .replica
            .threads(&ThreadQuery { filter, place_only, ..ThreadQuery::top(place, 100) })
            .unwrap()
            .total
    };
    let is = |state| SearchFilter { states: vec![state], ..SearchFilter::default() };
    assert_eq!(found(SearchFilter::words("done"), Place::Done, true), 9);
    assert_eq!(found(SearchFilter::words("failed"), Place::Done, true), 0);
    assert_eq!(found(is(StateFilter::Done), Place::Inbox, false), 9);
    assert_eq!(found(is(StateFilter::Unread), Place::Done, true), 0);
    assert_eq!(found(is(StateFilter::Read), Place::Done, true), 9);

    // A mark on all of Done leaves what is in the inbox alone.
    let target = BulkTarget { place: Place::Done, place_only: true, filter: SearchFilter::default() };
    device.replica.mark_bulk(&target, Mark::Read).unwrap();
    assert_eq!(device.replica.counts().unwrap().total, later.len() as u64);
    let (back, threads) = device.replica.mark_bulk(&target, Mark::Unarchive).unwrap();
    assert_eq!((threads, done(&device)), (9, Vec::new()));
    device.replica.undo(&back.undo.unwrap()).unwrap();
    assert_eq!(done(&device).len(), 9);
}

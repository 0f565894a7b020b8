//! Tests of mutes for a time: of threads, of sources, and of the origins of threads.

use tidings_model::{Clock, Mark, Stamp};
use tidings_replica::*;

use crate::device::{Device, server};

/// The threads of the inbox: whether they are muted, and until when.
fn mutes(device: &Device, threads: &[ThreadId]) -> Vec<(bool, Option<Stamp>)> {
    let rows = device.replica.threads_by_id(threads).unwrap();
    rows.iter().map(|row| (row.muted, row.muted_until)).collect()
}

fn mute(device: &Device, thread: ThreadId, until: Option<Stamp>) -> Undo {
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Mute { until }).unwrap().undo.unwrap()
}

#[test]
pub(crate) fn a_mute_for_a_time_ends_by_itself_also_while_the_inbox_is_closed() {
    let mut server = server();
    let mut device = Device::at(&server);
    let thread = {
        let first = server.post(1, 42, "one");
        device.pull(&server);
        device.thread_of(&first)
    };
    let until = device.clock.now().plus_secs(3_600);
    mute(&device, thread, Some(until));
    assert_eq!((mutes(&device, &[thread]), device.badge()), (vec![(true, Some(until))], 0));
    assert_eq!(device.replica.muted_threads(10).unwrap(), (vec![thread], 1));
    assert_eq!(device.replica.next_wake().unwrap(), Some(until));

    // As with a snooze, the time is that of the server.
    device.replica.set_clock_offset(device.source, 600_000_000).unwrap();
    assert_eq!(device.replica.next_wake().unwrap(), Some(until.plus_secs(-600)));
    device.clock.advance(2_999);
    device.reopen();
    assert_eq!(device.badge(), 0);
    device.clock.advance(1);
    device.reopen();
    assert_eq!((mutes(&device, &[thread]), device.badge()), (vec![(false, None)], 1));
    assert_eq!(device.replica.next_wake().unwrap(), None);
    server.post(1, 42, "two");
    let applied = device.pull(&server);
    assert_eq!(applied[0].arrived[0].notify.level, None, "it is heard again");
}

#[test]
pub(crate) fn an_undone_mute_leaves_the_one_before_it() {
    let mut server = server();
    let device = Device::at(&server);
    let device = Device {
        replica: device.replica.clone().with_bounds(Bounds { marked_rows: 1, ..Bounds::default() }),
        ..device
    };
    let threads: Vec<ThreadId> = (0..3)
        .map(|article| {
            let posted = server.post(1, article, "words");
            device.pull(&server);
            device.thread_of(&posted)
        })
        .collect();
    let (soon, later) = (device.clock.now().plus_secs(60), device.clock.now().plus_secs(120));
    mute(&device, threads[0], None);
    mute(&device, threads[1], Some(soon));
    let before = mutes(&device, &threads);
    assert_eq!(before, [(true, None), (true, Some(soon)), (false, None)]);

    let all = BulkTarget { place: Place::Inbox, place_only: true, filter: SearchFilter::default() };
    let targets = [Mark::Mute { until: Some(later) }, Mark::Mute { until: None }, Mark::Unmute];
    for (mark, after) in targets.into_iter().zip([(true, Some(later)), (true, None), (false, None)]) {
        let (marked, _) = device.replica.mark_bulk(&all, mark).unwrap();
        assert_eq!(mutes(&device, &threads), [after; 3]);
        device.replica.undo(&marked.undo.unwrap()).unwrap();
        assert_eq!(mutes(&device, &threads), before, "{mark:?}");
    }
    let undo = mute(&device, threads[1], Some(later));
    device.replica.undo(&undo).unwrap();
    assert_eq!(mutes(&device, &threads), before);
    device.assert_consistent();
}

#[test]
pub(crate) fn what_is_about_something_muted_is_muted_with_it_until_its_end() {
    let mut server = server();
    let device = Device::at(&server);
    let posted = [server.post(1, 42, "one"), server.post(1, 7, "other")];
    device.pull(&server);
    let threads = posted.each_ref().map(|id| device.thread_of(id));
    let [comments, _] = threads;
    let until = device.clock.now().plus_secs(3_600);
    let of_article =
        |until| Mute { source: device.source, origin: String::from("article:42"), until: Some(until) };
    assert_eq!(device.replica.mute(&of_article(until)).unwrap(), None);
    assert_eq!(mutes(&device, &threads), [(true, Some(until)), (false, None)]);
    let rows = device.replica.threads_by_id(&threads).unwrap();
    assert_eq!(rows.iter().map(|row| row.muted_with_origin).collect::<Vec<_>>(), [true, false]);
    assert_eq!(device.badge(), 1, "the one about something else");
    let named = |origin| device.replica.thread_of_origin(device.source, origin).unwrap();
    assert_eq!(named("article:42").map(|thread| thread.id), Some(comments));
    assert_eq!([named("article:4"), named("owner/name")], [None, None]);
    assert_eq!(device.replica.muted_threads(10).unwrap(), (vec![], 0), "none by itself");

    // What comes there is muted, but not a thread that the reader unmuted meanwhile.
    let like = server.post(2, 42, "");
    device.pull(&server);
    let likes = device.thread_of(&like);
    assert_eq!(mutes(&device, &[likes]), [(true, Some(until))]);
    device.replica.mark(Targets::Threads(vec![comments]), Mark::Unmute).unwrap();
    server.post(1, 42, "two");
    device.pull(&server);
    assert_eq!(mutes(&device, &threads), [(false, None); 2]);

    // A later end replaces the one before, for all of its threads.
    let later = until.plus_secs(60);
    assert_eq!(device.replica.mute(&of_article(later)).unwrap(), Some(of_article(until)));
    assert_eq!(mutes(&device, &[comments, likes]), [(true, Some(later)); 2]);
    mute(&device, likes, None);
    assert_eq!(device.replica.muted_threads(10).unwrap(), (vec![likes], 1));
    device.clock.advance(3_660);
    device.replica.wake(device.clock.now()).unwrap();
    device.assert_consistent();
    assert_eq!(device.replica.mutes().unwrap(), []);
    assert_eq!(mutes(&device, &[comments, likes]), [(false, None), (true, None)], "one by itself");
    server.post(1, 42, "three");
    device.pull(&server);
    assert_eq!(mutes(&device, &[comments]), [(false, None)]);

    device.replica.mute(&Mute { until: None, ..of_article(later) }).unwrap();
    assert_eq!(mutes(&device, &[comments, likes]), [(true, None); 2]);
    device.replica.unmute(device.source, "article:42").unwrap();
    assert_eq!(mutes(&device, &[comments, likes]), [(false, None), (true, None)]);
    device.assert_consistent();
}

#[test]
pub(crate) fn a_source_that_was_muted_for_a_time_tells_as_it_did_before() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 42, "one");
    device.pull(&server);
    let level = |level| NotifySettings { level: Some(level), ..NotifySettings::default() };
    device.replica.set_source_notify(device.source, level(NotifyLevel::Badge)).unwrap();
    let until = device.clock.now().plus_secs(3_600);
    let mute = Mute { source: device.source, origin: String::new(), until: Some(until) };
    device.replica.mute(&mute).unwrap();
    let now = || {
        let source = device.replica.source(device.source).unwrap();
        (source.notify, source.muted_until, device.badge())
    };
    assert_eq!(now(), (level(NotifyLevel::Nothing), Some(until), 0));
    let silent = NotifySettings { sound: Some(false), ..level(NotifyLevel::Nothing) };
    device.replica.set_source_notify(device.source, silent).unwrap();
    assert_eq!(now(), (silent, Some(until), 0), "another setting does not change the end");
    server.post(1, 43, "two");
    let applied = device.pull(&server);
    assert_eq!(applied[0].arrived[0].notify.level, Some(NotifyLevel::Nothing));

    device.clock.advance(3_600);
    let changed = device.replica.wake(device.clock.now()).unwrap();
    assert!(changed.refetch, "rows say whether they are counted");
    assert_eq!(now(), (NotifySettings { sound: Some(false), ..level(NotifyLevel::Badge) }, None, 2));
    assert!(device.replica.mute(&Mute { source: 999, ..mute.clone() }).is_err());
    let long = "x".repeat(Mute::MAX_ORIGIN_CHARS + 1);
    assert!(device.replica.mute(&Mute { origin: long, ..mute }).is_err());
}

#[test]
pub(crate) fn a_repository_is_muted_with_all_that_is_in_it() {
    let mut server = server();
    let device = Device::at(&server);
    let posted = server.post(1, 42, "one");
    device.pull(&server);
    let thread = device.thread_of(&posted);
    for (key, origin, expected) in [
        ("issue:owner/name#12", "owner/name", true),
        ("release:owner/name@v1", "owner/name", true),
        ("issue:owner/names#12", "owner/name", false),
        ("application:Mail! #1#publish", "application:Mail! #1", true),
        ("topic:a#publish", "", false),
    ] {
        assert_eq!(is_of_origin(key, origin), expected, "{key} {origin}");
    }
    // Of another repository nothing is muted.
    let mute = Mute { source: device.source, origin: String::from("owner/name"), until: None };
    device.replica.mute(&mute).unwrap();
    assert_eq!(mutes(&device, &[thread]), [(false, None)]);
    device.replica.remove_source(device.source, false).unwrap();
    assert_eq!(device.replica.mutes().unwrap(), []);
}

//! Tests of when a reader did something: marks that arrive late, and a device whose clock is wrong.

use std::sync::Arc;

use tidings_model::wire::Change;
use tidings_model::{Clock, Mark, MsgId, QuestionState, Stamp};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;

use crate::device::{Device, server};

const DAY: i64 = 86_400;

fn put(device: &Device, msgid: &MsgId, mark: Mark) {
    device.replica.mark(Targets::MsgIds(vec![msgid.clone()]), mark).unwrap();
    device.assert_consistent();
}

fn elsewhere(msgid: &MsgId, mark: Mark) -> Change {
    Change::Mark { mark, msgids: vec![msgid.clone()], at: None }
}

/// The time at which the reader acted, by the operation that waits.
fn acted_at(device: &Device) -> Stamp {
    match &device.replica.pending(device.source, 1).unwrap()[0].change {
        Change::Mark { at: Some(at), .. } => *at,
        other => panic!("{other:?} has no time"),
    }
}

/// Gives the device a clock of its own, which differs from the server's by seconds, and stores the difference in it.
fn set_clock(device: &mut Device, server: &ManualClock, seconds: i64) {
    device.replica.set_clock_offset(device.source, -seconds * 1_000_000).unwrap();
    device.clock = ManualClock::at(server.now().plus_secs(seconds));
    device.reopen();
}

#[test]
pub(crate) fn what_was_read_on_a_plane_yesterday_stays_unread_if_it_was_marked_so_today() {
    let mut server = server();
    let device = Device::at(&server);
    let (kept, contested) = (server.post(1, 1, "kept"), server.post(1, 2, "contested"));
    device.pull(&server);
    put(&device, &kept, Mark::Read);
    put(&device, &contested, Mark::Read);
    device.clock.advance(DAY);
    for mark in [Mark::Read, Mark::Unread] {
        server.apply(&elsewhere(&contested, mark));
    }
    server.apply(&elsewhere(&kept, Mark::Seen));

    // The device learns of the other mark before it can send its own.
    device.pull(&server);
    assert_eq!(device.unread(), 0, "its own marks are shown while they wait");
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), 1);
    let item = |id: &MsgId| device.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap().remove(0);
    assert!(item(&contested).unread && !item(&contested).pending);
    assert!(item(&kept).notification.read_at.is_some());
    // Nothing of it is left for the next pull.
    device.pull(&server);
    assert_eq!(device.unread(), 1);
}

#[test]
fn what_was_read_in_a_view_on_a_plane_yesterday_stays_unread_if_it_was_marked_so_today() {
    for sort in [0, 3] {
        let mut server = server();
        let device = Device::at(&server);
        let (kept, contested) = (server.post(sort, 1, "kept"), server.post(sort, 1, "contested"));
        device.pull(&server);
        put(&device, &contested, Mark::Read);
        assert_eq!((acted_at(&device), device.unread()), (server.sync(None, 10).next, 0));
        device.clock.advance(DAY);
        for mark in [Mark::Read, Mark::Unread] {
            server.apply(&elsewhere(&contested, mark));
        }
        device.pull(&server);
        assert_eq!(device.unread(), 0, "its own mark is shown while it waits");
        device.flush(&mut server);
        device.pull(&server);
        let unread = |id: &MsgId| server.unread(&server.items[id]);
        assert_eq!((device.unread(), unread(&kept), unread(&contested)), (1, false, true), "sort {sort}");
        device.assert_consistent();
    }
}

#[test]
fn what_was_read_with_an_item_that_is_deleted_by_then_is_read_all_the_same() {
    let mut server = server();
    let device = Device::at(&server);
    let (older, newer) = (server.post(3, 1, "older"), server.post(3, 1, "newer"));
    device.pull(&server);
    put(&device, &newer, Mark::Read);
    server.apply(&elsewhere(&newer, Mark::Delete));
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!((device.unread(), server.unread(&server.items[&older])), (0, false));
    device.assert_consistent();
}

#[test]
pub(crate) fn what_was_read_or_put_away_before_a_revision_leaves_the_revision_unread() {
    let mut server = server();
    let device = Device::at(&server);
    let (read, archived) = (server.post(1, 1, "80 %"), server.post(1, 2, "80 %"));
    device.pull(&server);
    put(&device, &read, Mark::Read);
    put(&device, &archived, Mark::Archive);
    device.clock.advance(60);
    for msgid in [&read, &archived] {
        server.edit(msgid, "99 %", 5);
    }
    device.pull(&server);
    assert_eq!(device.unread(), 2, "before the marks are sent");
    device.flush(&mut server);
    assert_eq!(device.unread(), 2, "when the server has taken them");
    device.pull(&server);
    assert_eq!(device.unread(), 2);
    put(&device, &read, Mark::Read);
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), 1, "a later mark reads it");
}

#[test]
pub(crate) fn marks_are_sent_with_the_time_of_the_server_whatever_this_clock_says() {
    let mut server = server();
    let mut device = Device::at(&server);
    let msgid = server.post(1, 1, "first");
    device.pull(&server);
    let now = server.clock.now();
    set_clock(&mut device, &server.clock, -DAY);
    device.clock.advance(5);
    put(&device, &msgid, Mark::Archive);
    assert_eq!(acted_at(&device), now.plus_secs(5));
    server.clock.advance(60);
    device.flush(&mut server);

    // A clock that went wrong after the last connection: never before what was shown.
    server.edit(&msgid, "second", 3);
    device.pull(&server);
    let shown = server.sync(None, 10).next;
    device.clock.advance(-400 * DAY);
    put(&device, &msgid, Mark::Read);
    assert_eq!(acted_at(&device), shown);
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!((device.unread(), server.unread(&server.items[&msgid])), (0, false));
}

#[test]
pub(crate) fn a_snooze_and_a_question_end_by_the_clock_of_their_server() {
    let mut server = server();
    let mut device = Device::at(&server);
    let (late, asked) = (server.post(1, 1, "later"), server.ask(2, "Deploy?"));
    device.pull(&server);
    set_clock(&mut device, &server.clock, 3_600);
    let until = server.clock.now().plus_secs(90);
    put(&device, &late, Mark::Snooze { until });
    assert_eq!(device.unread(), 1, "it sleeps, though its time is over by this clock");
    assert_eq!(device.replica.next_wake().unwrap(), Some(device.clock.now().plus_secs(60)), "the question");

    let step = |seconds| {
        server.clock.advance(seconds);
        device.clock.advance(seconds);
        device.replica.wake(device.clock.now()).unwrap();
        device.assert_consistent();
    };
    step(59);
    assert_eq!(device.unread(), 1);
    step(1);
    let question = |id: &MsgId| {
        let item = device.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap().remove(0);
        item.notification.content.question.unwrap()
    };
    assert_eq!((device.unread(), question(&asked).state), (0, QuestionState::Expired));
    assert_eq!(device.replica.next_wake().unwrap(), Some(device.clock.now().plus_secs(30)));
    step(29);
    assert_eq!(device.unread(), 0);
    step(1);
    assert_eq!((device.unread(), device.replica.next_wake().unwrap()), (1, None));
}

#[test]
pub(crate) fn what_woke_by_a_clock_that_was_set_back_sleeps_again_as_it_does_at_the_server() {
    let mut server = server();
    let device = Device::at(&server);
    let msgids: Vec<MsgId> = (0..300).map(|_| server.post(1, 1, "later")).collect();
    device.pull(&server);
    let until = server.clock.now().plus_secs(90);
    device.replica.mark(Targets::MsgIds(msgids.clone()), Mark::Snooze { until }).unwrap();
    assert_eq!(device.unread(), 0);
    let step = |seconds| {
        device.clock.advance(seconds);
        let due = device.replica.next_wake().unwrap();
        if due.is_some_and(|due| due <= device.clock.now()) {
            device.replica.wake(device.clock.now()).unwrap();
        }
        device.assert_consistent();
        device.unread()
    };
    assert_eq!([step(400 * DAY), step(-400 * DAY), step(89)], [300, 0, 0]);
    assert_eq!(device.replica.next_wake().unwrap(), Some(until));
    assert_eq!((step(1), device.replica.next_wake().unwrap()), (300, None));
}

#[test]
pub(crate) fn a_question_that_ended_by_a_wrong_clock_is_open_again_once_the_clock_is_right() {
    let mut server = server();
    let device = Device::at(&server);
    let (open, answered) = (server.ask(42, "Deploy?"), server.ask(2, "Restart?"));
    device.pull(&server);
    let state = |id: &MsgId| {
        let item = device.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap().remove(0);
        item.notification.content.question.unwrap().state
    };
    let wake = || {
        device.replica.wake(device.clock.now()).unwrap();
        [device.unread(), device.badge()]
    };
    let due = device.replica.next_wake().unwrap();
    let offset = |seconds: i64| device.replica.set_clock_offset(device.source, seconds * 1_000_000).unwrap();
    offset(400 * DAY);
    assert_eq!(
        (wake(), state(&open), state(&answered)),
        ([0, 0], QuestionState::Expired, QuestionState::Expired)
    );
    assert_eq!(server.answer("cy", &answered, Some("approve".into()), None), None);
    device.pull(&server);
    assert_eq!(state(&answered), QuestionState::Answered);

    offset(0);
    assert_eq!(device.replica.next_wake().unwrap(), Some(device.clock.now()), "what ended too early");
    assert_eq!(
        (wake(), state(&open), state(&answered)),
        ([1, 1], QuestionState::Open, QuestionState::Answered)
    );
    assert_eq!(device.replica.next_wake().unwrap(), due);
    device.clock.set(due.unwrap());
    assert_eq!((wake(), state(&open)), ([0, 0], QuestionState::Expired));
    // What the server has said stays, whatever the clock says later.
    server.end_questions();
    device.pull(&server);
    device.clock.advance(-3_600);
    assert_eq!(device.replica.next_wake().unwrap(), None);
    assert_eq!((wake(), state(&open)), ([0, 0], QuestionState::Expired));
}

#[test]
pub(crate) fn a_snooze_that_moved_with_the_mended_clock_of_its_server_is_not_sent_again() {
    let mut server = server();
    let device = Device::at(&server);
    let now = server.clock.now();
    server.clock.advance(400 * DAY);
    let msgid = server.post(1, 1, "later");
    device.pull(&server);
    put(&device, &msgid, Mark::Snooze { until: server.clock.now().plus_secs(3_600) });
    device.flush(&mut server);
    device.pull(&server);

    server.clock.set(now);
    server.epoch += 1;
    let until = Some(now.plus_secs(3_600));
    let item = server.items.get_mut(&msgid).unwrap();
    (item.created_at, item.stamp, item.snoozed_until) = (now.plus_micros(-1), now, until);
    device.replica.resync(device.source).unwrap();
    device.pull(&server);
    let shown = device.replica.items_by_msgid(None, &[msgid]).unwrap().remove(0).notification;
    assert_eq!((shown.snoozed_until, device.replica.next_wake().unwrap()), (until, until));
    assert!(!device.replica.has_unsent(device.source).unwrap());
}

#[test]
pub(crate) fn an_assumed_mark_outlives_a_restart_and_ends_with_the_next_complete_pull() {
    let mut server = server();
    let mut device = Device::at(&server);
    let msgid = server.post(1, 1, "contested");
    device.pull(&server);
    put(&device, &msgid, Mark::Read);
    device.clock.advance(DAY);
    for mark in [Mark::Read, Mark::Unread] {
        server.apply(&elsewhere(&msgid, mark));
    }
    device.pull(&server);
    device.flush(&mut server);
    assert_eq!(device.unread(), 0, "the server took the operation");
    device.replica = Replica::open(device.dir.path(), Arc::new(device.clock.clone())).unwrap();
    // A further mark goes on top of it.
    put(&device, &msgid, Mark::Archive);
    device.flush(&mut server);
    device.pull(&server);
    put(&device, &msgid, Mark::Unarchive);
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!((device.unread(), server.unread(&server.items[&msgid])), (1, true));
}

#[test]
pub(crate) fn reading_everything_ends_at_what_is_here_though_a_letter_waits_with_a_wrong_time() {
    let mut server = server();
    let mut device = Device::at(&server);
    let here = server.post(3, 1, "seen");
    device.pull(&server);
    device.clock = ManualClock::at(server.clock.now().plus_secs(400 * DAY));
    device.reopen();
    let letter = serde_json::from_value(serde_json::json!({"body": "on its way"})).unwrap();
    device.replica.write_message(device.source, "user:p1", letter).unwrap();
    server.clock.advance(60);
    let not_here = server.post(1, 2, "not seen");
    let all = Targets::All { source: Some(device.source), kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    device.flush(&mut server);
    let unread = |id: &MsgId| server.unread(&server.items[id]);
    assert_eq!((unread(&here), unread(&not_here)), (false, true));
}

#[test]
pub(crate) fn a_mark_on_what_a_restored_server_has_lost_stays() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 1, "in the backup");
    let mut restored = server.clone();
    let lost = server.post(1, 2, "after the backup");
    device.pull(&server);
    put(&device, &lost, Mark::Archive);
    restored.epoch += 1;
    device.replica.resync(device.source).unwrap();
    device.flush(&mut restored);
    device.pull(&restored);
    let item = device.replica.items_by_msgid(None, &[lost]).unwrap().remove(0);
    assert!(item.notification.archived_at.is_some() && !item.pending);
}

//! Tests of an item's state after revisions, marks, visits and recalls.

use super::*;

const T: fn(i64) -> Stamp = Stamp::from_micros;

fn item(auto: bool) -> Item {
    Item {
        created_at: T(10),
        auto,
        own: false,
        seen_at: None,
        read_at: None,
        archived_at: None,
        snoozed_until: None,
        deleted: false,
        mark: None,
        mark_read_at: None,
        revised_at: None,
        edited_at: None,
        closed: false,
        marked: MarkTimes::default(),
    }
}

fn inbox(kind: Kind) -> RevisedIn {
    RevisedIn { stamp: T(90), kind, auto: false, mark: None, is_entitled: false }
}

fn content(at: i64, last: Revision) -> Revisions {
    Revisions { content_at: Some(T(at)), last: Some(last), is_closed: false }
}

#[test]
fn what_was_revised_and_then_cleared_has_the_new_content_and_is_read() {
    let old = Item { archived_at: Some(T(15)), snoozed_until: Some(T(99)), ..item(false) };
    let after = old.revised(content(20, Revision::Clear), inbox(Kind::Reminder));
    assert_eq!((after.revised_at, after.read_at), (Some(T(20)), Some(T(90))));
    assert_eq!((after.archived_at, after.snoozed_until), (None, Some(T(99))), "a snooze stays");
    assert_eq!(after.revised(content(20, Revision::Clear), inbox(Kind::Reminder)), after, "once");
    let again = after.revised(content(30, Revision::Content), inbox(Kind::Reminder));
    assert_eq!((again.revised_at, again.read_at), (Some(T(30)), None));
}

#[test]
fn an_edited_message_keeps_its_read_state_and_its_place() {
    let read = Item { mark: Some(T(10)), archived_at: Some(T(15)), ..item(true) };
    let after = read.revised(content(20, Revision::Content), inbox(Kind::Message));
    assert_eq!((after.edited_at, after.revised_at), (Some(T(20)), None));
    assert_eq!((after.read_at(), after.content_at(), after.archived_at), (Some(T(10)), T(10), None));
}

#[test]
fn a_tombstone_gives_way_only_where_the_revision_would_come_as_a_new_publication() {
    let gone = Item { deleted: true, seen_at: Some(T(11)), snoozed_until: Some(T(99)), ..item(false) };
    let by = content(20, Revision::Content);
    assert_eq!(gone.revised(by, inbox(Kind::Reminder)), gone);
    let back = gone.revised(by, RevisedIn { is_entitled: true, ..inbox(Kind::Reminder) });
    assert_eq!(back, Item { revised_at: Some(T(20)), ..item(false) });
    assert_eq!(gone.revised(content(20, Revision::Clear), inbox(Kind::Reminder)), gone);
}

#[test]
fn an_item_of_manual_class_is_read_when_it_is_marked_and_only_then() {
    let i = Item { mark: Some(T(99)), ..item(false) };
    assert_eq!(i.unread_state(), UnreadState::Unread);
    let Effect::Update(read) = i.effect(Mark::Read, T(20)) else { panic!() };
    assert_eq!(read.read_at(), Some(T(20)));
    assert_eq!(read.effect(Mark::Read, T(30)), Effect::Unchanged);
    let Effect::Update(unread) = read.effect(Mark::Unread, T(30)) else { panic!() };
    assert_eq!(unread.unread_state(), UnreadState::Unread);
}

#[test]
fn a_mark_of_a_clock_that_was_ahead_is_no_later_one_when_the_clock_is_right() {
    let read = Item { read_at: Some(T(10)), ..item(false) };
    let again = read.marked(Mark::Read, T(900)).unwrap();
    assert_eq!(again.marked(Mark::Unread, T(30)), None, "by a clock that is as far ahead it is later");
    let now = Item { marked: again.marked.until(T(40)), ..again };
    assert_eq!(now.marked(Mark::Unread, T(30)).unwrap().marked.read, Some(T(30)));
    assert_eq!(now.marked(Mark::Unread, T(9)), None, "it was read after that");
}

#[test]
fn a_mark_without_a_time_gives_way_to_nothing_and_is_put_at_no_stamp_of_another_inbox() {
    let behind = MarkClock { now: T(5), newest: T(900) };
    let put = |item: Item, mark, at| item.put(mark, at, behind).map(|(_, at)| at);
    assert_eq!(put(item(false), Mark::Read, None), Some(T(10)), "not before it was created");
    let unread = Item { marked: MarkTimes { read: Some(T(60)), ..MarkTimes::default() }, ..item(false) };
    assert_eq!(put(unread, Mark::Read, None), Some(T(60)));
    assert_eq!(put(unread, Mark::Read, Some(T(59))), None);
    assert_eq!(put(Item { revised_at: Some(T(70)), ..unread }, Mark::Read, None), Some(T(70)));
    assert_eq!(put(Item { edited_at: Some(T(80)), ..unread }, Mark::Archive, None), Some(T(80)));
    assert_eq!(put(unread, Mark::Read, Some(T(2_000))), Some(T(900)), "no mark is put later");
    let now = MarkClock { now: T(1_000), newest: T(900) };
    assert_eq!(unread.put(Mark::Read, None, now).map(|(_, at)| at), Some(T(1_000)));
}

#[test]
fn an_item_of_auto_class_moves_its_views_mark() {
    let i = item(true);
    assert_eq!(i.effect(Mark::Read, T(20)), Effect::AdvanceMark(T(10)));
    let read = Item { mark: Some(T(10)), ..i };
    assert_eq!(read.read_at(), Some(T(10)));
    assert_eq!(read.effect(Mark::Read, T(20)), Effect::Unchanged);
    assert_eq!(read.effect(Mark::Unread, T(20)), Effect::RewindMark(T(9)));
    assert_eq!(Item { mark: Some(T(9)), ..i }.unread_state(), UnreadState::Unread);
}

#[test]
fn a_revised_item_of_auto_class_is_covered_from_its_revision_on() {
    let revised = Item { mark: Some(T(15)), revised_at: Some(T(20)), ..item(true) };
    assert_eq!(revised.unread_state(), UnreadState::Unread, "its creation alone is not what one would see");
    assert_eq!(revised.effect(Mark::Read, T(30)), Effect::AdvanceMark(T(20)));
    let read = Item { mark: Some(T(20)), ..revised };
    assert_eq!((read.unread_state(), read.read_at()), (UnreadState::Read, Some(T(20))));
    assert_eq!(read.effect(Mark::Unread, T(30)), Effect::RewindMark(T(9)));
}

#[test]
fn the_later_of_two_opposite_marks_holds() {
    let read = item(false).marked(Mark::Read, T(30)).map(|i| Item { read_at: Some(T(30)), ..i }).unwrap();
    assert_eq!(read.marked(Mark::Unread, T(20)), None);
    let unread = read.marked(Mark::Unread, T(40)).map(|i| Item { read_at: None, ..i }).unwrap();
    assert_eq!(unread.marked(Mark::Read, T(35)), None);
    assert!(unread.marked(Mark::Archive, T(35)).is_some(), "it says nothing about reading");
    let revised = Item { revised_at: Some(T(50)), marked: MarkTimes::default(), ..item(false) };
    assert_eq!(revised.effect(Mark::Read, T(49)), Effect::Unchanged, "this text was not read");
    assert_eq!(revised.marked(Mark::Archive, T(49)), None);
    let auto = Item { auto: true, ..revised };
    assert_eq!(auto.effect(Mark::Read, T(49)), Effect::AdvanceMark(T(10)));
    assert_eq!(auto.effect(Mark::Read, T(50)), Effect::AdvanceMark(T(50)));
}

#[test]
fn what_a_views_mark_covers_was_read_when_that_mark_was_moved() {
    let read = Item { mark: Some(T(20)), mark_read_at: Some(T(60)), ..item(true) };
    assert_eq!(read.marked(Mark::Unread, T(50)), None);
    assert!(read.marked(Mark::Unread, T(60)).is_some());
    let later = Item { created_at: T(30), ..read };
    assert!(later.marked(Mark::Unread, T(50)).is_some(), "it does not cover this one");
}

#[test]
fn a_tombstone_stays_one() {
    let gone = Item { deleted: true, ..item(false) };
    for mark in [Mark::Read, Mark::Unarchive] {
        assert_eq!(gone.effect(mark, T(20)), Effect::Unchanged);
    }
    assert_eq!(gone.unread_state(), UnreadState::Read);
}

#[test]
fn a_closed_question_is_not_unread_whatever_its_publisher_does() {
    let open = item(false);
    let closed = Revisions { content_at: None, last: Some(Revision::Close), is_closed: true };
    let after = open.revised(closed, inbox(Kind::Reminder));
    assert_eq!((after.unread_state(), after.read_at), (UnreadState::Read, None));
    let revised = Revisions { content_at: Some(T(20)), last: Some(Revision::Content), is_closed: true };
    assert_eq!(after.revised(revised, inbox(Kind::Reminder)).unread_state(), UnreadState::Read);
}

#[test]
fn archived_ones_and_own_ones_do_not_count() {
    assert_eq!(Item { archived_at: Some(T(11)), ..item(true) }.unread_state(), UnreadState::Archived);
    assert_eq!(Item { own: true, ..item(true) }.unread_state(), UnreadState::Read);
}

#[test]
fn what_was_archived_since_its_revision_stays_so_when_it_is_cleared() {
    let archived = Item { archived_at: Some(T(25)), ..item(false) };
    let (reminder, message) =
        (Item { revised_at: Some(T(20)), ..archived }, Item { edited_at: Some(T(20)), ..archived });
    for (item, kind) in [(reminder, Kind::Reminder), (message, Kind::Message)] {
        let after = item.revised(content(20, Revision::Clear), inbox(kind));
        assert_eq!((after.archived_at, after.read_at), (Some(T(25)), Some(T(90))), "{kind:?}");
    }
}

#[test]
fn a_revised_item_has_the_class_of_today_and_was_seen_before() {
    let auto = Item { mark: Some(T(15)), seen_at: Some(T(11)), ..item(true) };
    let by = content(20, Revision::Content);
    let after = auto.revised(by, inbox(Kind::Reminder));
    assert_eq!((after.auto, after.mark, after.seen_at), (false, None, Some(T(11))));
    let into = RevisedIn { auto: true, mark: Some(T(25)), ..inbox(Kind::Reminder) };
    let after = item(false).revised(by, into);
    assert_eq!((after.auto, after.mark, after.unread_state()), (true, Some(T(25)), UnreadState::Read));
}

#[test]
fn what_is_read_at_the_very_moment_of_its_revision_is_read() {
    let revised = Item { revised_at: Some(T(50)), ..item(false) };
    assert_eq!(revised.effect(Mark::Read, T(50)), Effect::Update(Item { read_at: Some(T(50)), ..revised }));
}

#[test]
fn the_later_of_archive_and_unarchive_and_of_snooze_and_unsnooze_holds() {
    let i = item(false);
    let archived = Item { archived_at: Some(T(30)), ..i };
    assert_eq!(archived.marked(Mark::Unarchive, T(29)), None);
    let back = Item { archived_at: None, ..archived.marked(Mark::Unarchive, T(30)).unwrap() };
    assert_eq!((back.marked.archive, back.marked(Mark::Archive, T(29))), (Some(T(30)), None));
    let edited = Item { edited_at: Some(T(50)), ..i };
    assert!(edited.marked(Mark::Archive, T(49)).is_none() && edited.marked(Mark::Archive, T(50)).is_some());
    let asleep = i.marked(Mark::Snooze { until: T(99) }, T(30)).unwrap();
    assert_eq!((asleep.marked.snooze, asleep.marked(Mark::Unsnooze, T(29))), (Some(T(30)), None));
    assert!(asleep.marked(Mark::Unsnooze, T(31)).is_some());
    for mark in [Mark::Seen, Mark::Delete, Mark::Pin] {
        assert_eq!(asleep.marked(mark, T(1)), Some(asleep), "{mark:?} has no opposite that is later");
    }
}

#[test]
fn a_time_that_is_now_is_no_time_still_to_come() {
    let times = MarkTimes { read: Some(T(40)), archive: Some(T(41)), snooze: Some(T(39)) };
    assert_eq!(times.until(T(40)), MarkTimes { archive: None, ..times });
}

#[test]
fn each_mark_of_an_item_changes_what_it_names_and_the_first_time_stays() {
    let (i, at) = (item(false), T(20));
    let until = T(99);
    for (before, mark, after) in [
        (i, Mark::Seen, Item { seen_at: Some(at), ..i }),
        (i, Mark::Archive, Item { archived_at: Some(at), ..i }),
        (Item { archived_at: Some(at), ..i }, Mark::Unarchive, i),
        (i, Mark::Snooze { until }, Item { snoozed_until: Some(until), ..i }),
        (Item { snoozed_until: Some(until), ..i }, Mark::Unsnooze, i),
        (i, Mark::Delete, Item { deleted: true, ..i }),
    ] {
        assert_eq!(before.effect(mark, at), Effect::Update(after), "{mark:?}");
        assert_eq!(after.effect(mark, T(30)), Effect::Unchanged, "{mark:?}");
    }
    for mark in [Mark::Pin, Mark::Mute { until: None }, Mark::Subscribe, Mark::Ignore] {
        assert_eq!(i.effect(mark, at), Effect::Unchanged, "{mark:?} is kept by each device");
    }
}

#[test]
fn numbers_in_rows_never_change() {
    let states = [UnreadState::Read, UnreadState::Unread, UnreadState::Archived];
    assert_eq!(states.map(UnreadState::as_row), [0, 1, 2]);
    for revision in [Revision::Content, Revision::Clear, Revision::Delete, Revision::Close] {
        assert_eq!(Revision::from_row(revision as i64), Some(revision));
    }
    assert_eq!([0, 5].map(Revision::from_row), [None, None]);
}

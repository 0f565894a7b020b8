use serde_json::json;

use super::*;

const WORK: SourceId = 1;

fn at(seconds: i64) -> Stamp {
    Stamp::from_secs(1_000_000 + seconds)
}

fn arrival(thread: ThreadId, msgid: &str, priority: u8, created: Stamp) -> Arrival {
    let notification = json!({"msgid": msgid, "stamp": created, "version": 1, "kind": "reminder",
        "created_at": created, "thread": "t", "actor": {"id": "a", "name": "A"}, "priority": priority});
    Arrival {
        item: 1,
        thread,
        unread: true,
        again: false,
        telling: tidings_replica::Telling::default(),
        priority,
        hushed: false,
        notification: serde_json::from_value(notification).unwrap(),
    }
}

fn many(threads: std::ops::Range<i64>) -> Vec<Arrival> {
    threads.map(|i| arrival(i, &format!("m{i}"), 3, at(0))).collect()
}

fn keys(orders: &[Order]) -> Vec<(ToastKey, Story)> {
    orders
        .iter()
        .filter_map(|o| match o {
            Order::Show { key, story, .. } => Some((*key, *story)),
            Order::Close(_) => None,
        })
        .collect()
}

#[test]
fn a_thread_has_one_toast_that_is_replaced_as_it_grows() {
    let mut toasting = Toasting::new(at(0));
    let first = toasting.heard(WORK, Occasion::Live, &[arrival(7, "a", 3, at(0))], &[], at(0));
    let second = toasting.heard(
        WORK,
        Occasion::Live,
        &[arrival(7, "b", 3, at(1)), arrival(7, "c", 5, at(1))],
        &[],
        at(1),
    );
    assert_eq!(keys(&first), [(ToastKey::Thread(7), Story::Thread)]);
    assert_eq!(keys(&second), [(ToastKey::Thread(7), Story::Thread)]);
    assert!(matches!(second.first(), Some(Order::Show { urgency: Urgency::Critical, .. })));
    assert_eq!(toasting.take(ToastKey::Thread(7)).len(), 3, "its button stands for all that it showed");
}

#[test]
fn a_night_away_is_one_toast_for_each_source() {
    let mut toasting = Toasting::new(at(0));
    assert!(toasting.heard(WORK, Occasion::Gap, &many(0..300), &[], at(0)).is_empty());
    assert!(toasting.heard(WORK, Occasion::Gap, &many(300..500), &[], at(1)).is_empty());
    assert_eq!(keys(&toasting.caught_up(WORK, at(2))), [(ToastKey::Source(WORK), Story::Gap(500))]);
    assert!(toasting.caught_up(WORK, at(3)).is_empty());
}

#[test]
fn a_single_one_after_a_gap_is_told_by_its_words() {
    let mut toasting = Toasting::new(at(0));
    toasting.heard(WORK, Occasion::Gap, &[arrival(7, "a", 3, at(-90))], &[], at(0));
    assert_eq!(keys(&toasting.caught_up(WORK, at(0))), [(ToastKey::Thread(7), Story::Thread)]);
}

#[test]
fn a_first_backlog_is_history_but_for_what_came_since_the_start() {
    let mut toasting = Toasting::new(at(0));
    let mut page = many(0..100);
    for old in &mut page {
        old.notification.created_at = at(-1_000);
    }
    page.push(arrival(700, "new", 3, at(1)));
    toasting.heard(WORK, Occasion::Backlog, &page, &[], at(1));
    assert_eq!(keys(&toasting.caught_up(WORK, at(1))), [(ToastKey::Thread(700), Story::Thread)]);
}

#[test]
fn a_storm_becomes_one_toast_until_it_is_quiet_again() {
    let mut toasting = Toasting::new(at(0));
    let orders = keys(&toasting.heard(WORK, Occasion::Live, &many(0..43), &[], at(0)));
    assert_eq!(orders.len(), 6);
    assert_eq!(orders.last(), Some(&(ToastKey::Source(WORK), Story::Storm(38))));
    let orders = keys(&toasting.heard(WORK, Occasion::Live, &many(50..52), &[], at(5)));
    assert_eq!(orders, [(ToastKey::Source(WORK), Story::Storm(40))]);
    let orders = keys(&toasting.heard(WORK, Occasion::Live, &many(60..61), &[], at(30)));
    assert_eq!(orders, [(ToastKey::Thread(60), Story::Thread)]);
}

#[test]
fn another_source_is_heard_during_a_storm() {
    let mut toasting = Toasting::new(at(0));
    toasting.heard(WORK, Occasion::Live, &many(0..43), &[], at(0));
    let orders = keys(&toasting.heard(2, Occasion::Live, &many(100..101), &[], at(1)));
    assert_eq!(orders, [(ToastKey::Thread(100), Story::Thread)]);
}

#[test]
fn nothing_is_shown_for_what_is_muted_read_or_of_the_lowest_priority() {
    let mut toasting = Toasting::new(at(0));
    let mut muted = arrival(1, "a", 5, at(0));
    muted.telling.tell = Some(Tell::Nothing);
    let mut read = arrival(2, "b", 5, at(0));
    read.unread = false;
    let lowest = arrival(3, "c", 1, at(0));
    assert!(toasting.heard(WORK, Occasion::Live, &[muted, read, lowest], &[], at(0)).is_empty());
}

#[test]
fn a_pause_is_silent_and_nothing_floods_out_after_it() {
    let mut toasting = Toasting::new(at(0));
    toasting.pause(Some(at(60)));
    assert!(toasting.heard(WORK, Occasion::Live, &many(0..3), &[], at(1)).is_empty());
    toasting.heard(WORK, Occasion::Gap, &many(3..9), &[], at(1));
    toasting.pause(None);
    assert!(toasting.caught_up(WORK, at(2)).is_empty());
    assert_eq!(toasting.heard(WORK, Occasion::Live, &many(10..11), &[], at(3)).len(), 1);
}

#[test]
fn a_pause_ends_by_itself() {
    let mut toasting = Toasting::new(at(0));
    toasting.pause(Some(at(60)));
    assert_eq!(toasting.heard(WORK, Occasion::Live, &many(0..1), &[], at(60)).len(), 1);
}

#[test]
fn a_toast_goes_when_its_thread_was_read_elsewhere() {
    let mut toasting = Toasting::new(at(0));
    toasting.heard(WORK, Occasion::Live, &many(1..3), &[], at(0));
    let orders = toasting.settle(|key| key == ToastKey::Thread(2));
    assert_eq!(orders, [Order::Close(ToastKey::Thread(1))]);
    assert_eq!(toasting.on_screen(), [ToastKey::Thread(2)]);
    assert!(toasting.settle(|_| true).is_empty());
}

#[test]
fn what_changed_under_a_toast_replaces_it_and_what_was_read_long_ago_does_not_come_back() {
    let mut toasting = Toasting::new(at(0));
    toasting.heard(WORK, Occasion::Live, &[arrival(7, "a", 3, at(0))], &[], at(0));
    let changed = [arrival(7, "a", 3, at(0)), arrival(8, "old", 3, at(-9))];
    let orders = keys(&toasting.heard(WORK, Occasion::Live, &[], &changed, at(1)));
    assert_eq!(orders, [(ToastKey::Thread(7), Story::Thread)]);
    let mut again = arrival(8, "old", 3, at(-9));
    again.again = true;
    assert_eq!(toasting.heard(WORK, Occasion::Live, &[], &[again], at(2)).len(), 1);
}

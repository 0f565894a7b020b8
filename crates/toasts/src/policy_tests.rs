//! Tests of the toast policy: bursts, gaps, storms, silences, and items that were read elsewhere.

use std::collections::HashSet;

use serde_json::json;
use tidings_ipc::{ChosenSound, Sounds};
use tidings_ports::{Toast, ToastRef, Urgency};

use super::*;

const WORK: SourceId = 1;

/// The default settings without a silence.
const DEFAULT: ToastContext = ToastContext::DEFAULT;

fn silent(passes: Option<u8>) -> ToastContext {
    ToastContext { silences: vec![Silence { passes, only: Vec::new() }], ..DEFAULT }
}

/// A command for a toast about one thread.
fn thread(key: ThreadId, count: u64, item: &str) -> (ToastKey, ToastContent) {
    (ToastKey::Thread(key), ToastContent::Thread { count, item: item.into() })
}

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
        unread_again: false,
        notify: tidings_replica::NotifySettings::default(),
        priority,
        no_toast: false,
        notification: serde_json::from_value(notification).unwrap(),
    }
}

fn many(threads: std::ops::Range<i64>) -> Vec<Arrival> {
    threads.map(|i| arrival(i, &format!("m{i}"), 3, at(0))).collect()
}

fn keys(commands: &[ToastCommand]) -> Vec<(ToastKey, ToastContent)> {
    commands
        .iter()
        .filter_map(|o| match o {
            ToastCommand::Show { key, content, .. } => Some((*key, content.clone())),
            ToastCommand::Close(_) => None,
        })
        .collect()
}

#[test]
fn a_thread_has_one_toast_that_is_replaced_as_it_grows() {
    let mut policy = ToastPolicy::new(at(0));
    let first = policy.arrived(WORK, PullReason::Live, &[arrival(7, "a", 3, at(0))], &[], &DEFAULT, at(0));
    let second = policy.arrived(
        WORK,
        PullReason::Live,
        &[arrival(7, "b", 3, at(1)), arrival(7, "c", 5, at(1))],
        &[],
        &DEFAULT,
        at(1),
    );
    assert_eq!(keys(&first), [thread(7, 1, "a")]);
    assert_eq!(keys(&second), [thread(7, 3, "c")]);
    assert!(matches!(second.first(), Some(ToastCommand::Show { urgency: Urgency::Critical, .. })));
    let serial = policy.record_shown(ToastKey::Thread(7), None);
    let dismissed = policy.dismiss(ToastRef { key: ToastKey::Thread(7), serial });
    assert_eq!(dismissed.msgids.len(), 3, "its button stands for all that it showed");
    assert_eq!(dismissed.then, ToastCommand::Close(ToastKey::Thread(7)));
}

#[test]
fn a_night_away_is_one_toast_for_each_source() {
    let mut policy = ToastPolicy::new(at(0));
    assert!(policy.arrived(WORK, PullReason::Gap, &many(0..300), &[], &DEFAULT, at(0)).is_empty());
    assert!(policy.arrived(WORK, PullReason::Gap, &many(300..500), &[], &DEFAULT, at(1)).is_empty());
    assert_eq!(
        keys(&policy.caught_up(WORK, &DEFAULT, at(2))),
        [(ToastKey::Source(WORK), ToastContent::Gap(500))]
    );
    assert!(policy.caught_up(WORK, &DEFAULT, at(3)).is_empty());
}

#[test]
fn however_much_a_pull_brings_few_items_wait_for_its_end_and_all_are_counted() {
    let mut policy = ToastPolicy::new(at(0));
    let mut deferred = 0;
    for context in [DEFAULT, silent(None)] {
        for page in 0..20 {
            let page = many(page * 500..(page + 1) * 500);
            assert!(policy.arrived(WORK, PullReason::Gap, &page, &[], &context, at(0)).is_empty());
            assert!(policy.waiting[&WORK].candidates.len() <= 2 * MAX_TOAST_ITEMS);
            deferred += policy.newly_deferred().len();
        }
        let told = policy.caught_up(WORK, &context, at(1));
        deferred += policy.newly_deferred().len();
        if context == DEFAULT {
            assert_eq!(keys(&told), [(ToastKey::Source(WORK), ToastContent::Gap(10_000))]);
        } else {
            assert!(told.is_empty());
        }
        assert!(policy.waiting.is_empty());
    }
    assert_eq!(deferred, 10_000, "each is remembered beyond this session");
    // The summary is on the screen with the newest ones, which both pulls brought.
    let (told, _) = policy.silence_ended(&all_unread(&policy), &DEFAULT, at(60));
    let [ToastCommand::Show { content: ToastContent::Gap(count), .. }] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(*count >= 19_000, "{count}");
}

#[test]
fn a_single_one_after_a_gap_is_told_by_its_words() {
    let mut policy = ToastPolicy::new(at(0));
    policy.arrived(WORK, PullReason::Gap, &[arrival(7, "a", 3, at(-90))], &[], &DEFAULT, at(0));
    assert_eq!(keys(&policy.caught_up(WORK, &DEFAULT, at(0))), [thread(7, 1, "a")]);
}

#[test]
fn a_first_backlog_is_history_but_for_what_came_since_the_start() {
    let mut policy = ToastPolicy::new(at(0));
    let mut page = many(0..100);
    for old in &mut page {
        old.notification.created_at = at(-1_000);
    }
    page.push(arrival(700, "new", 3, at(1)));
    policy.arrived(WORK, PullReason::Backlog, &page, &[], &DEFAULT, at(1));
    assert_eq!(keys(&policy.caught_up(WORK, &DEFAULT, at(1))), [thread(700, 1, "new")]);
}

#[test]
fn a_storm_becomes_one_toast_until_it_is_quiet_again() {
    let mut policy = ToastPolicy::new(at(0));
    let commands = policy.arrived(WORK, PullReason::Live, &many(0..43), &[], &DEFAULT, at(0));
    assert_eq!(keys(&commands), [(ToastKey::Source(WORK), ToastContent::Storm(43))]);
    assert_eq!(commands.len(), 1, "what was not shown yet need not be closed");
    let commands = keys(&policy.arrived(WORK, PullReason::Live, &many(50..52), &[], &DEFAULT, at(5)));
    assert_eq!(commands, [(ToastKey::Source(WORK), ToastContent::Storm(45))]);
    let commands = keys(&policy.arrived(WORK, PullReason::Live, &many(60..61), &[], &DEFAULT, at(30)));
    assert_eq!(commands, [thread(60, 1, "m60")]);
}

/// What the toasts on screen stand for, by their keys.
fn on_screen(policy: &ToastPolicy) -> Vec<(ToastKey, usize)> {
    policy.on_screen().into_iter().map(|toast| (toast.key, toast.msgids.len())).collect()
}

#[test]
fn what_a_storm_swallows_leaves_the_screen_but_for_what_is_urgent() {
    let mut policy = ToastPolicy::new(at(0));
    let mut came = many(0..3);
    came[1].priority = 5;
    policy.arrived(WORK, PullReason::Live, &came, &[], &DEFAULT, at(0));
    for key in [0, 1, 2].map(ToastKey::Thread) {
        policy.record_shown(key, None);
        policy.record_text(&toast(key, "before"));
    }
    let commands = policy.arrived(WORK, PullReason::Live, &many(10..507), &[], &DEFAULT, at(1));
    assert_eq!(commands[..2], [0, 2].map(|thread| ToastCommand::Close(ToastKey::Thread(thread))));
    let summary = ToastKey::Source(WORK);
    assert_eq!(keys(&commands), [(summary, ToastContent::Storm(499))]);
    assert_eq!(on_screen(&policy), [(ToastKey::Thread(1), 1), (summary, 499)]);
    let urgency = |commands: &[ToastCommand]| match commands.last() {
        Some(ToastCommand::Show { urgency, .. }) => *urgency,
        _ => panic!("no toast"),
    };
    assert_eq!(urgency(&commands), Urgency::Normal, "nothing in it is urgent");

    let urgent = [arrival(700, "fire", 5, at(2))];
    let commands = policy.arrived(WORK, PullReason::Live, &urgent, &[], &DEFAULT, at(2));
    assert_eq!(urgency(&commands), Urgency::Critical);
    let read: Vec<ToastOnScreen> =
        policy.on_screen().into_iter().filter(|toast| toast.key == summary).collect();
    assert_eq!(read[0].urgent, ["fire".into()]);
    policy.calm(&read);
    let commands = policy.arrived(WORK, PullReason::Live, &many(800..801), &[], &DEFAULT, at(3));
    assert_eq!(urgency(&commands), Urgency::Normal, "what was urgent has been read");
}

/// A toast with this body.
fn toast(key: ToastKey, body: &str) -> Toast {
    Toast {
        key,
        serial: 0,
        title: "t".into(),
        body: body.into(),
        urgency: Urgency::Normal,
        open: "Open".into(),
        read: None,
        archive: None,
        actions: Vec::new(),
        reply: None,
        sound: Sound::SILENT,
    }
}

#[test]
fn a_change_that_cannot_be_seen_is_no_news() {
    let mut policy = ToastPolicy::new(at(0));
    let both = [arrival(7, "a", 3, at(0)), arrival(7, "b", 3, at(0))];
    policy.arrived(WORK, PullReason::Live, &both, &[], &DEFAULT, at(0));
    let serial = policy.record_shown(ToastKey::Thread(7), None);
    policy.record_text(&toast(ToastKey::Thread(7), "b"));
    let commands = policy.arrived(WORK, PullReason::Live, &[], &both[..1], &DEFAULT, at(1));
    assert!(matches!(commands[..], [ToastCommand::Show { news: false, .. }]), "{commands:?}");
    assert!(!sounds(&commands));
    assert_eq!(keys(&commands), [thread(7, 2, "b")], "it goes on to show the newest");
    assert!(policy.reads_as_before(&toast(ToastKey::Thread(7), "b"), None));
    assert!(!policy.reads_as_before(&toast(ToastKey::Thread(7), "c"), None));
    let dismissed = policy.dismiss(ToastRef { key: ToastKey::Thread(7), serial });
    assert_eq!((dismissed.msgids.len(), dismissed.then), (2, ToastCommand::Close(ToastKey::Thread(7))));
}

#[test]
fn another_source_is_heard_during_a_storm() {
    let mut policy = ToastPolicy::new(at(0));
    policy.arrived(WORK, PullReason::Live, &many(0..43), &[], &DEFAULT, at(0));
    let commands = keys(&policy.arrived(2, PullReason::Live, &many(100..101), &[], &DEFAULT, at(1)));
    assert_eq!(commands, [thread(100, 1, "m100")]);
}

#[test]
fn nothing_is_shown_for_what_is_muted_read_or_of_the_lowest_priority() {
    let mut policy = ToastPolicy::new(at(0));
    let mut muted = arrival(1, "a", 5, at(0));
    muted.notify.level = Some(NotifyLevel::Nothing);
    let mut read = arrival(2, "b", 5, at(0));
    read.unread = false;
    let lowest = arrival(3, "c", 1, at(0));
    assert!(policy.arrived(WORK, PullReason::Live, &[muted, read, lowest], &[], &DEFAULT, at(0)).is_empty());
}

#[test]
fn nothing_is_shown_for_what_is_hushed_or_told_by_the_badge_alone() {
    let mut policy = ToastPolicy::new(at(0));
    let mut hushed = arrival(1, "a", 5, at(0));
    hushed.no_toast = true;
    let mut badge = arrival(2, "b", 5, at(0));
    badge.notify.level = Some(NotifyLevel::Badge);
    let mut high = arrival(3, "c", 4, at(0));
    high.notify.from_priority = Some(5);
    let mut low = arrival(4, "d", 1, at(0));
    low.notify.from_priority = Some(1);
    let commands = policy.arrived(WORK, PullReason::Live, &[hushed, badge, high, low], &[], &DEFAULT, at(0));
    assert_eq!(keys(&commands), [thread(4, 1, "d")]);
}

/// Every deferred item is still unread.
fn all_unread(policy: &ToastPolicy) -> HashSet<(SourceId, MsgId)> {
    let each = |(source, msgids): (SourceId, Vec<MsgId>)| msgids.into_iter().map(move |name| (source, name));
    policy.released(&DEFAULT).into_iter().flat_map(each).collect()
}

#[test]
fn what_came_in_a_silence_is_one_sentence_for_each_source_at_its_end() {
    let mut policy = ToastPolicy::new(at(0));
    assert!(policy.arrived(WORK, PullReason::Live, &many(0..3), &[], &silent(None), at(1)).is_empty());
    policy.arrived(WORK, PullReason::Gap, &many(3..9), &[], &silent(None), at(1));
    assert!(policy.caught_up(WORK, &silent(None), at(2)).is_empty());
    policy.arrived(2, PullReason::Live, &many(20..21), &[], &silent(None), at(2));
    let mut unread = all_unread(&policy);
    unread.remove(&(WORK, "m0".into()));
    let commands = keys(&policy.silence_ended(&unread, &DEFAULT, at(60)).0);
    assert_eq!(commands, [(ToastKey::Source(WORK), ToastContent::Gap(8)), thread(20, 1, "m20")]);
    assert!(policy.silence_ended(&unread, &DEFAULT, at(61)).0.is_empty());
    assert!(policy.newly_deferred().is_empty(), "what was told need not be remembered");
    assert_eq!(policy.arrived(WORK, PullReason::Live, &many(30..31), &[], &DEFAULT, at(62)).len(), 1);
}

#[test]
fn what_a_toast_on_the_screen_tells_is_not_told_again_after_a_silence() {
    let mut policy = ToastPolicy::new(at(0));
    let shown = many(0..1);
    policy.arrived(WORK, PullReason::Live, &shown, &[], &DEFAULT, at(1));
    assert!(policy.arrived(WORK, PullReason::Live, &many(1..3), &shown, &silent(None), at(2)).is_empty());
    let unread = all_unread(&policy);
    let commands = keys(&policy.silence_ended(&unread, &DEFAULT, at(60)).0);
    assert_eq!(commands, [(ToastKey::Source(WORK), ToastContent::Gap(2))]);
}

#[test]
fn what_is_urgent_enough_passes_quiet_hours_and_nothing_passes_a_pause() {
    let mut policy = ToastPolicy::new(at(0));
    let candidates = [arrival(1, "a", 3, at(0)), arrival(2, "b", 5, at(0))];
    let commands = keys(&policy.arrived(WORK, PullReason::Live, &candidates, &[], &silent(Some(4)), at(0)));
    assert_eq!(commands, [thread(2, 1, "b")]);
    let urgent = [arrival(3, "c", 5, at(0))];
    assert!(policy.arrived(WORK, PullReason::Live, &urgent, &[], &silent(None), at(1)).is_empty());
    assert_eq!(policy.released(&DEFAULT).len(), 1);
    assert_eq!(all_unread(&policy).len(), 2);
}

/// The sound of the last toast.
fn sound(commands: &[ToastCommand]) -> &str {
    match commands.last() {
        Some(ToastCommand::Show { sound, .. }) => sound.as_str(),
        _ => panic!("no toast"),
    }
}

fn sounds(commands: &[ToastCommand]) -> bool {
    !sound(commands).is_empty()
}

#[test]
fn a_toast_sounds_as_its_topic_its_source_or_its_priority_says() {
    let mut policy = ToastPolicy::new(at(0));
    let chosen = |source, origin: &str, name: &str| ChosenSound {
        source,
        origin: origin.to_owned(),
        sound: Sound::new(name.to_owned()),
    };
    let own = [chosen(2, "", "bell"), chosen(2, "topic:door", "complete"), chosen(3, "", "")];
    let mut context = ToastContext {
        from_priority: 1,
        sounds: Sounds { chosen: own.into(), ..Sounds::DEFAULT },
        ..DEFAULT
    };
    let mut thread = 0;
    let mut told = |source, key: &str, priority, context: &ToastContext| {
        thread += 1;
        let mut arrival = arrival(thread, &format!("m{thread}"), priority, at(0));
        arrival.notification.thread = key.to_owned();
        let commands = policy.arrived(source, PullReason::Live, &[arrival], &[], context, at(20 * thread));
        sound(&commands).to_owned()
    };
    let by_priority = [1, 3, 4, 5].map(|priority| told(WORK, "topic:door#publish", priority, &context));
    assert_eq!(by_priority, ["", "message-new-instant", "message-new-instant", "dialog-warning"]);
    assert_eq!(told(2, "topic:door#publish", 1, &context), "complete");
    assert_eq!(told(2, "topic:ci#publish", 5, &context), "bell");
    assert_eq!(told(3, "topic:ci#publish", 5, &context), "");
    context.sound = false;
    assert_eq!(told(2, "topic:door#publish", 5, &context), "", "sounds are off");
}

#[test]
fn several_at_once_sound_as_the_most_urgent_of_them() {
    let mut policy = ToastPolicy::new(at(0));
    let mut flood = many(0..43);
    flood[20].priority = 5;
    let commands = policy.arrived(WORK, PullReason::Gap, &flood, &[], &DEFAULT, at(0));
    assert!(commands.is_empty());
    assert_eq!(sound(&policy.caught_up(WORK, &DEFAULT, at(1))), "dialog-warning");
    // A flood that begins with usual ones sounds as the urgent one among those that it stands for.
    let mut policy = ToastPolicy::new(at(0));
    let mut flood = many(0..7);
    flood.push(arrival(9, "x", 5, at(0)));
    assert_eq!(
        sound(&policy.arrived(WORK, PullReason::Live, &flood, &[], &DEFAULT, at(0))),
        "dialog-warning"
    );
}

#[test]
fn a_toast_that_becomes_urgent_sounds_at_once() {
    let mut policy = ToastPolicy::new(at(0));
    let mut told = |name: &str, priority: u8, seconds: i64| {
        let one = [arrival(7, name, priority, at(0))];
        sound(&policy.arrived(WORK, PullReason::Live, &one, &[], &DEFAULT, at(seconds))).to_owned()
    };
    assert_eq!(told("builds", 3, 0), "message-new-instant");
    assert_eq!(told("fails", 5, 2), "dialog-warning");
    assert_eq!(told("fails again", 5, 4), "", "it has told that it is urgent");
}

#[test]
fn a_toast_sounds_when_it_comes_and_not_with_every_update() {
    let mut policy = ToastPolicy::new(at(0));
    let one = |name: &str| [arrival(7, name, 3, at(0))];
    assert!(sounds(&policy.arrived(WORK, PullReason::Live, &one("a"), &[], &DEFAULT, at(0))));
    assert!(!sounds(&policy.arrived(WORK, PullReason::Live, &one("b"), &[], &DEFAULT, at(3))));
    assert!(sounds(&policy.arrived(WORK, PullReason::Live, &one("c"), &[], &DEFAULT, at(20))));
    let mute = ToastContext { sound: false, ..DEFAULT };
    assert!(!sounds(&policy.arrived(
        WORK,
        PullReason::Live,
        &[arrival(8, "d", 3, at(0))],
        &[],
        &mute,
        at(40)
    )));
    let mut own = arrival(9, "e", 3, at(0));
    own.notify.sound = Some(true);
    assert!(
        sounds(&policy.arrived(WORK, PullReason::Live, &[own], &[], &mute, at(41))),
        "the thread says so"
    );
}

#[test]
fn a_toast_goes_when_what_it_stands_for_was_read_elsewhere_unless_it_grew() {
    let mut policy = ToastPolicy::new(at(0));
    policy.arrived(WORK, PullReason::Live, &many(1..3), &[], &DEFAULT, at(0));
    let before = policy.on_screen();
    assert_eq!(before[0].msgids, ["m1".into()]);
    assert_eq!(policy.close_read(&before[..1]), [ToastCommand::Close(ToastKey::Thread(1))]);
    assert_eq!(policy.on_screen().len(), 1);
    policy.arrived(WORK, PullReason::Live, &[arrival(2, "more", 3, at(1))], &[], &DEFAULT, at(1));
    assert!(policy.close_read(&before[1..]).is_empty());
    assert_eq!(policy.on_screen()[0].msgids[0], "more".into());
}

#[test]
fn a_toast_goes_on_without_what_was_deleted_and_closes_with_its_last_item() {
    let mut policy = ToastPolicy::new(at(0));
    let three = ["a", "b", "c"].map(|name| arrival(7, name, if name == "c" { 5 } else { 3 }, at(0)));
    policy.arrived(WORK, PullReason::Live, &three, &[], &DEFAULT, at(0));
    let key = ToastKey::Thread(7);
    let serial = policy.record_shown(key, None);
    let content = ToastContent::Thread { count: 2, item: "b".into() };
    let silent = ToastCommand::Show {
        key,
        source: WORK,
        content,
        urgency: Urgency::Normal,
        sound: Sound::SILENT,
        news: false,
    };
    assert_eq!(policy.remove_deleted(&[(key, vec!["c".into()])]), [silent]);
    let gone = [(key, vec!["a".into(), "b".into()]), (ToastKey::Thread(8), vec!["z".into()])];
    assert_eq!(policy.remove_deleted(&gone), [ToastCommand::Close(key)]);
    assert!(policy.on_screen().is_empty() && policy.dismiss(ToastRef { key, serial }).msgids.is_empty());
}

#[test]
fn what_changed_under_a_toast_replaces_it_and_what_was_read_long_ago_does_not_come_back() {
    let mut policy = ToastPolicy::new(at(0));
    policy.arrived(WORK, PullReason::Live, &[arrival(7, "a", 3, at(0))], &[], &DEFAULT, at(0));
    let changed = [arrival(7, "a", 3, at(0)), arrival(8, "old", 3, at(-9))];
    let commands = keys(&policy.arrived(WORK, PullReason::Live, &[], &changed, &DEFAULT, at(1)));
    assert_eq!(commands, [thread(7, 1, "a")]);
    let mut again = arrival(8, "old", 3, at(-9));
    again.unread_again = true;
    assert_eq!(policy.arrived(WORK, PullReason::Live, &[], &[again], &DEFAULT, at(2)).len(), 1);
}

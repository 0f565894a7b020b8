//! Tests of a reader's rules on arriving items.

use tidings_model::wire::Change;
use tidings_model::{Clock, Mark, MsgId};
use tidings_replica::*;

use crate::device::{Device, server};

fn rule(when: RuleWhen, then: RuleThen) -> Rule {
    Rule { id: 0, name: String::new(), on: true, when, then }
}

#[test]
pub(crate) fn rules_act_on_what_arrives_in_their_order() {
    let mut server = server();
    let (device, phone) = (Device::at(&server), Device::at(&server));
    let by = |actor: &str| RuleWhen { actor: actor.into(), ..RuleWhen::default() };
    let loud = RuleWhen { at_least: Some(5), ..RuleWhen::default() };
    let raise = RuleThen { priority: 2, ..RuleThen::default() };
    let pin = RuleThen { pin: true, no_toast: true, ..RuleThen::default() };
    let about = RuleWhen { target: "ARTICLE:7".into(), ..RuleWhen::default() };
    let words = RuleWhen { words: "\"build failed\" nightly".into(), ..RuleWhen::default() };
    device.replica.save_rule(rule(loud, pin)).unwrap();
    device.replica.save_rule(rule(by("P2"), raise)).unwrap();
    device.replica.save_rule(rule(about, RuleThen { mute: true, ..RuleThen::default() })).unwrap();
    let all =
        device.replica.save_rule(rule(words, RuleThen { archive: true, ..RuleThen::default() })).unwrap();
    let ids: Vec<i64> = all.iter().map(|r| r.id).collect();

    let raised = server.post(3, 2, "hello");
    let muted = server.post(1, 7, "about seven");
    let noise = server.post(0, 2, "Nightly: the build failed");
    let applied = device.pull(&server);
    let row = |id: &MsgId| device.replica.threads_by_id(&[device.thread_of(id)]).unwrap().remove(0);
    assert_eq!((row(&raised).priority, row(&raised).pinned), (5, false), "the pin looks before the raise");
    assert!(row(&muted).muted);
    assert_eq!((device.place(row(&noise).id), applied[0].arrived[2].unread), ("done", false));
    assert_eq!((device.badge(), device.unread()), (1, 2));
    assert_eq!(device.replica.counts().unwrap().waiting, 1, "the server is told of what was archived");
    device.flush(&mut server);
    phone.pull(&server);
    assert_eq!(phone.place(phone.thread_of(&noise)), "done");

    // In the other order the pin rule sees the raised priority.
    device.replica.order_rules(vec![ids[1]]).unwrap();
    let again = server.post(3, 2, "hello again");
    let applied = device.pull(&server);
    assert!(row(&again).pinned && applied[0].arrived[0].no_toast && applied[0].arrived[0].priority == 5);
    assert_eq!(device.replica.rules().unwrap()[0].id, ids[1]);
    device.replica.remove_rule(ids[2]).unwrap();
    assert!(device.replica.remove_rule(ids[2]).is_err());
    assert_eq!(device.replica.rules().unwrap().len(), 3);
}

#[test]
pub(crate) fn what_a_rule_did_is_not_done_again_and_its_priority_stays() {
    let mut server = server();
    let device = Device::at(&server);
    let then = RuleThen { archive: true, mute: true, priority: -2, ..RuleThen::default() };
    let when = RuleWhen { words: "noise".into(), ..RuleWhen::default() };
    let id = device.replica.save_rule(rule(when, then)).unwrap()[0].id;
    let noise = server.post(1, 42, "noise");
    device.pull(&server);
    let thread = device.thread_of(&noise);
    assert_eq!(device.place(thread), "done");
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Unarchive).unwrap();
    device.replica.mark(Targets::Threads(vec![thread]), Mark::Unmute).unwrap();
    device.flush(&mut server);
    let priority = |id: &MsgId| {
        device.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap()[0]
            .notification
            .content
            .priority
            .get()
    };

    // The item arrives again as another part of it changed, also after the rule was removed.
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![noise.clone()], at: None });
    device.pull(&server);
    device.replica.remove_rule(id).unwrap();
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: vec![noise.clone()], at: None });
    server.apply(&Change::Mark {
        mark: Mark::Snooze { until: device.clock.now().plus_micros(1) },
        msgids: vec![noise.clone()],
        at: None,
    });
    device.clock.advance_micros(5);
    device.replica.wake(device.clock.now()).unwrap();
    device.pull(&server);
    assert_eq!((device.place(thread), priority(&noise)), ("inbox", 1));
    assert!(!device.replica.threads_by_id(&[thread]).unwrap()[0].muted);
    // When the server changes the item's priority, the rule's priority no longer applies.
    server.edit(&noise, "noise", 5);
    device.pull(&server);
    assert_eq!((priority(&noise), device.badge()), (5, 1));
}

#[test]
pub(crate) fn rules_leave_alone_what_was_read_and_what_is_own_and_one_that_is_broken_stops_nothing() {
    let mut server = server();
    let device = Device::at(&server);
    let all = RuleThen { pin: true, archive: true, priority: 2, ..RuleThen::default() };
    device.replica.save_rule(rule(RuleWhen::default(), all)).unwrap();
    let path = device.dir.path().join(FILE);
    rusqlite::Connection::open(path)
        .unwrap()
        .execute_batch(
            "INSERT INTO rules (position, name, active, condition, actions) VALUES (-1, 'broken', 1, '7', '[]')",
        )
        .unwrap();
    let read = server.post(1, 1, "read");
    let own = server.post(4, 1, "own");
    server.apply(&Change::Mark { mark: Mark::Read, msgids: vec![read.clone()], at: None });
    let open = server.post(1, 2, "open");
    device.pull(&server);
    let places = [&read, &own, &open].map(|id| device.place(device.thread_of(id)));
    assert_eq!(places, ["inbox", "inbox", "done"]);
    let rules = device.replica.rules().unwrap();
    assert_eq!(
        rules.iter().map(|r| (r.name.as_str(), r.on)).collect::<Vec<_>>(),
        [("broken", false), ("", true)]
    );
}

#[test]
pub(crate) fn a_rule_that_archives_news_lets_its_thread_sleep() {
    let mut server = server();
    let device = Device::at(&server);
    let first = server.post(1, 42, "to be looked at");
    device.pull(&server);
    device.snooze(device.thread_of(&first));
    let words = RuleWhen { words: "+1".into(), ..RuleWhen::default() };
    device.replica.save_rule(rule(words, RuleThen { archive: true, ..RuleThen::default() })).unwrap();
    server.post(1, 42, "+1");
    device.pull(&server);
    assert_eq!(device.place(device.thread_of(&first)), "asleep");
}

#[test]
pub(crate) fn a_rule_is_tried_on_what_is_here_before_it_is_kept() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..40 {
        server.post(1, n % 8, if n % 4 == 0 { "deploy failed" } else { "deploy done" });
    }
    server.post(4, 1, "failed");
    device.pull(&server);
    let when = RuleWhen { words: "FAILED".into(), source: Some(device.source), ..RuleWhen::default() };
    let trial = device.replica.try_rule(rule(when, RuleThen::default())).unwrap();
    assert_eq!((trial.matches, trial.of, trial.threads.len()), (10, 40, 2));
    assert!(device.replica.rules().unwrap().is_empty());
    let nobody = RuleWhen { actor: "nobody".into(), ..RuleWhen::default() };
    assert_eq!(device.replica.try_rule(rule(nobody, RuleThen::default())).unwrap().matches, 0);
}

fn read_all() -> RuleThen {
    RuleThen { read: true, ..RuleThen::default() }
}

#[test]
pub(crate) fn what_a_rule_marks_as_read_was_never_unread_and_the_server_is_told() {
    let mut server = server();
    let (device, phone) = (Device::at(&server), Device::at(&server));
    let asleep = server.post(1, 42, "to be looked at");
    device.pull(&server);
    device.snooze(device.thread_of(&asleep));
    device.flush(&mut server);
    let words = RuleWhen { words: "fyi".into(), ..RuleWhen::default() };
    device.replica.save_rule(rule(words, read_all())).unwrap();
    let mut changes = device.replica.subscribe();
    let manual = server.post(1, 42, "fyi: a comment");
    let auto = server.post(3, 2, "fyi: a message");
    let open = server.post(1, 7, "a comment");
    let applied = device.pull(&server);
    let arrived: Vec<bool> = applied[0].arrived.iter().map(|a| a.unread).collect();
    assert_eq!(arrived, [false, false, true], "no toast for what is read");
    assert_eq!((device.unread(), device.badge()), (1, 1));
    while let Ok(change) = changes.try_recv() {
        assert!(change.counts.total <= 1, "no number knew them as unread");
    }
    assert_eq!(device.replica.counts().unwrap().waiting, 2, "both marks wait to be sent, and no waking");
    device.flush(&mut server);
    phone.pull(&server);
    let unread = |id: &MsgId| phone.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap()[0].unread;
    assert_eq!([&manual, &auto, &open].map(unread), [false, false, true]);

    // The reader's word goes before: the rule does not read the same text again.
    device.replica.mark(Targets::MsgIds(vec![manual.clone()]), Mark::Unread).unwrap();
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(device.unread(), 2);
}

#[test]
pub(crate) fn a_rule_never_reads_what_it_does_not_match() {
    let mut server = server();
    let device = Device::at(&server);
    let words = RuleWhen { words: "fyi".into(), ..RuleWhen::default() };
    let rule = device.replica.save_rule(rule(words, read_all())).unwrap().remove(0);
    server.post(3, 2, "fyi: first");
    let question = server.post(3, 2, "a question");
    let behind = server.post(3, 2, "fyi: behind it");
    let applied = device.pull(&server);
    let arrived: Vec<bool> = applied[0].arrived.iter().map(|a| a.unread).collect();
    assert_eq!(arrived, [false, true, true], "the mark of a conversation stops before the question");
    assert_eq!(device.badge(), 2);
    let acts = device.replica.rule_acts(rule.id).unwrap();
    assert_eq!(acts.len(), 1, "what it could not read is not in its log");
    device.flush(&mut server);
    assert!([question, behind].iter().all(|id| server.unread(&server.items[id])));
}

#[test]
pub(crate) fn any_of_its_tags_is_enough_for_a_rule() {
    let mut server = server();
    let device = Device::at(&server);
    let tags = vec!["Backup".into(), " cd ".into(), "backup".into(), String::new()];
    let when = RuleWhen { tags, ..RuleWhen::default() };
    let saved = device.replica.save_rule(rule(when.clone(), read_all())).unwrap();
    assert_eq!(saved[0].when.tags, ["Backup", "cd"], "each once");
    for (nth, tags) in [vec!["backup", "nas"], vec!["CD"], vec!["back"], vec![]].into_iter().enumerate() {
        let id = server.post(1, u8::try_from(nth).unwrap(), "tagged");
        server.items.get_mut(&id).unwrap().content.tags = tags.into_iter().map(ToOwned::to_owned).collect();
    }
    let applied = device.pull(&server);
    let unread: Vec<bool> = applied[0].arrived.iter().map(|a| a.unread).collect();
    assert_eq!(unread, [false, false, true, true]);
    assert_eq!(device.replica.try_rule(rule(when, RuleThen::default())).unwrap().matches, 2);
    let many = (0..60).map(|n| n.to_string()).collect();
    let when = RuleWhen { tags: many, ..RuleWhen::default() };
    assert!(device.replica.save_rule(rule(when, read_all())).is_err(), "a rule is bounded");
}

#[test]
pub(crate) fn what_a_rule_did_in_the_last_days_is_kept_through_edits_and_goes_with_it() {
    let mut server = server();
    let device = Device::at(&server);
    let when = RuleWhen { words: "noise".into(), ..RuleWhen::default() };
    let pin = RuleThen { pin: true, ..RuleThen::default() };
    let first = device.replica.save_rule(rule(when, pin)).unwrap().remove(0);
    let deleted = server.post(1, 1, "noise");
    let kept = server.post(1, 2, "noise");
    server.post(1, 3, "a tune");
    device.pull(&server);
    let counts = |device: &Device| {
        let counts = device.replica.rule_counts().unwrap();
        counts.iter().map(|count| count.items).collect::<Vec<_>>()
    };
    assert_eq!(counts(&device), [2]);

    // An edit leaves it as it was, also what was done then.
    device.replica.save_rule(Rule { then: read_all(), ..first.clone() }).unwrap();
    device.clock.advance_micros(3_600 * 1_000_000);
    let last = server.post(1, 4, "noise");
    device.pull(&server);
    device.replica.mark(Targets::MsgIds(vec![deleted]), Mark::Delete).unwrap();
    device.flush(&mut server);
    device.pull(&server);
    let acts = device.replica.rule_acts(first.id).unwrap();
    let told: Vec<(&str, bool)> =
        acts.iter().map(|act| (act.item.preview.msgid.as_str(), act.then.read)).collect();
    assert_eq!(told, [(last.as_str(), true), (kept.as_str(), false)]);
    assert_eq!(counts(&device), [2, 1], "what was deleted since was acted on all the same");

    // Only the last twenty are listed; what is older than the kept days is no longer counted.
    for n in 0..30 {
        server.post(1, n, "noise");
    }
    device.clock.advance_micros(16 * 24 * 3_600 * 1_000_000);
    device.pull(&server);
    assert_eq!(counts(&device), [30]);
    assert_eq!(device.replica.rule_acts(first.id).unwrap().len(), 20);
    device.replica.remove_rule(first.id).unwrap();
    assert!(counts(&device).is_empty() && device.replica.rule_acts(first.id).unwrap().is_empty());
}

#[test]
pub(crate) fn the_fields_of_a_rule_are_completed_from_what_is_here() {
    let mut server = server();
    let device = Device::at(&server);
    for n in 0..20 {
        let id = server.post(1, n, "x");
        let tags = &mut server.items.get_mut(&id).unwrap().content.tags;
        *tags = vec![format!("tag{}", n % 3), "Backup".into(), "hid\u{202e}den".into()];
    }
    device.pull(&server);
    let complete = |field, typed: &str| -> Vec<String> {
        let values = device.replica.rule_values(field, typed, 8).unwrap();
        values.into_iter().map(|one| format!("{}|{}", one.value, one.name)).collect()
    };
    assert_eq!(complete(RuleField::Tag, "BA"), ["Backup|"]);
    assert_eq!(complete(RuleField::Tag, "hid"), [""; 0], "what cannot be typed is not offered");
    assert_eq!(complete(RuleField::Tag, "").len(), 4);
    assert_eq!(complete(RuleField::Actor, "user 1"), ["u1|User 1"]);
    assert_eq!(complete(RuleField::Target, "article:12"), ["article:12|Article 12"]);
    assert_eq!(complete(RuleField::Target, "1"), complete(RuleField::Target, "1")[..8], "bounded");
    assert_eq!(complete(RuleField::Action, "com"), ["comment|"]);
    let first = complete(RuleField::Target, "arti");
    assert_eq!(first[0], "article:19|Article 19", "the latest first");
    // A completed value is one that a rule takes.
    let about = RuleWhen { target: "article:12".into(), ..RuleWhen::default() };
    assert_eq!(device.replica.try_rule(rule(about, RuleThen::default())).unwrap().matches, 1);
}

#[test]
pub(crate) fn a_rule_is_applied_to_what_is_here_and_undone_as_a_whole() {
    let mut server = server();
    let device = Device::at(&server);
    let noise: Vec<MsgId> = (1..=3).map(|to| server.post(1, to, "noise")).collect();
    let beside = server.post(1, 1, "news");
    // Of auto class, read up to a time: the second one comes before something that does not match.
    let (first, other, last) =
        (server.post(2, 7, "noise"), server.post(2, 7, "news"), server.post(2, 7, "noise"));
    device.pull(&server);
    let before = device.replica.counts().unwrap();
    let item = |id: &MsgId| device.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap().remove(0);
    let words = RuleWhen { words: "noise".into(), ..RuleWhen::default() };
    let then = RuleThen { read: true, pin: true, ..RuleThen::default() };

    let read = device.replica.apply_rule(rule(words.clone(), then)).unwrap();
    assert!(noise.iter().chain([&first]).all(|id| !item(id).unread));
    assert!([&beside, &other, &last].into_iter().all(|id| item(id).unread), "what it does not match stays");
    assert_eq!(device.all(Place::Pinned).len(), 4);
    device.assert_consistent();
    device.replica.undo(&read.undo.unwrap()).unwrap();
    assert_eq!(device.replica.counts().unwrap().total, before.total);
    assert_eq!(device.all(Place::Pinned), []);

    let priority = item(&noise[0]).notification.content.priority;
    let archive = RuleThen { archive: true, mute: true, priority: 2, ..RuleThen::default() };
    let applied = device.replica.apply_rule(rule(words, archive)).unwrap();
    assert_eq!(applied.items, 5);
    assert_eq!((device.place(item(&beside).thread), item(&beside).notification.archived_at), ("inbox", None));
    assert_eq!(item(&noise[0]).notification.content.priority, priority, "a priority is of what arrives");
    device.assert_consistent();
    device.flush(&mut server);
    assert!(server.items[&noise[0]].archived_at.is_some());
    device.replica.undo(&applied.undo.unwrap()).unwrap();
    assert_eq!((device.all(Place::Done).len(), device.replica.counts().unwrap().badge), (0, before.badge));
    let nothing = RuleWhen { words: "nothing".into(), ..RuleWhen::default() };
    assert_eq!(device.replica.apply_rule(rule(nothing, archive)).unwrap().undo, None);
}

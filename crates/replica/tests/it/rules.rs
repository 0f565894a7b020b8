//! Tests of what a reader's rules do with arriving items.

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
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![noise.clone()] });
    device.pull(&server);
    device.replica.remove_rule(id).unwrap();
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: vec![noise.clone()] });
    server.apply(&Change::Mark {
        mark: Mark::Snooze { until: device.clock.now().plus_micros(1) },
        msgids: vec![noise.clone()],
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
            "INSERT INTO rules (position, name, active, condition, actions) VALUES (-1, 'broken', 1, '{', '[]')",
        )
        .unwrap();
    let read = server.post(1, 1, "read");
    let own = server.post(4, 1, "own");
    server.apply(&Change::Mark { mark: Mark::Read, msgids: vec![read.clone()] });
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

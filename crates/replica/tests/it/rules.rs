//! Tests of what a reader's rules do with arriving items.

use tidings_model::wire::Change;
use tidings_model::{Clock, Mark, MsgId};
use tidings_replica::*;

use crate::desk::{Desk, server};

fn rule(when: RuleWhen, then: RuleThen) -> Rule {
    Rule { id: 0, name: String::new(), on: true, when, then }
}

#[test]
pub(crate) fn rules_act_on_what_arrives_in_their_order() {
    let mut server = server();
    let (desk, phone) = (Desk::at(&server), Desk::at(&server));
    let by = |actor: &str| RuleWhen { actor: actor.into(), ..RuleWhen::default() };
    let loud = RuleWhen { at_least: Some(5), ..RuleWhen::default() };
    let raise = RuleThen { priority: 2, ..RuleThen::default() };
    let pin = RuleThen { pin: true, no_toast: true, ..RuleThen::default() };
    let about = RuleWhen { target: "ARTICLE:7".into(), ..RuleWhen::default() };
    let words = RuleWhen { words: "\"build failed\" nightly".into(), ..RuleWhen::default() };
    desk.replica.save_rule(rule(loud, pin)).unwrap();
    desk.replica.save_rule(rule(by("P2"), raise)).unwrap();
    desk.replica.save_rule(rule(about, RuleThen { mute: true, ..RuleThen::default() })).unwrap();
    let all = desk.replica.save_rule(rule(words, RuleThen { archive: true, ..RuleThen::default() })).unwrap();
    let ids: Vec<i64> = all.iter().map(|r| r.id).collect();

    let raised = server.post(3, 2, "hello");
    let muted = server.post(1, 7, "about seven");
    let noise = server.post(0, 2, "Nightly: the build failed");
    let applied = desk.pull(&server);
    let row = |id: &MsgId| desk.replica.threads_by_id(&[desk.thread_of(id)]).unwrap().remove(0);
    assert_eq!((row(&raised).priority, row(&raised).pinned), (5, false), "the pin looks before the raise");
    assert!(row(&muted).muted);
    assert_eq!((desk.place(row(&noise).id), applied[0].arrived[2].unread), ("done", false));
    assert_eq!((desk.badge(), desk.unread()), (1, 2));
    assert_eq!(desk.replica.counts().unwrap().waiting, 1, "the server is told of what was archived");
    desk.flush(&mut server);
    phone.pull(&server);
    assert_eq!(phone.place(phone.thread_of(&noise)), "done");

    // In the other order the pin rule sees the raised priority.
    desk.replica.order_rules(vec![ids[1]]).unwrap();
    let again = server.post(3, 2, "hello again");
    let applied = desk.pull(&server);
    assert!(row(&again).pinned && applied[0].arrived[0].no_toast && applied[0].arrived[0].priority == 5);
    assert_eq!(desk.replica.rules().unwrap()[0].id, ids[1]);
    desk.replica.remove_rule(ids[2]).unwrap();
    assert!(desk.replica.remove_rule(ids[2]).is_err());
    assert_eq!(desk.replica.rules().unwrap().len(), 3);
}

#[test]
pub(crate) fn what_a_rule_did_is_not_done_again_and_its_priority_stays() {
    let mut server = server();
    let desk = Desk::at(&server);
    let then = RuleThen { archive: true, mute: true, priority: -2, ..RuleThen::default() };
    let when = RuleWhen { words: "noise".into(), ..RuleWhen::default() };
    let id = desk.replica.save_rule(rule(when, then)).unwrap()[0].id;
    let noise = server.post(1, 42, "noise");
    desk.pull(&server);
    let thread = desk.thread_of(&noise);
    assert_eq!(desk.place(thread), "done");
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Unarchive).unwrap();
    desk.replica.mark(Targets::Threads(vec![thread]), Mark::Unmute).unwrap();
    desk.flush(&mut server);
    let priority = |id: &MsgId| {
        desk.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap()[0]
            .notification
            .content
            .priority
            .get()
    };

    // The item arrives again as another part of it changed, also after the rule was removed.
    server.apply(&Change::Mark { mark: Mark::Seen, msgids: vec![noise.clone()] });
    desk.pull(&server);
    desk.replica.remove_rule(id).unwrap();
    server.apply(&Change::Mark { mark: Mark::Unread, msgids: vec![noise.clone()] });
    server.apply(&Change::Mark {
        mark: Mark::Snooze { until: desk.clock.now().plus_micros(1) },
        msgids: vec![noise.clone()],
    });
    desk.clock.advance_micros(5);
    desk.replica.wake(desk.clock.now()).unwrap();
    desk.pull(&server);
    assert_eq!((desk.place(thread), priority(&noise)), ("inbox", 1));
    assert!(!desk.replica.threads_by_id(&[thread]).unwrap()[0].muted);
    // When the server changes the item's priority, the rule's priority no longer applies.
    server.edit(&noise, "noise", 5);
    desk.pull(&server);
    assert_eq!((priority(&noise), desk.badge()), (5, 1));
}

#[test]
pub(crate) fn rules_leave_alone_what_was_read_and_what_is_own_and_one_that_is_broken_stops_nothing() {
    let mut server = server();
    let desk = Desk::at(&server);
    let all = RuleThen { pin: true, archive: true, priority: 2, ..RuleThen::default() };
    desk.replica.save_rule(rule(RuleWhen::default(), all)).unwrap();
    let path = desk.dir.path().join(FILE);
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
    desk.pull(&server);
    let places = [&read, &own, &open].map(|id| desk.place(desk.thread_of(id)));
    assert_eq!(places, ["inbox", "inbox", "done"]);
    let rules = desk.replica.rules().unwrap();
    assert_eq!(
        rules.iter().map(|r| (r.name.as_str(), r.on)).collect::<Vec<_>>(),
        [("broken", false), ("", true)]
    );
}

#[test]
pub(crate) fn a_rule_that_archives_news_lets_its_thread_sleep() {
    let mut server = server();
    let desk = Desk::at(&server);
    let first = server.post(1, 42, "to be looked at");
    desk.pull(&server);
    desk.snooze(desk.thread_of(&first));
    let words = RuleWhen { words: "+1".into(), ..RuleWhen::default() };
    desk.replica.save_rule(rule(words, RuleThen { archive: true, ..RuleThen::default() })).unwrap();
    server.post(1, 42, "+1");
    desk.pull(&server);
    assert_eq!(desk.place(desk.thread_of(&first)), "asleep");
}

#[test]
pub(crate) fn a_rule_is_tried_on_what_is_here_before_it_is_kept() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..40 {
        server.post(1, n % 8, if n % 4 == 0 { "deploy failed" } else { "deploy done" });
    }
    server.post(4, 1, "failed");
    desk.pull(&server);
    let when = RuleWhen { words: "FAILED".into(), source: Some(desk.source), ..RuleWhen::default() };
    let trial = desk.replica.try_rule(rule(when, RuleThen::default())).unwrap();
    assert_eq!((trial.matches, trial.of, trial.threads.len()), (10, 40, 2));
    assert!(desk.replica.rules().unwrap().is_empty());
    let nobody = RuleWhen { actor: "nobody".into(), ..RuleWhen::default() };
    assert_eq!(desk.replica.try_rule(rule(nobody, RuleThen::default())).unwrap().matches, 0);
}

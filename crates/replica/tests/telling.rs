//! What of the news its reader is told of: what wakes early, what counts on the badge, what rules do. Told as stories.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // also in what the tests share

mod server;

use server::{Hand, Server};
use tempfile::TempDir;
use tidings_model::wire::Change;
use tidings_model::{Clock, MsgId};
use tidings_replica::*;

struct Desk {
    dir: TempDir,
    clock: Hand,
    replica: Replica,
    source: SourceId,
}

impl Desk {
    fn at(server: &Server) -> Self {
        let (dir, replica, source) = server.inbox();
        Self { dir, clock: server.clock.clone(), replica, source }
    }

    fn pull(&self, server: &Server) -> Applied {
        let cursor = self.replica.source(self.source).unwrap().cursor;
        let page = server.sync(cursor.map(|c| c.parse().unwrap()), 100);
        let applied = self.replica.apply(self.source, page.into()).unwrap();
        self.well();
        applied
    }

    fn flush(&self, server: &mut Server) {
        while server.take(&self.replica, self.source, 1_000) {
            self.well();
        }
    }

    fn thread_of(&self, msgid: &MsgId) -> ThreadId {
        self.replica.items_by_msgid(None, std::slice::from_ref(msgid)).unwrap()[0].thread
    }

    fn place(&self, thread: ThreadId) -> &'static str {
        match self.replica.threads_by_id(&[thread]).unwrap().first() {
            Some(row) if row.snoozed_until.is_some() => "asleep",
            Some(row) if row.archived => "done",
            Some(_) => "inbox",
            None => "gone",
        }
    }

    fn snooze(&self, thread: ThreadId) {
        let until = self.clock.now().plus_secs(3_600);
        self.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
        assert_eq!(self.place(thread), "asleep");
    }

    fn unread(&self) -> u64 {
        self.replica.numbers().unwrap().total
    }

    fn well(&self) {
        let found = self.replica.check().unwrap();
        assert!(found.is_empty(), "{found:#?}");
    }
}

fn server() -> Server {
    Server::new(Hand::new())
}

#[test]
fn a_snoozed_thread_wakes_early_when_something_new_arrives() {
    let mut server = server();
    let (desk, phone) = (Desk::at(&server), Desk::at(&server));
    let first = server.post(1, 42, "I disagree");
    server.post(1, 42, "So do I");
    for device in [&desk, &phone] {
        device.pull(&server);
    }
    let thread = desk.thread_of(&first);
    desk.snooze(thread);
    desk.flush(&mut server);
    phone.pull(&server);
    desk.pull(&server);
    assert_eq!((desk.unread(), phone.place(phone.thread_of(&first))), (0, "asleep"));

    server.post(1, 42, "Why?");
    let applied = desk.pull(&server);
    assert_eq!((desk.place(thread), desk.unread()), ("inbox", 3), "also what slept with it");
    assert_eq!(desk.replica.next_wake().unwrap(), None);
    assert_eq!((applied.arrived.len(), applied.changed.threads.as_slice()), (1, [thread].as_slice()));

    // The other device learns it from the server, whatever it would have done by itself.
    phone.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    desk.flush(&mut server);
    phone.pull(&server);
    assert_eq!((phone.place(phone.thread_of(&first)), phone.unread()), ("inbox", 3));
    desk.pull(&server);
    assert_eq!((desk.place(thread), desk.unread()), ("inbox", 3));
}

#[test]
fn what_was_there_before_the_sleep_and_what_is_own_or_read_wakes_nobody() {
    let mut server = server();
    let (desk, phone) = (Desk::at(&server), Desk::at(&server));
    let first = server.post(3, 7, "lunch?");
    let second = server.post(3, 7, "at noon?");
    phone.pull(&server);
    phone
        .replica
        .mark(Targets::MsgIds(vec![first.clone()]), Mark::Snooze { until: phone.clock.now().plus_secs(99) })
        .unwrap();
    phone.flush(&mut server);
    server.apply(&Change::Seen { msgids: vec![second.clone()] });
    // Its first pull brings what lay beside the sleeper, changed later than the sleeper was.
    desk.pull(&server);
    let asleep = |desk: &Desk| desk.replica.next_wake().unwrap().is_some();
    assert!(asleep(&desk));

    server.post(4, 7, "I wrote this on the phone");
    desk.pull(&server);
    assert!(asleep(&desk), "the user's own words are no news");

    let read = server.post(3, 7, "never mind");
    server.apply(&Change::Archive { msgids: vec![read] });
    desk.pull(&server);
    assert!(asleep(&desk), "nor is what was dealt with elsewhere");
    assert_eq!(desk.replica.numbers().unwrap().waiting, 0);

    server.post(3, 7, "dinner?");
    desk.pull(&server);
    assert!(!asleep(&desk));
}

#[test]
fn with_the_switch_off_sleepers_sleep_until_their_time() {
    let mut server = server();
    let desk = Desk::at(&server);
    let first = server.post(1, 42, "later");
    desk.pull(&server);
    let thread = desk.thread_of(&first);
    desk.replica.set_setting(EARLY_WAKE, &false.into()).unwrap();
    desk.snooze(thread);
    server.post(1, 42, "news");
    desk.pull(&server);
    assert_eq!((desk.unread(), desk.replica.next_wake().unwrap().is_some()), (1, true));
    desk.replica.set_setting(EARLY_WAKE, &true.into()).unwrap();
    server.post(1, 42, "more news");
    desk.pull(&server);
    assert_eq!((desk.unread(), desk.replica.next_wake().unwrap()), (3, None));
}

#[test]
fn a_page_that_comes_twice_wakes_what_was_put_to_sleep_again_only_once() {
    let mut server = server();
    let desk = Desk::at(&server);
    let first = server.post(1, 42, "one");
    desk.pull(&server);
    let thread = desk.thread_of(&first);
    desk.snooze(thread);
    server.post(1, 42, "two");
    let page = server.sync(None, 100);
    desk.pull(&server);
    assert_eq!(desk.place(thread), "inbox");
    desk.snooze(thread);
    desk.replica.apply(desk.source, page.into()).unwrap();
    desk.well();
    assert_eq!(desk.place(thread), "asleep");
}

fn badge(desk: &Desk) -> u64 {
    desk.well();
    let numbers = desk.replica.numbers().unwrap();
    assert_eq!(numbers.badge, numbers.sources[0].badge);
    numbers.badge
}

#[test]
fn the_badge_counts_what_deserves_it_and_follows_a_preference_at_once() {
    let mut server = server();
    let desk = Desk::at(&server);
    // Priorities 1 to 5, each in a thread of its own; the last has two.
    let posted: Vec<MsgId> = (0..5).map(|to| server.post(1, to, "words")).collect();
    server.post(1, 4, "more words");
    desk.pull(&server);
    let threads: Vec<ThreadId> = posted.iter().map(|id| desk.thread_of(id)).collect();
    let set = |key, value: serde_json::Value| desk.replica.set_setting(key, &value).unwrap();
    let source = |telling| desk.replica.tell_source(desk.source, telling).unwrap();
    let thread = |n: usize, telling| desk.replica.tell_thread(threads[n], telling).unwrap();
    let least = |n| Telling { from_priority: Some(n), ..Telling::default() };
    let tell = |tell| Telling { tell: Some(tell), ..Telling::default() };
    assert_eq!((badge(&desk), desk.unread()), (4, 6), "3 and above, unless told otherwise");

    set(FROM_PRIORITY, 5.into());
    assert_eq!(badge(&desk), 2);
    source(least(2));
    assert_eq!(badge(&desk), 5, "the source goes before the settings");
    thread(4, least(5));
    thread(3, least(5));
    assert_eq!(badge(&desk), 4, "the thread goes before the source");
    thread(0, least(1));
    assert_eq!(badge(&desk), 5);

    source(tell(Tell::Nothing));
    assert_eq!((badge(&desk), desk.unread()), (0, 6), "a muted source is counted nowhere, and stays unread");
    thread(4, tell(Tell::Badge));
    assert_eq!(badge(&desk), 2, "but for a thread that is to be heard all the same");
    source(Telling::default());
    set(FROM_PRIORITY, serde_json::Value::Null);
    assert_eq!(badge(&desk), 4, "1, 3, and twice 5; 4 has a bar of its own");

    desk.replica.mark(Targets::Threads(vec![threads[4]]), Mark::Mute).unwrap();
    assert_eq!(badge(&desk), 2);
    assert_eq!(desk.replica.thread_telling(threads[4]).unwrap().tell, Some(Tell::Nothing));
    desk.replica.mark(Targets::Threads(vec![threads[4]]), Mark::Unmute).unwrap();
    assert_eq!(desk.replica.thread_telling(threads[4]).unwrap().tell, Some(Tell::Badge), "as it was before");
    assert_eq!(badge(&desk), 4);
    desk.replica.mark(Targets::Threads(vec![threads[2]]), Mark::Read).unwrap();
    desk.snooze(threads[0]);
    assert_eq!(badge(&desk), 2);
    assert!(desk.replica.tell_thread(999, Telling::default()).is_err());
    assert!(desk.replica.tell_source(999, Telling::default()).is_err());
}

#[test]
fn what_a_thread_may_tell_outlives_its_items() {
    let mut server = server();
    let desk = Desk::at(&server);
    let first = server.post(1, 42, "one");
    desk.pull(&server);
    let thread = desk.thread_of(&first);
    let quiet = Telling { tell: Some(Tell::Badge), from_priority: Some(4), sound: Some(false) };
    desk.replica.tell_thread(thread, quiet).unwrap();
    server.apply(&Change::Delete { msgids: vec![first] });
    desk.pull(&server);
    let next = server.post(1, 42, "two");
    let applied = desk.pull(&server);
    assert_eq!((desk.thread_of(&next), applied.arrived[0].telling), (thread, quiet));
}

fn rule(when: RuleWhen, then: RuleThen) -> Rule {
    Rule { id: 0, name: String::new(), on: true, when, then }
}

#[test]
fn rules_act_on_what_arrives_in_their_order() {
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
    assert_eq!((desk.place(row(&noise).id), applied.arrived[2].unread), ("done", false));
    assert_eq!((badge(&desk), desk.unread()), (1, 2));
    assert_eq!(desk.replica.numbers().unwrap().waiting, 1, "the server is told of what was archived");
    desk.flush(&mut server);
    phone.pull(&server);
    assert_eq!(phone.place(phone.thread_of(&noise)), "done");

    // In another order the pin sees what the raise made.
    desk.replica.order_rules(vec![ids[1]]).unwrap();
    let again = server.post(3, 2, "hello again");
    let applied = desk.pull(&server);
    assert!(row(&again).pinned && applied.arrived[0].hushed && applied.arrived[0].priority == 5);
    assert_eq!(desk.replica.rules().unwrap()[0].id, ids[1]);
    desk.replica.remove_rule(ids[2]).unwrap();
    assert!(desk.replica.remove_rule(ids[2]).is_err());
    assert_eq!(desk.replica.rules().unwrap().len(), 3);
}

#[test]
fn what_a_rule_did_is_not_done_again_and_its_priority_stays() {
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
        desk.replica.items_by_msgid(None, std::slice::from_ref(id)).unwrap()[0].notification.priority.get()
    };

    // The same item comes again because something else of it changed, also when the rule is gone.
    server.apply(&Change::Seen { msgids: vec![noise.clone()] });
    desk.pull(&server);
    desk.replica.remove_rule(id).unwrap();
    server.apply(&Change::Unread { msgids: vec![noise.clone()] });
    server.apply(&Change::Snooze { msgids: vec![noise.clone()], until: desk.clock.now().plus_micros(1) });
    desk.clock.forward(5);
    desk.replica.wake(desk.clock.now()).unwrap();
    desk.pull(&server);
    assert_eq!((desk.place(thread), priority(&noise)), ("inbox", 1));
    assert!(!desk.replica.threads_by_id(&[thread]).unwrap()[0].muted);
    // With another priority of the server's own the rule's is no more.
    server.edit(&noise, "noise", 5);
    desk.pull(&server);
    assert_eq!((priority(&noise), badge(&desk)), (5, 1));
}

#[test]
fn rules_leave_alone_what_was_read_and_what_is_own_and_one_that_is_broken_stops_nothing() {
    let mut server = server();
    let desk = Desk::at(&server);
    let all = RuleThen { pin: true, archive: true, priority: 2, ..RuleThen::default() };
    desk.replica.save_rule(rule(RuleWhen::default(), all)).unwrap();
    let path = desk.dir.path().join(FILE);
    rusqlite::Connection::open(path)
        .unwrap()
        .execute_batch(
            "INSERT INTO rules (position, name, active, matches, does) VALUES (-1, 'broken', 1, '{', '[]')",
        )
        .unwrap();
    let read = server.post(1, 1, "read");
    let own = server.post(4, 1, "own");
    server.apply(&Change::Read { msgids: vec![read.clone()] });
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
fn a_rule_that_archives_news_lets_its_thread_sleep() {
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
fn a_rule_is_tried_on_what_is_here_before_it_is_kept() {
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

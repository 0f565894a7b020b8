//! Tests of conversations: read receipts, names of groups, new conversations, and outgoing messages.

use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tidings_model::group::ReceiptLine;
use tidings_model::wire::Change;
use tidings_model::{Clock, MsgId, Notification, Stamp};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;

struct Desk {
    _dir: TempDir,
    clock: ManualClock,
    replica: Replica,
    source: SourceId,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = ManualClock::default();
        let replica = Replica::open(dir.path(), Arc::new(clock.clone())).unwrap();
        let source = replica
            .add_source(NewSource {
                name: "Work".into(),
                protocol: "tidings".into(),
                url: "http://127.0.0.1:7878".into(),
                user: Some("me".into()),
                own: false,
            })
            .unwrap();
        Self { _dir: dir, clock, replica, source }
    }

    /// A message of the group `crew`, as the `n`th change.
    #[allow(clippy::unused_self)] // it reads as the desk that gets it
    fn message(&self, n: i64, actor: &str) -> Notification {
        let stamp = Stamp::from_micros(1_800_000_000_000_000 + n);
        let value = json!({
            "msgid": format!("m{n}"), "stamp": stamp, "version": 1, "kind": "message", "created_at": stamp,
            "thread": "group:crew", "conversation": "group:crew",
            "actor": {"id": actor, "name": actor.to_uppercase()}, "body": format!("words {n}"),
        });
        serde_json::from_value(value).unwrap()
    }

    fn pulled(&self, items: Vec<Notification>) {
        let next = items.iter().map(|i| i.stamp).max().map(|s| s.to_string());
        let page = Page { items, next, epoch: Some("e".into()), ..Page::default() };
        self.replica.apply(self.source, page).unwrap();
    }

    fn crew(&self) -> Thread {
        self.replica.thread_by_key(self.source, "group:crew").unwrap().unwrap()
    }

    fn well(&self) {
        let found = self.replica.check().unwrap();
        assert!(found.is_empty(), "{found:#?}");
    }
}

fn receipt(n: i64, reader: &str, at: i64) -> ReceiptLine {
    ReceiptLine {
        msgid: MsgId(format!("m{n}")),
        conversation: "group:crew".into(),
        reader: reader.into(),
        at: Stamp::from_micros(at),
    }
}

#[test]
pub(crate) fn a_receipt_may_come_again_and_before_its_message_and_goes_with_it() {
    let desk = Desk::new();
    let names = |n: i64| -> Vec<String> {
        let readers = desk.replica.receipts_of(desk.source, &MsgId(format!("m{n}"))).unwrap();
        readers.into_iter().map(|reader| reader.id).collect()
    };
    desk.replica.apply_receipts(desk.source, &[receipt(1, "cy", 20)]).unwrap();
    desk.pulled(vec![desk.message(1, "me")]);
    let mut events = desk.replica.subscribe();
    desk.replica.apply_receipts(desk.source, &[receipt(1, "bo", 10), receipt(1, "cy", 20)]).unwrap();
    assert_eq!(names(1), ["bo", "cy"], "the first first");
    assert_eq!(events.try_recv().unwrap().threads, [desk.crew().id]);
    desk.replica.apply_receipts(desk.source, &[receipt(1, "bo", 99)]).unwrap();
    assert!(events.try_recv().is_err(), "nothing differs");
    desk.well();

    let mut gone = desk.message(1, "me");
    (gone.deleted, gone.stamp) = (true, Stamp::from_micros(1_800_000_000_000_050));
    desk.pulled(vec![gone]);
    desk.replica.apply_receipts(desk.source, &[receipt(1, "dora", 30)]).unwrap();
    assert_eq!(names(1), Vec::<String>::new());
    desk.well();
    desk.replica.remove_source(desk.source, false).unwrap();
    desk.well();
}

#[test]
pub(crate) fn a_group_is_asked_about_once_and_keeps_its_name_when_it_is_withheld() {
    let desk = Desk::new();
    let asks = |age| desk.replica.groups_to_refresh(desk.source, age, 10).unwrap();
    assert!(asks(None).is_empty(), "no conversation, no question");
    desk.pulled(vec![desk.message(1, "bo")]);
    assert_eq!(asks(None), ["crew"]);
    let crew = Group {
        id: "crew".into(),
        name: "Release crew".into(),
        members: vec!["me".into(), "bo".into()],
        names: [("bo".to_owned(), "Bo Kessler".to_owned())].into(),
    };
    desk.replica.save_group(desk.source, &crew).unwrap();
    assert!(asks(None).is_empty() && asks(Some(60)).is_empty());
    desk.clock.advance_micros(61);
    assert!(asks(None).is_empty());
    assert_eq!(asks(Some(60)), ["crew"], "that was long ago");
    desk.replica.group_withheld(desk.source, "crew").unwrap();
    assert_eq!(desk.replica.group(desk.source, "crew").unwrap(), Some(crew));
    assert_eq!(desk.replica.group_names().unwrap()[&(desk.source, "crew".to_owned())], "Release crew");
    assert_eq!(desk.replica.name_of(desk.source, "group:crew", "bo").unwrap().as_deref(), Some("BO"));
    assert_eq!(desk.replica.name_of(desk.source, "group:crew", "dora").unwrap(), None);
    desk.well();
    desk.replica.remove_source(desk.source, true).unwrap();
    assert!(desk.replica.group(desk.source, "crew").unwrap().is_some(), "kept with what is kept");
    desk.well();
}

#[test]
pub(crate) fn a_draft_stands_in_its_row_until_it_is_forgotten() {
    let desk = Desk::new();
    desk.pulled(vec![desk.message(1, "bo")]);
    desk.replica.save_draft(desk.source, "group:crew", "Half a sen").unwrap();
    assert_eq!(desk.crew().draft, "Half a sen");
    assert_eq!(desk.replica.draft(desk.source, "group:crew").unwrap(), "Half a sen");
    let mut events = desk.replica.subscribe();
    desk.replica.save_draft(desk.source, "group:crew", "Half a sen").unwrap();
    assert!(events.try_recv().is_err(), "nothing differs");
    desk.replica.save_draft(desk.source, "group:crew", "").unwrap();
    assert_eq!(events.try_recv().unwrap().threads, [desk.crew().id]);
    assert_eq!(desk.crew().draft, "");
    desk.well();
}

#[test]
pub(crate) fn a_message_is_in_sight_from_its_writing_to_its_return() {
    let desk = Desk::new();
    desk.pulled(vec![desk.message(1, "bo")]);
    let words = serde_json::from_value(json!({"body": "On my way"})).unwrap();
    let id = desk.replica.write_message(desk.source, "group:crew", words).unwrap();
    let waiting = || desk.replica.counts().unwrap().waiting;
    assert!(desk.crew().pending);
    assert_eq!(waiting(), 1);
    assert_eq!(desk.replica.counts().unwrap().waiting_messages, 1, "and it is a message, not a mark");
    desk.replica.message_posted(&id, &MsgId("m2".into())).unwrap();
    assert_eq!(waiting(), 0);
    assert!(!desk.crew().pending);
    let out = desk.replica.outgoing_to(desk.source, "group:crew").unwrap();
    assert_eq!(out[0].posted, Some(MsgId("m2".into())));
    desk.replica.resync(desk.source).unwrap();
    assert_eq!(waiting(), 1, "a history that began anew may lack it: it goes out again under the same id");
    desk.replica.message_posted(&id, &MsgId("m2".into())).unwrap();
    desk.pulled(vec![desk.message(2, "me")]);
    assert!(desk.replica.outgoing(desk.source).unwrap().is_empty());
    desk.well();

    // The pull brings the message before the answer to its POST arrives.
    let words = serde_json::from_value(json!({"body": "Here"})).unwrap();
    let id = desk.replica.write_message(desk.source, "group:crew", words).unwrap();
    desk.pulled(vec![desk.message(3, "me")]);
    desk.replica.message_posted(&id, &MsgId("m3".into())).unwrap();
    assert!(desk.replica.outgoing(desk.source).unwrap().is_empty());
    desk.well();
}

#[test]
pub(crate) fn a_conversation_that_one_begins_is_there_at_once_and_stays_the_same_when_it_arrives() {
    let desk = Desk::new();
    let write = |body: &str| {
        let words = serde_json::from_value(json!({"body": body})).unwrap();
        desk.replica.write_message(desk.source, "user:bo", words).unwrap()
    };
    let listed = || {
        let query = ThreadQuery {
            place: Place::Kind(tidings_model::Kind::Message),
            place_only: false,
            filter: SearchFilter::default(),
            order: Order::Newest,
            start: Start::Top,
            limit: 10,
        };
        desk.replica.threads(&query).unwrap()
    };
    let id = write("Hello  Bo");
    let page = listed();
    assert_eq!((page.total, page.rows.len()), (1, 1), "the numbers know of it, too");
    let begun = page.rows[0].clone();
    assert_eq!((begun.preview.body.as_str(), begun.preview.own, begun.total), ("Hello Bo", true, 0));
    assert_eq!((begun.last_at, begun.pending), (desk.clock.now(), true));
    desk.well();

    desk.replica.message_refused(&id, "404").unwrap();
    assert_eq!(listed().rows[0].id, begun.id, "what was refused is still in sight");
    desk.replica.retry_message(&id).unwrap();
    let second = write("And good morning");
    assert_eq!(listed().rows[0].preview.body, "And good morning");
    desk.replica.message_done(&second).unwrap();
    assert_eq!(listed().rows[0].preview.body, "Hello Bo");
    desk.well();

    desk.replica.message_posted(&id, &MsgId("m1".into())).unwrap();
    assert_eq!(listed().rows[0].id, begun.id, "taken, and not back yet");
    let mut came = desk.message(1, "me");
    (came.thread, came.conversation) = ("user:bo".into(), Some("user:bo".into()));
    desk.pulled(vec![came]);
    let page = listed();
    assert_eq!((page.total, page.rows[0].id, page.rows[0].total), (1, begun.id, 1));
    desk.well();
}

#[test]
pub(crate) fn a_conversation_in_which_nothing_else_was_goes_with_what_was_given_up() {
    let desk = Desk::new();
    let write = |to: &str| {
        let words = serde_json::from_value(json!({"body": "Hello"})).unwrap();
        desk.replica.write_message(desk.source, to, words).unwrap()
    };
    let mut events = desk.replica.subscribe();
    let id = write("user:nobody");
    let thread = events.try_recv().unwrap().threads[0];
    desk.replica.message_done(&id).unwrap();
    assert_eq!(events.try_recv().unwrap().gone, [thread]);
    assert!(desk.replica.thread_by_key(desk.source, "user:nobody").unwrap().is_none());
    desk.well();

    // The server accepted the message, and it was deleted there before a pull could bring it.
    let id = write("user:bo");
    desk.replica.message_posted(&id, &MsgId("m1".into())).unwrap();
    let mut gone = desk.message(1, "me");
    (gone.thread, gone.conversation, gone.deleted) = ("user:bo".into(), Some("user:bo".into()), true);
    desk.pulled(vec![gone]);
    assert!(desk.replica.thread_by_key(desk.source, "user:bo").unwrap().is_none());
    desk.well();

    // The source is removed, and its items are kept.
    write("user:chen");
    desk.replica.remove_source(desk.source, true).unwrap();
    assert!(desk.replica.thread_by_key(desk.source, "user:chen").unwrap().is_none());
    desk.well();
}

#[test]
pub(crate) fn whom_one_may_write_to_is_whoever_a_source_told_of_partners_first() {
    let desk = Desk::new();
    let direct = |n: i64, who: &str| {
        let mut message = desk.message(n, who);
        (message.thread, message.conversation) = (format!("user:{who}"), Some(format!("user:{who}")));
        message
    };
    let did = |n: i64, who: &str, target: &str| {
        let mut item = desk.message(n, who);
        let value = json!({"type": target, "id": "42"});
        (item.kind, item.conversation) = (tidings_model::Kind::Reminder, None);
        (item.action, item.target) = (Some("comment".into()), Some(serde_json::from_value(value).unwrap()));
        item.thread = format!("{target}:42#comment");
        item
    };
    desk.pulled(vec![
        direct(1, "bo"),
        direct(2, "cy"),
        did(3, "dora", "article"),
        did(4, "backups", "topic"),
        did(5, "no user", "article"),
    ]);
    let crew = Group {
        id: "crew".into(),
        name: "Crew".into(),
        members: ["me", "bo", "eve"].map(String::from).into(),
        names: [("eve".to_owned(), "Eve Ito".to_owned())].into(),
    };
    desk.replica.save_group(desk.source, &crew).unwrap();
    let known = desk.replica.contacts(desk.source, 10).unwrap();
    let known: Vec<_> = known.iter().map(|one| (one.id.as_str(), one.name.as_str())).collect();
    assert_eq!(known, [("cy", "CY"), ("bo", "BO"), ("eve", "Eve Ito"), ("dora", "DORA")]);
    assert_eq!(desk.replica.contacts(desk.source, 2).unwrap().len(), 2);

    let words = serde_json::from_value(json!({"body": "Hello"})).unwrap();
    desk.replica.write_message(desk.source, "user:eve", words).unwrap();
    let begun = desk.replica.thread_by_key(desk.source, "user:eve").unwrap().unwrap();
    assert_eq!(
        (begun.actors[0].name.as_str(), begun.actor_count),
        ("Eve Ito", 0),
        "before she wrote anything"
    );
    desk.well();
}

#[test]
pub(crate) fn what_is_read_one_by_one_in_a_group_is_one_operation() {
    let desk = Desk::new();
    let read = |n: i64| {
        desk.pulled(vec![desk.message(n, "bo")]);
        desk.replica.mark(Targets::Threads(vec![desk.crew().id]), Mark::Read).unwrap();
        assert_eq!(desk.replica.counts().unwrap().total, 0, "here at once");
    };
    (1..=9).for_each(read);
    assert!(desk.replica.is_batching_reads(desk.source).unwrap());
    desk.clock.advance_micros(Replica::READ_BATCH_WINDOW);
    assert!(!desk.replica.is_batching_reads(desk.source).unwrap(), "not for long");
    desk.clock.advance_micros(-Replica::READ_BATCH_WINDOW);
    read(10);
    assert!(!desk.replica.is_batching_reads(desk.source).unwrap(), "ten are worth it at once");
    let ops = desk.replica.pending(desk.source, 1_000).unwrap();
    assert_eq!(ops.len(), 1);
    let Change::Visit { at, .. } = &ops[0].change else { panic!("{ops:?}") };
    assert_eq!(*at, Some(desk.message(10, "bo").created_at));
    // The operation is under way, so that a later read needs another.
    read(11);
    assert_eq!(desk.replica.pending(desk.source, 1_000).unwrap().len(), 2);
    assert!(!desk.replica.is_batching_reads(desk.source).unwrap());
    desk.well();
}

//! Tests of conversations: read receipts, names of groups, new conversations, and outgoing messages.

use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tidings_model::group::ReceiptLine;
use tidings_model::wire::{Change, ClosedConversation};
use tidings_model::{Actor, Clock, MsgId, Notification, Stamp, View};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;

struct Device {
    _dir: TempDir,
    clock: ManualClock,
    replica: Replica,
    source: SourceId,
}

impl Device {
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
    #[allow(clippy::unused_self)] // it reads as the device that gets it
    fn message(&self, n: i64, actor: &str) -> Notification {
        let stamp = Stamp::from_micros(1_800_000_000_000_000 + n);
        let value = json!({
            "msgid": format!("m{n}"), "stamp": stamp, "version": 1, "kind": "message", "created_at": stamp,
            "thread": "group:crew", "conversation": "group:crew",
            "actor": {"id": actor, "name": actor.to_uppercase()}, "body": format!("words {n}"),
        });
        serde_json::from_value(value).unwrap()
    }

    fn apply_page(&self, items: Vec<Notification>) {
        let next = items.iter().map(|i| i.stamp).max().map(|s| s.to_string());
        let page = Page { items, next, epoch: Some("e".into()), ..Page::default() };
        self.replica.apply(self.source, page).unwrap();
    }

    fn crew(&self) -> Thread {
        self.replica.thread_by_key(self.source, "group:crew").unwrap().unwrap()
    }

    fn assert_consistent(&self) {
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
pub(crate) fn a_page_of_a_conversation_begins_at_the_first_unread_message_around_one_or_at_the_beginning() {
    let device = Device::new();
    device.apply_page((1..=60).map(|n| device.message(n, "bo")).collect());
    let (crew, view) = (device.crew().id, View::Conversation("group:crew".into()));
    let read_to = |n: i64| {
        let at = device.message(n, "bo").created_at;
        device.replica.visit(device.source, &view, Some(at)).unwrap();
    };
    read_to(30);
    let page = |position: ItemPosition| {
        let page = device.replica.items_of(crew, &position, 10).unwrap();
        let end = |item: Option<&Item>| item.unwrap().notification.msgid.0.clone();
        (end(page.items.first()), end(page.items.last()), page.earlier, page.later)
    };
    let of = |first: &str, last: &str, earlier, later| (first.to_owned(), last.to_owned(), earlier, later);
    assert_eq!(page(ItemPosition::FirstUnread), of("m29", "m38", 28, 22));
    assert_eq!(page(ItemPosition::Around("m5".into())), of("m3", "m12", 2, 48));
    assert_eq!(page(ItemPosition::After("m58".into())), of("m59", "m60", 58, 0));
    assert_eq!(page(ItemPosition::Before("m58".into())), of("m48", "m57", 47, 3));
    assert_eq!(page(ItemPosition::First), of("m1", "m10", 0, 50));
    read_to(60);
    assert_eq!(page(ItemPosition::FirstUnread), page(ItemPosition::Newest));
    let gone = device.replica.items_of(crew, &ItemPosition::Around("m99".into()), 10).unwrap_err();
    assert!(matches!(gone, Error::NoItem(_)), "{gone}");
}

#[test]
pub(crate) fn a_receipt_may_come_again_and_before_its_message_and_goes_with_it() {
    let device = Device::new();
    let names = |n: i64| -> Vec<String> {
        let readers = device.replica.receipts_of(device.source, &MsgId(format!("m{n}"))).unwrap();
        readers.into_iter().map(|reader| reader.id).collect()
    };
    device.replica.apply_receipts(device.source, &[receipt(1, "cy", 20)]).unwrap();
    device.apply_page(vec![device.message(1, "me")]);
    let mut events = device.replica.subscribe();
    device.replica.apply_receipts(device.source, &[receipt(1, "bo", 10), receipt(1, "cy", 20)]).unwrap();
    assert_eq!(names(1), ["bo", "cy"], "the first first");
    assert_eq!(events.try_recv().unwrap().threads, [device.crew().id]);
    device.replica.apply_receipts(device.source, &[receipt(1, "bo", 99)]).unwrap();
    assert!(events.try_recv().is_err(), "nothing differs");
    device.assert_consistent();

    let mut tombstone = device.message(1, "me");
    (tombstone.deleted, tombstone.stamp) = (true, Stamp::from_micros(1_800_000_000_000_050));
    device.apply_page(vec![tombstone]);
    device.replica.apply_receipts(device.source, &[receipt(1, "dora", 30)]).unwrap();
    assert_eq!(names(1), Vec::<String>::new());
    device.assert_consistent();
    device.replica.remove_source(device.source, false).unwrap();
    device.assert_consistent();
}

#[test]
pub(crate) fn a_group_is_asked_about_once_and_keeps_its_name_when_it_is_withheld() {
    let device = Device::new();
    let asks = |age| device.replica.groups_to_refresh(device.source, age, 10).unwrap();
    assert!(asks(None).is_empty(), "no conversation, no question");
    device.apply_page(vec![device.message(1, "bo")]);
    assert_eq!(asks(None), ["crew"]);
    let crew = Group {
        id: "crew".into(),
        name: "Release crew".into(),
        members: vec!["me".into(), "bo".into()],
        names: [("bo".to_owned(), "Bo Kessler".to_owned())].into(),
        ..Group::default()
    };
    device.replica.save_group(device.source, &crew).unwrap();
    assert!(asks(None).is_empty() && asks(Some(60)).is_empty());
    device.clock.advance_micros(61);
    assert!(asks(None).is_empty());
    assert_eq!(asks(Some(60)), ["crew"], "that was long ago");
    device.replica.group_withheld(device.source, "crew", Withheld::Left).unwrap();
    let withheld = Group { withheld: Some(Withheld::Left), ..crew.clone() };
    assert_eq!(device.replica.group(device.source, "crew").unwrap(), Some(withheld));
    device.replica.save_group(device.source, &crew).unwrap();
    let told = Page { groups: vec!["crew".into(), "unknown".into()], ..Page::default() };
    device.replica.apply(device.source, told).unwrap();
    assert_eq!(asks(None), ["crew"], "the server says that it changed");
    device.replica.save_group(device.source, &crew).unwrap();
    assert!(asks(None).is_empty());
    assert_eq!(device.replica.group_names().unwrap()[&(device.source, "crew".to_owned())], "Release crew");
    assert_eq!(device.replica.name_of(device.source, "group:crew", "bo").unwrap().as_deref(), Some("BO"));
    assert_eq!(device.replica.name_of(device.source, "group:crew", "dora").unwrap(), None);
    device.assert_consistent();
    device.replica.remove_source(device.source, true).unwrap();
    assert!(device.replica.group(device.source, "crew").unwrap().is_some(), "kept with what is kept");
    device.assert_consistent();
}

#[test]
pub(crate) fn a_conversation_that_its_server_closed_says_so_with_the_name_until_its_source_goes() {
    let device = Device::new();
    device.apply_page(vec![device.message(1, "bo")]);
    let title = |key: &str| device.replica.closed_conversation(device.source, key).unwrap();
    assert_eq!(title("user:bo"), None);
    for name in ["Bo", "Bo Kessler"] {
        let closed = ClosedConversation {
            conversation: "user:bo".to_owned(),
            title: name.to_owned(),
            stamp: Stamp::from_micros(9),
        };
        let page = Page { closed: vec![closed], ..Page::default() };
        device.replica.apply(device.source, page.clone()).unwrap();
        device.replica.apply(device.source, page).unwrap();
        assert_eq!(title("user:bo").as_deref(), Some(name));
    }
    assert_eq!(title("user:cy"), None);
    device.assert_consistent();
    device.replica.remove_source(device.source, false).unwrap();
    assert_eq!(title("user:bo"), None);
    device.assert_consistent();
}

#[test]
pub(crate) fn a_draft_stands_in_its_row_until_it_is_forgotten() {
    let device = Device::new();
    device.apply_page(vec![device.message(1, "bo")]);
    device.replica.save_draft(device.source, "group:crew", "Half a sen").unwrap();
    assert_eq!(device.crew().draft, "Half a sen");
    assert_eq!(device.replica.draft(device.source, "group:crew").unwrap(), "Half a sen");
    let mut events = device.replica.subscribe();
    device.replica.save_draft(device.source, "group:crew", "Half a sen").unwrap();
    assert!(events.try_recv().is_err(), "nothing differs");
    device.replica.save_draft(device.source, "group:crew", "").unwrap();
    assert_eq!(events.try_recv().unwrap().threads, [device.crew().id]);
    assert_eq!(device.crew().draft, "");
    device.assert_consistent();
}

#[test]
pub(crate) fn a_message_is_in_sight_from_its_writing_to_its_return() {
    let device = Device::new();
    device.apply_page(vec![device.message(1, "bo")]);
    let words = serde_json::from_value(json!({"body": "On my way"})).unwrap();
    let id = device.replica.write_message(device.source, "group:crew", words).unwrap();
    let waiting = || device.replica.counts().unwrap().waiting;
    assert!(device.crew().pending);
    assert_eq!(waiting(), 1);
    assert_eq!(device.replica.counts().unwrap().waiting_messages, 1, "and it is a message, not a mark");
    device.replica.message_posted(&id, &MsgId("m2".into())).unwrap();
    assert_eq!(waiting(), 0);
    assert!(!device.crew().pending);
    let out = device.replica.outgoing_to(device.source, "group:crew").unwrap();
    assert_eq!(out[0].posted, Some(MsgId("m2".into())));
    device.replica.resync(device.source).unwrap();
    assert_eq!(waiting(), 1, "a history that began anew may lack it: it goes out again under the same id");
    device.replica.message_posted(&id, &MsgId("m2".into())).unwrap();
    device.apply_page(vec![device.message(2, "me")]);
    assert!(device.replica.outgoing(device.source).unwrap().is_empty());
    device.assert_consistent();

    // The pull brings the message before the answer to its POST arrives.
    let words = serde_json::from_value(json!({"body": "Here"})).unwrap();
    let id = device.replica.write_message(device.source, "group:crew", words).unwrap();
    device.apply_page(vec![device.message(3, "me")]);
    device.replica.message_posted(&id, &MsgId("m3".into())).unwrap();
    assert!(device.replica.outgoing(device.source).unwrap().is_empty());
    device.assert_consistent();
}

#[test]
pub(crate) fn a_file_is_needed_from_the_writing_of_its_message_to_its_return() {
    let device = Device::new();
    device.apply_page(vec![device.message(1, "bo")]);
    let write = |id: &str| {
        let words = serde_json::from_value(json!({"body": "plan.pdf"})).unwrap();
        let file = OutgoingFile { name: "plan.pdf".into(), size: 7 };
        device.replica.write_message_with_file(device.source, "group:crew", words, id, file).unwrap();
    };
    write("f1");
    let out = device.replica.outgoing_to(device.source, "group:crew").unwrap();
    assert_eq!((out[0].id.as_str(), out[0].file.as_ref().unwrap().size), ("f1", 7));
    device.replica.message_posted("f1", &MsgId("m2".into())).unwrap();
    assert!(device.replica.is_outgoing("f1").unwrap(), "a history that begins anew may lack it");
    device.apply_page(vec![device.message(2, "me")]);
    assert!(!device.replica.is_outgoing("f1").unwrap());
    write("f2");
    device.replica.message_done("f2").unwrap();
    assert!(!device.replica.is_outgoing("f2").unwrap());
    device.assert_consistent();
}

#[test]
pub(crate) fn whether_a_server_takes_files_is_known_without_asking_it_again() {
    let device = Device::new();
    let limit = || device.replica.source(device.source).unwrap().attachment_bytes;
    assert_eq!(limit(), None);
    device.replica.set_attachment_bytes(device.source, Some(15)).unwrap();
    assert_eq!(limit(), Some(15));
    device.replica.set_attachment_bytes(device.source, None).unwrap();
    assert_eq!(limit(), None);
}

#[test]
pub(crate) fn a_conversation_that_one_begins_is_there_at_once_and_stays_the_same_when_it_arrives() {
    let device = Device::new();
    let write = |body: &str| {
        let words = serde_json::from_value(json!({"body": body})).unwrap();
        device.replica.write_message(device.source, "user:bo", words).unwrap()
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
        device.replica.threads(&query).unwrap()
    };
    let id = write("Hello  Bo");
    let page = listed();
    assert_eq!((page.total, page.rows.len()), (1, 1), "the numbers know of it, too");
    let new_thread = page.rows[0].clone();
    assert_eq!(
        (new_thread.preview.body.as_str(), new_thread.preview.own, new_thread.total),
        ("Hello Bo", true, 0)
    );
    assert_eq!((new_thread.last_at, new_thread.pending), (device.clock.now(), true));
    device.assert_consistent();

    device.replica.message_refused(&id, "404").unwrap();
    assert_eq!(listed().rows[0].id, new_thread.id, "what was refused is still in sight");
    device.replica.retry_message(&id).unwrap();
    let second = write("And good morning");
    assert_eq!(listed().rows[0].preview.body, "And good morning");
    device.replica.message_done(&second).unwrap();
    assert_eq!(listed().rows[0].preview.body, "Hello Bo");
    device.assert_consistent();

    device.replica.message_posted(&id, &MsgId("m1".into())).unwrap();
    assert_eq!(listed().rows[0].id, new_thread.id, "taken, and not back yet");
    let mut message = device.message(1, "me");
    (message.thread, message.conversation) = ("user:bo".into(), Some("user:bo".into()));
    device.apply_page(vec![message]);
    let page = listed();
    assert_eq!((page.total, page.rows[0].id, page.rows[0].total), (1, new_thread.id, 1));
    device.assert_consistent();
}

#[test]
pub(crate) fn a_conversation_in_which_nothing_else_was_goes_with_what_was_given_up() {
    let device = Device::new();
    let write = |to: &str| {
        let words = serde_json::from_value(json!({"body": "Hello"})).unwrap();
        device.replica.write_message(device.source, to, words).unwrap()
    };
    let mut events = device.replica.subscribe();
    let id = write("user:nobody");
    let thread = events.try_recv().unwrap().threads[0];
    device.replica.message_done(&id).unwrap();
    assert_eq!(events.try_recv().unwrap().gone, [thread]);
    assert!(device.replica.thread_by_key(device.source, "user:nobody").unwrap().is_none());
    device.assert_consistent();

    // The server accepted the message, and it was deleted there before a pull could bring it.
    let id = write("user:bo");
    device.replica.message_posted(&id, &MsgId("m1".into())).unwrap();
    let mut tombstone = device.message(1, "me");
    (tombstone.thread, tombstone.conversation, tombstone.deleted) =
        ("user:bo".into(), Some("user:bo".into()), true);
    device.apply_page(vec![tombstone]);
    assert!(device.replica.thread_by_key(device.source, "user:bo").unwrap().is_none());
    device.assert_consistent();

    // The source is removed, and its items are kept.
    write("user:chen");
    device.replica.remove_source(device.source, true).unwrap();
    assert!(device.replica.thread_by_key(device.source, "user:chen").unwrap().is_none());
    device.assert_consistent();
}

#[test]
pub(crate) fn whom_one_may_write_to_is_whoever_a_source_told_of_partners_first() {
    let device = Device::new();
    let direct = |n: i64, who: &str| {
        let mut message = device.message(n, who);
        (message.thread, message.conversation) = (format!("user:{who}"), Some(format!("user:{who}")));
        message
    };
    let did = |n: i64, who: &str, target: &str| {
        let mut item = device.message(n, who);
        let value = json!({"type": target, "id": "42"});
        (item.kind, item.conversation) = (tidings_model::Kind::Reminder, None);
        (item.action, item.target) = (Some("comment".into()), Some(serde_json::from_value(value).unwrap()));
        item.thread = format!("{target}:42#comment");
        item
    };
    device.apply_page(vec![
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
        ..Group::default()
    };
    device.replica.save_group(device.source, &crew).unwrap();
    let known = device.replica.contacts(device.source, 10).unwrap();
    let known: Vec<_> = known.iter().map(|one| (one.id.as_str(), one.name.as_str())).collect();
    assert_eq!(known, [("cy", "CY"), ("bo", "BO"), ("eve", "Eve Ito"), ("dora", "DORA")]);
    assert_eq!(device.replica.contacts(device.source, 2).unwrap().len(), 2);

    let words = serde_json::from_value(json!({"body": "Hello"})).unwrap();
    device.replica.write_message(device.source, "user:eve", words).unwrap();
    let new_thread = device.replica.thread_by_key(device.source, "user:eve").unwrap().unwrap();
    assert_eq!(
        (new_thread.actors[0].name.as_str(), new_thread.actor_count),
        ("Eve Ito", 0),
        "before she wrote anything"
    );
    device.assert_consistent();
}

#[test]
pub(crate) fn what_is_read_one_by_one_in_a_group_is_one_operation() {
    let device = Device::new();
    let read = |n: i64| {
        device.apply_page(vec![device.message(n, "bo")]);
        device.replica.mark(Targets::Threads(vec![device.crew().id]), Mark::Read).unwrap();
        assert_eq!(device.replica.counts().unwrap().total, 0, "here at once");
    };
    (1..=9).for_each(read);
    assert!(device.replica.is_batching_reads(device.source).unwrap());
    device.clock.advance_micros(Replica::READ_BATCH_WINDOW_MICROS);
    assert!(!device.replica.is_batching_reads(device.source).unwrap(), "not for long");
    device.clock.advance_micros(-Replica::READ_BATCH_WINDOW_MICROS);
    read(10);
    assert!(!device.replica.is_batching_reads(device.source).unwrap(), "ten are worth it at once");
    let ops = device.replica.pending(device.source, 1_000).unwrap();
    assert_eq!(ops.len(), 1);
    let Change::Mark { mark: Mark::Read, msgids, .. } = &ops[0].change else { panic!("{ops:?}") };
    assert_eq!((msgids.len(), &msgids[0]), (10, &device.message(10, "bo").msgid), "the newest first");
    // The operation is under way, so that a later read needs another.
    read(11);
    assert_eq!(device.replica.pending(device.source, 1_000).unwrap().len(), 2);
    assert!(!device.replica.is_batching_reads(device.source).unwrap());
    device.assert_consistent();
}

#[test]
pub(crate) fn how_far_the_other_has_read_is_told_and_never_goes_back() {
    use tidings_model::wire::ViewMark;
    let device = Device::new();
    let conversation = View::Conversation("user:bo".into());
    let peer_mark = |through: i64, at: i64| Page {
        peer_marks: vec![ViewMark {
            view: conversation.clone(),
            through: Stamp::from_secs(through),
            stamp: Stamp::from_secs(at),
        }],
        ..Page::default()
    };
    let read = || device.replica.peer_read(device.source, "user:bo").unwrap();
    assert_eq!(read(), None);
    device.replica.apply(device.source, peer_mark(10, 12)).unwrap();
    device.replica.apply(device.source, peer_mark(8, 20)).unwrap();
    assert_eq!(read(), Some(PeerRead { through: Stamp::from_secs(10), at: Stamp::from_secs(12) }));
    device.replica.apply(device.source, peer_mark(14, 30)).unwrap();
    assert_eq!(read(), Some(PeerRead { through: Stamp::from_secs(14), at: Stamp::from_secs(30) }));
    assert_eq!(device.replica.peer_read(device.source, "user:dora").unwrap(), None);
    device.assert_consistent();
}

#[test]
pub(crate) fn who_joined_and_left_a_group_and_its_new_name_are_remembered() {
    let device = Device::new();
    device.apply_page(vec![device.message(1, "bo")]);
    let group = |name: &str, members: &[&str]| Group {
        id: "crew".into(),
        name: name.into(),
        members: members.iter().map(|id| (*id).to_owned()).collect(),
        names: members.iter().map(|id| ((*id).to_owned(), id.to_uppercase())).collect(),
        ..Group::default()
    };
    let changes = || device.replica.group_changes(device.source, "crew").unwrap();
    let news = || changes().into_iter().map(|change| change.news).collect::<Vec<_>>();
    let actor = |id: &str| Actor { id: id.into(), name: id.to_uppercase() };
    device.replica.save_group(device.source, &group("Crew", &["me", "bo"])).unwrap();
    assert_eq!(changes(), [], "what a group was before is not known");
    device.clock.advance_micros(1_000_000);
    let now = device.clock.now();
    device.replica.save_group(device.source, &group("Release crew", &["me", "bo", "dora"])).unwrap();
    device.replica.save_group(device.source, &group("Release crew", &["me", "bo", "dora"])).unwrap();
    device.replica.save_group(device.source, &group("Release crew", &["me", "dora"])).unwrap();
    let wanted = [
        GroupNews::Joined(actor("dora")),
        GroupNews::Renamed("Release crew".into()),
        GroupNews::Left(actor("bo")),
    ];
    assert_eq!(news(), wanted);
    assert!(changes().iter().all(|change| change.at == now));

    // No more than the last fifty are kept, and those of another time away are not made up.
    for n in 0..60 {
        device.replica.save_group(device.source, &group(&format!("Crew {n}"), &["me", "dora"])).unwrap();
    }
    assert_eq!((news().len(), news().pop()), (50, Some(GroupNews::Renamed("Crew 59".into()))));
    device.replica.group_withheld(device.source, "crew", Withheld::Left).unwrap();
    device.replica.save_group(device.source, &group("Crew 59", &["me", "eve"])).unwrap();
    assert_eq!(news().len(), 50);
    device.assert_consistent();
    device.replica.remove_source(device.source, false).unwrap();
    assert_eq!(changes(), []);
}

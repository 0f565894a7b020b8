//! Tests of the replica's sources, outgoing messages and settings.

use serde_json::json;
use tidings_model::wire::NewMessage;
use tidings_model::{MsgId, Stamp};
use tidings_replica::*;

use crate::device::{Device, server};

#[test]
pub(crate) fn marks_on_the_items_of_a_source_that_is_kept_wait_for_nobody() {
    let mut server = server();
    let mut device = Device::at(&server);
    let (first, second) = (server.post(1, 1, "manual"), server.post(2, 2, "auto"));
    server.post(3, 3, "message");
    device.pull(&server);
    device.replica.remove_source(device.source, true).unwrap();
    let waiting = |device: &Device| {
        device.assert_consistent();
        device.replica.counts().unwrap().waiting
    };
    device.replica.mark(Targets::MsgIds(vec![first.clone()]), Mark::Archive).unwrap();
    let read = device.replica.mark(Targets::MsgIds(vec![second.clone()]), Mark::Read).unwrap();
    assert_eq!((device.unread(), waiting(&device)), (1, 0));
    device.replica.undo(&read.undo.unwrap()).unwrap();
    assert_eq!((device.unread(), waiting(&device)), (2, 0));
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    device.replica.mark(Targets::MsgIds(vec![second]), Mark::Snooze { until: Stamp::MAX }).unwrap();
    assert_eq!((device.unread(), waiting(&device)), (0, 0));
    device.reopen();
    assert_eq!((device.unread(), waiting(&device)), (0, 0));
    assert_eq!(device.place(device.thread_of(&first)), "done");
    let item =
        |msgid: &MsgId| device.replica.items_by_msgid(None, std::slice::from_ref(msgid)).unwrap().remove(0);
    assert!(!item(&first).pending && item(&first).notification.archived_at.is_some());
}

#[test]
pub(crate) fn sources_come_and_go() {
    let mut server = server();
    let device = Device::at(&server);
    server.post(1, 1, "hello");
    device.pull(&server);
    let new = NewSource {
        name: "home".into(),
        protocol: "ntfy".into(),
        url: "https://ntfy.example.org/x".into(),
        user: None,
        own: false,
    };
    assert!(matches!(device.replica.add_source(new.clone()), Err(Error::NameTaken(_))));
    let second = device.replica.add_source(NewSource { name: "work".into(), ..new }).unwrap();
    device
        .replica
        .change_source(
            second,
            SourceChange { paused: Some(true), name: Some("Work".into()), ..Default::default() },
        )
        .unwrap();
    assert!(device.replica.source(second).unwrap().paused);
    device.replica.remove_source(second, false).unwrap();
    device.replica.remove_source(device.source, true).unwrap();
    assert_eq!((device.unread(), device.replica.sources().unwrap()[0].protocol.as_str()), (1, "kept"));
    device.assert_consistent();
    device.replica.remove_source(device.source, false).unwrap();
    assert_eq!((device.unread(), device.replica.sources().unwrap().len()), (0, 0));
    device.assert_consistent();
}

#[test]
pub(crate) fn messages_wait_in_the_outbox_and_settings_are_kept() {
    let mut server = server();
    let mut device = Device::at(&server);
    server.post(3, 1, "hi");
    device.pull(&server);
    let message: NewMessage = serde_json::from_value(json!({"to": "p1", "body": "hello"})).unwrap();
    let id = device.replica.write_message(device.source, "user:p1", message).unwrap();
    assert!(device.all(Place::Inbox)[0].pending);
    device.replica.message_refused(&id, "no such user").unwrap();
    assert_eq!(device.replica.outgoing(device.source).unwrap()[0].refused.as_deref(), Some("no such user"));
    assert_eq!(device.replica.counts().unwrap().waiting, 0);
    device.replica.retry_message(&id).unwrap();
    assert_eq!(device.replica.counts().unwrap().waiting, 1);
    device.replica.message_done(&id).unwrap();
    assert!(device.replica.outgoing(device.source).unwrap().is_empty());

    device.replica.set_setting("theme", &json!("dark")).unwrap();
    device.reopen();
    assert_eq!(device.replica.setting("theme").unwrap(), Some(json!("dark")));
    device.replica.set_setting("theme", &json!(null)).unwrap();
    assert!(device.replica.settings().unwrap().is_empty());
    device.assert_consistent();
}

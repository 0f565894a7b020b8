//! Tests of the replica's sources, outgoing messages and settings.

use serde_json::json;
use tidings_model::wire::NewMessage;
use tidings_replica::*;

use crate::desk::{Desk, server};

#[test]
pub(crate) fn sources_come_and_go() {
    let mut server = server();
    let desk = Desk::at(&server);
    server.post(1, 1, "hello");
    desk.pull(&server);
    let new = NewSource {
        name: "home".into(),
        protocol: "ntfy".into(),
        url: "https://ntfy.example.org/x".into(),
        user: None,
        own: false,
    };
    assert!(matches!(desk.replica.add_source(new.clone()), Err(Error::NameTaken(_))));
    let second = desk.replica.add_source(NewSource { name: "work".into(), ..new }).unwrap();
    desk.replica
        .change_source(
            second,
            SourceChange { paused: Some(true), name: Some("Work".into()), ..Default::default() },
        )
        .unwrap();
    assert!(desk.replica.source(second).unwrap().paused);
    desk.replica.remove_source(second, false).unwrap();
    desk.replica.remove_source(desk.source, true).unwrap();
    assert_eq!((desk.unread(), desk.replica.sources().unwrap()[0].protocol.as_str()), (1, "kept"));
    desk.well();
    desk.replica.remove_source(desk.source, false).unwrap();
    assert_eq!((desk.unread(), desk.replica.sources().unwrap().len()), (0, 0));
    desk.well();
}

#[test]
pub(crate) fn messages_wait_in_the_outbox_and_settings_are_kept() {
    let mut server = server();
    let mut desk = Desk::at(&server);
    server.post(3, 1, "hi");
    desk.pull(&server);
    let message: NewMessage = serde_json::from_value(json!({"to": "p1", "body": "hello"})).unwrap();
    let id = desk.replica.write_message(desk.source, "user:p1", message).unwrap();
    assert!(desk.all(Place::Inbox)[0].pending);
    desk.replica.message_refused(&id, "no such user").unwrap();
    assert_eq!(desk.replica.outgoing(desk.source).unwrap()[0].refused.as_deref(), Some("no such user"));
    assert_eq!(desk.replica.counts().unwrap().waiting, 0);
    desk.replica.retry_message(&id).unwrap();
    assert_eq!(desk.replica.counts().unwrap().waiting, 1);
    desk.replica.message_done(&id).unwrap();
    assert!(desk.replica.outgoing(desk.source).unwrap().is_empty());

    desk.replica.set_setting("theme", &json!("dark")).unwrap();
    desk.reopen();
    assert_eq!(desk.replica.setting("theme").unwrap(), Some(json!("dark")));
    desk.replica.set_setting("theme", &json!(null)).unwrap();
    assert!(desk.replica.settings().unwrap().is_empty());
    desk.well();
}

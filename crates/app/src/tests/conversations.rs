//! Tests of conversations while the server is down: messages wait, new conversations are kept, and readers are shown as
//! far as they are known.

use serde_json::json;
use tidings_ipc::{IpcEvent, ThreadView};
use tidings_model::group::ReceiptLine;
use tidings_model::{MsgId, Notification, Receipt};
use tidings_replica::{Group, SourceChange, SourceId};
use tidings_sync::PullReason;
use tidings_testkit::clock::ManualClock;

use super::harness::{TestApp, notification, open, until};
use super::inbox;

fn message(clock: &ManualClock, nth: i64, who: &str, name: &str) -> Notification {
    notification(
        clock,
        nth,
        &json!({"kind": "message", "thread": "group:crew", "conversation": "group:crew", "action": null,
            "target": null, "actor": {"id": who, "name": name}, "body": format!("words {nth}"),
            "receipt": if who == "me" { json!({"read": 0, "members": 3}) } else { json!(null) }}),
    )
}

async fn crew(test: &TestApp) -> (SourceId, i64) {
    let work = test.source("Work");
    let items = vec![message(&test.clock, 1, "bo", "Bo Kessler"), message(&test.clock, 2, "me", "Me Myself")];
    test.pulled(work, PullReason::Live, items).await;
    let crew = Group {
        id: "crew".into(),
        name: "Release crew".into(),
        members: ["me", "bo", "cy", "dora"].map(String::from).into(),
        names: [("dora".to_owned(), "Dora Lind".to_owned())].into(),
        ..Group::default()
    };
    test.app.context.replica.save_group(work, &crew).unwrap();
    (work, test.app.reading.threads(inbox()).await.unwrap().rows[0].id)
}

async fn opened(test: &TestApp, id: i64) -> ThreadView {
    test.app.reading.thread(id, None).await.unwrap()
}

#[tokio::test]
async fn a_group_is_called_by_its_name_and_says_how_many_are_in_it() {
    let test = open().running();
    let (_, id) = crew(&test).await;
    let view = opened(&test, id).await;
    assert_eq!((view.title.as_str(), view.row.who.as_str()), ("Release crew", "Release crew"));
    assert_eq!(view.facts, ["4 people", "Work"]);
    assert!(view.composer.unwrap().waiting, "nobody is there to take a message");
}

#[tokio::test]
async fn what_is_written_with_the_server_away_is_seen_at_once_and_can_be_given_up() {
    let test = open().running();
    let (work, id) = crew(&test).await;
    test.with_page().await;
    test.app.conversations.save_draft(id, "On my\nway".into()).await.unwrap();
    let view = opened(&test, id).await;
    assert_eq!((view.row.draft.as_str(), view.composer.unwrap().draft.as_str()), ("On my way", "On my\nway"));

    test.app.conversations.send_message(id, " On my way ".into(), Vec::new()).await.unwrap();
    assert!(
        test.app.conversations.send_message(id, " \n".into(), Vec::new()).await.is_err(),
        "nothing is no message"
    );
    let view = opened(&test, id).await;
    let composer = view.composer.unwrap();
    assert_eq!((composer.draft.as_str(), view.row.draft.as_str(), view.row.pending), ("", "", true));
    assert_eq!(composer.outgoing.len(), 1);
    let out = composer.outgoing[0].clone();
    assert_eq!((out.body.as_str(), out.failed.as_deref(), out.sent), ("On my way", None, false));
    until("the page to hear of it", || {
        test.events.lock().unwrap().iter().any(|event| {
            matches!(event, IpcEvent::Threads { rows, refetch, .. }
                if *refetch || rows.iter().any(|row| row.pending))
        })
    })
    .await;

    let replica = &test.app.context.replica;
    replica.message_refused(&out.id, "403").unwrap();
    let failed = opened(&test, id).await.composer.unwrap().outgoing[0].failed.clone();
    assert_eq!(failed.as_deref(), Some("You are no longer in this conversation"));
    test.app.conversations.retry_message(out.id.clone()).await.unwrap();
    assert_eq!(opened(&test, id).await.composer.unwrap().outgoing[0].failed, None);
    test.app.conversations.discard_message(out.id).await.unwrap();
    assert!(opened(&test, id).await.composer.unwrap().outgoing.is_empty());
    assert!(replica.outgoing(work).unwrap().is_empty());
}

#[tokio::test]
async fn who_is_in_a_group_is_told_with_names_and_oneself_too() {
    let test = open().running();
    let (work, id) = crew(&test).await;
    let change = SourceChange { user: Some("me".into()), ..SourceChange::default() };
    test.app.context.replica.change_source(work, change).unwrap();
    let members = test.app.conversations.members(id).await.unwrap();
    let names: Vec<_> = members.iter().map(|one| (one.name.as_str(), one.me)).collect();
    assert_eq!(names, [("me", true), ("Bo Kessler", false), ("cy", false), ("Dora Lind", false)]);
    assert_eq!(members[1].face.initials, "BK");
}

#[tokio::test]
async fn who_has_read_it_is_told_by_name_as_far_as_it_is_known_here() {
    let test = open().running();
    let (work, id) = crew(&test).await;
    let receipt = |reader: &str, at: i64| ReceiptLine {
        msgid: MsgId("m2".into()),
        conversation: "group:crew".into(),
        reader: reader.into(),
        at: tidings_model::Stamp::from_millis(at),
    };
    test.app.context.replica.apply_receipts(work, &[receipt("bo", 1_000), receipt("dora", 2_000)]).unwrap();
    let view = opened(&test, id).await;
    let known = Receipt { read: 2, delivered: 2, members: 3 };
    assert_eq!(view.items[1].receipt, Some(known), "also before the message itself says so");
    let by = test.app.conversations.read_by(id, "m2".into()).await.unwrap();
    let names: Vec<_> = by.read.iter().map(|one| (one.name.as_str(), one.at)).collect();
    assert_eq!(names, [("Dora Lind", Some(2_000)), ("Bo Kessler", Some(1_000))]);
    assert_eq!((by.unread.len(), by.unread[0].id.as_str(), by.members), (1, "cy", 3));
    assert_eq!(by.read[1].face.initials, "BK");
}

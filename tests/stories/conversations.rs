//! Tests of conversations from the terminal: messages that wait for their server, and read receipts.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use support::{
    app::{tidings, try_tidings},
    client::Client,
    server::ServerProcess,
    wait,
};
use tidings_model::{Clock, MsgId, SystemClock};
use tidings_replica::{Mark, Replica, Targets};
use tidings_testkit::clock::ManualClock;

use crate::device::{Device, crew};

/// Marks the group's messages as read up to a message.
async fn read(who: &Client, msgid: &str) {
    let body = json!({ "through": msgid });
    who.put("conversations/group:crew/read", body).await.success();
}

#[tokio::test]
async fn a_message_written_with_the_server_gone_waits_and_arrives_once() {
    let mut server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let bo = server.admin().user("bo", &["inbox"]).await;
    let laptop = Device::of(&ana);
    laptop.pull();
    server.stop();

    let answered = laptop.write("user:bo", "the answer to this one was lost");
    laptop.write("user:bo", "on my way");
    assert!(!try_tidings(laptop.data_dir(), &["pull"]).0, "nobody takes it");
    assert_eq!(laptop.outgoing(), 2, "they wait");
    server.restart();
    // The client was killed after the server's answer and before it recorded the answer.
    let message = json!({"to": "bo", "body": "the answer to this one was lost"});
    ana.post_keyed("messages", message, &answered).await.expect("an answer").is(201);
    // Kills the client after growing times, with one more message to send each time.
    for after in [10, 40, 80, 160, 300] {
        laptop.write("user:bo", &format!("after {after} ms"));
        let mut watch = laptop.watch();
        tokio::time::sleep(Duration::from_millis(after)).await;
        watch.kill();
        tidings(laptop.data_dir(), &["check"]);
    }
    laptop.pull();
    assert_eq!(laptop.outgoing(), 0);
    let mut got: Vec<String> =
        bo.inbox().await.iter().map(|item| item["body"].as_str().unwrap().to_owned()).collect();
    got.sort();
    let mut wrote = vec!["on my way".to_owned(), "the answer to this one was lost".to_owned()];
    wrote.extend([10, 40, 80, 160, 300].map(|after| format!("after {after} ms")));
    wrote.sort();
    assert_eq!(got, wrote, "each of them once");
    assert_eq!(laptop.items().len(), 7, "and they are among what was said");
    for data in [laptop.data_dir(), &server.data_dir()] {
        tidings(data, &["check"]);
    }
}

#[tokio::test]
async fn a_receipt_reaches_its_sender_live_and_after_being_away() {
    let server = ServerProcess::start();
    let [ana, bo, cy, _] = crew(&server).await;
    let laptop = Device::of(&ana);
    let mut watch = laptop.watch();
    laptop.write("group:crew", "Ready to ship");
    // The pull is left to the running watcher.
    laptop.pull();
    let msgid = wait::until("the message to come back", || async {
        laptop.item("Ready to ship")["msgid"].as_str().map(str::to_owned)
    })
    .await;
    wait::until_equal("what waits", 0, || async { laptop.outgoing() }).await;
    assert_eq!(laptop.item("Ready to ship")["receipt"], json!({"read": 0, "delivered": 0, "members": 3}));
    read(&bo, &msgid).await;
    wait::until_equal("who has read it", vec!["bo".to_owned()], || async { laptop.readers(&msgid) }).await;
    wait::until_equal("the count", json!({"read": 1, "delivered": 1, "members": 3}), || async {
        laptop.item("Ready to ship")["receipt"].clone()
    })
    .await;

    watch.kill();
    read(&cy, &msgid).await;
    assert_eq!(laptop.readers(&msgid), ["bo"]);
    laptop.pull();
    assert_eq!(laptop.readers(&msgid), ["bo", "cy"]);
    assert_eq!(laptop.item("Ready to ship")["receipt"], json!({"read": 2, "delivered": 2, "members": 3}));
    assert_eq!(
        ana.get("receipts").await.is(200)["receipts"],
        json!([]),
        "what was delivered is gone for good"
    );
    let (replica, source) = laptop.replica();
    assert_eq!(replica.group(source.id, "crew").unwrap().unwrap().name, "Release crew");
    tidings(laptop.data_dir(), &["check"]);
}

#[tokio::test]
async fn a_device_that_pulls_lets_the_sender_know_that_a_message_arrived() {
    let server = ServerProcess::start();
    let [ana, bo, ..] = crew(&server).await;
    let (laptop, phone) = (Device::of(&ana), Device::of(&bo));
    laptop.write("group:crew", "Ready to ship");
    laptop.pull();
    let msgid = laptop.item("Ready to ship")["msgid"].as_str().unwrap().to_owned();
    phone.pull();
    assert_eq!(laptop.item("Ready to ship")["receipt"], json!({"read": 0, "delivered": 0, "members": 3}));
    laptop.pull();
    assert_eq!(laptop.item("Ready to ship")["receipt"], json!({"read": 0, "delivered": 1, "members": 3}));
    assert_eq!(laptop.readers(&msgid), Vec::<String>::new());
    let (replica, source) = laptop.replica();
    let engine = laptop.engine(&replica).await;
    let list = engine.read_by(source.id, "crew", &MsgId(msgid)).await.unwrap().unwrap();
    assert_eq!((list.delivered, list.delivered_count), (vec!["bo".to_owned()], 1));
    assert_eq!((list.unread.len(), list.read_count, list.member_count), (3, 0, 3));
    engine.shutdown().await;
    assert!(replica.check().unwrap().is_empty());
    tidings(phone.data_dir(), &["check"]);
}

#[tokio::test]
async fn two_devices_of_one_user_agree_and_know_the_names() {
    let mut server = ServerProcess::start();
    let [ana, bo, cy, _] = crew(&server).await;
    let (laptop, desk) = (Device::of(&ana), Device::of(&ana));
    laptop.write("group:crew", "Ready to ship");
    laptop.pull();
    desk.pull();
    let msgid = desk.item("Ready to ship")["msgid"].as_str().unwrap().to_owned();
    read(&bo, &msgid).await;
    read(&cy, &msgid).await;
    bo.post("groups/crew/messages", json!({"body": "Ship it"})).await.success();
    laptop.pull();
    desk.pull();
    assert_eq!(laptop.items(), desk.items());
    assert_eq!(laptop.readers(&msgid), ["bo", "cy"]);
    assert_eq!(desk.readers(&msgid), Vec::<String>::new(), "a receipt goes to one device");

    // The other device asks for the readers when somebody wants to see them, and keeps the answer.
    let (replica, source) = desk.replica();
    let engine = desk.engine(&replica).await;
    let list = engine.read_by(source.id, "crew", &MsgId(msgid.clone())).await.unwrap().unwrap();
    let read: Vec<&str> = list.read.iter().map(|one| one.user.as_str()).collect();
    assert_eq!((read, list.unread, list.member_count), (vec!["bo", "cy"], vec!["dora".to_owned()], 3));
    server.stop();
    assert!(engine.read_by(source.id, "crew", &MsgId(msgid.clone())).await.is_err());
    engine.shutdown().await;
    assert_eq!(desk.readers(&msgid), ["bo", "cy"]);
    let names = replica.group(source.id, "crew").unwrap().unwrap().names;
    assert_eq!(names.get("dora").map(String::as_str), Some("Dora Lind"), "also of who never wrote");
    assert!(replica.check().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_read_one_by_one_is_acknowledged_soon_and_together() {
    let server = ServerProcess::start();
    let [ana, bo, ..] = crew(&server).await;
    let phone = Device::of(&bo);
    // The clock is fixed until all is read, so that the delay does not end before on a slow machine.
    let clock = ManualClock::at(SystemClock.now());
    let replica = Replica::open(phone.data_dir(), Arc::new(clock.clone())).unwrap();
    let source = replica.sources().unwrap().pop().unwrap().id;
    let engine = phone.engine(&replica).await;
    let mut last = String::new();
    for n in 1..=5 {
        let posted = ana.post("groups/crew/messages", json!({"body": format!("{n}")})).await.success();
        last = posted["msgid"].as_str().unwrap().to_owned();
        let id = MsgId(last.clone());
        let thread = wait::until("the message", || async {
            Some(replica.items_by_msgid(Some(source), std::slice::from_ref(&id)).unwrap().pop()?.thread)
        })
        .await;
        replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
        assert_eq!(replica.counts().unwrap().total, 0, "read here at once");
        assert!(replica.counts().unwrap().waiting <= 1, "one operation, however many messages");
    }
    clock.run();
    wait::until_equal("receipts of the last message", 1, || async {
        let readers = ana.get(&format!("groups/crew/messages/{last}/receipts")).await.is(200);
        readers["read_count"].as_u64().unwrap()
    })
    .await;
    wait::until_equal("receipts", 5, || async {
        ana.get("receipts").await.is(200)["receipts"].as_array().unwrap().len()
    })
    .await;
    engine.shutdown().await;
    assert!(replica.check().unwrap().is_empty());
}

#[tokio::test]
async fn what_was_read_is_acknowledged_when_one_leaves_and_is_not_held_back_for_more() {
    let server = ServerProcess::start();
    let [ana, bo, ..] = crew(&server).await;
    let phone = Device::of(&bo);
    // The clock is fixed, so that a delay never ends.
    let clock = ManualClock::at(SystemClock.now());
    let replica = Replica::open(phone.data_dir(), Arc::new(clock)).unwrap();
    let source = replica.sources().unwrap().pop().unwrap().id;
    let engine = phone.engine(&replica).await;
    let posted = ana.post("groups/crew/messages", json!({"body": "Ready to ship"})).await.success();
    let id = MsgId(posted["msgid"].as_str().unwrap().to_owned());
    let thread = wait::until("the message", || async {
        Some(replica.items_by_msgid(Some(source), std::slice::from_ref(&id)).unwrap().pop()?.thread)
    })
    .await;
    replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    let receipts = || async { ana.get("receipts").await.is(200)["receipts"].as_array().unwrap().len() };
    wait::stays(wait::QUIET_PERIOD, "the number of receipts", 0, receipts).await;
    engine.flush_read_marks(Some(source));
    wait::until_equal("the number of receipts", 1, receipts).await;
    engine.shutdown().await;
    assert!(replica.check().unwrap().is_empty());
}

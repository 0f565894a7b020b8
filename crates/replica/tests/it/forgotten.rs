//! Tests of the server's retention: a replica that had the removed items agrees with one that pulls only now.

use std::sync::Arc;

use serde_json::json;
use tidings_model::wire::NewMessage;
use tidings_replica::*;

use crate::device::{Device, server};
use crate::server::Server;

fn names(device: &Device) -> Vec<String> {
    let items = device.replica.items(&ItemFilter::default(), 10_000).unwrap();
    let mut names: Vec<String> = items.into_iter().map(|item| item.notification.msgid.0).collect();
    names.sort();
    names
}

fn assert_agreement(server: &Server, old: &Device, newest: usize) {
    old.pull(server);
    let fresh = Device::at(server);
    fresh.pull(server);
    assert_eq!(names(old), names(&fresh));
    assert_eq!(names(old).len(), newest);
    assert_eq!(old.unread(), fresh.unread());
}

fn filled(server: &mut Server, device: &Device, items: usize) {
    for n in 0..items {
        device.clock.advance_micros(1_000);
        server.post([0, 1, 2, 3][n % 4], u8::try_from(n % 5).unwrap(), "words");
    }
}

/// Another source of the replica.
fn second_source(device: &Device) -> SourceId {
    let second = NewSource {
        name: "second".into(),
        protocol: "tidings".into(),
        url: "https://other.example".into(),
        user: None,
        own: false,
    };
    device.replica.add_source(second).unwrap()
}

/// The number of items of a source.
fn items(device: &Device, source: SourceId) -> usize {
    let filter = ItemFilter { source: Some(source), ..ItemFilter::default() };
    device.replica.items(&filter, 10_000).unwrap().len()
}

#[test]
pub(crate) fn an_old_replica_and_a_fresh_one_agree_after_the_servers_retention() {
    let mut server = server();
    let device = Device::at(&server);
    filled(&mut server, &device, 700);
    device.pull(&server);
    for thread in device.all(Place::Inbox).iter().take(3) {
        device.replica.mark(Targets::Threads(vec![thread.id]), Mark::Archive).unwrap();
        device.replica.mark(Targets::Threads(vec![thread.id]), Mark::Pin).unwrap();
    }
    device.replica.save_draft(device.source, "user:p2", "Not yet").unwrap();
    let message: NewMessage = serde_json::from_value(json!({"to": "p1", "body": "Soon"})).unwrap();
    device.replica.write_message(device.source, "user:p1", message).unwrap();
    device.flush(&mut server);
    device.pull(&server);

    server.retain_newest(300, true);
    assert_agreement(&server, &device, 300);
    assert_eq!(
        device.replica.draft(device.source, "user:p2").unwrap(),
        "Not yet",
        "what is not the server's stays"
    );
    assert_eq!(device.replica.outgoing(device.source).unwrap().len(), 1);
    filled(&mut server, &device, 20);
    server.retain_newest(10, false);
    assert_agreement(&server, &device, 10);
}

#[test]
pub(crate) fn another_source_keeps_what_is_older_than_what_this_one_forgot() {
    let mut server = server();
    let device = Device::at(&server);
    let second = second_source(&device);
    filled(&mut server, &device, 300);
    device.pull(&server);
    device.replica.apply(second, server.sync(None, 1_000).into()).unwrap();
    server.retain_newest(1, false);
    device.pull(&server);
    assert_eq!((items(&device, device.source), items(&device, second)), (1, 300));
}

#[test]
pub(crate) fn what_another_source_has_of_the_same_time_keeps_nothing_from_being_forgotten() {
    let mut server = server();
    let device = Device::at(&server);
    let bounds = Bounds { forgotten_items: 1, ..Bounds::default() };
    let device = Device { replica: device.replica.clone().with_bounds(bounds), ..device };
    let second = second_source(&device);
    filled(&mut server, &device, 12);
    device.pull(&server);
    device.replica.apply(second, server.sync(None, 1_000).into()).unwrap();
    server.retain_newest(2, false);
    let cursor = device.replica.source(second).unwrap().cursor.map(|cursor| cursor.parse().unwrap());
    device.replica.apply(second, server.sync(cursor, 1_000).into()).unwrap();
    device.assert_consistent();
    assert_eq!((items(&device, device.source), items(&device, second)), (12, 2));
}

#[test]
pub(crate) fn what_was_not_forgotten_before_a_crash_goes_with_the_next_page() {
    let mut server = server();
    let mut device = Device::at(&server);
    filled(&mut server, &device, 300);
    device.pull(&server);
    server.retain_newest(5, false);
    // The state after the page's transaction and a power loss.
    let conn = rusqlite::Connection::open(device.dir.path().join(FILE)).unwrap();
    let before = server.forgotten_before.unwrap().as_micros();
    conn.execute("UPDATE sources SET forgotten_before = ?1", [before]).unwrap();
    drop(conn);
    device.replica = Replica::open(device.dir.path(), Arc::new(device.clock.clone())).unwrap();
    assert_agreement(&server, &device, 5);
}

#[test]
pub(crate) fn a_server_that_began_anew_gives_back_what_it_had_forgotten() {
    let mut server = server();
    let device = Device::at(&server);
    filled(&mut server, &device, 30);
    let backup = server.clone();
    device.pull(&server);
    server.retain_newest(5, false);
    assert_agreement(&server, &device, 5);
    server = backup;
    server.epoch += 1;
    device.replica.resync(device.source).unwrap();
    assert_agreement(&server, &device, 30);
}

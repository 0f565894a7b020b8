//! Tests of the server's retention: a replica that had the removed items agrees with one that pulls only now.

use std::sync::Arc;

use serde_json::json;
use tidings_model::wire::NewMessage;
use tidings_replica::*;

use crate::desk::{Desk, server};
use crate::server::Server;

fn names(desk: &Desk) -> Vec<String> {
    let items = desk.replica.items(&ItemFilter::default(), 10_000).unwrap();
    let mut names: Vec<String> = items.into_iter().map(|item| item.notification.msgid.0).collect();
    names.sort();
    names
}

fn agree(server: &Server, old: &Desk, newest: usize) {
    old.pull(server);
    let fresh = Desk::at(server);
    fresh.pull(server);
    assert_eq!(names(old), names(&fresh));
    assert_eq!(names(old).len(), newest);
    assert_eq!(old.unread(), fresh.unread());
}

fn filled(server: &mut Server, desk: &Desk, items: usize) {
    for n in 0..items {
        desk.clock.advance_micros(1_000);
        server.post([0, 1, 2, 3][n % 4], u8::try_from(n % 5).unwrap(), "words");
    }
}

#[test]
pub(crate) fn an_old_replica_and_a_fresh_one_agree_after_the_servers_retention() {
    let mut server = server();
    let desk = Desk::at(&server);
    filled(&mut server, &desk, 700);
    desk.pull(&server);
    for thread in desk.all(Place::Inbox).iter().take(3) {
        desk.replica.mark(Targets::Threads(vec![thread.id]), Mark::Archive).unwrap();
        desk.replica.mark(Targets::Threads(vec![thread.id]), Mark::Pin).unwrap();
    }
    desk.replica.save_draft(desk.source, "user:p2", "Not yet").unwrap();
    let message: NewMessage = serde_json::from_value(json!({"to": "p1", "body": "Soon"})).unwrap();
    desk.replica.write_message(desk.source, "user:p1", message).unwrap();
    desk.flush(&mut server);
    desk.pull(&server);

    server.forget_but(300, true);
    agree(&server, &desk, 300);
    assert_eq!(
        desk.replica.draft(desk.source, "user:p2").unwrap(),
        "Not yet",
        "what is not the server's stays"
    );
    assert_eq!(desk.replica.outgoing(desk.source).unwrap().len(), 1);
    filled(&mut server, &desk, 20);
    server.forget_but(10, false);
    agree(&server, &desk, 10);
}

#[test]
pub(crate) fn another_source_keeps_what_is_older_than_what_this_one_forgot() {
    let mut server = server();
    let desk = Desk::at(&server);
    let second = NewSource {
        name: "second".into(),
        protocol: "tidings".into(),
        url: "https://other.example".into(),
        user: None,
        own: false,
    };
    let second = desk.replica.add_source(second).unwrap();
    filled(&mut server, &desk, 300);
    desk.pull(&server);
    desk.replica.apply(second, server.sync(None, 1_000).into()).unwrap();
    server.forget_but(1, false);
    desk.pull(&server);
    let items = |source| {
        let filter = ItemFilter { source: Some(source), ..ItemFilter::default() };
        desk.replica.items(&filter, 10_000).unwrap().len()
    };
    assert_eq!((items(desk.source), items(second)), (1, 300));
}

#[test]
pub(crate) fn what_was_not_forgotten_before_a_crash_goes_with_the_next_page() {
    let mut server = server();
    let mut desk = Desk::at(&server);
    filled(&mut server, &desk, 300);
    desk.pull(&server);
    server.forget_but(5, false);
    // The state after the page's transaction and a power loss.
    let conn = rusqlite::Connection::open(desk.dir.path().join(FILE)).unwrap();
    let before = server.forgotten_before.unwrap().as_micros();
    conn.execute("UPDATE sources SET forgotten_before = ?1", [before]).unwrap();
    drop(conn);
    desk.replica = Replica::open(desk.dir.path(), Arc::new(desk.clock.clone())).unwrap();
    agree(&server, &desk, 5);
}

#[test]
pub(crate) fn a_server_that_began_anew_gives_back_what_it_had_forgotten() {
    let mut server = server();
    let desk = Desk::at(&server);
    filled(&mut server, &desk, 30);
    let backup = server.clone();
    desk.pull(&server);
    server.forget_but(5, false);
    agree(&server, &desk, 5);
    server = backup;
    server.epoch += 1;
    desk.replica.resync(desk.source).unwrap();
    agree(&server, &desk, 30);
}

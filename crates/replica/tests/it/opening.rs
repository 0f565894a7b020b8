//! Tests of opening files that were written earlier, by this version of the program or by a later one.

use std::sync::Arc;

use rusqlite::Connection;
use serde_json::json;
use tidings_model::wire::NewMessage;
use tidings_model::{Actor, Clock, Kind};
use tidings_replica::*;

use crate::device::{Device, server};
use crate::server::Server;

/// A replica with some history of every sort, and the server from which it was pulled.
fn device_with_history() -> (Device, Server) {
    let mut server = server();
    let device = Device::at(&server);
    for (sort, to) in [(0, 0), (1, 42), (1, 42), (2, 7), (1, 3), (1, 5), (3, 7), (4, 7), (1, 9), (1, 11)] {
        device.clock.advance_micros(1_000_000);
        server.post(sort, to, "Nightly build failed, 数据库备份失败");
    }
    device.pull(&server);
    leave_unsent_changes(&device);
    (device, server)
}

/// Makes marks of every sort that the server has not received, a draft, and an outgoing message.
fn leave_unsent_changes(Device { clock, replica, source, .. }: &Device) {
    let thread = |key: &str| replica.thread_by_key(*source, key).unwrap().unwrap().id;
    let until = clock.now().plus_secs(3_600);
    for (key, mark) in [
        ("article:3#comment", Mark::Archive),
        ("article:5#comment", Mark::Snooze { until }),
        ("article:7#like", Mark::Read),
        ("article:9#comment", Mark::Pin),
        ("article:11#comment", Mark::Mute { until: None }),
    ] {
        replica.mark(Targets::Threads(vec![thread(key)]), mark).unwrap();
    }
    replica.save_draft(*source, "user:p9", "Not yet").unwrap();
    let message: NewMessage = serde_json::from_value(json!({"to": "p7", "body": "Soon"})).unwrap();
    replica.write_message(*source, "user:p7", message).unwrap();
    replica.set_setting("theme", &json!("dark")).unwrap();
}

fn rows(replica: &Replica) -> Vec<Vec<Thread>> {
    let places = [Place::Inbox, Place::Unread, Place::Pinned, Place::Snoozed, Place::Done];
    places.map(|place| replica.threads(&ThreadQuery::top(place, 100)).unwrap().rows).into()
}

#[test]
fn an_inbox_opens_again_with_everything_right() {
    let (mut device, mut server) = device_with_history();
    let copy = tempfile::tempdir().unwrap();
    device.replica.backup(&copy.path().join(FILE)).unwrap();
    let replica = Replica::open(copy.path(), Arc::new(device.clock.clone())).unwrap();
    assert_eq!(replica.counts().unwrap(), device.replica.counts().unwrap());
    assert_eq!(rows(&replica), rows(&device.replica));
    assert_eq!(replica.outgoing(device.source).unwrap(), device.replica.outgoing(device.source).unwrap());
    assert_eq!(replica.draft(device.source, "user:p9").unwrap(), "Not yet");
    assert_eq!(replica.setting("theme").unwrap(), Some(json!("dark")));
    let known = |replica: &Replica| -> Vec<Actor> { replica.people("", 100).unwrap() };
    assert_eq!(known(&replica), known(&device.replica));
    let reminders = SearchFilter {
        words: vec!["备份".into()],
        kinds: Some(vec![Kind::Reminder]),
        ..SearchFilter::default()
    };
    for filter in [reminders, SearchFilter::words("n"), SearchFilter::words("备")] {
        let found = |replica: &Replica| replica.search(&filter, 100).unwrap().len();
        assert!(found(&device.replica) > 0, "{filter:?}");
        assert_eq!(found(&replica), found(&device.replica), "{filter:?}");
    }
    assert_eq!(replica.check().unwrap(), []);

    // The replica works on: waiting marks are sent, and new items arrive.
    assert!(server.receive_operations(&replica, device.source, 1_000));
    let counts = replica.counts().unwrap();
    assert_eq!(
        (counts.waiting, counts.waiting_messages),
        (1, 1),
        "messages are posted, not sent with the marks"
    );
    server.post(1, 42, "And another");
    device.replica = replica;
    device.pull(&server);
    assert_eq!(device.replica.check().unwrap(), []);
}

#[test]
fn a_file_of_a_later_version_is_refused_and_left_as_it_is() {
    let (device, _) = device_with_history();
    let copy = tempfile::tempdir().unwrap();
    let file = copy.path().join(FILE);
    device.replica.backup(&file).unwrap();
    let later = MIGRATIONS.len() + 1;
    Connection::open(&file).unwrap().execute_batch(&format!("PRAGMA user_version = {later}")).unwrap();
    let before = std::fs::read(&file).unwrap();
    let error = Replica::open(copy.path(), Arc::new(device.clock.clone())).unwrap_err();
    assert!(error.is_newer() && error.is_permanent(), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

/// Turns the tables of version 20 into those of version 8, with the same content.
const VERSION_8: &str = r"
    DROP INDEX items_woken_thread;
    DROP TABLE search_terms;
    DROP INDEX items_ended;
    DROP TABLE group_changes;
    DROP TABLE unfaceted;
    UPDATE counters SET done_threads = archived_threads;
    ALTER TABLE counters DROP COLUMN archived_threads;
    DROP INDEX threads_done;
    ALTER TABLE threads DROP COLUMN done_at;
    UPDATE sources SET notify_level = 2 WHERE id IN (SELECT source FROM mutes);
    DROP TABLE mutes;
    DROP INDEX threads_muted_until;
    DROP INDEX threads_origin_mute;
    ALTER TABLE threads DROP COLUMN muted_until;
    ALTER TABLE threads DROP COLUMN origin_mute;
    UPDATE threads SET actors = (SELECT json_group_array(json_object('id', value ->> 0, 'name', value ->> 1, 'at', value ->> 2,
        'items', value ->> 3)) FROM json_each(actors));
    INSERT INTO thread_actors SELECT t.id, value ->> 'id', value ->> 'name', value ->> 'at', value ->> 'items'
        FROM threads t, json_each(t.actors) WHERE t.actor_count <= 8;
    UPDATE threads SET actors = (SELECT json_group_array(json_remove(value, '$.items')) FROM json_each(actors) WHERE key < 3);
    ALTER TABLE threads DROP COLUMN woken_at;
    DROP TABLE woken;
    DROP INDEX threads_mixed;
    ALTER TABLE threads ADD COLUMN preview TEXT NOT NULL DEFAULT '{}';
    UPDATE threads SET preview = (SELECT json_object('m', msgid, 'a', json_object('id', actor, 'name', actor_name),
        'v', action, 't', json(target), 'b', substr(content ->> '$.body', 1, 400)) FROM items WHERE id = last_item) WHERE last_item > 0;
    UPDATE threads SET actors = (SELECT json_group_array(json_remove(value, '$.at')) FROM json_each(actors));
    DROP TABLE previews;
    CREATE TABLE people_8 (actor TEXT PRIMARY KEY, name TEXT NOT NULL, last_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO people_8 SELECT actor, name, last_at FROM people;
    DROP TABLE people;
    ALTER TABLE people_8 RENAME TO people;
    CREATE INDEX people_latest ON people (last_at);
    CREATE INDEX thread_actors_actor ON thread_actors (actor);
    CREATE INDEX thread_actors_latest ON thread_actors (thread, last_at DESC, actor);
    DROP INDEX items_thread;
    CREATE INDEX items_thread ON items (thread, listed_at, id);
    CREATE INDEX items_unread_thread ON items (thread) WHERE unread = 1;
    PRAGMA user_version = 8;
";

#[test]
fn an_inbox_of_the_version_before_opens_with_everything_right() {
    let (device, mut server) = device_with_history();
    server.post(1, 20, &"words ".repeat(2_000));
    let archived = server.post(1, 20, "archived beside the rest");
    device.pull(&server);
    device.replica.mark(Targets::MsgIds(vec![archived]), Mark::Archive).unwrap();
    let woken = server.post(1, 21, "came back from a snooze");
    server.post(1, 21, "newer");
    device.pull(&server);
    let until = device.clock.now().plus_secs(60);
    device.replica.mark(Targets::MsgIds(vec![woken]), Mark::Snooze { until }).unwrap();
    device.clock.advance(60);
    device.replica.wake(device.clock.now()).unwrap();
    let Device { dir, clock, replica, source } = device;
    let nothing = NotifySettings { level: Some(NotifyLevel::Nothing), ..NotifySettings::default() };
    replica.set_source_notify(source, nothing).unwrap();
    let (shown, people) = (rows(&replica), replica.people("", 100).unwrap());
    drop(replica);
    Connection::open(dir.path().join(FILE)).unwrap().execute_batch(VERSION_8).unwrap();

    let replica = Replica::open(dir.path(), Arc::new(clock)).unwrap();
    assert_eq!(rows(&replica), shown);
    assert_eq!(replica.people("", 100).unwrap(), people);
    assert_eq!(replica.source(source).unwrap().notify, nothing);
    assert_eq!(replica.mutes().unwrap(), [Mute { source, origin: String::new(), until: None }]);
    assert_eq!(replica.check().unwrap(), []);
}

//! Files of older versions, told as stories: each is written by the migrations of its time and opened by those of today.
//! Refuses a file that lost or added anything on the way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use serde_json::json;
use tempfile::TempDir;
use tidings_model::wire::NewMessage;
use tidings_model::{Actor, Clock, Kind};
use tidings_replica::*;
use tidings_sqlite::{Database, Durability, Options};

use crate::desk::{Desk, server};
use crate::server::Server;

/// An inbox in which something of every sort has happened, and the server that it was pulled from.
fn lived() -> (Desk, Server) {
    let mut server = server();
    let desk = Desk::at(&server);
    for (sort, to) in [(0, 0), (1, 42), (1, 42), (2, 7), (1, 3), (1, 5), (3, 7), (4, 7), (1, 9), (1, 11)] {
        desk.clock.forward(1_000_000);
        server.post(sort, to, "Nightly build failed, 数据库备份失败");
    }
    desk.pull(&server);
    live(&desk);
    (desk, server)
}

/// Marks of every sort, none of which the server has heard of; a draft, and a message on its way.
fn live(Desk { clock, replica, source, .. }: &Desk) {
    let thread = |key: &str| replica.thread_by_key(*source, key).unwrap().unwrap().id;
    let until = clock.now().plus_secs(3_600);
    for (key, mark) in [
        ("article:3#comment", Mark::Archive),
        ("article:5#comment", Mark::Snooze { until }),
        ("article:7#like", Mark::Read),
        ("article:9#comment", Mark::Pin),
        ("article:11#comment", Mark::Mute),
    ] {
        replica.mark(Targets::Threads(vec![thread(key)]), mark).unwrap();
    }
    replica.save_draft(*source, "user:p9", "Not yet").unwrap();
    let message: NewMessage = serde_json::from_value(json!({"to": "p7", "body": "Soon"})).unwrap();
    replica.write_message(*source, "user:p7", message).unwrap();
    replica.set_setting("theme", &json!("dark")).unwrap();
}

/// A file as that version wrote it, with what was lived as far as that version knew of it.
fn of_version(version: usize, lived: &Desk) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(FILE);
    let options = Options { durability: Durability::Normal, readers: 1, migrations: &MIGRATIONS[..version] };
    drop(Database::open(&file, &options).unwrap());
    let conn = Connection::open(&file).unwrap();
    // Rows come table by table, not in the order in which one needs the other.
    conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    conn.execute("ATTACH ?1 AS now", [lived.dir.path().join(FILE).to_str().unwrap()]).unwrap();
    let tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT GLOB 'search*'
         AND name NOT GLOB 'sqlite*' AND name <> 'reindex'";
    for table in names(&conn, tables) {
        let columns = names(&conn, &format!("SELECT name FROM pragma_table_info('{table}', 'main')"));
        let values: Vec<&str> = columns.iter().map(|column| then(&table, column)).collect();
        let sql = format!(
            "INSERT INTO main.{table} ({}) SELECT {} FROM now.{table}",
            columns.join(", "),
            values.join(", ")
        );
        conn.execute(&sql, []).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    if version == 2 {
        // The words alone: what today's index has beside them is made when the file is opened.
        let words = "INSERT INTO main.search (rowid, title, body, actor, target)
             SELECT id, title, body, actor_name, '' FROM main.items";
        conn.execute(words, []).unwrap();
    } else {
        let row = "INSERT INTO main.search (rowid, title, body, actor, target) VALUES (?1, ?2, ?3, ?4, ?5)";
        let index = |item: &Item| {
            let [title, body, actor, target] = indexed(item.source, &item.notification);
            conn.execute(row, params![item.id, title, body, actor, target]).unwrap();
        };
        lived
            .replica
            .export(&mut |items| {
                items.iter().for_each(index);
                true
            })
            .unwrap();
    }
    dir
}

fn names(conn: &Connection, sql: &str) -> Vec<String> {
    let mut rows = conn.prepare(sql).unwrap();
    let names = rows.query_map([], |r| r.get(0)).unwrap().map(Result::unwrap);
    names.collect()
}

/// What stood in a column; counters that are not kept any more are counted.
fn then<'a>(table: &str, column: &'a str) -> &'a str {
    match (table, column) {
        ("counters", "badge") => "follow1 + follow2 + follow3 + follow4 + follow5",
        ("counters", "unseen") => "follow_unseen",
        _ => column,
    }
}

fn rows(replica: &Replica) -> Vec<Vec<Thread>> {
    let places = [Place::Inbox, Place::Unread, Place::Pinned, Place::Snoozed, Place::Done];
    places.map(|place| replica.threads(&ThreadQuery::top(place, 100)).unwrap().rows).into()
}

fn found(replica: &Replica, filter: &SearchFilter) -> usize {
    replica.search(filter, 100).unwrap().len()
}

fn opens_with_everything_right(version: usize) {
    let (mut lived, mut server) = lived();
    let old = of_version(version, &lived);
    let replica = Replica::open(old.path(), Arc::new(lived.clock.clone())).unwrap();
    assert_eq!(replica.counts().unwrap(), lived.replica.counts().unwrap());
    assert_eq!(rows(&replica), rows(&lived.replica));
    assert_eq!(replica.outgoing(lived.source).unwrap(), lived.replica.outgoing(lived.source).unwrap());
    assert_eq!(replica.draft(lived.source, "user:p9").unwrap(), "Not yet");
    assert_eq!(replica.setting("theme").unwrap(), Some(json!("dark")));
    let known = |replica: &Replica| -> Vec<Actor> { replica.people("", 100).unwrap() };
    assert_eq!(known(&replica), known(&lived.replica));

    // The index of words is brought up to date beside everything else.
    let filter = SearchFilter {
        words: vec!["备份".into()],
        kinds: Some(vec![Kind::Reminder]),
        ..SearchFilter::default()
    };
    let letter = |letter: &str| SearchFilter { words: vec![letter.into()], ..SearchFilter::default() };
    for filter in [filter, letter("n"), letter("备")] {
        assert!(found(&lived.replica, &filter) > 0, "{filter:?}");
        let begun = Instant::now();
        while found(&replica, &filter) != found(&lived.replica, &filter) {
            assert!(begun.elapsed() < Duration::from_secs(90), "{} are found", found(&replica, &filter));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    assert_eq!(replica.check().unwrap(), []);

    // It goes on: what waited is sent, and what is new comes.
    assert!(server.take(&replica, lived.source, 1_000));
    let counts = replica.counts().unwrap();
    assert_eq!(
        (counts.waiting, counts.waiting_messages),
        (1, 1),
        "messages are posted, not sent with the marks"
    );
    server.post(1, 42, "And another");
    lived.replica = replica;
    lived.pull(&server);
    assert_eq!(lived.replica.check().unwrap(), []);
}

#[test]
fn an_inbox_from_before_searches_could_be_kept_opens_with_everything_right() {
    opens_with_everything_right(2);
}

#[test]
fn an_inbox_from_before_rules_opens_with_everything_right() {
    opens_with_everything_right(3);
}

#[test]
fn an_inbox_from_before_a_silence_was_remembered_opens_with_everything_right() {
    opens_with_everything_right(4);
}

#[test]
fn an_inbox_from_before_letters_were_looked_up_opens_with_everything_right() {
    opens_with_everything_right(5);
}

#[test]
fn an_inbox_from_before_items_said_their_class_opens_with_everything_right() {
    opens_with_everything_right(6);
}

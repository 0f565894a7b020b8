//! Tests of a damaged inbox: every command that meets the damage says so, and `repair` makes a sound one of what is left.

use std::fs;
use std::process::Stdio;
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::json;
use tidings_model::SystemClock;
use tidings_replica::{Mark, Replica, Rule, Targets};

use crate::data_folder::{CommandOutput, DataFolder, msgid, server_and_replica};
use crate::serving::Serving;

/// What every command says that meets the damage.
const SENTENCE: &str = "It is a copy; `tidings repair` pulls it again and keeps all drafts, marks, pins, rules and \
                        settings that can be read";
/// The size of a page of the file.
const PAGE_BYTES: usize = 4096;

/// Flips bytes at the beginning of the first page of a table of the inbox.
fn damage(folder: &DataFolder, table: &str) {
    damage_file(folder, "replica.db", table);
}

pub(crate) fn damage_file(folder: &DataFolder, name: &str, table: &str) {
    let file = folder.path().join(name);
    let conn = Connection::open(&file).unwrap();
    conn.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let page: i64 = match table {
        "the first page" => 1,
        table => {
            let root = "SELECT rootpage FROM sqlite_master WHERE name = ?1";
            conn.query_row(root, [table], |row| row.get(0)).unwrap()
        }
    };
    drop(conn);
    let mut bytes = fs::read(&file).unwrap();
    let start = (usize::try_from(page).unwrap() - 1) * PAGE_BYTES;
    for byte in &mut bytes[start..start + 16] {
        *byte ^= 0xa5;
    }
    fs::write(&file, bytes).unwrap();
}

/// A laptop with three notifications and what its reader set up, and the server that it pulls.
fn filled() -> (DataFolder, Serving, DataFolder) {
    let (server_dir, serving, laptop) = server_and_replica();
    for text in ["One", "Two", "Three"] {
        server_dir.run(&["send", "--to", "ana", text]);
    }
    laptop.run(&["pull"]);
    let replica = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let source = replica.sources().unwrap()[0].id;
    replica.save_rule(Rule { name: "Quiet".into(), ..Rule::default() }).unwrap();
    replica.set_setting("desktop", &json!({"theme": "dark"})).unwrap();
    replica.save_draft(source, "user:bo", "Dear Bo").unwrap();
    let thread = replica.thread_by_key(source, "user:admin").unwrap().unwrap();
    replica.mark(Targets::Threads(vec![thread.id]), Mark::Pin).unwrap();
    (server_dir, serving, laptop)
}

fn copy(from: &DataFolder) -> DataFolder {
    let to = DataFolder::new();
    for name in ["replica.db", "tokens.json"] {
        fs::copy(from.path().join(name), to.path().join(name)).unwrap();
    }
    to
}

fn assert_says(output: &CommandOutput, what: &str) {
    assert_eq!(output.code, Some(1), "{what}: {output:?}");
    assert!(output.err.contains(SENTENCE), "{what}: {output:?}");
}

#[test]
fn every_command_that_meets_the_damage_says_that_repair_pulls_the_inbox_again() {
    let (server_dir, _serving, laptop) = filled();
    let list = laptop.json(&["list"]);
    let one = msgid(&list[0]).to_owned();
    server_dir.run(&["send", "--to", "ana", "Four"]);
    let always: Vec<Vec<&str>> = vec![
        vec!["list"],
        vec!["search", "One"],
        vec!["mark", "read", &one],
        vec!["mark", "archive", "--all"],
        vec!["snooze", &one, "--until", "1h"],
        vec!["pull"],
        vec!["watch"],
        vec!["export", "--format", "json", "--of", "inbox"],
        vec!["check"],
    ];
    let of_sources: Vec<Vec<&str>> = vec![
        vec!["unread"],
        vec!["pull", "--watch"],
        vec!["source", "list"],
        vec!["source", "pause", "Work"],
        vec!["source", "remove", "Work"],
        vec!["backup", "copy.tar"],
    ];
    for (table, commands) in [
        ("the first page", [always.clone(), of_sources.clone()].concat()),
        ("sources", [always.clone(), of_sources].concat()),
        ("items", always),
    ] {
        for command in commands {
            let folder = copy(&laptop);
            damage(&folder, table);
            let output = DataFolder::run_command(
                folder.command(&command).current_dir(folder.path()).stdin(Stdio::null()),
            );
            assert_says(&output, &format!("{command:?} with damage of {table}"));
        }
    }
}

#[test]
fn repair_keeps_what_can_be_read_and_pulls_the_rest_again() {
    let (_server_dir, _serving, laptop) = filled();
    laptop.run(&["mark", "archive", msgid(&laptop.json(&["list"])[0])]);
    damage(&laptop, "items");
    let repaired = laptop.json(&["repair"]);
    assert_eq!((&repaired["repaired"], &repaired["sources"]), (&json!(true), &json!(1)), "{repaired}");
    assert_eq!((&repaired["lost_sources"], &repaired["failed"]), (&json!([]), &json!({})), "{repaired}");
    assert!(laptop.path().join("replica.db.before").exists());
    assert_eq!(laptop.json(&["list"]).as_array().unwrap().len(), 3, "pulled again");
    laptop.run(&["check"]);
    let replica = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let source = replica.sources().unwrap()[0].id;
    assert!(replica.thread_by_key(source, "user:admin").unwrap().unwrap().pinned);
    assert_eq!(replica.draft(source, "user:bo").unwrap(), "Dear Bo");
    assert_eq!(replica.setting("desktop").unwrap(), Some(json!({"theme": "dark"})));
    assert_eq!(replica.rules().unwrap().len(), 1);
    drop(replica);
    assert_eq!(laptop.json(&["repair"]), json!({"repaired": false}), "a sound one is left as it is");
}

#[test]
fn an_inbox_that_was_cut_is_told_and_repaired() {
    let (_server_dir, _serving, laptop) = filled();
    let file = laptop.path().join("replica.db");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 2 * PAGE_BYTES]).unwrap();
    assert_says(&laptop.try_run(&["list"]), "a file that was cut");
    laptop.run(&["repair"]);
    laptop.run(&["check"]);
}

#[test]
fn repair_names_the_sources_that_it_could_not_read_and_those_that_do_not_answer() {
    let (_server_dir, serving, laptop) = filled();
    let other = copy(&laptop);
    damage(&laptop, "sources");
    let lost = laptop.try_run(&["repair"]);
    assert_eq!(lost.code, Some(0), "{lost:?}");
    assert!(lost.err.contains("the source Work could not be read"), "{lost:?}");
    laptop.run(&["check"]);
    let nothing = copy(&other);
    damage(&nothing, "the first page");
    let lost = nothing.try_run(&["repair"]);
    assert_eq!(lost.code, Some(0), "{lost:?}");
    assert!(lost.err.contains("no source could be read"), "{lost:?}");
    nothing.run(&["list"]);
    drop(serving);
    damage(&other, "threads");
    let unreached = other.try_run(&["repair"]);
    assert_eq!(unreached.code, Some(0), "{unreached:?}");
    assert!(unreached.err.contains("Work: The server doesn't answer"), "{unreached:?}");
    other.run(&["check"]);
}

#[test]
fn a_damaged_database_gives_no_backup_and_an_earlier_one_stays() {
    let (server_dir, serving, laptop) = filled();
    let file = |folder: &DataFolder, name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let backup = |folder: &DataFolder, name: &str| folder.try_run(&["backup", &file(folder, name)]);
    assert_eq!(backup(&laptop, "sound.tar").code, Some(0));
    // A page that no start reads.
    damage(&laptop, "skipped");
    assert_says(&backup(&laptop, "damaged.tar"), "backup");
    assert!(!laptop.path().join("damaged.tar").exists() && laptop.path().join("sound.tar").exists());
    drop(serving);
    damage_file(&server_dir, "server.db", "sequences");
    let output = backup(&server_dir, "damaged.tar");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.err.contains("no backup was written: server.db") && output.err.contains("damaged"),
        "{output:?}"
    );
    assert!(!server_dir.path().join("damaged.tar").exists());
}

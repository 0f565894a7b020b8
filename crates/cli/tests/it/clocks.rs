//! Tests of servers and commands whose clock was wrong for a while.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_replica::Replica;
use tidings_testkit::postgres::Database;

use crate::data_folder::{DataFolder, msgid, replica as replica_of};
use crate::serving::Serving;

const YEAR: i64 = 365 * 24 * 3_600;
const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn serve(folder: &DataFolder, more: &[&str]) -> Serving {
    Serving::start(folder, &[&SERVE, more].concat())
}

/// Creation times and bodies of what a server has for Ana, the oldest first.
fn exported(folder: &DataFolder) -> Vec<(Stamp, String)> {
    let out = folder.run(&["export", "--format", "json", "--of", "server"]);
    let items: Value = serde_json::from_str(&out).unwrap();
    let mut items: Vec<_> = items
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["user"] == "ana")
        .map(|item| {
            let created_at = item["created_at"].as_str().unwrap().parse().unwrap();
            (created_at, item["body"].as_str().unwrap().to_owned())
        })
        .collect();
    items.sort();
    items
}

fn bodies(folder: &DataFolder) -> Vec<String> {
    exported(folder).into_iter().map(|(_, body)| body).collect()
}

#[test]
fn a_start_a_year_ahead_deletes_nothing_moves_no_stamp_and_check_says_for_how_long() {
    let folder = DataFolder::new();
    let serving = serve(&folder, &[]);
    folder.run(&["user", "add", "ana"]);
    folder.run(&["send", "--to", "ana", "precious"]);
    serving.terminate();
    folder.set_clock_ahead(YEAR);
    let serving = serve(&folder, &["--retain", "90d"]);
    let held = json!([{"of": "server", "hours_left": 24}]);
    assert_eq!(folder.json(&["check"])["held"], held);
    serving.terminate();
    folder.set_clock_ahead(0);
    let serving = serve(&folder, &["--retain", "90d"]);
    let checked = folder.run(&["check"]);
    assert!(checked.contains("server: all is well\n"), "{checked}");
    assert!(checked.contains("nothing is deleted by age for 24 more hours of running"), "{checked}");
    folder.run(&["send", "--to", "ana", "of today"]);
    let [precious, today] = exported(&folder).try_into().unwrap();
    assert_eq!((&*precious.1, &*today.1), ("precious", "of today"));
    assert!(today.0 <= SystemClock.now(), "the wrong clock moved a stamp: {today:?}");
    serving.terminate();
    // Whoever looked at the clock ends the wait.
    let serving = serve(&folder, &["--retain", "90d", "--retain-now"]);
    assert_eq!(folder.json(&["check"])["held"], Value::Null);
    assert_eq!(bodies(&folder), ["precious", "of today"]);
    serving.terminate();
}

/// Sends under a clock a year ahead, and stops the server.
fn folder_of_next_year() -> DataFolder {
    let folder = DataFolder::new();
    let serving = serve(&folder, &[]);
    folder.run(&["user", "add", "ana"]);
    folder.run(&["send", "--to", "ana", "of a right clock"]);
    serving.terminate();
    folder.set_clock_ahead(2 * YEAR);
    let serving = serve(&folder, &[]);
    for body in ["first", "second", "third"] {
        folder.run(&["send", "--to", "ana", body]);
    }
    serving.terminate();
    folder.set_clock_ahead(0);
    folder
}

/// Asserts that everything is there in its order and of a time that has passed.
fn assert_mended(folder: &DataFolder) {
    let sent = exported(folder);
    let bodies: Vec<_> = sent.iter().map(|(_, body)| &**body).collect();
    assert_eq!(bodies, ["of a right clock", "first", "second", "third"]);
    assert!(sent.iter().all(|(at, _)| *at <= SystemClock.now()), "{sent:?}");
    folder.run(&["check"]);
}

#[test]
fn check_tells_of_stamps_in_the_future_and_mends_them_while_the_server_is_stopped() {
    let folder = folder_of_next_year();
    let told = folder.try_run(&["check"]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(
        told.out.contains("ahead of the clock") && told.out.contains("`tidings check --mend-clock`"),
        "{told:?}"
    );
    let serving = serve(&folder, &[]);
    let busy = folder.try_run(&["check", "--mend-clock"]);
    assert_eq!(busy.code, Some(1), "{busy:?}");
    assert!(busy.err.contains("stop it first; nothing has changed"), "{busy:?}");
    serving.terminate();
    let mended = folder.run(&["check", "--mend-clock"]);
    assert!(mended.contains("stamps in the future were corrected"), "{mended}");
    assert_mended(&folder);
    assert_eq!(folder.json(&["check", "--mend-clock"])["mended"], 0);
    let serving = serve(&folder, &[]);
    folder.run(&["send", "--to", "ana", "of today"]);
    assert!(exported(&folder).iter().all(|(at, _)| *at <= SystemClock.now()));
    serving.terminate();
}

#[test]
fn check_mends_stamps_in_the_future_of_a_server_in_postgresql() {
    let (folder, database) = (DataFolder::new(), Database::empty());
    let store = ["--store", database.url.as_str()];
    let at_store = |args: &[&'static str]| folder.try_run(&[args, &store].concat());
    let serving = serve(&folder, &store);
    assert_eq!(at_store(&["user", "add", "ana"]).code, Some(0));
    serving.terminate();
    // Stamps go by the clock of the database, which was a year ahead.
    let ahead = SystemClock.now().plus_secs(YEAR).as_micros();
    database.sql(&format!("UPDATE log SET last = {ahead}"));
    let serving = serve(&folder, &store);
    folder.run(&["send", "--to", "ana", "of next year"]);
    let told = at_store(&["check"]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.out.contains("`tidings check --mend-clock`"), "{told:?}");
    let busy = at_store(&["check", "--mend-clock"]);
    assert_eq!(busy.code, Some(1), "{busy:?}");
    assert!(busy.err.contains("stop them first; nothing has changed"), "{busy:?}");
    serving.terminate();
    let mended = at_store(&["check", "--mend-clock"]);
    assert_eq!(mended.code, Some(0), "{mended:?}");
    assert!(mended.out.contains("stamps in the future were corrected"), "{mended:?}");
    let newest: i64 = database.sql("SELECT max(created_at) FROM notifications").parse().unwrap();
    assert!(newest > 0 && newest <= SystemClock.now().as_micros(), "{newest}");
    let again = at_store(&["check", "--mend-clock"]);
    assert!(again.out.contains("nothing was corrected"), "{again:?}");
}

#[test]
fn check_beside_a_server_to_which_nothing_was_published_for_a_week_says_nothing_of_its_clock() {
    const WEEK_AND_DAY: i64 = 8 * 24 * 3_600;
    let folder = DataFolder::new();
    let serving = serve(&folder, &[]);
    folder.run(&["user", "add", "ana"]);
    folder.set_clock_ahead(WEEK_AND_DAY);
    assert_eq!(folder.json(&["check"])["held"], Value::Null);
    serving.terminate();
    assert_eq!(
        folder.json(&["check"])["held"],
        json!([{"of": "server", "hours_left": 24}]),
        "a start would hold"
    );

    let (folder, database) = (DataFolder::new(), Database::empty());
    let serving = serve(&folder, &["--store", &database.url]);
    let week_ago = SystemClock.now().plus_secs(-WEEK_AND_DAY).as_micros();
    database.sql(&format!("UPDATE log SET last = {week_ago}"));
    let checked = folder.try_run(&["check", "--store", &database.url]);
    assert!(!checked.out.contains("nothing is deleted by age"), "{checked:?}");
    assert_eq!(database.sql("SELECT age_hold_secs FROM meta"), "0");
    database.sql("UPDATE meta SET age_hold_secs = 82800");
    let checked = folder.try_run(&["check", "--store", &database.url]);
    assert!(checked.out.contains("nothing is deleted by age"), "{checked:?}");
    serving.terminate();
}

#[test]
fn a_backup_with_stamps_in_the_future_is_restored_when_it_is_to_be_mended() {
    let folder = folder_of_next_year();
    let backup = folder.path().join("all.tar");
    let backup = backup.to_str().unwrap();
    folder.run(&["backup", backup]);
    let other = DataFolder::new();
    let refused = other.try_run(&["restore", backup]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("`tidings restore --mend-clock`"), "{refused:?}");
    assert!(refused.err.contains("nothing has changed"), "{refused:?}");
    assert!(!other.path().join("server.db").exists());
    other.run(&["restore", "--mend-clock", backup]);
    assert_mended(&other);
}

#[test]
fn a_replica_keeps_marks_and_drafts_when_its_server_was_mended() {
    let server_dir = DataFolder::new();
    let serving = serve(&server_dir, &[]);
    server_dir.run(&["user", "add", "ana"]);
    let laptop = replica_of(&server_dir, &serving);
    let address = serving.url.trim_start_matches("http://").to_owned();
    serving.terminate();
    server_dir.set_clock_ahead(YEAR);
    let serving = Serving::start(&server_dir, &["serve", "--listen", &address]);
    for body in ["first", "second", "third"] {
        server_dir.run(&["send", "--to", "ana", body]);
    }
    laptop.run(&["pull"]);
    serving.terminate();
    server_dir.set_clock_ahead(0);
    // A mark that waits, made while the server is away.
    let items = laptop.json(&["list"]);
    let second = items.as_array().unwrap().iter().find(|item| item["body"] == "second").unwrap();
    laptop.run(&["mark", "archive", second["msgid"].as_str().unwrap()]);
    let replica = || Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let source = replica().sources().unwrap()[0].id;
    replica().save_draft(source, "user:bob", "Not yet").unwrap();
    server_dir.run(&["check", "--mend-clock"]);
    let serving = Serving::start(&server_dir, &["serve", "--listen", &address]);
    laptop.run(&["pull"]);
    laptop.run(&["pull"]);
    let items = laptop.json(&["list"]);
    let items = items.as_array().unwrap();
    let archived: Vec<_> = items.iter().filter(|item| !item["archived_at"].is_null()).collect();
    assert_eq!(archived.len(), 1, "{items:?}");
    assert_eq!(archived[0]["body"], "second");
    assert_eq!(items.len(), 3, "{items:?}");
    assert_eq!(replica().draft(source, "user:bob").unwrap(), "Not yet");
    for item in items {
        let at: Stamp = item["created_at"].as_str().unwrap().parse().unwrap();
        assert!(at <= SystemClock.now(), "{item}");
    }
    laptop.run(&["check"]);
    serving.terminate();
    // The mark has come to the server, too.
    let out = server_dir.run(&["export", "--format", "json", "--of", "server"]);
    let of_server: Value = serde_json::from_str(&out).unwrap();
    let archived =
        of_server.as_array().unwrap().iter().filter(|i| i["user"] == "ana" && !i["archived_at"].is_null());
    assert_eq!(archived.count(), 1);
}

#[test]
fn what_is_marked_by_a_clock_that_is_a_year_off_counts_by_the_time_of_the_server() {
    let server_dir = DataFolder::new();
    let serving = serve(&server_dir, &[]);
    server_dir.run(&["user", "add", "ana"]);
    let (right, wrong) = (replica_of(&server_dir, &serving), replica_of(&server_dir, &serving));
    let mark = |device: &DataFolder, state: &str, body: &str| {
        let items = device.json(&["list"]);
        let item = items.as_array().unwrap().iter().find(|item| item["body"] == body).unwrap();
        device.run(&["mark", state, msgid(item)]);
    };
    for off in [YEAR, -YEAR] {
        wrong.set_clock_ahead(off);
        for is_wrong_first in [true, false] {
            let body = format!("off by {off}, first: {is_wrong_first}");
            server_dir.run(&["send", "--to", "ana", &body]);
            right.run(&["pull"]);
            wrong.run(&["pull"]);
            // The later of two marks is "unread", and arrives first or last.
            if is_wrong_first {
                mark(&wrong, "read", &body);
            }
            mark(&right, "read", &body);
            right.run(&["pull"]);
            let last = if is_wrong_first { &right } else { &wrong };
            if !is_wrong_first {
                mark(last, "read", &body);
            }
            mark(last, "unread", &body);
            for device in [&right, &wrong, &right] {
                device.run(&["pull"]);
            }
            assert_eq!((right.unread(), wrong.unread()), (1, 1), "{body}");
        }
    }
    serving.terminate();
}

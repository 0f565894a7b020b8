//! Tests of a database file through the public API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tidings_sqlite::{
    Bounds, DataDir, Database, Durability, Error, LockError, Migration, Options, open_damaged, quick_check,
};

const VERSION_1: &[Migration] = &[Migration {
    version: 1,
    name: "notes",
    sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
}];
const VERSION_2: &[Migration] = &[
    VERSION_1[0],
    Migration {
        version: 2,
        name: "stars",
        sql: "ALTER TABLE note ADD COLUMN stars INTEGER NOT NULL DEFAULT 0",
    },
];
const BROKEN: &[Migration] = &[
    VERSION_1[0],
    Migration { version: 2, name: "broken", sql: "CREATE TABLE x(y); INSERT INTO nowhere VALUES (1)" },
];

/// Adds a note.
const ADD: &str = "INSERT INTO note(text) VALUES ('x')";

fn options(migrations: &'static [Migration]) -> Options {
    Options { durability: Durability::Full, readers: 2, migrations }
}

fn open(dir: &tempfile::TempDir) -> Database {
    Database::open(&dir.path().join("notes.db"), &options(VERSION_1)).unwrap()
}

fn add(db: &Database, text: &'static str) -> Result<usize, Error> {
    db.write_blocking(move |tx| Ok(tx.execute("INSERT INTO note(text) VALUES (?1)", [text])?))
}

fn count(db: &Database) -> i64 {
    db.read(|c| Ok::<_, Error>(c.query_row("SELECT count(*) FROM note", [], |r| r.get(0))?)).unwrap()
}

#[test]
fn what_was_written_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    add(&open(&dir), "kept").unwrap();
    assert_eq!(count(&open(&dir)), 1);
}

#[test]
fn a_table_that_was_counted_with_one_row_is_not_read_whole_for_each_row_of_another() {
    let dir = tempfile::tempdir().unwrap();
    add(&open(&dir), "the only one").unwrap();
    // Earlier versions of the program let SQLite count rows when they ended.
    Connection::open(dir.path().join("notes.db")).unwrap().execute_batch("ANALYZE").unwrap();
    let db = open(&dir);
    let plan = |conn: &Connection| -> Result<Vec<String>, Error> {
        let joined = "EXPLAIN QUERY PLAN WITH of AS MATERIALIZED (SELECT id FROM note)
             SELECT note.text FROM of CROSS JOIN note ON note.id = of.id";
        let mut statement = conn.prepare(joined)?;
        let lines = statement.query_map([], |row| row.get("detail"))?;
        Ok(lines.collect::<Result<_, _>>()?)
    };
    let search = "SEARCH note USING INTEGER PRIMARY KEY (rowid=?)".to_owned();
    let (by_writer, by_reader) = (db.write_blocking(move |tx| plan(tx)).unwrap(), db.read(plan).unwrap());
    assert!(by_writer.contains(&search) && by_reader.contains(&search), "{by_writer:?} {by_reader:?}");
    drop(db);
    let file = Connection::open(dir.path().join("notes.db")).unwrap();
    let counted = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'";
    assert_eq!(file.query_row(counted, [], |row| row.get::<_, i64>(0)), Ok(0));
}

#[test]
fn what_was_deleted_is_nowhere_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let (db, path) = (open(&dir), dir.path().join("notes.db"));
    let in_file = || {
        // What is only in the log is not in the file yet.
        db.write_blocking(|tx| Ok::<_, Error>(tx.execute("INSERT INTO note(text) VALUES ('other')", [])?))
            .unwrap();
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        std::fs::read(&path).unwrap().windows(14).any(|bytes| bytes == b"between us two")
    };
    add(&db, "between us two").unwrap();
    assert!(in_file());
    db.write_blocking(|tx| Ok::<_, Error>(tx.execute("DELETE FROM note WHERE text <> 'other'", [])?))
        .unwrap();
    assert!(!in_file());
}

#[test]
fn with_the_smallest_bounds_all_that_was_answered_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let smallest = Bounds::picked(|least, _| least);
    let path = dir.path().join("notes.db");
    let db = Database::open_within(&path, &options(VERSION_1), smallest).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    add(&db, "kept").unwrap();
                    db.between_large_writes().unwrap();
                }
            });
        }
    });
    assert_eq!(count(&db), 100);
    drop(db);
    let again = open(&dir);
    assert_eq!((count(&again), again.integrity_check().unwrap()), (100, vec![]));
}

#[tokio::test]
async fn jobs_one_after_the_other_are_each_answered_whether_they_are_quick_slow_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    for n in 0..200 {
        let done = db.write_sure(move |tx| {
            if n % 50 == 10 {
                // Longer than anybody looks out for an answer.
                std::thread::sleep(Duration::from_millis(2));
            }
            if n % 50 == 20 {
                return Err(Error::Closed);
            }
            tx.execute(ADD, [])?;
            Ok(n)
        });
        match done.await {
            Ok(answer) => assert_eq!(answer, n),
            Err(refused) => assert!(n % 50 == 20 && matches!(refused, Error::Closed), "{n}: {refused}"),
        }
    }
    assert_eq!(count(&db), 196);
}

#[test]
fn a_long_log_is_folded_into_the_database_when_nothing_is_written_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    db.write_blocking(|tx| {
        for _ in 0..2_000 {
            tx.execute("INSERT INTO note(text) VALUES (?1)", ["x".repeat(4_096)])?;
        }
        Ok::<_, Error>(())
    })
    .unwrap();
    let log = || std::fs::metadata(dir.path().join("notes.db-wal")).unwrap().len();
    assert!(log() > 4 * 1024 * 1024, "the log has {} bytes", log());
    let started = Instant::now();
    while log() > 0 {
        assert!(started.elapsed().as_secs() < 90, "the log still has {} bytes", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(count(&db), 2_000);
}

#[test]
fn the_log_of_many_large_writes_is_copied_while_short_ones_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let log = || std::fs::metadata(dir.path().join("notes.db-wal")).unwrap().len();
    let mut short_writes = 0;
    for _ in 0..20 {
        let large = std::thread::spawn({
            let db = db.clone();
            move || {
                db.write_blocking(|tx| {
                    for _ in 0..16 {
                        tx.execute("INSERT INTO note(text) VALUES (?1)", ["x".repeat(1024 * 1024)])?;
                    }
                    Ok::<_, Error>(())
                })
                .unwrap();
                db.between_large_writes().unwrap();
            }
        });
        while !large.is_finished() {
            add(&db, "short").unwrap();
            short_writes += 1;
        }
        large.join().unwrap();
    }
    // What a crash at this moment would leave. The log first: it may be copied into the database and end meanwhile.
    let left = tempfile::tempdir().unwrap();
    for name in ["notes.db-wal", "notes.db"] {
        std::fs::copy(dir.path().join(name), left.path().join(name)).unwrap();
    }
    let again = open(&left);
    assert_eq!((count(&again), again.integrity_check().unwrap()), (20 * 16 + short_writes, vec![]));
    // All of it is copied at some time, so that the log begins anew, while the writer is never idle.
    let deadline = Instant::now() + Duration::from_secs(60);
    while log() > 65 * 1024 * 1024 {
        assert!(Instant::now() < deadline, "{} bytes", log());
        db.between_large_writes().unwrap();
        add(&db, "short").unwrap();
    }
}

#[test]
fn a_log_of_which_all_is_copied_begins_anew_between_two_large_writes() {
    let dir = tempfile::tempdir().unwrap();
    // Any log is a long one.
    let bounds = Bounds::picked(|least, usual| if usual == 64 << 20 { least } else { usual });
    let db = Database::open_within(&dir.path().join("notes.db"), &options(VERSION_1), bounds).unwrap();
    // What tells a log from the one before is in its head.
    let salt = || std::fs::read(dir.path().join("notes.db-wal")).unwrap()[16..24].to_vec();
    add(&db, "large").unwrap();
    let before = salt();
    db.between_large_writes().unwrap();
    let anew = salt();
    assert_ne!(anew, before);
    // A short write goes into that log: nobody waits for another one.
    add(&db, "short").unwrap();
    assert_eq!((salt(), count(&db)), (anew, 2));
}

#[test]
fn a_job_that_fails_leaves_its_neighbours_in_peace() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    // The first job holds the writer until the others have queued up behind it, so that they share a commit.
    let (release, released) = mpsc::channel::<()>();
    let gate = db.clone();
    let first = std::thread::spawn(move || {
        gate.write_blocking(move |_| {
            released.recv().unwrap();
            Ok::<_, Error>(())
        })
    });
    let started = Arc::new(Barrier::new(4));
    let jobs: Vec<_> = ["good", "bad", "panic"]
        .map(|what| {
            let (db, started) = (db.clone(), started.clone());
            std::thread::spawn(move || {
                started.wait();
                db.write_blocking(move |tx| {
                    tx.execute("INSERT INTO note(text) VALUES (?1)", [what])?;
                    match what {
                        "bad" => Err(Error::from(rusqlite::Error::InvalidQuery)),
                        "panic" => panic!("on purpose"),
                        _ => Ok(()),
                    }
                })
            })
        })
        .into_iter()
        .collect();
    started.wait();
    std::thread::sleep(Duration::from_millis(50));
    release.send(()).unwrap();
    first.join().unwrap().unwrap();
    let results: Vec<_> = jobs.into_iter().map(|j| j.join().unwrap()).collect();
    assert!(results[0].is_ok() && results[1].is_err() && matches!(results[2], Err(Error::Panicked)));
    assert_eq!(count(&db), 1, "only the good one stayed");
}

/// Whether a job is kept that shares its commit with a sure one, which fails after it has changed something or before.
async fn is_kept_beside_a_sure_one(has_changed: bool) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    // The first job holds the writer until both are queued.
    let ((begin, begun), (release, released)) = (mpsc::channel::<()>(), mpsc::channel::<()>());
    let gate = db.clone();
    let first = std::thread::spawn(move || {
        gate.write_blocking(move |_| {
            begin.send(()).unwrap();
            released.recv().unwrap();
            Ok::<_, Error>(())
        })
    });
    begun.recv().unwrap();
    let good = db.write(|tx| Ok::<_, Error>(tx.execute(ADD, [])?));
    let bad = db.write_sure(move |tx| {
        if has_changed {
            tx.execute(ADD, [])?;
        }
        Err::<(), _>(Error::from(rusqlite::Error::InvalidQuery))
    });
    let (good, bad, ()) = tokio::join!(good, bad, async { release.send(()).unwrap() });
    first.join().unwrap().unwrap();
    assert!(bad.is_err());
    assert_eq!(count(&db), i64::from(good.is_ok()), "nothing half done stayed");
    good.is_ok()
}

#[tokio::test]
async fn a_sure_job_that_fails_half_done_undoes_its_commit_and_one_that_did_nothing_harms_nobody() {
    assert!(!is_kept_beside_a_sure_one(true).await);
    assert!(is_kept_beside_a_sure_one(false).await);
}

/// Sends a change without waiting for its answer.
fn send(change: impl Future<Output = Result<(), Error>>) {
    let sent = std::pin::pin!(change).poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    assert!(sent.is_pending());
}

#[tokio::test]
async fn a_short_change_waits_for_one_long_change_however_many_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let ran: Arc<std::sync::Mutex<Vec<&str>>> = Arc::default();
    let run = |what| {
        let ran = ran.clone();
        move |tx: &rusqlite::Transaction<'_>| {
            tx.execute("INSERT INTO note(text) VALUES (?1)", [what])?;
            ran.lock().unwrap().push(what);
            Ok::<_, Error>(())
        }
    };
    let (open_gate, gate) = mpsc::channel::<()>();
    send(db.write(move |_| {
        let _ = gate.recv();
        Ok(())
    }));
    let (meanwhile, later) = (db.clone(), run("came meanwhile"));
    let long = run("long 1");
    send(db.write_long(move |tx| {
        send(meanwhile.write(later));
        long(tx)
    }));
    send(db.write_long(run("long 2")));
    send(db.write_long(run("long 3")));
    send(db.write(run("short 1")));
    send(db.write(run("short 2")));
    drop(open_gate);
    // Long changes keep their order, so this one is the last of all.
    db.write_long(|_| Ok::<_, Error>(())).await.unwrap();
    assert_eq!(count(&db), 6);
    let expected = ["short 1", "short 2", "long 1", "came meanwhile", "long 2", "long 3"];
    assert_eq!(*ran.lock().unwrap(), expected);
}

#[test]
fn writers_that_arrive_together_share_commits() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let done = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|s| {
        for _ in 0..16 {
            s.spawn(|| {
                for _ in 0..20 {
                    add(&db, "x").unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((done.load(Ordering::Relaxed), count(&db)), (320, 320));
}

#[tokio::test]
async fn a_job_runs_to_its_end_when_nobody_waits_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let task = {
        let db = db.clone();
        tokio::spawn(async move {
            db.write(|tx| Ok::<_, Error>(tx.execute("INSERT INTO note(text) VALUES ('left alone')", [])?))
                .await
        })
    };
    tokio::task::yield_now().await;
    task.abort();
    drop(task.await);
    db.write(|_| Ok::<_, Error>(())).await.unwrap();
    assert!(count(&db) <= 1);
    assert!(db.integrity_check().unwrap().is_empty());
}

#[test]
fn a_reader_sees_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let seen: Result<(i64, i64), Error> = db.read(|c| {
        let before = c.query_row("SELECT count(*) FROM note", [], |r| r.get(0))?;
        add(&db, "meanwhile")?;
        Ok((before, c.query_row("SELECT count(*) FROM note", [], |r| r.get(0))?))
    });
    assert_eq!(seen.unwrap(), (0, 0));
    assert_eq!(count(&db), 1);
}

#[test]
fn an_older_file_is_migrated_and_a_newer_one_refused_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.db");
    add(&open(&dir), "old").unwrap();
    drop(Database::open(&path, &options(VERSION_2)).unwrap());
    let before = std::fs::read(&path).unwrap();
    let refused = Database::open(&path, &options(VERSION_1)).unwrap_err();
    assert!(matches!(refused, Error::Newer { found: 2, known: 1 }), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.db");
    add(&open(&dir), "kept").unwrap();
    assert!(Database::open(&path, &options(BROKEN)).is_err());
    let db = open(&dir);
    assert_eq!(count(&db), 1);
    let x: i64 = db
        .read(|c| {
            Ok::<_, Error>(
                c.query_row("SELECT count(*) FROM sqlite_schema WHERE name='x'", [], |r| r.get(0))?,
            )
        })
        .unwrap();
    assert_eq!(x, 0);
}

#[test]
fn a_check_of_a_file_ends_at_a_hundred_lines_and_says_that_there_are_more() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let file = rusqlite::Connection::open(dir.path().join("notes.db")).unwrap();
    file.execute_batch(
        "PRAGMA foreign_keys = OFF;
         CREATE TABLE answer(id INTEGER PRIMARY KEY, note INTEGER NOT NULL REFERENCES note(id)) STRICT;
         WITH RECURSIVE n(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM n LIMIT 100)
         INSERT INTO answer(note) SELECT id FROM n;",
    )
    .unwrap();
    assert_eq!(db.integrity_check().unwrap().len(), 100, "all of them");
    file.execute_batch("INSERT INTO answer(note) VALUES (101), (102)").unwrap();
    let found = db.integrity_check().unwrap();
    assert_eq!(found.len(), 101);
    assert_eq!(found[100], "further damage than the 100 lines that are listed");
}

#[test]
fn a_backup_taken_while_in_use_opens_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    add(&db, "in the backup").unwrap();
    let to = dir.path().join("copy.db");
    db.backup(&to).unwrap();
    add(&db, "after it").unwrap();
    let copy = Database::open(&to, &options(VERSION_1)).unwrap();
    assert_eq!((count(&copy), count(&db)), (1, 2));
    assert!(copy.integrity_check().unwrap().is_empty());
}

#[test]
fn a_backup_of_a_damaged_file_is_none_and_a_copy_keeps_the_damage() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    for _ in 0..2_000 {
        add(&db, "a row of a table that has many pages").unwrap();
    }
    drop(db);
    let path = dir.path().join("notes.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let (last, page) = (bytes.len() - 4096, 4096);
    bytes[last..last + page].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let db = Database::open(&path, &options(VERSION_1)).unwrap();
    let (backup, copy) = (dir.path().join("backup.db"), dir.path().join("copy.db"));
    let refused = db.backup(&backup).unwrap_err();
    assert!(refused.is_corrupt(), "{refused}");
    let names = std::fs::read_dir(dir.path()).unwrap().flatten().map(|file| file.file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with("backup")), "nothing is left");
    db.copy_as_it_is(&copy).unwrap();
    assert_eq!(std::fs::read(&copy).unwrap().len(), last + page);
}

#[test]
fn a_frozen_file_can_be_read_and_says_so_when_written() {
    let dir = tempfile::tempdir().unwrap();
    add(&open(&dir), "there").unwrap();
    let db = Database::open_read_only(&dir.path().join("notes.db"), &options(VERSION_1)).unwrap();
    assert_eq!(count(&db), 1);
    assert!(add(&db, "not there").unwrap_err().is_read_only());
}

#[test]
fn a_file_that_is_no_database_is_called_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.db");
    std::fs::write(&path, "this is not a database, however long one looks at it").unwrap();
    assert!(Database::open(&path, &options(VERSION_1)).unwrap_err().is_corrupt());
}

#[test]
fn a_data_folder_has_one_owner_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("tidings");
    let lock = DataDir::lock(&home, "app").unwrap();
    assert!(matches!(DataDir::lock(&home, "app"), Err(LockError::InUse(_))));
    assert!(DataDir::lock(&home, "server").is_ok(), "another lock is another matter");
    drop(lock);
    assert!(DataDir::lock(&home, "app").is_ok());
}

#[test]
fn who_asks_whether_a_folder_is_taken_refuses_nobody_who_takes_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("tidings");
    let is_taken = || DataDir::is_taken(&home, "server").unwrap();
    assert!(!is_taken() && !home.exists(), "asking creates nothing");
    drop(DataDir::lock(&home, "server").unwrap());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    is_taken();
                }
            });
        }
        let refused = (0..200).find_map(|_| DataDir::lock(&home, "server").err());
        done.store(true, Ordering::Relaxed);
        assert!(refused.is_none(), "{refused:?}");
    });
    let lock = DataDir::lock(&home, "server").unwrap();
    assert!(is_taken());
    drop(lock);
    assert!(!is_taken());
}

#[tokio::test]
async fn whoever_is_done_is_answered_before_a_slow_batch_ends() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let (open_gate, gate) = mpsc::channel::<()>();
    let (answered, answer_seen) = mpsc::channel::<()>();
    // The first job holds the writer until the others wait behind it, in one batch.
    let first = db.write(move |_| {
        gate.recv().unwrap();
        Ok::<_, Error>(())
    });
    let slow = async {
        let written = db.write(|tx| {
            std::thread::sleep(Duration::from_millis(100));
            Ok::<_, Error>(tx.execute("INSERT INTO note(text) VALUES ('slow')", [])?)
        });
        written.await.unwrap();
        answered.send(()).unwrap();
    };
    let other = db.write(|_| Ok::<_, Error>(()));
    let last = db.write(move |_| Ok::<_, Error>(answer_seen.recv_timeout(Duration::from_secs(90)).is_ok()));
    let (_, (), _, last_result, ()) =
        tokio::join!(first, slow, other, last, async { open_gate.send(()).unwrap() });
    assert!(
        last_result.unwrap(),
        "the slow one is committed and answered before the last one of its batch runs"
    );
}

#[test]
fn what_is_deleted_is_not_in_the_file_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let (secret, kept) = ("deleted-and-private", "kept-and-private");
    let db = open(&dir);
    // A row of its own page, and one beside others.
    db.write_blocking(move |tx| {
        let long = format!("{secret}{}", "x".repeat(20_000));
        for text in [long.as_str(), secret, kept] {
            tx.execute("INSERT INTO note(text) VALUES (?1)", [text])?;
        }
        Ok::<_, Error>(())
    })
    .unwrap();
    db.write_blocking(move |tx| {
        Ok::<_, Error>(tx.execute("DELETE FROM note WHERE text LIKE ?1 || '%'", [secret])?)
    })
    .unwrap();
    assert_eq!(count(&db), 1);
    // The last one who closes it writes its log back.
    drop(db);
    let path = dir.path().join("notes.db");
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let bytes = std::fs::read(path).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds(kept) && !holds(secret));
}

/// The texts of all notes.
fn texts(db: &Database) -> Vec<String> {
    db.read(|conn| {
        let mut rows = conn.prepare("SELECT text FROM note ORDER BY id")?;
        let texts = rows.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>();
        Ok::<_, Error>(texts?)
    })
    .unwrap()
}

/// Copies the log of an open database to another folder.
fn lay_log(from: &tempfile::TempDir, to: &tempfile::TempDir) {
    std::fs::copy(from.path().join("notes.db-wal"), to.path().join("notes.db-wal")).unwrap();
}

#[test]
fn the_log_of_another_database_is_refused_and_nothing_of_it_is_read() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    add(&open(&dir), "ours").unwrap();
    let theirs = open(&other);
    add(&theirs, "theirs").unwrap();
    lay_log(&other, &dir);
    let file = dir.path().join("notes.db");
    let before = std::fs::read(&file).unwrap();
    let refused = Database::open(&file, &options(VERSION_1)).unwrap_err();
    assert!(refused.is_corrupt() && refused.to_string().contains("of another database"), "{refused}");
    assert!(quick_check(&file).is_err());
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file is untouched");
    let damaged = open_damaged(&file, VERSION_1, false).unwrap();
    let text: String =
        damaged.query_row("SELECT group_concat(text) FROM note", [], |row| row.get(0)).unwrap();
    assert_eq!(text, "ours");
    std::fs::remove_file(dir.path().join("notes.db-wal")).unwrap();
    assert_eq!(texts(&open(&dir)), ["ours"]);
}

#[test]
fn whose_log_it_is_costs_a_page_for_each_log_and_none_for_each_commit() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let log = dir.path().join("notes.db-wal");
    let before = std::fs::metadata(&log).unwrap().len();
    for _ in 0..40 {
        add(&db, "x").unwrap();
    }
    let pages = (std::fs::metadata(&log).unwrap().len() - before) / 4_096;
    assert!((40..50).contains(&pages), "{pages} for 40 commits of one page each");
}

#[test]
fn the_log_that_was_left_where_a_copy_is_put_is_not_its_own() {
    let (dir, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let db = open(&dir);
    add(&db, "first").unwrap();
    db.backup(&place.path().join("notes.db")).unwrap();
    add(&db, "second").unwrap();
    lay_log(&dir, &place);
    let refused = Database::open(&place.path().join("notes.db"), &options(VERSION_1)).unwrap_err();
    assert!(refused.is_corrupt() && refused.to_string().contains("an older copy"), "{refused}");
}

#[test]
fn the_log_of_a_killed_process_is_taken_also_after_the_content_was_replaced() {
    let (dir, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    add(&open(&dir), "kept").unwrap();
    let db = open(&dir);
    let copy = dir.path().join("copy.db");
    db.backup(&copy).unwrap();
    add(&db, "gone").unwrap();
    db.restore_from(&copy, &options(VERSION_1)).unwrap();
    for file in ["notes.db", "notes.db-wal"] {
        std::fs::copy(dir.path().join(file), killed.path().join(file)).unwrap();
    }
    assert_eq!(texts(&open(&killed)), ["kept"]);
}

#[test]
fn what_is_left_without_its_log_is_checked_before_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    for _ in 0..40 {
        db.write_blocking(|tx| {
            Ok::<_, Error>(tx.execute("INSERT INTO note(text) VALUES (?1)", ["x".repeat(3_000)])?)
        })
        .unwrap();
    }
    drop(db);
    // Killed, and its log removed by hand: the page of the table's root was not copied from there.
    let (file, lock) = (dir.path().join("notes.db"), dir.path().join("notes.db.lock"));
    assert_eq!(std::fs::metadata(&lock).unwrap().len(), 0, "it was closed");
    std::fs::write(&lock, "x").unwrap();
    assert_eq!(texts(&open(&dir)).len(), 40, "what fits together is served");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() - 4 * 4_096);
    std::fs::write(&file, bytes).unwrap();
    std::fs::write(&lock, "x").unwrap();
    let refused = Database::open(&file, &options(VERSION_1)).unwrap_err();
    assert!(refused.is_corrupt(), "{refused}");
    // Nothing was copied from the log: what was promised to be kept is not replaced by an empty database.
    std::fs::write(&file, "").unwrap();
    let refused = Database::open(&file, &options(VERSION_1)).unwrap_err();
    assert!(refused.is_corrupt() && refused.to_string().contains("its log"), "{refused}");
    std::fs::remove_file(&lock).unwrap();
    assert_eq!(texts(&open(&dir)), [""; 0]);
}

//! Tests of sure jobs, which their callers commit while writes are calm.

use std::pin::{Pin, pin};
use std::sync::mpsc;
use std::task::{Context, Waker};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use tidings_sqlite::{Database, Durability, Error, Options};

use super::{ADD, VERSION_1, count, open, options};

/// A database whose commits wait for no disk.
fn open_fast(dir: &tempfile::TempDir) -> Database {
    let options = Options { durability: Durability::Normal, ..options(VERSION_1) };
    Database::open(&dir.path().join("notes.db"), &options).unwrap()
}

/// Adds a note in a sure job; gives the thread that it ran on.
async fn add_surely(db: &Database) -> ThreadId {
    let added = db.write_sure(|tx| {
        tx.execute(ADD, [])?;
        Ok::<_, Error>(thread::current().id())
    });
    added.await.unwrap()
}

/// Adds notes one by one until this thread commits one; gives their number.
async fn become_calm(db: &Database) -> i64 {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut added = 1;
    while add_surely(db).await != thread::current().id() {
        assert!(Instant::now() < deadline, "no caller commits");
        added += 1;
    }
    added
}

fn is_pending(job: Pin<&mut impl Future>) -> bool {
    job.poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_commits_once_some_writes_were_fast_and_came_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    let added = become_calm(&db).await;
    assert!(added > 4, "{added}");
    assert_eq!(count(&db), added);
    drop(db);
    assert_eq!(count(&open(&dir)), added);
}

#[tokio::test]
async fn a_runtime_of_one_thread_leaves_all_commits_to_the_writer() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    for _ in 0..20 {
        assert_ne!(add_surely(&db).await, thread::current().id());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_does_not_wait_for_another_job() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    become_calm(&db).await;
    let ((begin, begun), (release, released)) = (mpsc::channel::<()>(), mpsc::channel::<()>());
    let gate = db.clone();
    let held = thread::spawn(move || {
        gate.write_blocking(move |_| {
            begin.send(()).unwrap();
            released.recv().unwrap();
            Ok::<_, Error>(())
        })
    });
    begun.recv().unwrap();
    let mut job = pin!(add_surely(&db));
    assert!(is_pending(job.as_mut()));
    release.send(()).unwrap();
    assert_ne!(job.await, thread::current().id());
    held.join().unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_does_not_wait_for_another_connection() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    let other = rusqlite::Connection::open(dir.path().join("notes.db")).unwrap();
    become_calm(&db).await;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut job = pin!(add_surely(&db));
    assert!(is_pending(job.as_mut()), "it would be busy");
    other.execute_batch("COMMIT").unwrap();
    assert_ne!(job.await, thread::current().id());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_overtakes_no_job_that_was_sent_before() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    for _ in 0..20 {
        become_calm(&db).await;
        let (sender, ran) = mpsc::channel();
        let first = sender.clone();
        let mut first = pin!(db.write(move |_| {
            first.send("first").unwrap();
            Ok::<_, Error>(())
        }));
        // It is sent by that, and nobody waits for it.
        is_pending(first.as_mut());
        let second = db.write_sure(move |_| {
            sender.send("second").unwrap();
            Ok::<_, Error>(())
        });
        second.await.unwrap();
        assert_eq!(ran.iter().collect::<Vec<_>>(), ["first", "second"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_slow_commit_the_writer_has_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    become_calm(&db).await;
    let slow = db.write_sure(|_| {
        thread::sleep(Duration::from_millis(5));
        Ok::<_, Error>(())
    });
    slow.await.unwrap();
    assert_ne!(add_surely(&db).await, thread::current().id());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_panics_on_its_callers_thread_is_rolled_back_and_the_next_one_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    // The commit that was calm may have been slow itself: then the writer gets the job.
    loop {
        become_calm(&db).await;
        let before = count(&db);
        let (sender, ran) = mpsc::channel();
        let failed = db.write_sure::<(), Error, _>(move |tx| {
            tx.execute(ADD, [])?;
            sender.send(thread::current().id()).unwrap();
            panic!("on purpose")
        });
        assert!(matches!(failed.await, Err(Error::Panicked)));
        assert_eq!(count(&db), before);
        add_surely(&db).await;
        assert_eq!(count(&db), before + 1);
        if ran.recv().unwrap() == thread::current().id() {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_log_is_folded_into_the_database_after_what_callers_wrote() {
    let dir = tempfile::tempdir().unwrap();
    let db = open_fast(&dir);
    let add_much = || {
        db.write_sure(|tx| {
            for _ in 0..2_000 {
                tx.execute("INSERT INTO note(text) VALUES (?1)", ["x".repeat(4_096)])?;
            }
            Ok::<_, Error>(thread::current().id())
        })
    };
    while add_much().await.unwrap() != thread::current().id() {
        become_calm(&db).await;
    }
    let log = || std::fs::metadata(dir.path().join("notes.db-wal")).unwrap().len();
    let started = Instant::now();
    while log() > 0 {
        assert!(started.elapsed().as_secs() < 90, "the log still has {} bytes", log());
        thread::sleep(Duration::from_millis(20));
    }
}

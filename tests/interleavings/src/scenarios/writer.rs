//! The queue of the thread that writes a database.

use std::sync::Arc;

use rusqlite::{Connection, Transaction};
use shuttle::future::block_on;
use tokio::sync::oneshot;

use crate::threads::{JoinHandle, thread};
use crate::writer::{Commits, Job, Queue, Work, job, start};
use crate::{Bounds, Durability, Error};

/// Sends a job of a kind and waits for its outcome.
fn sent<T: Send + 'static>(
    queue: &Queue,
    kind: fn(Job) -> Work,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (sender, answer) = oneshot::channel();
    queue.send(kind(job(work, move |result| drop(sender.send(result))))).unwrap();
    block_on(answer).unwrap()
}

fn insert(tx: &Transaction<'_>) -> Result<(), Error> {
    tx.execute("INSERT INTO note VALUES (1)", [])?;
    Ok(())
}

fn count(queue: &Queue) -> i64 {
    sent(queue, Work::Short, |tx| Ok(tx.query_row("SELECT count(*) FROM note", [], |r| r.get(0))?)).unwrap()
}

fn try_with(bounds: Bounds) {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch("CREATE TABLE note(n INTEGER) STRICT").unwrap();
    let commits = Commits { usual: Durability::Normal, marking: None, bounds };
    let (queue, writing) = start(conn, commits, || {}).unwrap();
    let queue = Arc::new(queue);
    let kinds: [fn(Job) -> Work; 4] = [Work::Short, Work::Sure, Work::Durable, Work::Long];
    let asking: Vec<JoinHandle<()>> = kinds
        .into_iter()
        .map(|kind| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                sent(&queue, kind, insert).unwrap();
                assert!(count(&queue) >= 1, "who was answered finds what was written");
            })
        })
        .collect();
    let refused = sent(&queue, Work::Short, |tx| {
        insert(tx)?;
        Err::<(), _>(Error::Closed)
    });
    assert!(matches!(refused, Err(Error::Closed)), "its own error");
    for one in asking {
        one.join().unwrap();
    }
    assert_eq!(count(&queue), 4, "all but what was refused");
    drop(queue);
    writing.join().unwrap();
}

/// Jobs of every kind, sent at once: each is answered after its commit, and one that fails takes nothing else with it.
pub fn each_job_is_committed_and_answered() {
    try_with(Bounds::default());
}

/// The same with a commit for each job.
pub fn so_it_is_with_a_commit_for_each_job() {
    try_with(Bounds::picked(|least, _| least));
}

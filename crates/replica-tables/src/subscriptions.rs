//! The table `subscriptions`: whether the news of a thread come to the reader at its service. What the reader wants waits
//! here until the service has answered, and is in force meanwhile; a later wish replaces one that waits.
//!
//! A wish is sent with the next flush, one request a thread. An undo takes an unsent wish out, and otherwise asks
//! for the state before. The service is asked once for what it says, when the thread is opened. Page and commands
//! offer subscriptions only if `Abilities::follow` says so.

use rusqlite::{Connection, params};

use super::sql;
use crate::{Error, Result, Subscription, ThreadId};

/// The subscription in force for a thread: the reader's wish, else the service's answer; `None` if neither is known.
pub fn in_force(conn: &Connection, thread: ThreadId) -> Result<Option<Subscription>> {
    let sql = "SELECT ifnull(wanted, known) FROM subscriptions WHERE thread = ?1";
    let row = sql::first(conn, sql, [thread], |r| r.get::<_, Option<i64>>(0))?;
    Ok(row.flatten().and_then(Subscription::from_row))
}

/// Queues what the reader wants.
pub fn want(tx: &Connection, thread: ThreadId, to: Subscription) -> Result<()> {
    let sql = "INSERT INTO subscriptions (thread, source, wanted, op, sent)
         SELECT id, source, ?2, ?3, 0 FROM threads WHERE id = ?1
         ON CONFLICT DO UPDATE SET wanted = ?2, op = ?3, sent = 0";
    match sql::run(tx, sql, params![thread, to.as_row(), super::outbox::new_id()])? {
        0 => Err(Error::NoThread(thread)),
        _ => Ok(()),
    }
}

/// Takes back what the reader wanted. A wish that was not sent is forgotten; otherwise the subscription before it is
/// wanted. If nobody knew that one, the thread was subscribed to, because news of it came.
pub fn take_back(tx: &Connection, thread: ThreadId, was: Option<Subscription>) -> Result<()> {
    let sql = "UPDATE subscriptions SET wanted = NULL, op = NULL
         WHERE thread = ?1 AND wanted IS NOT NULL AND sent = 0 AND known IS ?2";
    if sql::run(tx, sql, params![thread, was.map(Subscription::as_row)])? > 0 {
        return Ok(());
    }
    want(tx, thread, was.unwrap_or(Subscription::Subscribed))
}

/// Forgets the subscription of a thread that is deleted.
pub(crate) fn forget(tx: &Connection, thread: ThreadId) -> Result<()> {
    sql::run(tx, "DELETE FROM subscriptions WHERE thread = ?1", [thread]).map(drop)
}

/// Deletes subscriptions of a source, at most `?2` rows.
pub const DISCARD: &str =
    "DELETE FROM subscriptions WHERE thread IN (SELECT thread FROM subscriptions WHERE source = ?1 LIMIT ?2)";

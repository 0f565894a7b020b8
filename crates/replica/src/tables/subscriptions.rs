//! The table `subscriptions`: whether the news of a thread come to the reader at its service. What the reader wants waits
//! here until the service has answered, and is in force meanwhile; a later wish replaces one that waits.
//!
//! A wish is sent with the next flush, one request a thread. An undo takes an unsent wish out, and otherwise asks
//! for the state before. The service is asked once for what it says, when the thread is opened. Page and commands
//! offer subscriptions only if `Abilities::follow` says so.

use rusqlite::{Connection, Row, params};
use tidings_model::MsgId;

use super::columns::{limit, optional_json};
use super::{outbox, sql};
use crate::{Error, Replica, Result, SourceId, Subject, Subscription, ThreadId, WaitingSubscription};

impl Replica {
    /// The subscriptions of a source that wait to be sent, at most `most`. Records that they are being sent.
    pub fn waiting_subscriptions(&self, source: SourceId, most: usize) -> Result<Vec<WaitingSubscription>> {
        if !self.read(|conn| outbox::has_unsent(conn, source))? {
            return Ok(Vec::new());
        }
        let (found, _) = self.write(move |tx, _| take_waiting(tx, source, most))?;
        Ok(found)
    }

    /// Applies the service's answer to a subscription. After a refusal what the service said before is in force again,
    /// unless the reader wants something else by now.
    pub fn subscription_answered(&self, sent: &WaitingSubscription, ok: bool) -> Result<()> {
        let (id, thread, to) = (sent.id.clone(), sent.thread, sent.to.as_row());
        self.write(move |tx, aggregates| {
            let sql =
                "UPDATE subscriptions SET known = iif(?4, ?3, known), wanted = iif(op = ?2, NULL, wanted),
                    op = iif(op = ?2, NULL, op) WHERE thread = ?1";
            if sql::run(tx, sql, params![thread, id, to, ok])? == 0 {
                Ok(())
            } else {
                aggregates.touch(thread)
            }
        })?;
        Ok(())
    }

    /// Stores what the service says of the subscription of a thread. What the reader wants stays in force.
    pub fn set_subscription(&self, thread: ThreadId, known: Subscription) -> Result<()> {
        self.write(move |tx, aggregates| {
            let sql = "INSERT INTO subscriptions (thread, source, known)
                 SELECT id, source, ?2 FROM threads WHERE id = ?1
                 ON CONFLICT DO UPDATE SET known = ?2 WHERE known IS NOT ?2";
            let changed = sql::run(tx, sql, params![thread, known.as_row()])?;
            if changed == 0 { Ok(()) } else { aggregates.touch(thread) }
        })?;
        Ok(())
    }

    /// What a thread is about, and its subscription if that is known; `None` for a thread without items.
    pub fn subject(&self, thread: ThreadId) -> Result<Option<(Subject, Option<Subscription>)>> {
        self.read(|conn| {
            let sql = "SELECT t.key, i.msgid, i.target FROM threads t JOIN items i ON i.id = t.last_item WHERE t.id = ?1";
            let Some(subject) = sql::first(conn, sql, [thread], subject)? else { return Ok(None) };
            Ok(Some((subject, in_force(conn, thread)?)))
        })
    }
}

/// What is in force for a thread: what the reader wants, else what the service said; `None` if neither is known.
pub(crate) fn in_force(conn: &Connection, thread: ThreadId) -> Result<Option<Subscription>> {
    let sql = "SELECT ifnull(wanted, known) FROM subscriptions WHERE thread = ?1";
    let row = sql::first(conn, sql, [thread], |r| r.get::<_, Option<i64>>(0))?;
    Ok(row.flatten().and_then(Subscription::from_row))
}

/// Queues what the reader wants.
pub(crate) fn want(tx: &Connection, thread: ThreadId, to: Subscription) -> Result<()> {
    let sql = "INSERT INTO subscriptions (thread, source, wanted, op, sent)
         SELECT id, source, ?2, ?3, 0 FROM threads WHERE id = ?1
         ON CONFLICT DO UPDATE SET wanted = ?2, op = ?3, sent = 0";
    match sql::run(tx, sql, params![thread, to.as_row(), crate::outbox::new_id()])? {
        0 => Err(Error::NoThread(thread)),
        _ => Ok(()),
    }
}

/// Takes back what the reader wanted: one that was not sent is forgotten, after another the one before is wanted. Where
/// nobody knew that one, the thread was subscribed to, because news of it came.
pub(crate) fn take_back(tx: &Connection, thread: ThreadId, was: Option<Subscription>) -> Result<()> {
    let sql = "UPDATE subscriptions SET wanted = NULL, op = NULL
         WHERE thread = ?1 AND wanted IS NOT NULL AND sent = 0 AND known IS ?2";
    if sql::run(tx, sql, params![thread, was.map(Subscription::as_row)])? > 0 {
        return Ok(());
    }
    want(tx, thread, was.unwrap_or(Subscription::Subscribed))
}

fn take_waiting(tx: &Connection, source: SourceId, most: usize) -> Result<Vec<WaitingSubscription>> {
    let sql = "SELECT t.key, i.msgid, i.target, s.op, s.thread, s.wanted FROM subscriptions s CROSS JOIN threads t
             ON t.id = s.thread CROSS JOIN items i ON i.id = t.last_item WHERE s.source = ?1 AND s.wanted IS NOT NULL LIMIT ?2";
    let found = sql::all(tx, sql, params![source, limit(most)], |r| {
        let to = Subscription::from_row(r.get(5)?).unwrap_or(Subscription::Subscribed);
        Ok(WaitingSubscription { subject: subject(r)?, id: r.get(3)?, thread: r.get(4)?, to })
    })?;
    for one in &found {
        sql::run(tx, "UPDATE subscriptions SET sent = 1 WHERE thread = ?1", [one.thread])?;
    }
    Ok(found)
}

/// Reads the key of a thread, and the msgid and the target of its newest item.
fn subject(r: &Row<'_>) -> rusqlite::Result<Subject> {
    Ok(Subject { key: r.get(0)?, msgid: MsgId(r.get(1)?), target: optional_json(r, 2)? })
}

/// Forgets the subscription of a thread that is deleted.
pub(crate) fn forget(tx: &Connection, thread: ThreadId) -> Result<()> {
    sql::run(tx, "DELETE FROM subscriptions WHERE thread = ?1", [thread]).map(drop)
}

/// Deletes subscriptions of a source, at most `?2` rows.
pub(crate) const DISCARD: &str =
    "DELETE FROM subscriptions WHERE thread IN (SELECT thread FROM subscriptions WHERE source = ?1 LIMIT ?2)";

//! Subscriptions of threads that wait to be sent, and what the service answers.

use rusqlite::{Connection, Row, params};
use tidings_model::MsgId;
use tidings_replica_tables::columns::{limit, optional_json};
use tidings_replica_tables::subscriptions::in_force;
use tidings_replica_tables::{outbox, sql};

use crate::{Replica, Result, SourceId, Subject, Subscription, ThreadId, WaitingSubscription};

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

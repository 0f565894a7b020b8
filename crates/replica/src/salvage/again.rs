//! Does again in a new file what the reader did in the damaged one, with the same ids and times. Operations that wait are
//! sent as if nothing had happened.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use tidings_model::{MsgId, wire};
use tidings_replica_tables::columns::json;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::{NewOperation, new_id};
use tidings_replica_tables::{outbox as rows, questions, sql, subscriptions, threads};

use super::read::Thread;
use super::waiting::WaitingOperation;
use crate::outbox::answers;
use crate::{Mark, Replica, Result, SourceId, Subscription, Targets};

impl Replica {
    /// Puts a mark again that was not sent. What it is put on may be lost or have another state; then it is sent as it was.
    pub(super) fn put_again(&self, waiting: WaitingOperation) -> Result<()> {
        let source = waiting.source;
        let sql = "SELECT ifnull(max(seq), 0) FROM outbox";
        let before: i64 = self.read(|conn| sql::one(conn, sql, [], |r| r.get(0)))?;
        match &waiting.change {
            wire::Change::Mark { mark, msgids, .. } => {
                let items = self.items_by_msgid(Some(source), &distinct(msgids))?;
                self.mark(Targets::Items(items.iter().map(|item| item.id).collect()), *mark)?;
            }
            wire::Change::Answer { .. } => return self.answer_again(before, waiting),
            wire::Change::ReadAll { kind, through } => {
                let all = Targets::All { source: Some(source), kind: *kind, through: Some(*through) };
                self.mark(all, Mark::Read)?;
            }
            wire::Change::Visit { view, at } => drop(self.visit(source, view, *at)?),
        }
        self.write(move |tx, _| as_it_was(tx, before, &waiting)).map(drop)
    }

    /// Answers a question again, as of then: its time may be over by now, which its server says.
    fn answer_again(&self, before: i64, waiting: WaitingOperation) -> Result<()> {
        let wire::Change::Answer { msgids, answer, text, .. } = waiting.change.clone() else { return Ok(()) };
        let item = self.items_by_msgid(Some(waiting.source), &msgids)?.first().map(|item| item.id);
        self.write_durable(move |tx, aggregates| {
            if let Some(item) = item {
                answers::answer(tx, aggregates, item, (answer, text), waiting.written_at)?;
            }
            let Some(seq) = as_it_was(tx, before, &waiting)? else { return Ok(()) };
            match item.map(|item| ItemState::get(tx, item)).transpose()?.flatten() {
                Some(item) => rows::add_item(tx, seq, &item.named()),
                None => Ok(()),
            }
        })
        .map(drop)
    }

    /// Deletes items again whose deletion was sent: a service may not keep it.
    pub(super) fn delete_again(&self, source: SourceId, msgids: &[MsgId]) -> Result<()> {
        for portion in msgids.chunks(self.bounds.salvaged_rows) {
            let items = self.items_by_msgid(Some(source), portion)?;
            self.mark(Targets::Items(items.iter().map(|item| item.id).collect()), Mark::Delete)?;
            loop {
                let sent = self.pending(source, portion.len())?;
                if sent.is_empty() {
                    break;
                }
                let applied = |op: wire::Op| wire::OpResult { id: op.id, ok: true, code: None };
                self.acknowledge(source, &sent.into_iter().map(applied).collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }

    /// Keeps what the reader answered too late.
    pub(super) fn keep_late_answers(&self, late: &[(SourceId, MsgId, String)]) -> Result<()> {
        for portion in late.chunks(self.bounds.salvaged_rows) {
            let portion = portion.to_vec();
            self.write(move |tx, _| {
                let sql = "UPDATE items SET late_answer = ?3 WHERE source = ?1 AND msgid = ?2";
                portion.iter().try_for_each(|(source, msgid, text)| {
                    sql::run(tx, sql, params![source, msgid.as_str(), text]).map(drop)
                })
            })?;
        }
        Ok(())
    }

    /// Wants the subscription of a thread again; false if nothing is left of the thread.
    pub(super) fn want_again(&self, thread: &Thread, to: Subscription) -> Result<bool> {
        let (source, key) = (thread.source, thread.key.clone());
        let (is_wanted, _) = self.write(move |tx, aggregates| {
            let Some(thread) = threads::by_key(tx, source, &key)? else { return Ok(false) };
            subscriptions::want(tx, thread.id, to)?;
            aggregates.touch(thread.id)?;
            Ok(true)
        })?;
        Ok(is_wanted)
    }
}

/// Gives the operations after a row key the time of the one that was put again, and its id if they are one. What they
/// leave out of it is queued as it was; gives its row key.
fn as_it_was(tx: &Connection, before: i64, waiting: &WaitingOperation) -> Result<Option<i64>> {
    let sql = "SELECT seq, change FROM outbox WHERE seq > ?1 ORDER BY seq";
    let put: Vec<(i64, wire::Change)> = sql::all(tx, sql, [before], |r| Ok((r.get(0)?, json(r, 1)?)))?;
    for (seq, change) in &put {
        let timed = match (change, &waiting.change) {
            (wire::Change::Mark { mark, msgids, .. }, wire::Change::Mark { at, .. }) => {
                Some(wire::Change::Mark { mark: *mark, msgids: msgids.clone(), at: *at })
            }
            (wire::Change::Answer { .. }, answer) => Some(answer.clone()),
            _ => None,
        };
        if let Some(timed) = timed {
            rows::rewrite(tx, *seq, &timed, None)?;
        }
        let sql = "UPDATE outbox SET written_at = ?2 WHERE seq = ?1";
        sql::run(tx, sql, params![seq, waiting.written_at.as_micros()])?;
    }
    let rest = match left_out(&waiting.change, &put) {
        Some(rest) => Some(queue(tx, waiting, &rest)?),
        None => None,
    };
    let seqs: Vec<i64> = put.iter().map(|(seq, _)| *seq).chain(rest).collect();
    if let [seq] = seqs.as_slice() {
        // A damaged row may have the id of another.
        sql::run(tx, "UPDATE OR IGNORE outbox SET id = ?2 WHERE seq = ?1", params![seq, waiting.id])?;
    }
    Ok(rest)
}

/// What is not in the operations that were put in place of one.
fn left_out(change: &wire::Change, put: &[(i64, wire::Change)]) -> Option<wire::Change> {
    let wire::Change::Mark { mark, msgids, at } = change else {
        return put.is_empty().then(|| change.clone());
    };
    let named: HashSet<&MsgId> = put
        .iter()
        .filter(|(_, put)| matches!(put, wire::Change::Mark { mark: put, .. } if put == mark))
        .flat_map(|(_, put)| put.msgids().unwrap_or_default())
        .collect();
    let msgids: Vec<MsgId> = distinct(msgids).into_iter().filter(|msgid| !named.contains(msgid)).collect();
    (!msgids.is_empty()).then_some(wire::Change::Mark { mark: *mark, msgids, at: *at })
}

/// Queues an operation that changes nothing here; gives its row key.
fn queue(tx: &Connection, waiting: &WaitingOperation, change: &wire::Change) -> Result<i64> {
    let (name, at, kind) = match change {
        wire::Change::Mark { mark, .. } => (mark.name(), mark.until(), None),
        wire::Change::Answer { .. } => (questions::OPERATION, None, None),
        wire::Change::ReadAll { kind, through } => ("read_all", Some(*through), *kind),
        wire::Change::Visit { at, .. } => ("visit", *at, None),
    };
    let op = NewOperation { source: waiting.source, name, at, kind, change };
    rows::insert(tx, &new_id(), &op, waiting.written_at)
}

fn distinct(msgids: &[MsgId]) -> Vec<MsgId> {
    let mut known = HashSet::new();
    msgids.iter().filter(|msgid| known.insert(*msgid)).cloned().collect()
}

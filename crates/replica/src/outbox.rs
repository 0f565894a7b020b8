//! What waits to be sent: operations on the inbox, and messages. Refuses to lose the server's word on what they change.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Actor, Kind, MsgId, Stamp, wire};

use crate::ledger::Ledger;
use crate::overlay::{Act, Done, Overlay};
use crate::row::{self, BRIEF, Brief};
use crate::{ItemId, Outgoing, Result, SourceId, ThreadId, answered, views};

/// Names in one operation at most.
pub(crate) const NAMES: usize = 500;
/// Operations of one request, in bytes; one that is larger goes alone.
const HEAVY: usize = 1 << 20;

/// An item that an operation names.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// None when there is no such item here any more.
    pub(crate) item: Option<ItemId>,
    pub(crate) msgid: MsgId,
    pub(crate) thread: ThreadId,
}

impl Named {
    pub(crate) fn of(item: &Brief, msgid: &MsgId) -> Self {
        Self { item: Some(item.id), msgid: msgid.clone(), thread: item.thread }
    }
}

/// 128 random bits as text.
pub(crate) fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Puts one operation into the outbox and gives its place.
pub(crate) fn push(
    tx: &Connection,
    source: SourceId,
    act: &str,
    at: Option<Stamp>,
    kind: Option<Kind>,
    change: &wire::Change,
    now: Stamp,
) -> Result<i64> {
    push_as(tx, &new_id(), source, act, at, kind, change, now)
}

/// The same, under an id that was given to it before.
#[expect(clippy::too_many_arguments, reason = "the columns of one row")]
pub(crate) fn push_as(
    tx: &Connection,
    id: &str,
    source: SourceId,
    act: &str,
    at: Option<Stamp>,
    kind: Option<Kind>,
    change: &wire::Change,
    now: Stamp,
) -> Result<i64> {
    tx.prepare_cached(
        "INSERT INTO outbox (id, source, change, act, at, kind, written_at, sent)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
    )?
    .execute(params![
        id,
        source,
        serde_json::to_string(change)?,
        act,
        at.map(Stamp::as_micros),
        kind.map(Kind::as_row),
        now.as_micros()
    ])?;
    Ok(tx.last_insert_rowid())
}

/// The place of an operation that waits; none where it was answered.
pub(crate) fn place_of(tx: &Connection, id: &str) -> Result<Option<i64>> {
    Ok(tx
        .prepare_cached("SELECT seq FROM outbox WHERE id = ?1 AND answered IS NULL")?
        .query_row([id], |r| r.get(0))
        .optional()?)
}

/// Whether an operation waits still.
pub(crate) fn waits(tx: &Connection, seq: i64) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM outbox WHERE seq = ?1)")?
        .query_row([seq], |r| r.get(0))?)
}

/// Remembers that an operation moves a view's mark.
pub(crate) fn on_view(tx: &Connection, seq: i64, view: i64, forward: bool, at: Stamp) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO outbox_views (op, view, forward, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET at = CASE WHEN ?3 THEN max(at, ?4) ELSE min(at, ?4) END",
    )?
    .execute(params![seq, view, forward, at.as_micros()])?;
    Ok(())
}

/// The mark to which an operation moves a view is another one now.
pub(crate) fn move_on_view(tx: &Connection, seq: i64, view: i64, at: Stamp) -> Result<()> {
    tx.prepare_cached("UPDATE outbox_views SET at = ?3 WHERE op = ?1 AND view = ?2")?.execute(params![
        seq,
        view,
        at.as_micros()
    ])?;
    Ok(())
}

fn on_item(tx: &Connection, seq: i64, named: &Named) -> Result<()> {
    let Some(item) = named.item else { return Ok(()) };
    tx.prepare_cached("INSERT OR IGNORE INTO outbox_items (op, item, thread) VALUES (?1, ?2, ?3)")?
        .execute(params![seq, item, named.thread])?;
    Ok(())
}

/// Puts an act on items into the outbox, in as many operations as it takes.
pub(crate) fn queue(tx: &Connection, source: SourceId, act: Act, named: &[Named], now: Stamp) -> Result<()> {
    for chunk in named.chunks(NAMES) {
        let msgids = chunk.iter().map(|n| n.msgid.clone()).collect();
        let (change, at) = match act {
            Act::Read => (wire::Change::Read { msgids }, None),
            Act::Unread => (wire::Change::Unread { msgids }, None),
            Act::Seen => (wire::Change::Seen { msgids }, None),
            Act::Archive => (wire::Change::Archive { msgids }, None),
            Act::Unarchive => (wire::Change::Unarchive { msgids }, None),
            Act::Snooze(until) => (wire::Change::Snooze { msgids, until }, Some(until)),
            Act::Unsnooze => (wire::Change::Unsnooze { msgids }, None),
            Act::Delete => (wire::Change::Delete { msgids }, None),
        };
        let seq = push(tx, source, act.word(), at, None, &change, now)?;
        for one in chunk {
            on_item(tx, seq, one)?;
        }
    }
    Ok(())
}

/// The oldest operations of a source, marked as sent.
pub(crate) fn pending(tx: &Connection, source: SourceId, limit: usize) -> Result<Vec<wire::Op>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found: Vec<(i64, wire::Op)> = Vec::new();
    let mut bytes = 0;
    let mut rows = tx.prepare_cached(
        "SELECT seq, id, change FROM outbox WHERE source = ?1 AND answered IS NULL ORDER BY seq LIMIT ?2",
    )?;
    let mut waiting = rows.query([source, limit])?;
    while let Some(r) = waiting.next()? {
        bytes += r.get_ref(2)?.as_bytes().map_or(0, <[u8]>::len);
        if bytes > HEAVY && !found.is_empty() {
            break;
        }
        found.push((r.get(0)?, wire::Op { id: r.get(1)?, change: row::json(r, 2)? }));
    }
    drop(waiting);
    drop(rows);
    if let Some((last, _)) = found.last() {
        tx.prepare_cached("UPDATE sources SET tick = tick + 1 WHERE id = ?1")?.execute([source])?;
        // The first sending counts: from then on the server may have done it.
        tx.prepare_cached(
            "UPDATE outbox SET sent = (SELECT tick FROM sources WHERE id = ?1)
             WHERE source = ?1 AND seq <= ?2 AND sent = 0",
        )?
        .execute([source, *last])?;
    }
    Ok(found.into_iter().map(|(_, op)| op).collect())
}

/// Answers in portions: the operations of one name together no more items than one operation may, as far as they can.
pub(crate) fn portions(
    conn: &Connection,
    source: SourceId,
    results: &[wire::OpResult],
) -> Result<Vec<Vec<wire::OpResult>>> {
    let mut count = conn.prepare_cached(
        "SELECT count(*) FROM outbox o JOIN outbox_items x ON x.op = o.seq WHERE o.source = ?1 AND o.id = ?2",
    )?;
    let mut range = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND id = ?2 AND act = 'read_all')",
    )?;
    let (mut portions, mut portion, mut items) = (Vec::new(), Vec::new(), 0);
    for result in results {
        let whole: bool = range.query_row(params![source, result.id], |r| r.get(0))?;
        let named = count.query_row(params![source, result.id], |r| row::count(r, 0))?;
        // What reads a range names nothing, and its first portion is a full one.
        let more = if whole { NAMES as u64 } else { named + 1 };
        if items + more > NAMES as u64 && !portion.is_empty() {
            portions.push(std::mem::take(&mut portion));
            items = 0;
        }
        items += more;
        portion.push(result.clone());
    }
    portions.extend(Some(portion).filter(|portion| !portion.is_empty()));
    Ok(portions)
}

struct Waited {
    seq: i64,
    act: String,
    at: Option<Stamp>,
    when: Stamp,
    sent: i64,
}

/// Takes answered operations out; `true` when one of them is still to be settled.
pub(crate) fn acknowledge(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    results: &[wire::OpResult],
    now: Stamp,
) -> Result<bool> {
    for result in results {
        let found = tx
            .prepare_cached(
                "SELECT seq, act, at, written_at, sent FROM outbox
                 WHERE source = ?1 AND id = ?2 AND answered IS NULL",
            )?
            .query_row(params![source, result.id], |r| {
                Ok(Waited {
                    seq: r.get(0)?,
                    act: r.get(1)?,
                    at: row::time(r, 2)?,
                    when: row::stamp(r, 3)?,
                    sent: r.get(4)?,
                })
            })
            .optional()?;
        let Some(op) = found else { continue };
        if !result.ok {
            tracing::warn!(source, op = op.act, code = ?result.code, "the server refused a mark");
        }
        if op.act == "read_all" {
            answered::begin(tx, source, op.seq, result.ok)?;
            answered::portion(tx, ledger, source, now)?;
        } else {
            take_out(tx, ledger, source, &op, result.ok, now)?;
        }
    }
    answered::is_any(tx, source)
}

fn take_out(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    op: &Waited,
    ok: bool,
    now: Stamp,
) -> Result<()> {
    let items: Vec<ItemId> = tx
        .prepare_cached("SELECT item FROM outbox_items WHERE op = ?1")?
        .query_map([op.seq], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    let views: Vec<(i64, bool, Stamp)> = tx
        .prepare_cached("SELECT view, forward, at FROM outbox_views WHERE op = ?1")?
        .query_map([op.seq], |r| Ok((r.get(0)?, r.get(1)?, row::stamp(r, 2)?)))?
        .collect::<Result<_, _>>()?;
    for sql in [
        "DELETE FROM outbox_items WHERE op = ?1",
        "DELETE FROM outbox_views WHERE op = ?1",
        "DELETE FROM outbox WHERE seq = ?1",
    ] {
        tx.prepare_cached(sql)?.execute([op.seq])?;
    }
    let overlay = Overlay::of(tx, source)?;
    let act = Act::from_word(&op.act, op.at);
    let done = act.filter(|_| ok).map(|act| Done { act, when: op.when, sent: op.sent });
    for item in items {
        let undelete = !ok && act == Some(Act::Delete);
        settle(tx, ledger, &overlay, item, done, undelete, now)?;
    }
    for (view, forward, at) in views {
        settle_view(tx, ledger, view, ok.then_some((forward, at)), op.sent, now)?;
    }
    Ok(())
}

/// Whether a source's server keeps marks of views, and says where they are.
pub(crate) fn tells_marks(tx: &Connection, source: SourceId) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT protocol = 'tidings' FROM sources WHERE id = ?1")?
        .query_row([source], |r| r.get(0))?)
}

pub(crate) fn settle(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    overlay: &Overlay,
    item: ItemId,
    done: Option<Done>,
    undelete: bool,
    now: Stamp,
) -> Result<()> {
    let sql = format!("SELECT {BRIEF} FROM items i WHERE i.id = ?1");
    let found = tx.prepare_cached(&sql)?.query_row([item], Brief::of).optional()?;
    let Some(was) = found else { return Ok(()) };
    let mut is = was.clone();
    is.deleted &= !undelete;
    overlay.settle(tx, &mut is, done)?;
    is.derive(now);
    match (was.deleted, is.deleted) {
        (false, false) => ledger.turn(is.thread, &was.facts(), &is.facts())?,
        (true, false) => ledger.enter(is.thread, &is.facts(), other(tx, &is)?.as_ref(), None)?,
        (false, true) => {
            let actor = other(tx, &was)?;
            ledger.leave(is.thread, &was.facts(), actor.as_ref().map(|a| &*a.id))?;
        }
        (true, true) => ledger.touch(is.thread)?,
    }
    is.write(tx)
}

/// Who acted in an item; none where that is the user.
pub(crate) fn other(tx: &Connection, item: &Brief) -> Result<Option<Actor>> {
    if item.own { Ok(None) } else { actor(tx, item.id) }
}

/// Who acted in an item.
pub(crate) fn actor(tx: &Connection, item: ItemId) -> Result<Option<Actor>> {
    Ok(tx
        .prepare_cached("SELECT actor, actor_name FROM items WHERE id = ?1")?
        .query_row([item], |r| Ok(Actor { id: r.get(0)?, name: r.get(1)? }))
        .optional()?)
}

pub(crate) fn settle_view(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    view: i64,
    done: Option<(bool, Stamp)>,
    sent: i64,
    now: Stamp,
) -> Result<()> {
    let mut known = views::get(tx, view)?;
    if let Some((forward, at)) = done
        && known.heard <= sent
    {
        known.server = views::step_to(known.server, forward, at);
        views::heard(tx, &known)?;
    }
    let through = views::in_force(tx, view, known.server)?;
    views::put(tx, ledger, &mut known, through, now)?;
    // Its thread does not wait any more: the row says so.
    let newest = tx
        .prepare_cached("SELECT thread FROM items WHERE view = ?1 ORDER BY content_at DESC LIMIT 1")?
        .query_row([view], |r| r.get(0))
        .optional()?;
    if let Some(thread) = newest {
        ledger.touch(thread)?;
    }
    Ok(())
}

/// Messages of a source, oldest first.
pub(crate) fn outgoing(tx: &Connection, source: SourceId) -> Result<Vec<Outgoing>> {
    Ok(tx
        .prepare_cached(
            "SELECT id, source, conversation, message, written_at, refused, posted FROM outgoing WHERE source = ?1
             ORDER BY seq",
        )?
        .query_map([source], |r| {
            Ok(Outgoing {
                id: r.get(0)?,
                source: r.get(1)?,
                conversation: r.get(2)?,
                message: row::json(r, 3)?,
                written_at: row::stamp(r, 4)?,
                refused: r.get(5)?,
                posted: r.get::<_, Option<String>>(6)?.map(MsgId),
            })
        })?
        .collect::<Result<_, _>>()?)
}

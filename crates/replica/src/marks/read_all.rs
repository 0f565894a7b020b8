//! Reading everything up to a time with one operation for each source, regardless of the number of items.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};
use tidings_replica_tables::columns::{ThreadPlace, stamp, time};
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::sql;

use super::Marking;
use crate::{ItemId, Mark, Result, SourceId};

impl Marking<'_, '_> {
    /// Marks items of manual class as read; a queued `read_all` operation covers them.
    pub(crate) fn read_items(&mut self, items: &[ItemId]) -> Result<()> {
        let all =
            self.items_where("i.id = ?1 AND i.deleted = 0 AND (i.unread = 1 OR i.asleep = 1)", items)?;
        let read = |item: &ItemState| item.view.is_none() && !item.is_closed();
        all.into_iter().filter(read).try_for_each(|before| self.read_item(&before))
    }

    fn read_item(&mut self, before: &ItemState) -> Result<()> {
        let mut after = before.clone();
        after.marks.apply(Mark::Read, self.now, false);
        if after.marks != before.marks {
            self.write_item(before, &mut after)?;
            self.record_item(before, &after);
        }
        Ok(())
    }
}

/// The unread and snoozed items of a source up to a time. Items of manual class are given by id, those of auto class by
/// their views, each with the earliest mark that covers all of them.
pub(crate) fn unread_of(
    conn: &Connection,
    source: SourceId,
    kind: Option<Kind>,
    through: Stamp,
) -> Result<(Vec<ItemId>, BTreeMap<i64, Stamp>)> {
    let mut rows = conn.prepare_cached(
        "SELECT i.id, i.view, i.content_at FROM items i WHERE i.unread = 1 AND +i.source = ?1
            AND (?2 IS NULL OR +i.kind = ?2) AND i.created_at <= ?3
         UNION ALL
         SELECT i.id, i.view, i.content_at FROM items i WHERE i.asleep = 1 AND i.deleted = 0 AND i.own = 0
            AND i.source = ?1 AND (?2 IS NULL OR +i.kind = ?2) AND +i.created_at <= ?3",
    )?;
    let (mut items, mut views) = (Vec::new(), BTreeMap::new());
    let mut found = rows.query(params![source, kind.map(Kind::as_row), through.as_micros()])?;
    while let Some(r) = found.next()? {
        match r.get::<_, Option<i64>>(1)? {
            None => items.push(r.get(0)?),
            Some(view) => {
                let at = stamp(r, 2)?;
                let known = views.entry(view).or_insert(at);
                *known = at.max(*known);
            }
        }
    }
    Ok((items, views))
}

/// The time of creation of the newest item of a source. Messages that wait to be sent have their time by this machine's
/// clock, so their conversations are asked for their items.
pub(crate) fn newest_of(conn: &Connection, source: SourceId) -> Result<Stamp> {
    let mut newest = Stamp::ZERO;
    for place in ThreadPlace::LISTED {
        for kind in Kind::ALL {
            for unread in [false, true] {
                let mut rows = conn.prepare_cached(
                    "SELECT ifnull(i.listed_at, 0), t.woken_at IS t.last_at FROM threads t INDEXED BY threads_list
                        LEFT JOIN items i ON i.id = t.last_item
                     WHERE t.place = ?1 AND t.kind = ?2 AND t.source = ?3 AND (t.unread > 0) = ?4 AND NOT EXISTS
                        (SELECT 1 FROM outgoing o WHERE o.source = t.source AND o.conversation = t.key)
                     ORDER BY t.last_at DESC",
                )?;
                // What came back from a snooze is listed before newer content.
                let mut rows = rows.query(params![place, kind.as_row(), source, unread])?;
                while let Some(r) = rows.next()? {
                    newest = newest.max(stamp(r, 0)?);
                    if !r.get::<_, bool>(1)? {
                        break;
                    }
                }
            }
        }
    }
    // The newest item of a thread with items in several places may be in none that its row shows.
    let sql = "SELECT (SELECT listed_at FROM items WHERE thread = t.id AND deleted = 0 ORDER BY listed_at DESC LIMIT 1)
         FROM threads t INDEXED BY threads_mixed WHERE t.source = ?1 AND t.place < 2 AND t.archived + t.asleep > 0";
    let mixed = sql::all(conn, sql, [source], |r| time(r, 0))?;
    newest = mixed.into_iter().flatten().fold(newest, Stamp::max);
    let sql = "SELECT (SELECT max(created_at) FROM items WHERE thread = t.id)
         FROM (SELECT DISTINCT conversation FROM outgoing WHERE source = ?1) o
         JOIN threads t ON t.source = ?1 AND t.key = o.conversation";
    let in_conversations = sql::all(conn, sql, [source], |r| time(r, 0))?;
    Ok(in_conversations.into_iter().flatten().fold(newest, Stamp::max))
}

//! The search index: what goes in, and which items hold some words. Refuses triggers: rows are written with their own
//! statements, and removed by id.

use std::borrow::Cow;

use rusqlite::{Connection, params};
use tidings_model::Notification;

use crate::{
    Item, ItemFilter, ItemId, Result, ThreadCursor, ThreadId, ThreadPage, ThreadQuery, items, row, text,
};

/// More finds than this are not sorted by time but come as they arrived.
const SORTED: usize = 1_000;

/// What the index holds of a notification: its title, body, actor and target, cut for it.
pub fn indexed(n: &Notification) -> [Cow<'_, str>; 4] {
    let target = match (&n.target, &n.conversation) {
        (Some(target), _) => target.title.as_deref().unwrap_or(&target.id),
        (None, Some(conversation)) => conversation.split_once(':').map_or("", |(_, id)| id),
        (None, None) => "",
    };
    [text::cut(&n.title), text::cut(&n.body), text::cut(&n.actor.name), text::cut(target)]
}

/// Writes an item's row.
pub(crate) fn learn(tx: &Connection, id: ItemId, n: &Notification) -> Result<()> {
    let [title, body, actor, target] = indexed(n);
    tx.prepare_cached("INSERT INTO search (rowid, title, body, actor, target) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![id, title, body, actor, target])?;
    Ok(())
}

/// Removes an item's row.
pub(crate) fn forget(tx: &Connection, id: ItemId) -> Result<()> {
    tx.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([id])?;
    Ok(())
}

/// Items that hold the words, newest first.
pub(crate) fn items(conn: &Connection, words: &str, filter: &ItemFilter, limit: usize) -> Result<Vec<Item>> {
    let Some(query) = text::query(words) else { return Ok(Vec::new()) };
    let (condition, mut values) = items::condition(filter);
    values.push(query.into());
    let most = limit.max(SORTED);
    values.push(i64::try_from(most).unwrap_or(i64::MAX).into());
    // Ids first: the words of all but a page's worth of items need not be read.
    let sql = format!(
        "SELECT i.id, i.created_at FROM search s CROSS JOIN items i ON i.id = s.rowid
         WHERE search MATCH ?{} AND i.deleted = 0 {condition} ORDER BY s.rowid DESC LIMIT ?{}",
        values.len() - 1,
        values.len()
    );
    let mut found: Vec<(i64, ItemId)> = conn
        .prepare_cached(&sql)?
        .query_map(rusqlite::params_from_iter(values), |r| Ok((r.get(1)?, r.get(0)?)))?
        .collect::<Result<_, _>>()?;
    found.sort_unstable_by(|a, b| b.cmp(a));
    let sql = format!("SELECT {} FROM {} WHERE i.id = ?1", row::ITEM, row::ITEM_FROM);
    let mut one = conn.prepare_cached(&sql)?;
    let rows = found.iter().take(limit).map(|(_, id)| one.query_row([id], row::item));
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Threads of which an item holds the words, newest first.
pub(crate) fn threads(conn: &Connection, words: &str, query: &ThreadQuery) -> Result<ThreadPage> {
    let Some(matching) = text::query(words) else { return Ok(ThreadPage::default()) };
    let (condition, value) = match query.place {
        crate::Place::Inbox if !query.within => ("t.place < 3", None),
        place => crate::threads::condition(place),
    };
    let sql = format!(
        "SELECT t.last_at, t.id FROM threads t WHERE t.id IN (
            SELECT i.thread FROM (SELECT rowid FROM search WHERE search MATCH ?2 ORDER BY rowid DESC LIMIT ?3) s
            CROSS JOIN items i ON i.id = s.rowid WHERE i.deleted = 0)
         AND {condition} ORDER BY t.last_at DESC, t.id DESC"
    );
    let most = i64::try_from(ThreadPage::FOUND).unwrap_or(i64::MAX);
    let found: Vec<ThreadCursor> = conn
        .prepare_cached(&sql)?
        .query_map(params![value, matching, most], |r| {
            Ok(ThreadCursor { at: row::stamp(r, 0)?, id: r.get(1)? })
        })?
        .collect::<Result<_, _>>()?;
    let total = found.len() as u64;
    let before = |c: &&ThreadCursor| query.after.is_none_or(|after| (c.at, c.id) < (after.at, after.id));
    let ids: Vec<ThreadCursor> = found.iter().filter(before).take(query.limit + 1).copied().collect();
    let more = ids.len() > query.limit;
    let page: Vec<ThreadId> = ids.iter().take(query.limit).map(|c| c.id).collect();
    let next = if more { ids.iter().take(query.limit).next_back().copied() } else { None };
    Ok(ThreadPage { rows: crate::threads::by_id(conn, &page)?, next, total })
}

//! The mark of a view in force, and the items that it makes read or unread.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::{limit, stamp};
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::views::{self, ViewRow};
use tidings_replica_tables::{server_state, sources};

use crate::{ItemId, Result};

/// Puts a mark in force: the items between the old and the new mark become read, or unread. Returns the items that
/// changed.
pub(crate) fn put(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    view: &mut ViewRow,
    through: Option<Stamp>,
    now: Stamp,
) -> Result<Vec<ItemId>> {
    if through == view.through {
        return Ok(Vec::new());
    }
    let micros = |mark: Option<Stamp>| mark.map_or(i64::MIN, Stamp::as_micros);
    let (old, new) = (micros(view.through), micros(through));
    views::set_through(tx, view.id, through)?;
    view.through = through;
    let wanted = if new > old { "i.unread = 1" } else { "i.unread = 0 AND i.own = 0 AND i.deleted = 0" };
    let between = format!("WHERE i.view = ?1 AND i.content_at > ?2 AND i.content_at <= ?3 AND {wanted}");
    let mut changed_items = Vec::new();
    for mut item in ItemState::select(tx, &between, [view.id, old.min(new), old.max(new)])? {
        let before = item.flags();
        item.derive(now);
        if item.flags() != before {
            aggregates.change_item(item.thread, &before, &item.flags())?;
            item.write(tx)?;
            changed_items.push(item.id);
        }
    }
    Ok(changed_items)
}

/// The items whose own read mark was replaced by their view's mark.
pub(crate) struct Replaced {
    /// The number of these items.
    pub(crate) rows: usize,
    /// Those of them that are unread now.
    pub(crate) changed_items: Vec<ItemId>,
}

/// Removes read marks of single items that the view's mark replaces, of at most `most` items. An item that arrives
/// before the view mark that makes it read has a read mark of its own until then. A read mark that no view mark
/// explains is kept: the publisher cleared that single item.
pub(crate) fn replace_read_marks(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    view: &ViewRow,
    now: Stamp,
    most: usize,
) -> Result<Replaced> {
    let server = view.server_through.map(Stamp::as_micros);
    let explained = "WHERE i.view = ?1 AND i.read_at = ?2 LIMIT ?3";
    let items = ItemState::select(tx, explained, params![view.id, server, limit(most)])?;
    let mut replaced = Replaced { rows: items.len(), changed_items: Vec::new() };
    for mut item in items {
        let before = item.flags();
        item.marks.read = None;
        server_state::clear_read(tx, item.id)?;
        item.derive(now);
        if item.flags() != before {
            aggregates.change_item(item.thread, &before, &item.flags())?;
            replaced.changed_items.push(item.id);
        }
        item.write(tx)?;
    }
    Ok(replaced)
}

/// Records what an operation that the server has answered does to its mark of a view. A server that sends its marks may
/// have had a reason to leave this one where it was, such as a revision that was not pulled yet. Until it says so, the
/// move is an assumption.
pub(crate) fn answered(tx: &Connection, view: &mut ViewRow, forward: bool, at: Stamp) -> Result<()> {
    let mark = moved(view.expected(), forward, at);
    if sources::stores_view_marks(tx, view.source)? {
        return views::assume(tx, view, mark);
    }
    view.server_through = mark;
    views::save_server(tx, view)
}

/// The mark that results from the server's mark and the moves in the outbox.
pub(crate) fn in_force(tx: &Connection, view: i64, server: Option<Stamp>) -> Result<Option<Stamp>> {
    in_force_without(tx, view, server, 0)
}

/// Like [`in_force`], without the moves of one operation.
pub(crate) fn in_force_without(
    tx: &Connection,
    view: i64,
    server: Option<Stamp>,
    op: i64,
) -> Result<Option<Stamp>> {
    let mut rows =
        tx.prepare_cached("SELECT forward, at FROM outbox_views WHERE view = ?1 AND op <> ?2 ORDER BY op")?;
    let mut mark = server;
    for one in rows.query_map([view, op], |r| Ok((r.get::<_, bool>(0)?, stamp(r, 1)?)))? {
        let (forward, at) = one?;
        mark = moved(mark, forward, at);
    }
    Ok(mark)
}

/// A mark after one move: forward to `at`, or back to it.
pub(crate) fn moved(mark: Option<Stamp>, forward: bool, at: Stamp) -> Option<Stamp> {
    if forward { Some(mark.map_or(at, |m| m.max(at))) } else { mark.map(|m| m.min(at)) }
}

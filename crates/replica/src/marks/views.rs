//! Moves of view marks: forward by reading and visiting, back by marking as unread.

use tidings_model::{MsgId, Stamp, View};
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::sql;
use tidings_replica_tables::views::{self, ViewRow};
use tidings_replica_tables::{columns, outbox as outbox_rows, sources};

use super::Marking;
use super::changes::{MarkChange, push_change};
use crate::outbox::view_marks;
use crate::outbox::{self, batching};
use crate::{Mark, Result, SourceId};

impl Marking<'_, '_> {
    /// Moves the mark of an item's view just far enough that the item becomes read, or unread.
    pub(crate) fn mark_view(&mut self, mark: Mark, view: i64, item: &ItemState) -> Result<()> {
        let view_row = views::one(self.tx, view)?;
        let forward = mark == Mark::Read;
        let at = if forward { item.content_at() } else { item.created_at.plus_micros(-1) };
        let through = view_marks::moved(view_row.through, forward, at);
        if through == view_row.through {
            return Ok(());
        }
        let seq = if forward {
            self.push_read(&view_row, at)?
        } else {
            self.push_move_back(item, view, at, view_row.through)?
        };
        outbox_rows::add_view(self.tx, seq, view, forward, at)?;
        self.put_view(item.source, view_row, through)
    }

    /// Queues the operation that moves a view's mark back to `at`, just before an item. It names the item and the
    /// items after it that the mark covered, in case the first is deleted before the server receives it.
    pub(crate) fn push_move_back(
        &self,
        item: &ItemState,
        view: i64,
        at: Stamp,
        through: Option<Stamp>,
    ) -> Result<i64> {
        let through = through.map_or(i64::MIN, Stamp::as_micros);
        let mut msgids = vec![MsgId(item.msgid.clone())];
        let mut later_items = self.tx.prepare_cached(
            "SELECT msgid FROM items WHERE view = ?1 AND content_at > ?2 AND content_at <= ?3 AND created_at > ?2
                 AND deleted = 0 AND id <> ?4
             ORDER BY content_at LIMIT 499",
        )?;
        for later_item in
            later_items.query_map([view, at.as_micros(), through, item.id], |r| Ok(MsgId(r.get(0)?)))?
        {
            msgids.push(later_item?);
        }
        outbox::push_mark(self.tx, item.source, Mark::Unread, msgids, self.now)
    }

    /// Puts a view's mark in force, counts the items that changed, and records the move for the undo.
    pub(crate) fn put_view(
        &mut self,
        source: SourceId,
        mut view_row: ViewRow,
        through: Option<Stamp>,
    ) -> Result<()> {
        let before = view_row.through;
        let id = view_row.id;
        let changed_items = view_marks::put(self.tx, self.aggregates, &mut view_row, through, self.now)?;
        self.items += changed_items.len() as u64;
        let sign = if through > before { -1 } else { 1 };
        for item in &changed_items {
            let kind =
                sql::one(self.tx, "SELECT kind FROM items WHERE id = ?1", [item], |r| columns::kind(r, 0))?;
            *self.unread.entry((source, kind)).or_default() += sign;
        }
        push_change(&mut self.changes, MarkChange::View { id, was: before, is: through });
        Ok(())
    }

    /// Visits a view: marks its items up to `at` as read.
    pub(crate) fn visit(&mut self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<()> {
        let generation = sources::pull_state(self.tx, source)?.generation;
        let view_row = views::find_or_create(self.tx, source, view, generation)?;
        let Some(at) = views::visited(self.tx, &view_row, at)? else { return Ok(()) };
        let seq = self.push_visit(source, view_row.id, view, at)?;
        outbox_rows::add_view(self.tx, seq, view_row.id, true, at)?;
        self.put_view(source, view_row, Some(at))
    }

    /// Queues the operation that moves a view's mark forward because items are marked as read, or extends one that
    /// waits. It says when, which a visit can't, so that it does not overrule what was marked as unread since. If no
    /// item is left to name, it is a visit.
    pub(crate) fn push_read(&self, view_row: &ViewRow, at: Stamp) -> Result<i64> {
        match batching::push_read(self.tx, view_row, at, self.now)? {
            Some(seq) => Ok(seq),
            None => self.push_visit(view_row.source, view_row.id, &views::name(self.tx, view_row.id)?, at),
        }
    }

    /// Queues the visit that moves a view's mark forward, or extends one that waits.
    pub(crate) fn push_visit(&self, source: SourceId, id: i64, view: &View, at: Stamp) -> Result<i64> {
        if let Some(seq) = batching::extend_visit(self.tx, id, view, at)? {
            return Ok(seq);
        }
        outbox::push_visit(self.tx, source, view, at, self.now)
    }
}

//! Undoing a mark, for items, views and threads that no other change has touched since.

use std::collections::BTreeMap;

use tidings_model::{Stamp, wire};
use tidings_replica_tables::flags::Flags;
use tidings_replica_tables::item_state::{ItemState, Marks};
use tidings_replica_tables::outbox::Named;
use tidings_replica_tables::sql;
use tidings_replica_tables::{columns, outbox as outbox_rows, server_state, subscriptions, views};

use super::Marking;
use super::changes::{MarkChange, before_uniform};
use super::jobs::Move;
use crate::outbox;
use crate::outbox::overlay::Overlay;
use crate::{Error, ItemId, Mark, Result, SourceId, Subscription, ThreadId};

/// Marks to queue, grouped so that equal ones share an operation: by source, operation and time.
type ToQueue = BTreeMap<(SourceId, &'static str, Option<Stamp>), (Mark, Vec<Named>)>;

/// Whether a mark is still in force. Times of reading and archiving are not compared, because the server sets its
/// own; a `seen` mark does not count.
fn is_in_force(current: &Marks, recorded: &Marks) -> bool {
    current.read.is_some() == recorded.read.is_some()
        && current.archived.is_some() == recorded.archived.is_some()
        && current.snoozed == recorded.snoozed
}

/// The marks that change one state into another.
fn marks_between(from: &Marks, to: &Marks, now: Stamp) -> Vec<Mark> {
    let mut marks = Vec::new();
    match (from.read, to.read) {
        (Some(_), None) => marks.push(Mark::Unread),
        (None, Some(_)) => marks.push(Mark::Read),
        _ => {}
    }
    match (from.archived, to.archived) {
        (Some(_), None) => marks.push(Mark::Unarchive),
        (None, Some(_)) => marks.push(Mark::Archive),
        _ => {}
    }
    if from.snoozed != to.snoozed {
        marks.push(
            to.snoozed.filter(|until| *until > now).map_or(Mark::Unsnooze, |until| Mark::Snooze { until }),
        );
    }
    marks
}

impl Marking<'_, '_> {
    /// Undoes changes, the last first.
    pub(crate) fn undo(&mut self, changes: &[MarkChange]) -> Result<()> {
        let mut to_queue = ToQueue::new();
        for change in changes.iter().rev() {
            match change {
                MarkChange::Item { id, was, was_deleted, is, is_deleted } => {
                    if let Some(item) = self.untouched(*id, is, *is_deleted)? {
                        self.undo_item(&item, was, *was_deleted, &mut to_queue)?;
                    }
                }
                MarkChange::View { id, was, is } => self.undo_view(*id, *was, *is)?,
                MarkChange::Flags { thread, was, is } => self.undo_flags(*thread, *was, *is)?,
                MarkChange::Subscription { thread, was, is } => self.undo_subscription(*thread, *was, *is)?,
            }
        }
        self.queue(to_queue)
    }

    /// Undoes the changes of a mark that changed items in the same form.
    pub(crate) fn undo_uniform(&mut self, mark: Mark, items: &[ItemId]) -> Result<()> {
        let mut to_queue = ToQueue::new();
        for item in self.items_where("i.id = ?1 AND i.deleted = 0", items)? {
            if let Some(to) = before_uniform(mark, &item.marks, self.now) {
                self.undo_item(&item, &to, false, &mut to_queue)?;
            }
        }
        self.queue(to_queue)
    }

    fn queue(&self, to_queue: ToQueue) -> Result<()> {
        for ((source, ..), (mark, named)) in to_queue {
            outbox::queue(self.tx, source, mark, &named, self.now)?;
        }
        Ok(())
    }

    fn untouched(&self, id: ItemId, is: &Marks, is_deleted: bool) -> Result<Option<ItemState>> {
        let item = ItemState::get(self.tx, id)?;
        Ok(item.filter(|item| is_in_force(&item.marks, is) && item.deleted == is_deleted))
    }

    fn undo_item(
        &mut self,
        item: &ItemState,
        to: &Marks,
        deleted: bool,
        to_queue: &mut ToQueue,
    ) -> Result<()> {
        if item.deleted && !deleted {
            return self.undelete(item);
        }
        let mut is = item.clone();
        // A `seen` mark stays. For an item of auto class the view's mark decides whether it is read.
        let read = if item.view.is_some() { item.marks.read } else { to.read };
        is.marks = Marks { seen: item.marks.seen, read, ..*to };
        let back = marks_between(&item.marks, &is.marks, self.now);
        if !back.is_empty() {
            server_state::put_if_absent(self.tx, item.id, &item.marks)?;
        }
        for mark in back {
            let key = (item.source, mark.name(), mark.until());
            to_queue.entry(key).or_insert_with(|| (mark, Vec::new())).1.push(item.named());
        }
        self.write_item(item, &mut is)?;
        match item.view {
            Some(view) if to.read.is_some() && !is.is_read() => self.mark_view(Mark::Read, view, &is),
            _ => Ok(()),
        }
    }

    /// Undoes a deletion that was not sent yet; the server's state then applies.
    fn undelete(&mut self, item: &ItemState) -> Result<()> {
        if self.remove_from_unsent_deletion(item)? {
            let overlay = Overlay::of(self.tx, item.source)?;
            outbox::settle(self.tx, self.aggregates, &overlay, item.id, None, true, self.now)?;
            self.items += 1;
        }
        Ok(())
    }

    /// Removes an item from a deletion that was not sent yet; `false` if it was sent.
    fn remove_from_unsent_deletion(&mut self, item: &ItemState) -> Result<bool> {
        let sql = "SELECT o.seq, o.change, o.sent_tick FROM outbox_items x JOIN outbox o ON o.seq = x.op
                 WHERE x.item = ?1 AND o.operation = 'delete'";
        let found: Option<(i64, wire::Change, i64)> =
            sql::first(self.tx, sql, [item.id], |r| Ok((r.get(0)?, columns::json(r, 1)?, r.get(2)?)))?;
        let Some((seq, wire::Change::Mark { mark: Mark::Delete, mut msgids, at }, 0)) = found else {
            return Ok(false);
        };
        msgids.retain(|id| id.0 != item.msgid);
        if msgids.is_empty() {
            outbox_rows::delete(self.tx, seq)?;
        } else {
            outbox_rows::remove_item(self.tx, seq, item.id)?;
            outbox_rows::rewrite(self.tx, seq, &wire::Change::Mark { mark: Mark::Delete, msgids, at }, None)?;
        }
        Ok(true)
    }

    fn undo_view(&mut self, id: i64, was: Option<Stamp>, is: Option<Stamp>) -> Result<()> {
        let Some(view_move) = self.undo_move(id, was, is)? else { return Ok(()) };
        let view_row = views::one(self.tx, id)?;
        let source = view_row.source;
        let forward = view_move.back.is_none();
        let seq = match view_move.back {
            None => self.push_read(&view_row, view_move.to)?,
            Some(item) => match self.items_where("i.id = ?1", &[item])?.first() {
                Some(first) => self.push_move_back(first, id, view_move.to, is)?,
                None => return Ok(()),
            },
        };
        outbox_rows::add_view(self.tx, seq, id, forward, view_move.to)?;
        self.put_view(source, view_row, Some(view_move.to))
    }

    /// The move that undoes a move of a view's mark; `None` if the mark has moved since.
    pub(crate) fn undo_move(&self, id: i64, was: Option<Stamp>, is: Option<Stamp>) -> Result<Option<Move>> {
        let Some(view_row) = views::get(self.tx, id)? else { return Ok(None) };
        if view_row.through != is {
            return Ok(None);
        }
        if was > is {
            return Ok(was.map(|at| Move::forward(id, at)));
        }
        // The mark goes back to just before the first item that it had newly covered. An item created before the old
        // mark and revised later is used only if there is no other, because its neighbours would become unread with
        // it.
        let range = [id, was.map_or(i64::MIN, Stamp::as_micros), is.map_or(i64::MIN, Stamp::as_micros)];
        let first = self.first_covered(range)?;
        Ok(first.map(|first| Move::back(id, first.created_at.plus_micros(-1), first.id)))
    }

    /// The first item of a view whose content is after one time and not after another.
    fn first_covered(&self, range: [i64; 3]) -> Result<Option<ItemState>> {
        for created in ["i.created_at > ?2", "i.created_at <= ?2"] {
            let between = format!(
                "WHERE i.view = ?1 AND i.content_at > ?2 AND i.content_at <= ?3 AND i.deleted = 0 AND {created}
                 ORDER BY i.content_at LIMIT 1"
            );
            let first = ItemState::select(self.tx, &between, range)?.pop();
            if first.is_some() {
                return Ok(first);
            }
        }
        Ok(None)
    }

    fn undo_subscription(
        &mut self,
        thread: ThreadId,
        was: Option<Subscription>,
        is: Subscription,
    ) -> Result<()> {
        if subscriptions::in_force(self.tx, thread)? != Some(is) {
            return Ok(());
        }
        subscriptions::take_back(self.tx, thread, was)?;
        self.aggregates.touch(thread)
    }

    fn undo_flags(&mut self, thread: ThreadId, was: Flags, is: Flags) -> Result<()> {
        match self.aggregates.flags(thread) {
            Ok(now) if now == is => self.aggregates.set_flags(thread, was),
            Ok(_) | Err(Error::NoThread(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

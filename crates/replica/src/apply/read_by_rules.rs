//! Rules that mark items as read: in the transaction that brings the items, so that no number and no toast ever knew
//! them as unread. The marks go through the outbox like the reader's own.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_replica_tables::columns::stamp;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::views::ViewRow;
use tidings_replica_tables::{outbox as outbox_rows, views};

use super::Pull;
use crate::outbox;
use crate::outbox::batching;
use crate::{ItemId, Mark, Result};

/// An item of auto class that a rule marks as read, and when it arrived.
type Wanted = (ItemState, Stamp);

impl Pull<'_> {
    /// Marks the items as read that rules mark as read, and queues the operations for the server.
    pub(super) fn read_by_rules(&mut self) -> Result<()> {
        let mut read = Vec::new();
        let mut by_view: BTreeMap<i64, Vec<Wanted>> = BTreeMap::new();
        for (id, arrived) in std::mem::take(&mut self.read) {
            let found = ItemState::get(self.tx, id)?;
            let Some(before) = found.filter(|before| !before.own && !before.deleted && !before.is_read())
            else {
                continue;
            };
            if let Some(view) = before.view {
                by_view.entry(view).or_default().push((before, arrived));
                continue;
            }
            let mut after = before.clone();
            after.marks.read = Some(self.now);
            read.push(after.named());
            self.change_locally(&before, after)?;
        }
        self.queue(Mark::Read, &read)?;
        by_view.into_iter().try_for_each(|(view, wanted)| self.read_view(view, &wanted))
    }

    /// Moves a view's mark to the last of the items before which nothing else is unread: a rule never reads what it
    /// does not match. The items behind stay unread.
    fn read_view(&mut self, view: i64, wanted: &[Wanted]) -> Result<()> {
        let mut view_row = views::one(self.tx, view)?;
        let ids: BTreeSet<ItemId> = wanted.iter().map(|(item, _)| item.id).collect();
        let Some(last) = wanted.iter().map(|(item, _)| item.content_at()).max() else { return Ok(()) };
        let other = first_other_unread(self.tx, &view_row, last, &ids)?;
        let is_free = |item: &ItemState| other.is_none_or(|other| item.content_at() < other);
        let reached = wanted.iter().map(|(item, _)| item).filter(|item| is_free(item));
        if let Some(at) = reached.map(ItemState::content_at).max() {
            let name = views::name(self.tx, view)?;
            let seq = match batching::extend_visit(self.tx, view, &name, at)? {
                Some(seq) => seq,
                None => outbox::push_visit(self.tx, self.source, &name, at, self.now)?,
            };
            outbox_rows::add_view(self.tx, seq, view, true, at)?;
            self.overlay.any = true;
            self.put(&mut view_row, Some(at))?;
        }
        for (item, arrived) in wanted.iter().filter(|(item, _)| !is_free(item)) {
            self.rule_acts.left_unread(item.id);
            if item.unread {
                self.unread_arrivals.push((item.thread, *arrived));
            }
        }
        Ok(())
    }
}

/// Where the first item of a view that is still to be read is, behind the view's mark and up to `last`, except these.
pub(super) fn first_other_unread(
    tx: &Connection,
    view_row: &ViewRow,
    last: Stamp,
    except: &BTreeSet<ItemId>,
) -> Result<Option<Stamp>> {
    let mut rows = tx.prepare_cached(
        "SELECT id, content_at FROM items WHERE view = ?1 AND content_at > ?2 AND content_at <= ?3
            AND (unread = 1 OR asleep = 1 AND own = 0 AND read_at IS NULL AND archived_at IS NULL AND deleted = 0)
         ORDER BY content_at",
    )?;
    let through = view_row.through.map_or(i64::MIN, Stamp::as_micros);
    let mut found = rows.query([view_row.id, through, last.as_micros()])?;
    while let Some(r) = found.next()? {
        if !except.contains(&r.get(0)?) {
            return Ok(Some(stamp(r, 1)?));
        }
    }
    Ok(None)
}

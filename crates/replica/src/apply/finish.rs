//! The end of applying a page: its rows of the search index, and what it changed.

use std::collections::HashMap;
use std::sync::Arc;

use tidings_model::Notification;
use tidings_replica_tables::aggregates::ROWS_BETWEEN_LOOKS;
use tidings_replica_tables::search_index;

use super::{Outcome, Pull};
use crate::{Applied, Arrival, Result};

/// The number of new rows of the index for which one portion of it is merged: twice as much merging as a backlog needs.
const ROWS_OF_A_PORTION: usize = 128;

impl Pull<'_> {
    /// Writes the search rows in the order of their ids, which is the fastest order for the index.
    pub(super) fn index(&mut self, items: &[Notification]) -> Result<()> {
        self.search_rows.sort_unstable();
        let mut rows = self.search_rows.iter().peekable();
        let (mut has_row, mut nth) = (false, 0);
        while let Some(row) = rows.next() {
            nth += 1;
            if nth % ROWS_BETWEEN_LOOKS == 0 {
                (self.give_way)()?;
            }
            has_row |= row.replaces;
            // If a page has two versions of an item, the later one is indexed.
            if rows.peek().is_some_and(|next| next.item == row.item) {
                continue;
            }
            // Each right before its new row: an id below the last one makes the index write what it holds in memory.
            if std::mem::take(&mut has_row) {
                search_index::forget(self.tx, row.item)?;
            }
            if let Some(n) = items.get(row.nth) {
                search_index::insert(self.tx, row.item, self.source, n, row.priority)?;
            }
        }
        self.merge_index()
    }

    /// Merges segments of the index, in proportion to the rows that were written to it.
    fn merge_index(&self) -> Result<()> {
        for _ in 0..self.search_rows.len().div_ceil(ROWS_OF_A_PORTION) {
            if !search_index::merge(self.tx)? {
                break;
            }
            (self.give_way)()?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, items: &mut Vec<Notification>, outcomes: Vec<Outcome>) -> Result<Applied> {
        let mut notify = HashMap::new();
        for outcome in &outcomes {
            if let Outcome::Stored { thread, .. } = outcome
                && !notify.contains_key(thread)
            {
                notify.insert(*thread, self.aggregates.notify(*thread)?.or(self.notify));
            }
        }
        let changed = self.aggregates.finish()?;
        // The last look: the commit follows, and the items are handed over.
        (self.give_way)()?;
        let mut applied = Applied { changed: Arc::new(changed), ..Applied::default() };
        for (notification, outcome) in std::mem::take(items).into_iter().zip(outcomes) {
            let Outcome::Stored { item, thread, new, unread, unread_again, priority } = outcome else {
                continue;
            };
            let unread = self.unread_overrides.get(&item).copied().unwrap_or(unread);
            let arrival = Arrival {
                item,
                thread,
                unread,
                unread_again: unread_again && unread,
                notify: notify.get(&thread).copied().unwrap_or_default(),
                priority,
                no_toast: self.no_toast.contains(&item),
                notification,
            };
            if new { applied.arrived.push(arrival) } else { applied.updated.push(arrival) }
        }
        Ok(applied)
    }
}

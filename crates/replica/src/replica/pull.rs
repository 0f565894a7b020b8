//! Methods of [`Replica`] for pulls: applying pages, and the operations to send.

use std::sync::Arc;

use tidings_model::wire;

use super::Replica;
use crate::aggregates::inbox_counts;
use crate::marks::bulk::merged;
use crate::outbox::read_all_answer;
use crate::tables::{outbox as outbox_rows, sources};
use crate::{Applied, Changed, Page, Result, SourceId, apply, outbox};

/// The most items of one part of a page.
const MAX_PART_ITEMS: usize = 500;

/// Splits a page into parts: view marks in the first, the cursor in the last. The first page of another history stays
/// whole.
fn parts(mut page: Page, known_epoch: Option<&str>) -> Vec<Page> {
    let is_whole = page.is_of_another_history(known_epoch);
    let mut parts = Vec::new();
    while !is_whole && page.items.len() + page.service_items.len() > MAX_PART_ITEMS {
        let items = take_first(&mut page.items, MAX_PART_ITEMS);
        let service_items = take_first(&mut page.service_items, MAX_PART_ITEMS - items.len());
        let (marks, forgotten_before) = (std::mem::take(&mut page.marks), page.forgotten_before);
        parts.push(Page { items, service_items, marks, forgotten_before, ..Page::default() });
    }
    parts.push(page);
    parts
}

/// Removes at most so many elements from the beginning.
fn take_first<T>(from: &mut Vec<T>, most: usize) -> Vec<T> {
    let rest = from.split_off(most.min(from.len()));
    std::mem::replace(from, rest)
}

impl Replica {
    /// Applies a page: writes its items and its cursor in one transaction. Items are deduplicated by source and
    /// msgid; versions that are not newer than the stored ones are ignored, so applying a page twice changes nothing.
    ///
    /// A large page is written in parts, between which other writes run. The last part has the cursor, so that after
    /// a crash between two parts the page is pulled again.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tidings_model::SystemClock;
    /// use tidings_replica::{NewSource, Page, Replica};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let replica = Replica::open(folder.path(), Arc::new(SystemClock))?;
    /// let (name, protocol, url) = ("Work".into(), "tidings".into(), "https://work.example".into());
    /// let source = replica.add_source(NewSource { name, protocol, url, user: None, own: false })?;
    /// let applied = replica.apply(source, Page { next: Some("1".into()), ..Page::default() })?;
    /// assert!(applied.arrived.is_empty());
    /// assert_eq!(replica.source(source)?.cursor.as_deref(), Some("1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist. Parts that were written before a
    /// failure stay.
    pub fn apply(&self, source: SourceId, page: Page) -> Result<Applied> {
        let known = self.source(source)?.epoch;
        if !page.is_of_another_history(known.as_deref()) {
            self.advance_view_marks(source, &page.marks)?;
        }
        let mut total: Option<Applied> = None;
        for part in parts(page, known.as_deref()) {
            let now = self.clock.now();
            let (applied, _) = self.commit(move |tx| {
                let applied = apply::apply(tx, now, source, part)?;
                let changed = applied.changed.clone();
                Ok((applied, changed))
            })?;
            total = Some(match total {
                None => applied,
                Some(mut before) => {
                    before.arrived.extend(applied.arrived);
                    before.updated.extend(applied.updated);
                    before.changed = merged(&before.changed, &applied.changed);
                    before
                }
            });
        }
        self.apply_server_retention(source)?;
        Ok(total.unwrap_or_default())
    }

    /// Moves view marks that pass many rows most of the way in portions, before the page is written.
    fn advance_view_marks(&self, source: SourceId, marks: &[wire::ViewMark]) -> Result<()> {
        let portion = self.portion;
        if self.read(|conn| apply::rows_of_marks(conn, source, marks, portion))? <= portion {
            return Ok(());
        }
        let (marks, now): (Arc<[wire::ViewMark]>, _) = (marks.into(), self.clock.now());
        let mut next = Some(0);
        while let Some(from) = next {
            let marks = marks.clone();
            (next, _) = self.write(move |tx, aggregates| {
                apply::advance_view_marks(tx, aggregates, source, (&*marks, from), (now, portion))
            })?;
        }
        Ok(())
    }

    /// Stores the server's unread counts, which replace the source's own until its backlog is complete; ignored
    /// afterwards.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn apply_counts(&self, source: SourceId, counts: &wire::UnreadCounts) -> Result<()> {
        let counts = counts.clone();
        self.write(move |tx, aggregates| {
            aggregates.refetch = inbox_counts::apply_server_counts(tx, source, &counts)?;
            Ok(())
        })?;
        Ok(())
    }

    /// Handles the server's answer `410 resync`: the next pull starts from the beginning and replaces the server's
    /// state of all items. Local marks and messages, and items that the server no longer has, stay.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn resync(&self, source: SourceId) -> Result<()> {
        self.write(move |tx, _| sources::resync(tx, source))?;
        Ok(())
    }

    /// Whether marks, subscriptions, or messages without a file wait to be sent. False for a source that is being removed.
    pub fn has_unsent(&self, source: SourceId) -> Result<bool> {
        self.read(|conn| outbox_rows::has_unsent(conn, source))
    }

    /// The oldest waiting operations in their order, at most `limit` (a request takes 1,000). Records that they are
    /// being sent.
    ///
    /// ```no_run
    /// # use tidings_model::wire::{Op, OpResult};
    /// # use tidings_replica::{Replica, Result, SourceId};
    /// # fn flush(replica: &Replica, source: SourceId, send: impl Fn(Vec<Op>) -> Vec<OpResult>) -> Result<()> {
    /// while replica.has_unsent(source)? {
    ///     let results = send(replica.pending(source, 1_000)?);
    ///     replica.acknowledge(source, &results)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pending(&self, source: SourceId, limit: usize) -> Result<Vec<wire::Op>> {
        if !self.read(|conn| outbox_rows::has_operations(conn, source))? {
            return Ok(Vec::new());
        }
        let (ops, _) = self.write(move |tx, _| outbox::pending(tx, source, limit))?;
        Ok(ops)
    }

    /// Applies the server's answers. Applied and refused operations leave the outbox; after a refusal the server's
    /// state of the items is in force again.
    pub fn acknowledge(&self, source: SourceId, results: &[wire::OpResult]) -> Result<Arc<Changed>> {
        let now = self.clock.now();
        let mut all = Arc::new(Changed::default());
        for portion in self.read(|conn| outbox::portions(conn, source, results))? {
            let (mut more, mut changed) =
                self.write(move |tx, aggregates| outbox::acknowledge(tx, aggregates, source, &portion, now))?;
            all = merged(&all, &changed);
            // A `read_all` is settled before the answers to later operations are applied.
            while more {
                (more, changed) =
                    self.write(move |tx, aggregates| read_all_answer::portion(tx, aggregates, source, now))?;
                all = merged(&all, &changed);
            }
        }
        Ok(all)
    }
}

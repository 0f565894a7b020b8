//! Methods of [`Replica`] for pulls: applying pages, and the operations to send.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use tidings_model::wire;
use tidings_replica_tables::aggregates::{KEEP_ON, inbox_counts};
use tidings_replica_tables::{outbox as outbox_rows, sources};

use crate::handle::Replica;
use crate::outbox::read_all_answer;
use crate::{Applied, Changed, Error, Page, Result, SourceId, apply, outbox};

/// Splits a page: view marks go with the first items, the cursor with the last.
fn split_first(page: &mut Page, most: usize) -> Option<Page> {
    if page.items.len() + page.service_items.len() <= most {
        return None;
    }
    let items = take_first(&mut page.items, most);
    let service_items = take_first(&mut page.service_items, most - items.len());
    let (marks, forgotten_before) = (std::mem::take(&mut page.marks), page.forgotten_before);
    Some(Page { items, service_items, marks, forgotten_before, ..Page::default() })
}

/// The effect of a page, with the changes that it made.
fn applied(applied: Result<Applied>) -> Result<(Applied, Arc<Changed>)> {
    applied.map(|applied| {
        let changed = Arc::clone(&applied.changed);
        (applied, changed)
    })
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
    /// A large page gives way to other writes: it is then written in parts, between which they run. The last part has the
    /// cursor, so that after a crash between two parts the page is pulled again.
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
        let items = page.items.len() + page.service_items.len();
        let is_backlog = items > self.bounds.part_items && !page.is_of_another_history(known.as_deref());
        let mut applied = Applied::default();
        if !is_backlog {
            applied = self.apply_part(source, page)?;
        } else if items > self.bounds.whole_items {
            self.apply_in_parts(source, page, &mut applied)?;
        } else {
            applied = self.apply_backlog(source, page)?;
        }
        self.apply_server_retention(source)?;
        Ok(applied)
    }

    /// Applies a large page in one transaction, which costs a fraction of many transactions. If a short write waits, it
    /// is rolled back, so that the write has its turn at once; then its first items are committed in parts.
    fn apply_backlog(&self, source: SourceId, page: Page) -> Result<Applied> {
        let (mut all, shared) = (Applied::default(), Arc::new(Mutex::new(page)));
        loop {
            let is_whole = self.apply_whole(source, &shared, &mut all)?;
            self.between_large_writes();
            if is_whole {
                return Ok(all);
            }
            let mut page = shared.lock();
            let Some(first) = split_first(&mut page, self.bounds.items_in_parts) else {
                self.apply_in_parts(source, std::mem::take(&mut page), &mut all)?;
                return Ok(all);
            };
            drop(page);
            self.apply_in_parts(source, first, &mut all)?;
        }
    }

    fn apply_in_parts(&self, source: SourceId, mut page: Page, all: &mut Applied) -> Result<()> {
        while let Some(part) = split_first(&mut page, self.bounds.part_items) {
            all.extend(self.apply_part(source, part)?);
            self.between_large_writes();
        }
        all.extend(self.apply_part(source, page)?);
        self.between_large_writes();
        Ok(())
    }

    /// Applies a page in one transaction, unless a short write waits: then its first part alone, after that write. Gives whether the
    /// whole page was applied.
    ///
    /// A reader is open meanwhile, so that the log does not begin anew with the short write. The first commit of a log
    /// waits until the disk has what the page wrote before it gave way.
    fn apply_whole(&self, source: SourceId, page: &Arc<Mutex<Page>>, all: &mut Applied) -> Result<bool> {
        self.read(|conn| {
            // From here on it reads.
            sources::one(conn, source)?;
            let (now, waiting, tried) = (self.clock.now(), Arc::clone(&self.waiting), Arc::clone(page));
            let (cache_kib, end_cache_kib) = (self.bounds.items_cache_kib, self.bounds.end_cache_kib);
            let written = self.commit_backlog(move |tx| {
                tidings_sqlite::set_page_cache(tx, cache_kib)?;
                let give_way = || match waiting.load(Ordering::Acquire) {
                    0 => Ok(()),
                    _ => Err(Error::GaveWay),
                };
                applied(apply::apply(tx, now, source, &mut tried.lock(), &give_way, Some(end_cache_kib)))
            });
            if matches!(written, Err(Error::GaveWay)) {
                let first = split_first(&mut page.lock(), self.bounds.part_items);
                if let Some(first) = first {
                    all.extend(self.apply_part(source, first)?);
                }
                return Ok(false);
            }
            all.extend(written?.0);
            Ok(true)
        })
    }

    fn apply_part(&self, source: SourceId, mut part: Page) -> Result<Applied> {
        let now = self.clock.now();
        let (applied, _) =
            self.commit(move |tx| applied(apply::apply(tx, now, source, &mut part, KEEP_ON, None)))?;
        Ok(applied)
    }

    fn between_large_writes(&self) {
        if let Err(error) = self.database.between_large_writes() {
            tracing::debug!(%error, "the log of the replica stays long");
        }
    }

    /// Moves view marks that pass many rows most of the way in portions, before the page is written.
    fn advance_view_marks(&self, source: SourceId, marks: &[wire::ViewMark]) -> Result<()> {
        let portion = self.bounds.marked_rows;
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
        let most = (limit, self.bounds.request_bytes);
        let (ops, _) = self.write(move |tx, _| outbox::pending(tx, source, most))?;
        Ok(ops)
    }

    /// Applies the server's answers. Applied and refused operations leave the outbox; after a refusal the server's
    /// state of the items is in force again.
    pub fn acknowledge(&self, source: SourceId, results: &[wire::OpResult]) -> Result<Arc<Changed>> {
        let (now, most) = (self.clock.now(), self.bounds.settled_rows);
        let mut all = Arc::new(Changed::default());
        for portion in self.read(|conn| outbox::portions(conn, source, results, most))? {
            let (mut more, mut changed) = self.write(move |tx, aggregates| {
                outbox::acknowledge(tx, aggregates, source, &portion, (now, most))
            })?;
            all = all.merged(&changed);
            // A `read_all` is settled before the answers to later operations are applied.
            while more {
                (more, changed) = self.write(move |tx, aggregates| {
                    read_all_answer::portion(tx, aggregates, source, (now, most))
                })?;
                all = all.merged(&changed);
            }
        }
        Ok(all)
    }
}

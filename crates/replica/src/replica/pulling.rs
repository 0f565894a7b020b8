//! What the pull brings in, and what it takes along. Refuses to know where from.

use std::sync::Arc;

use tidings_model::wire;

use super::Replica;
use crate::wide::merged;
use crate::{Applied, Changed, Error, Page, Result, SourceId, answered, apply, counts, outbox, sources};

/// Items that one part of a page holds.
const PART: usize = 500;

/// Whether a page is of another history than what was pulled before.
fn is_another(page: &Page, known_epoch: Option<&str>) -> bool {
    matches!((page.epoch.as_deref(), known_epoch), (Some(new), Some(old)) if new != old)
}

/// A page in parts: the marks of views first, the cursor last. The first page of another history stays whole.
fn parts(mut page: Page, known_epoch: Option<&str>) -> Vec<Page> {
    if is_another(&page, known_epoch) || page.items.len() <= PART {
        return vec![page];
    }
    let (mut parts, mut items) = (Vec::new(), std::mem::take(&mut page.items));
    while items.len() > PART {
        let rest = items.split_off(PART);
        let (items, marks) = (std::mem::replace(&mut items, rest), std::mem::take(&mut page.marks));
        parts.push(Page { items, marks, forgotten_before: page.forgotten_before, ..Page::default() });
    }
    parts.push(Page { items, ..page });
    parts
}

impl Replica {
    /// Writes a page and its cursor in one transaction. Items are deduped by `(source, msgid)`; versions that are older
    /// than or as old as what is here are passed over, so a page applied twice changes nothing.
    /// A large page is written in parts, between which others write; the cursor comes with the last of them, so that a
    /// crash between two repeats the page.
    pub fn apply(&self, source: SourceId, page: Page) -> Result<Applied> {
        let known = self.source(source)?.epoch;
        if !is_another(&page, known.as_deref()) {
            self.approach(source, &page.marks)?;
        }
        let mut whole: Option<Applied> = None;
        for part in parts(page, known.as_deref()) {
            let now = self.clock.now();
            let (applied, _) = self.commit(move |tx| {
                let applied = apply::apply(tx, now, source, part)?;
                let changed = applied.changed.clone();
                Ok((applied, changed))
            })?;
            whole = Some(match whole {
                None => applied,
                Some(mut before) => {
                    before.arrived.extend(applied.arrived);
                    before.updated.extend(applied.updated);
                    before.changed = merged(&before.changed, &applied.changed);
                    before
                }
            });
        }
        self.forget(source)?;
        Ok(whole.unwrap_or_default())
    }

    /// Moves marks of views that cover much most of the way before a page is written, in portions.
    fn approach(&self, source: SourceId, marks: &[wire::ViewMark]) -> Result<()> {
        let portion = self.portion;
        if self.read(|conn| apply::rows_of(conn, source, marks, portion))? <= portion {
            return Ok(());
        }
        let (marks, now): (Arc<[wire::ViewMark]>, _) = (marks.into(), self.clock.now());
        let mut next = Some(0);
        while let Some(from) = next {
            let marks = marks.clone();
            (next, _) = self.write(move |tx, ledger| {
                apply::approach(tx, ledger, source, (&*marks, from), (now, portion))
            })?;
        }
        Ok(())
    }

    /// The server's unread numbers, shown in place of the source's own until its backlog is in. Passed over where it is.
    pub fn apply_counts(&self, source: SourceId, counts: &wire::UnreadCounts) -> Result<()> {
        let counts = counts.clone();
        self.write(move |tx, ledger| {
            ledger.refetch = counts::said(tx, source, &counts)?;
            Ok(())
        })?;
        Ok(())
    }

    /// `410 resync`: the next pull starts from the beginning, whatever it brings is taken, and local marks, messages
    /// and what the server no longer has stay.
    pub fn resync(&self, source: SourceId) -> Result<()> {
        self.write(move |tx, _| sources::resync(tx, source))?;
        Ok(())
    }

    /// Whether marks or messages wait to be sent. Nothing waits for a source that is being removed.
    pub fn has_unsent(&self, source: SourceId) -> Result<bool> {
        self.database.read(|conn| {
            Ok(conn
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND going = 0)
                         AND (EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND answered IS NULL) OR EXISTS (SELECT 1 FROM outgoing
                         WHERE source = ?1 AND refused IS NULL AND posted IS NULL))",
                )?
                .query_row([source], |r| r.get(0))?)
        })
    }

    /// The oldest operations that wait, in their order, at most `limit` (a request takes 1,000), and remembers that
    /// they are on their way.
    pub fn pending(&self, source: SourceId, limit: usize) -> Result<Vec<wire::Op>> {
        let waits: bool = self.database.read(|conn| {
            Ok::<_, Error>(conn.query_row(
                "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND answered IS NULL)
                    AND EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND going = 0)",
                [source],
                |r| r.get(0),
            )?)
        })?;
        if !waits {
            return Ok(Vec::new());
        }
        let (ops, _) = self.write(move |tx, _| outbox::pending(tx, source, limit))?;
        Ok(ops)
    }

    /// The server's answers. What it applied is done; what it refused is dropped and what the server says of those
    /// items is in force again.
    pub fn acknowledge(&self, source: SourceId, results: &[wire::OpResult]) -> Result<Arc<Changed>> {
        let now = self.clock.now();
        let mut all = Arc::new(Changed::default());
        for portion in self.read(|conn| outbox::portions(conn, source, results))? {
            let (mut more, mut changed) =
                self.write(move |tx, ledger| outbox::acknowledge(tx, ledger, source, &portion, now))?;
            all = merged(&all, &changed);
            // What reads a range is settled before the answers to what came after it are taken.
            while more {
                (more, changed) = self.write(move |tx, ledger| answered::portion(tx, ledger, source, now))?;
                all = merged(&all, &changed);
            }
        }
        Ok(all)
    }
}

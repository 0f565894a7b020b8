//! Methods of [`Replica`] for the whole file: check, backup, restore, compaction, retention.

use std::path::Path;

use tidings_model::Stamp;
use tidings_replica_tables::aggregates::inbox_counts;
use tidings_replica_tables::{search_index, sources};
use tidings_sqlite::{Database, Replacement};

use crate::handle::{FILE, OPTIONS, Replica};
use crate::upkeep::{check, contents, facets, retention};
use crate::{Difference, MIGRATIONS, Result};

impl Replica {
    /// Checks the file, reads every row, compares the search index with the items, and recounts every counter, thread and
    /// search row. Returns the differences, at most a thousand, and one more that says so if there are more; empty if all is
    /// well.
    pub fn check(&self) -> Result<Vec<Difference>> {
        // In a writable file interrupted work is finished first, so that nothing is left out of the check.
        if self.is_anything_unfinished()?
            && let Err(error) = self.finish()
        {
            tracing::warn!(%error, "what was interrupted could not be finished before the check");
        }
        let damaged = self.database.integrity_check()?;
        let mut found: Vec<Difference> = damaged
            .into_iter()
            .map(|line| Difference { what: "replica.db".into(), stored: line, counted: "ok".into() })
            .collect();
        match self.read(contents::unreadable) {
            Ok(unreadable) => found.extend(unreadable),
            Err(error) if found.is_empty() || !error.is_corrupt() => return Err(error),
            Err(_) => {}
        }
        // What can't be read can't be counted.
        if found.is_empty() {
            found.extend(self.read(contents::misindexed)?);
            found.extend(self.read(check::recount)?);
        }
        Ok(check::bounded(found))
    }

    /// Copies the whole replica to a file while it is in use, and checks the copy.
    ///
    /// # Errors
    /// The file can't be written, or the copy is [damaged](crate::Error::is_corrupt); no file is left then.
    pub fn backup(&self, to: &Path) -> Result<()> {
        Ok(self.database.backup(to)?)
    }

    /// Copies the whole replica to a file while it is in use, with damaged pages as they are: what takes its place keeps it
    /// so.
    pub fn copy_as_it_is(&self, to: &Path) -> Result<()> {
        Ok(self.database.copy_as_it_is(to)?)
    }

    /// Validates a private copy of a replica from elsewhere, and migrates it to the newest version.
    ///
    /// # Errors
    /// The error for a file that is not a replica, is damaged, or is of a later version.
    pub fn vet(copy: &Path) -> Result<()> {
        tidings_sqlite::validate(copy, MIGRATIONS)?;
        let database = Database::open(copy, &OPTIONS)?;
        database.read(inbox_counts::read)?;
        database.read(|conn| sources::all(conn).map(drop))
    }

    /// Replaces the contents by those of a copy that passed [`Replica::vet`], in one transaction, while this replica
    /// is in use. The caller must stop all pulls first.
    pub fn restore(&self, from: &Path) -> Result<()> {
        self.database.restore_from(from, &OPTIONS)?;
        // Makes subscribers query everything again.
        self.write(|_, aggregates| {
            aggregates.refetch = true;
            Ok(())
        })?;
        Ok(())
    }

    /// Prepares the replacement of a folder's replica by a copy, which is moved away. No process may have the replica
    /// open.
    ///
    /// # Errors
    /// Those of [`Replica::vet`], and [`is_busy`](tidings_sqlite::Error::is_busy) if a process has the replica open;
    /// nothing has changed then.
    pub fn prepare_restore(data_dir: &Path, from: &Path) -> Result<Replacement> {
        let replacement = Replacement::begin(&data_dir.join(FILE))?;
        replacement.move_in(from)?;
        Self::vet(&replacement.file())?;
        Ok(replacement)
    }

    /// The approximate number of bytes that [`Replica::compact`] would return to the file system.
    pub fn reclaimable_bytes(&self) -> Result<u64> {
        Ok(self.database.reclaimable_bytes()?)
    }

    /// Rewrites the file without unused pages; needs as much free space as the file is large until it is done.
    pub fn compact(&self) -> Result<()> {
        Ok(self.database.compact()?)
    }

    /// Whether items wait to be indexed anew.
    pub(crate) fn is_the_index_unfinished(&self) -> Result<bool> {
        Ok(self.read(search_index::unfaceted)?.is_some())
    }

    /// Indexes them.
    pub(crate) fn finish_index(&self) -> Result<()> {
        let most = self.bounds.indexed_items;
        while self.write(move |tx, _| facets::portion(tx, most))?.0 {}
        Ok(())
    }

    /// Removes at most `most` items from this device that were archived before a time, and returns their number.
    /// Items of pinned threads and items with waiting operations stay. The server is not informed: a later change
    /// there brings an item back.
    pub fn apply_retention(&self, archived_before: Stamp, most: usize) -> Result<usize> {
        let (removed, _) =
            self.write(move |tx, aggregates| retention::apply(tx, aggregates, archived_before, most))?;
        Ok(removed)
    }
}

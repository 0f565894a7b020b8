//! The file as a whole: checked, copied, restored, compacted. Nothing that is here is lost before the new file is good.

use std::path::Path;

use tidings_model::Stamp;
use tidings_sqlite::{Database, Replacement};

use super::{FILE, MIGRATIONS, OPTIONS, Replica};
use crate::aggregates::inbox_counts;
use crate::tables::sources;
use crate::upkeep::{check, retention};
use crate::{Difference, Result};

impl Replica {
    /// Checks the file and recounts every counter, thread and search row. Empty = all is well.
    pub fn check(&self) -> Result<Vec<Difference>> {
        // Where the file can be written, nothing is left out of the check.
        if self.is_anything_unfinished()?
            && let Err(error) = self.finish()
        {
            tracing::warn!(%error, "what was interrupted could not be finished before the check");
        }
        let damaged = self.database.integrity_check()?;
        let mut found: Vec<Difference> = damaged
            .into_iter()
            .map(|line| Difference { what: "replica.db".into(), kept: line, counted: "ok".into() })
            .collect();
        found.extend(self.database.read(check::recount)?);
        Ok(found)
    }

    /// Copies the whole replica into a file while it is in use.
    pub fn backup(&self, to: &Path) -> Result<()> {
        Ok(self.database.backup(to)?)
    }

    /// Checks a private copy of a replica that came from elsewhere, and brings it to the newest version.
    ///
    /// # Errors
    /// What is no replica, is damaged or of a later version.
    pub fn vet(copy: &Path) -> Result<()> {
        tidings_sqlite::validate(copy, MIGRATIONS)?;
        let database = Database::open(copy, &OPTIONS)?;
        database.read(inbox_counts::read)?;
        database.read(|conn| sources::all(conn).map(drop))
    }

    /// Puts a copy that passed [`Replica::vet`] in the place of what is here, in one transaction, while this is in use.
    /// Nothing may be pulled meanwhile.
    pub fn restore(&self, from: &Path) -> Result<()> {
        self.database.restore_from(from, &OPTIONS)?;
        // Subscribers ask for everything anew.
        self.write(|_, aggregates| {
            aggregates.refetch = true;
            Ok(())
        })?;
        Ok(())
    }

    /// Makes a copy of a replica, which is used up, ready to be put in the place of that of a folder, where nobody has
    /// it open.
    ///
    /// # Errors
    /// Those of [`Replica::vet`]; nothing has changed then.
    pub fn prepare_restore(data_dir: &Path, from: &Path) -> Result<Replacement> {
        let replacement = Replacement::begin(&data_dir.join(FILE))?;
        replacement.move_in(from)?;
        Self::vet(&replacement.file())?;
        Ok(replacement)
    }

    /// About how many bytes [`Replica::compact`] would give back to the file system.
    pub fn reclaimable_bytes(&self) -> Result<u64> {
        Ok(self.database.reclaimable_bytes()?)
    }

    /// Writes the file anew without what it does not need; takes as much room again for as long as it lasts.
    pub fn compact(&self) -> Result<()> {
        Ok(self.database.compact()?)
    }

    /// Removes items from this device that were archived before a time, at most so many, and gives how many there were.
    /// Those of pinned threads stay, and those with a change that waits to be sent. No server is told: a later change there
    /// brings an item back.
    pub fn apply_retention(&self, archived_before: Stamp, most: usize) -> Result<usize> {
        let (removed, _) =
            self.write(move |tx, aggregates| retention::apply(tx, aggregates, archived_before, most))?;
        Ok(removed)
    }
}

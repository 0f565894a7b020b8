//! Repairs a damaged replica. It is a copy of its sources' notifications. What can be read of it goes into a new file,
//! from which every source is then pulled again from the beginning. Data that is only here comes first: settings and
//! texts of the reader, and marks that wait to be sent.
//!
//! The tables are read without their indexes, by ranges of row ids that are halved around what is damaged. Cursors
//! are left out. The damaged file stays as `replica.db.before`.

mod again;
mod damaged;
mod read;
mod waiting;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_model::Clock;
use tidings_sqlite::{Replacement, create_private_folder, is_present};

use self::damaged::Damaged;
use self::read::Contents;
use crate::{FILE, Replica, Result};

/// How often a replica that is in use is read, because somebody wrote meanwhile.
const MAX_READINGS: u32 = 3;

/// A new replica with what could be read of a damaged one, which it is to replace.
#[derive(Debug)]
pub struct Salvage {
    /// Puts the new file in place; the damaged one stays beside it as `replica.db.before`.
    pub replacement: Replacement,
    /// What was saved.
    pub salvaged: Salvaged,
}

/// What was saved of a damaged replica.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// The sources, which are pulled again from the beginning.
    pub sources: u64,
    /// The notifications.
    pub items: u64,
    /// The names of sources that could not be read: they are to be added again.
    pub lost_sources: Vec<String>,
    /// How much could not be read or kept: single rows, and damaged places with any number of rows.
    pub lost: u64,
}

impl Replica {
    /// What is wrong with the replica of a folder; `None` if it is sound or there is none.
    ///
    /// # Errors
    /// The replica can't be looked at for another reason: it is in use, of a later version, or the folder can't be written.
    pub fn damage(data_dir: &Path, clock: &Arc<dyn Clock>) -> Result<Option<String>> {
        if !is_present(&data_dir.join(FILE)) {
            return Ok(None);
        }
        let checked = Self::open(data_dir, Arc::clone(clock)).and_then(|replica| replica.check());
        match checked {
            Ok(differences) => Ok(differences.first().map(ToString::to_string)),
            Err(error) if error.is_corrupt() => Ok(Some(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// Reads what can be read of a folder's damaged replica into a new one. Nothing is changed until
    /// [`Replacement::put_in_place`]. No process may have the replica open.
    ///
    /// # Errors
    /// The damaged file can't be opened or the new one can't be written; [`is_busy`](tidings_sqlite::Error::is_busy) if a
    /// process has the replica open.
    pub fn salvage(data_dir: &Path, clock: &Arc<dyn Clock>) -> Result<Salvage> {
        let replacement = Replacement::begin(&data_dir.join(FILE))?;
        let salvaged = salvage_into(&mut Damaged::open(data_dir, false)?, &replacement.file(), clock)?;
        Ok(Salvage { replacement, salvaged })
    }

    /// Reads what can be read of this replica into a new file `replica.db` below a folder, for [`Replica::restore`]. What the
    /// reader does meanwhile is read again. The caller must stop all pulls first.
    ///
    /// # Errors
    /// The new file can't be written.
    pub fn salvage_to(&self, below: &Path) -> Result<(PathBuf, Salvaged)> {
        let mut reading = 1;
        loop {
            let folder = below.join(format!("reading-{reading}"));
            create_private_folder(&folder).map_err(tidings_sqlite::Error::from)?;
            let (mut from, file) = (Damaged::open(&self.folder, true)?, folder.join(FILE));
            let version = from.version();
            let salvaged = salvage_into(&mut from, &file, &self.clock)?;
            if from.version() == version || reading == MAX_READINGS {
                return Ok((file, salvaged));
            }
            reading += 1;
        }
    }
}

/// Reads a damaged replica into a new file, which is not there yet.
fn salvage_into(from: &mut Damaged, file: &Path, clock: &Arc<dyn Clock>) -> Result<Salvaged> {
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    let to = Replica::open(folder, Arc::clone(clock))?;
    let contents = Contents::read(from);
    let items = to.take_in(&contents, from)?;
    let sources = contents.sources.len() as u64;
    let lost = from.lost.max(contents.lost_sources.len() as u64);
    Ok(Salvaged { sources, items, lost_sources: contents.lost_sources, lost })
}

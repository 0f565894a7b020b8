//! The methods of [`Replica`] that open its file, and in the files below those for its lists, marks, pulls and sources.

mod deferred_toasts;
mod marks;
mod mutes;
mod notify;
mod pull;
mod read;
mod rules;
mod saved_searches;
mod settings;
mod sources;
mod upkeep;

use std::path::Path;
use std::sync::Arc;

use tidings_model::Clock;
use tidings_sqlite::{Bounds as FileBounds, Database};

pub use self::deferred_toasts::DeferredToast;
pub use self::saved_searches::SavedSearch;
use crate::Result;
use crate::handle::{FILE, OPTIONS, Replica};

impl Replica {
    /// Opens or creates `replica.db` in the folder, wakes due items, and finishes interrupted work in the background.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tidings_model::SystemClock;
    /// use tidings_replica::Replica;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let replica = Replica::open(folder.path(), Arc::new(SystemClock))?;
    /// assert_eq!(replica.counts()?.total, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::is_newer`](crate::Error::is_newer) if a later version of the program wrote the file, which stays as
    /// it is; [`Error::is_corrupt`](crate::Error::is_corrupt), [`Error::is_read_only`](crate::Error::is_read_only).
    pub fn open(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::open_within(data_dir, clock, FileBounds::default())
    }

    /// Like [`Replica::open`], with other bounds of its file: for tests.
    ///
    /// # Errors
    /// Those of [`Replica::open`].
    pub fn open_within(data_dir: &Path, clock: Arc<dyn Clock>, of_file: FileBounds) -> Result<Self> {
        let database = Database::open_within(&data_dir.join(FILE), &OPTIONS, of_file)?;
        let replica = Self::with(data_dir, database, clock)?;
        let now = replica.clock.now();
        // On a full disk everything can still be read; due items wake later.
        if replica.next_wake()?.is_some_and(|due| due <= now)
            && let Err(error) = replica.wake(now)
        {
            tracing::warn!(%error, "what is due could not be woken");
        }
        replica.finish_in_background()?;
        Ok(replica)
    }

    /// Finishes interrupted work on a thread of its own; work that fails is tried again at the next start.
    fn finish_in_background(&self) -> Result<()> {
        if !self.is_anything_unfinished()? {
            return Ok(());
        }
        let replica = self.clone();
        let finish = move || {
            if let Err(error) = replica.finish() {
                tracing::warn!(%error, "what was interrupted could not be finished");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("unfinished".into()).spawn(finish) {
            tracing::warn!(%error, "what was interrupted could not be finished");
        }
        Ok(())
    }

    /// Opens a `replica.db` that cannot be written: queries work, and every change is an error.
    ///
    /// # Errors
    /// Those of [`Replica::open`].
    pub fn open_read_only(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::with(data_dir, Database::open_read_only(&data_dir.join(FILE), &OPTIONS)?, clock)
    }
}

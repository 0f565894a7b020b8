//! Folders in which files are prepared before they move to their place.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A temporary folder inside the data folder, from which files can be moved in one step. Dropping it removes it;
/// [`StagingDir::remove_stale`] removes those of killed processes.
#[derive(Debug)]
pub struct StagingDir {
    dir: PathBuf,
    /// Locked for as long as the folder is in use.
    _lock: File,
}

/// The prefixes of the folders' names.
const PREFIXES: [&str; 2] = [".backup-", ".restore-"];

impl StagingDir {
    /// Creates a folder for a backup.
    pub fn for_backup(folder: &Path) -> io::Result<Self> {
        Self::new(folder, PREFIXES[0])
    }

    /// Creates a folder for a restore.
    pub fn for_restore(folder: &Path) -> io::Result<Self> {
        Self::new(folder, PREFIXES[1])
    }

    fn new(folder: &Path, prefix: &str) -> io::Result<Self> {
        Self::remove_stale(folder);
        loop {
            let dir = tempfile::Builder::new().prefix(prefix).tempdir_in(folder)?.keep();
            let lock = File::open(&dir)?;
            // A concurrent `remove_stale` may have removed it before it was locked.
            if lock.try_lock().is_ok() && dir.is_dir() {
                return Ok(Self { dir, _lock: lock });
            }
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Removes the staging folders in `folder` that no process uses any more.
    pub fn remove_stale(folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let ours = PREFIXES.iter().any(|prefix| name.to_string_lossy().starts_with(prefix));
            if ours
                && entry.file_type().is_ok_and(|kind| kind.is_dir())
                && let Ok(lock) = File::open(entry.path())
                && lock.try_lock().is_ok()
                && let Err(error) = fs::remove_dir_all(entry.path())
            {
                tracing::warn!(%error, "what a backup or a restore left could not be removed");
            }
        }
    }
}

impl Drop for StagingDir {
    fn drop(&mut self) {
        // A folder that cannot be removed only takes space until the next start.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

//! Replaces a database file by another one atomically: a process killed at any moment leaves the complete old or new
//! file, and the next open removes temporary files.
//!
//! The steps: take the exclusive lock; checkpoint the old file's log and remove it, so that it can't be applied to the
//! new file. Then give the old file a second name; `rename` the new one into place; rename the second name to
//! `<file>.before`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::files::{
    LOGS, Lock, is_present, is_same_file, private, refuse_special, remove, sync_folder_of, with_suffix,
};
use crate::{Error, log};

/// A replacement in preparation. Dropping it before [`Replacement::put_in_place`] changes nothing.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    lock: Lock,
}

impl Replacement {
    /// Waits until no process has the database open, and locks it.
    ///
    /// # Errors
    /// [`Error::InUse`] if a process still has it open after 10 s, [`Error::NotAFile`] if the path is not a regular
    /// file.
    pub fn begin(path: &Path) -> Result<Self, Error> {
        refuse_special(path)?;
        let lock = Lock::exclusive(path)?;
        clean_up(path);
        fs::create_dir(scratch_dir(path))?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// The path at which the caller creates the new file.
    pub fn file(&self) -> PathBuf {
        scratch_dir(&self.path).join(self.path.file_name().unwrap_or_default())
    }

    /// Copies a file to the place of the new one.
    ///
    /// # Errors
    /// [`Error::NotAFile`] for a special file, else the file system's error.
    pub fn copy_in(&self, from: &Path) -> Result<(), Error> {
        refuse_special(from)?;
        let mut to = private().create_new(true).open(self.file())?;
        io::copy(&mut fs::File::open(from)?, &mut to)?;
        Ok(())
    }

    /// Moves a file to the place of the new one; it must be on the same file system.
    ///
    /// # Errors
    /// [`Error::NotAFile`] for a special file, else the file system's error.
    pub fn move_in(&self, from: &Path) -> Result<(), Error> {
        refuse_special(from)?;
        Ok(fs::rename(from, self.file())?)
    }

    /// Puts the new files in place: all or none, unless the process is killed between two of them. Each old file
    /// stays beside the new one as `<file>.before`.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// let (place, from) = (dir.path().join("notes.db"), dir.path().join("other.db"));
    /// db.backup(&from)?;
    /// drop(db);
    /// let replacement = Replacement::begin(&place)?;
    /// replacement.move_in(&from)?;
    /// Replacement::put_in_place(&[replacement])?;
    /// assert!(is_present(&dir.path().join("notes.db.before")));
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// A file cannot be moved; nothing has changed then.
    pub fn put_in_place(all: &[Self]) -> Result<(), Error> {
        for replacement in all {
            replacement.prepare()?;
        }
        for (done, replacement) in all.iter().enumerate() {
            if let Err(error) = fs::rename(replacement.file(), &replacement.path) {
                all.iter().take(done).for_each(Self::undo);
                return Err(error.into());
            }
        }
        // All renames are done: a failure from here on only leaves a file under a temporary name.
        for replacement in all {
            warn(&replacement.path, sync_folder_of(&replacement.path));
            clean_up(&replacement.path);
            warn(&replacement.path, sync_folder_of(&replacement.path));
        }
        Ok(())
    }

    /// Does every step that can fail for lack of space or rights, so that only a rename remains.
    fn prepare(&self) -> Result<(), Error> {
        let path = &self.path;
        checkpoint(&self.file())?;
        fs::File::open(self.file())?.sync_all()?;
        remove_logs(path)?;
        self.lock.note(false);
        if is_present(path) && fs::hard_link(path, rollback_path(path)).is_err() {
            // Not every file system has hard links.
            let copy = with_suffix(&self.file(), ".before");
            fs::copy(path, &copy)?;
            fs::File::open(&copy)?.sync_all()?;
            fs::rename(copy, rollback_path(path))?;
        }
        Ok(sync_folder_of(path)?)
    }

    fn undo(&self) {
        let undone = if is_present(&rollback_path(&self.path)) {
            fs::rename(rollback_path(&self.path), &self.path)
        } else {
            remove(&self.path)
        };
        if let Err(error) = undone {
            tracing::error!(%error, path = %self.path.display(), "the former database could not be put back");
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        clean_up(&self.path);
    }
}

/// The folder in which the new file is prepared.
fn scratch_dir(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".restoring-{name}"))
}

/// The second name of the old file, until the new one is in place.
fn rollback_path(path: &Path) -> PathBuf {
    with_suffix(path, ".before-next")
}

/// The name under which the last replaced file is kept.
fn previous_path(path: &Path) -> PathBuf {
    with_suffix(path, ".before")
}

/// Checkpoints the log of a database and removes its log files. The logs of a damaged file can't be applied, nor can one of
/// another database; they are kept beside `<file>.before`.
fn remove_logs(path: &Path) -> Result<(), Error> {
    if is_present(path) {
        match log::refuse_foreign(path).and_then(|()| checkpoint(path)) {
            Err(error) if error.is_corrupt() => {
                for log in LOGS.into_iter().filter(|log| is_present(&with_suffix(path, log))) {
                    fs::rename(with_suffix(path, log), with_suffix(&previous_path(path), log))?;
                }
            }
            Err(error) if error.is_busy() => return Err(Error::InUse(path.to_owned())),
            done => done?,
        }
    }
    for log in LOGS {
        remove(&with_suffix(path, log))?;
    }
    Ok(())
}

fn checkpoint(path: &Path) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    if mode == "delete" { Ok(()) } else { Err(Error::InUse(path.to_owned())) }
}

/// Finishes or undoes a replacement whose process was killed. The caller holds a lock on the database.
pub(crate) fn clean_up(path: &Path) {
    let (rollback, previous) = (rollback_path(path), previous_path(path));
    if is_present(&rollback) {
        // Both names are of one file: the new file was not put in place.
        let tidied =
            if is_same_file(&rollback, path) { remove(&rollback) } else { fs::rename(&rollback, &previous) };
        warn(&rollback, tidied);
    }
    let legacy_file = with_suffix(path, ".restoring");
    if is_present(&legacy_file) {
        // An earlier version of this program was killed between its two renames.
        if !is_present(path) && is_present(&previous) {
            warn(&previous, fs::rename(&previous, path));
        }
        for suffix in ["", "-wal", "-shm"] {
            warn(&legacy_file, remove(&with_suffix(&legacy_file, suffix)));
        }
    }
    let scratch_dir = scratch_dir(path);
    if is_present(&scratch_dir) {
        warn(&scratch_dir, fs::remove_dir_all(&scratch_dir));
    }
}

/// Removes the rollback journal of a database in WAL mode; SQLite rolled it back on opening. The caller holds a lock
/// on the database.
pub(crate) fn remove_rollback_journal(path: &Path) {
    let journal = with_suffix(path, "-journal");
    warn(&journal, remove(&journal));
}

fn warn(path: &Path, done: io::Result<()>) {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, path = %path.display(), "what a restore left could not be tidied");
        }
        _ => {}
    }
}

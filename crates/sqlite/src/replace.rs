//! Replaces a database file by another one atomically: a process killed at any moment leaves the complete old or new
//! file, and the next open removes temporary files.
//!
//! The steps: take the exclusive lock; checkpoint the old file's log and remove it, so that it can't be applied to
//! the new file; give the old file a second name; `rename` the new one into place; rename the second name to
//! `<file>.before`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::Error;
use crate::files::{
    LOGS, Lock, is_present, private, refuse_special, remove, same, sync_folder_of, with_suffix,
};

/// A replacement in preparation. Dropping it before [`Replacement::put_in_place`] changes nothing.
#[derive(Debug)]
pub struct Replacement {
    place: PathBuf,
    _lock: Lock,
}

impl Replacement {
    /// Waits until no process has the database open, and locks it.
    ///
    /// # Errors
    /// [`Error::InUse`] if a process still has it open after 10 s, [`Error::NotAFile`] if the path is not a regular
    /// file.
    pub fn begin(place: &Path) -> Result<Self, Error> {
        refuse_special(place)?;
        let lock = Lock::exclusive(place)?;
        clean_up(place);
        fs::create_dir(scratch(place))?;
        Ok(Self { place: place.to_owned(), _lock: lock })
    }

    /// The path at which the caller creates the new file.
    pub fn file(&self) -> PathBuf {
        scratch(&self.place).join(self.place.file_name().unwrap_or_default())
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
        for one in all {
            one.prepare()?;
        }
        for (at, one) in all.iter().enumerate() {
            if let Err(error) = fs::rename(one.file(), &one.place) {
                all.iter().take(at).for_each(Self::undo);
                return Err(error.into());
            }
        }
        // All renames are done: a failure from here on only leaves a file under a temporary name.
        for one in all {
            warn(&one.place, sync_folder_of(&one.place));
            clean_up(&one.place);
            warn(&one.place, sync_folder_of(&one.place));
        }
        Ok(())
    }

    /// Does every step that can fail for lack of space or rights, so that only a rename remains.
    fn prepare(&self) -> Result<(), Error> {
        let place = &self.place;
        checkpoint(&self.file())?;
        fs::File::open(self.file())?.sync_all()?;
        remove_logs(place)?;
        if is_present(place) && fs::hard_link(place, second_name(place)).is_err() {
            // Not every file system has hard links.
            let copy = with_suffix(&self.file(), ".before");
            fs::copy(place, &copy)?;
            fs::File::open(&copy)?.sync_all()?;
            fs::rename(copy, second_name(place))?;
        }
        Ok(sync_folder_of(place)?)
    }

    fn undo(&self) {
        let undone = if is_present(&second_name(&self.place)) {
            fs::rename(second_name(&self.place), &self.place)
        } else {
            remove(&self.place)
        };
        if let Err(error) = undone {
            tracing::error!(%error, path = %self.place.display(), "the former database could not be put back");
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        clean_up(&self.place);
    }
}

/// The folder in which the new file is prepared.
fn scratch(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".restoring-{name}"))
}

/// The second name of the old file, until the new one is in place.
fn second_name(place: &Path) -> PathBuf {
    with_suffix(place, ".before-next")
}

/// The name under which the last replaced file is kept.
fn before(place: &Path) -> PathBuf {
    with_suffix(place, ".before")
}

/// Checkpoints the log of a database and removes its log files. The logs of a damaged file can't be applied; they are
/// kept beside `<file>.before`.
fn remove_logs(place: &Path) -> Result<(), Error> {
    if is_present(place) {
        match checkpoint(place) {
            Err(error) if error.is_corrupt() => {
                for log in LOGS.into_iter().filter(|log| is_present(&with_suffix(place, log))) {
                    fs::rename(with_suffix(place, log), with_suffix(&before(place), log))?;
                }
            }
            Err(error) if error.is_busy() => return Err(Error::InUse(place.to_owned())),
            done => done?,
        }
    }
    for log in LOGS {
        remove(&with_suffix(place, log))?;
    }
    Ok(())
}

fn checkpoint(place: &Path) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(place, flags)?;
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    if mode == "delete" { Ok(()) } else { Err(Error::InUse(place.to_owned())) }
}

/// Finishes or undoes a replacement whose process was killed. The caller holds a lock on the database.
pub(crate) fn clean_up(place: &Path) {
    let (kept, before) = (second_name(place), before(place));
    if is_present(&kept) {
        // Both names are of one file: the new file was not put in place.
        let tidied = if same(&kept, place) { remove(&kept) } else { fs::rename(&kept, &before) };
        warn(&kept, tidied);
    }
    let old_draft = with_suffix(place, ".restoring");
    if is_present(&old_draft) {
        // An earlier version of this program was killed between its two renames.
        if !is_present(place) && is_present(&before) {
            warn(&before, fs::rename(&before, place));
        }
        for rest in ["", "-wal", "-shm"] {
            warn(&old_draft, remove(&with_suffix(&old_draft, rest)));
        }
    }
    let scratch = scratch(place);
    if is_present(&scratch) {
        warn(&scratch, fs::remove_dir_all(&scratch));
    }
}

/// Removes the rollback journal of a database in WAL mode; SQLite rolled it back on opening. The caller holds a lock
/// on the database.
pub(crate) fn remove_rollback_journal(place: &Path) {
    let journal = with_suffix(place, "-journal");
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

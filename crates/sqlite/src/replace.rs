//! Puts another file in the place of a database in one step: whoever is killed at any moment leaves the old one or the
//! new one, whole, and what else is left over goes when the database is opened next.
//!
//! The steps: nobody else has the database open (a lock), its log is folded into it and removed, so that no log of the
//! old file can be applied to the new one; the old file gets a second name; one `rename` puts the new one in its place;
//! the second name becomes `<file>.before`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::Error;
use crate::files::{LOGS, Lock, beside, is_present, private, refuse_special, remove, same, sync_folder_of};

/// A file on its way into the place of a database. Dropped before [`Replacement::put_in_place`], it changes nothing.
#[derive(Debug)]
pub struct Replacement {
    place: PathBuf,
    _alone: Lock,
}

impl Replacement {
    /// Waits until nobody has the database open, and keeps it so.
    ///
    /// # Errors
    /// [`Error::InUse`] where somebody still has it open after ten seconds, [`Error::NotAFile`] where something else
    /// has its name.
    pub fn begin(place: &Path) -> Result<Self, Error> {
        refuse_special(place)?;
        let alone = Lock::exclusive(place)?;
        tidy(place);
        fs::create_dir(scratch(place))?;
        Ok(Self { place: place.to_owned(), _alone: alone })
    }

    /// Where the new file is made, under the name of the old one.
    pub fn file(&self) -> PathBuf {
        scratch(&self.place).join(self.place.file_name().unwrap_or_default())
    }

    /// Takes a copy of a file as the new one.
    pub fn copy_in(&self, from: &Path) -> Result<(), Error> {
        refuse_special(from)?;
        let mut to = private().create_new(true).open(self.file())?;
        io::copy(&mut fs::File::open(from)?, &mut to)?;
        Ok(())
    }

    /// Takes a file itself as the new one; it must be on the same file system.
    pub fn move_in(&self, from: &Path) -> Result<(), Error> {
        refuse_special(from)?;
        Ok(fs::rename(from, self.file())?)
    }

    /// Puts new files in the place of old ones, all or none unless the process is killed between two of them. What was
    /// there stays beside each as `<file>.before`.
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
        // It is done: what fails from here on fails no more than a name.
        for one in all {
            warn(&one.place, sync_folder_of(&one.place));
            tidy(&one.place);
            warn(&one.place, sync_folder_of(&one.place));
        }
        Ok(())
    }

    /// Everything that can fail for want of room or rights, so that what follows is a rename.
    fn prepare(&self) -> Result<(), Error> {
        let place = &self.place;
        fold_logs(&self.file())?;
        fs::File::open(self.file())?.sync_all()?;
        fold(place)?;
        if is_present(place) && fs::hard_link(place, kept(place)).is_err() {
            // Not every file system has two names for one file.
            let copy = beside(&self.file(), ".before");
            fs::copy(place, &copy)?;
            fs::File::open(&copy)?.sync_all()?;
            fs::rename(copy, kept(place))?;
        }
        Ok(sync_folder_of(place)?)
    }

    fn undo(&self) {
        let undone = if is_present(&kept(&self.place)) {
            fs::rename(kept(&self.place), &self.place)
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
        tidy(&self.place);
    }
}

/// Where a new file is made.
fn scratch(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".restoring-{name}"))
}

/// The second name of the old file until the new one is in place.
fn kept(place: &Path) -> PathBuf {
    beside(place, ".before-next")
}

/// What was there before the last replacement.
fn before(place: &Path) -> PathBuf {
    beside(place, ".before")
}

/// Brings everything of a database into its one file and removes its logs. Those of a file that is no database any more
/// can't be applied to anything: they are kept with it.
fn fold(place: &Path) -> Result<(), Error> {
    if is_present(place) {
        match fold_logs(place) {
            Err(error) if error.is_corrupt() => {
                for log in LOGS.into_iter().filter(|log| is_present(&beside(place, log))) {
                    fs::rename(beside(place, log), beside(&before(place), log))?;
                }
            }
            Err(error) if error.is_busy() => return Err(Error::InUse(place.to_owned())),
            folded => folded?,
        }
    }
    for log in LOGS {
        remove(&beside(place, log))?;
    }
    Ok(())
}

fn fold_logs(place: &Path) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(place, flags)?;
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    if mode == "delete" { Ok(()) } else { Err(Error::InUse(place.to_owned())) }
}

/// Finishes or takes back what a killed replacement left. Only for who holds a lock on the database.
pub(crate) fn tidy(place: &Path) {
    let (kept, before) = (kept(place), before(place));
    if is_present(&kept) {
        // With one file under both names nothing was put in place.
        let tidied = if same(&kept, place) { remove(&kept) } else { fs::rename(&kept, &before) };
        warn(&kept, tidied);
    }
    let old_draft = beside(place, ".restoring");
    if is_present(&old_draft) {
        // A version before this one was killed between its two renames.
        if !is_present(place) && is_present(&before) {
            warn(&before, fs::rename(&before, place));
        }
        for rest in ["", "-wal", "-shm"] {
            warn(&old_draft, remove(&beside(&old_draft, rest)));
        }
    }
    let scratch = scratch(place);
    if is_present(&scratch) {
        warn(&scratch, fs::remove_dir_all(&scratch));
    }
}

/// Removes the rollback journal of a database that has a write-ahead log by now: whatever was in it has been rolled back.
/// Only for who holds a lock on the database, so that nobody is about to need one.
pub(crate) fn forget_journal(place: &Path) {
    let journal = beside(place, "-journal");
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

//! Copies of a database that is in use, and its replacement by another file.

use std::path::Path;

use rusqlite::{Connection, backup};

use super::Database;
use crate::{Error, Options, files, log, open, validate};

impl Database {
    /// Copies the current state of the database to a new file, while it stays in use. The file appears complete or
    /// not at all; an existing file is replaced.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// let copy = dir.path().join("copy.db");
    /// db.backup(&copy)?;
    /// assert!(is_present(&copy));
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// The copy is checked as a restore checks it, so that no damaged one passes for a backup.
    ///
    /// # Errors
    /// The copy cannot be written, or is [damaged](Error::is_corrupt); no file is left then.
    pub fn backup(&self, to: &Path) -> Result<(), Error> {
        self.copy_checked(to, validate::check_integrity)
    }

    /// Copies the database as [`Database::backup`] does, damaged pages as they are: what takes its place keeps it so.
    ///
    /// # Errors
    /// The copy cannot be written.
    pub fn copy_as_it_is(&self, to: &Path) -> Result<(), Error> {
        self.copy_checked(to, |_| Ok(()))
    }

    fn copy_checked(&self, to: &Path, check: fn(&Connection) -> Result<(), Error>) -> Result<(), Error> {
        let part = to.with_extension("part");
        let result = self.copy(&part, check).and_then(|()| {
            std::fs::rename(&part, to)?;
            Ok(files::sync_folder_of(to)?)
        });
        if result.is_err() {
            drop(std::fs::remove_file(&part));
        }
        result
    }

    fn copy(&self, part: &Path, check: fn(&Connection) -> Result<(), Error>) -> Result<(), Error> {
        files::remove(part)?;
        // Creates the file with mode 0600, which SQLite keeps.
        drop(files::private().create_new(true).open(part)?);
        let source = self.take_reader()?;
        let mut copy = Connection::open(part)?;
        backup::Backup::new(&source, &mut copy)?.step(-1)?;
        self.return_reader(source);
        // The copy is a single file, without a write-ahead log.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        log::renumber(&copy)?;
        // Of the copy alone: nobody waits for it.
        check(&copy)?;
        drop(copy);
        Ok(std::fs::File::open(part)?.sync_all()?)
    }

    /// Replaces the contents by those of another file in one transaction, while the database stays in use. Readers see
    /// the old or the new contents, also after a crash. The file must have passed [`crate::validate()`], and nobody else
    /// may use it.
    ///
    /// # Errors
    /// The file cannot be read or the database not written; the old contents are then unchanged.
    pub fn restore_from(&self, from: &Path, options: &Options) -> Result<(), Error> {
        let number = self.read(log::number)?;
        log::number_as(&Connection::open(from)?, number)?;
        let from = open::immutable(from, options.migrations)?;
        self.outside_transaction(move |conn| {
            backup::Backup::new(&from, conn)?.step(-1)?;
            // The copy has the journal mode of its file.
            Ok(conn.pragma_update(None, "journal_mode", "WAL")?)
        })?;
        // Idle readers have cached the old contents.
        self.inner.readers.lock().clear();
        Ok(())
    }
}

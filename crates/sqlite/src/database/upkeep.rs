//! Keeps a database small and sound: its write-ahead log, its unused pages, its integrity.

use std::fs::File;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;

use super::{Access, Database};
use crate::files::with_suffix;
use crate::{Error, checkpoint, open};

/// The most lines of damage that are listed.
const MAX_DAMAGE: usize = 100;

impl Database {
    /// Keeps the write-ahead log short between two large writes of which many follow each other. It is copied into the
    /// database on connections of its own, so that short writes go on. Until the writer is idle, commits do not copy
    /// it.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Closed`], or that the log could not be copied.
    pub fn between_large_writes(&self) -> Result<(), Error> {
        let Access::Writing(sharing) = self.inner.access else { return Err(Error::ReadOnly) };
        let ((sender, answer), bounds) = (channel(), self.inner.bounds);
        self.outside_transaction(move |conn| {
            // The other end waits below.
            let _ = sender.send(checkpoint::due(conn, &bounds)?);
            Ok(())
        })?;
        let due = answer.recv().map_err(|_| Error::Closed)?;
        if due == checkpoint::Due::Nothing || self.inner.is_log_copied.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let this = self.clone();
        let copy = move || {
            let copied =
                open::for_copies(&this.inner.path, sharing).and_then(|conn| Ok(checkpoint::copy(&conn)?));
            this.inner.is_log_copied.store(false, Ordering::Release);
            if let Err(e) = copied {
                tracing::debug!(error = %e, "the write-ahead log is copied later");
            }
        };
        if due == checkpoint::Due::Copy {
            let started = thread::Builder::new().name("sqlite-log".to_owned()).spawn(copy);
            if started.is_err() {
                // Nothing copies it: the next large write tries again.
                self.inner.is_log_copied.store(false, Ordering::Release);
            }
            drop(started?);
            return Ok(());
        }
        copy();
        // To begin anew the log is synced on the writer's thread. This sync, for which no write waits, leaves little to that one.
        if let Ok(log) = File::open(with_suffix(&self.inner.path, "-wal")) {
            log.sync_data()?;
        }
        self.outside_transaction(move |conn| checkpoint::finish(conn, &bounds))
    }

    /// The size of the unused pages in bytes, which [`Database::compact`] would return to the file system.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn reclaimable_bytes(&self) -> Result<u64, Error> {
        self.read(|conn| {
            let pragma = |name: &str| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let bytes = pragma("freelist_count")?.saturating_mul(pragma("page_size")?);
            Ok(u64::try_from(bytes).unwrap_or(0))
        })
    }

    /// Rewrites the file without unused pages (`VACUUM`). Needs as much free space as the file is large; writes wait
    /// until it is done.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// db.compact()?;
    /// assert_eq!(db.reclaimable_bytes()?, 0);
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// The disk is full, for example; the file is then unchanged.
    pub fn compact(&self) -> Result<(), Error> {
        self.outside_transaction(|conn| {
            // The temporary copy is as large as the file, so it goes to the disk instead of memory.
            conn.pragma_update(None, "temp_store", "FILE")?;
            let done = conn.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
            conn.pragma_update(None, "temp_store", "MEMORY")?;
            Ok(done?)
        })
    }

    /// The damage that SQLite finds in the file: damaged pages, indexes that disagree with their table, rows whose
    /// parent is missing. One line each, at most a hundred, and one more that says so if there is more; empty for a sound
    /// file.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// assert!(db.integrity_check()?.is_empty());
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read at all.
    pub fn integrity_check(&self) -> Result<Vec<String>, Error> {
        // Runs on a new connection: a connection that has read a search index checks it against its cache, and
        // reports later writes as damage.
        let conn = self.open_reader()?;
        let mut found: Vec<String> = Vec::new();
        let mut rows = conn.prepare(&format!("PRAGMA integrity_check({})", MAX_DAMAGE + 1))?;
        for line in rows.query_map([], |row| row.get::<_, String>(0))? {
            let line = line?;
            if line != "ok" {
                found.push(line);
            }
        }
        let mut rows = conn.prepare("PRAGMA foreign_key_check")?;
        let orphans = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(2)?)))?;
        for line in orphans.take((MAX_DAMAGE + 1).saturating_sub(found.len())) {
            let (table, parent) = line?;
            found.push(format!("a row of {table} names a row of {parent} that is not there"));
        }
        if found.len() > MAX_DAMAGE {
            found.truncate(MAX_DAMAGE);
            found.push(format!("further damage than the {MAX_DAMAGE} lines that are listed"));
        }
        Ok(found)
    }
}

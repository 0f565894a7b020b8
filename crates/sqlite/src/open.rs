//! Opens connections and sets their pragmas.
//!
//! A file is in WAL mode, its tables are `STRICT`, its foreign keys are on, and what is deleted is overwritten
//! (`secure_delete`). The server commits with `synchronous=FULL` and the replica with `NORMAL`, because the replica
//! can pull again; what the reader wrote there is committed with `FULL`.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::files::{Lock, is_present, refuse_special, with_suffix};
use crate::{Bounds, Error, Migration, log, migrate, statements, validate};

/// The moment at which a commit counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit is done when it survives a loss of power (`synchronous=FULL`): for a server, whose status 201
    /// promises that.
    Full,
    /// A commit is done when it survives the end of the process (`synchronous=NORMAL`). A loss of power may undo the
    /// last commits but leaves the file consistent: for a replica, which can pull again. What it cannot pull is written by
    /// [`Database::write_durable_blocking`](crate::Database::write_durable_blocking).
    Normal,
}

impl Durability {
    /// Makes the commits of a connection that has no open transaction as durable as this.
    pub(crate) fn set(self, conn: &Connection) -> rusqlite::Result<()> {
        let synchronous = match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
        };
        conn.pragma_update(None, "synchronous", synchronous)
    }
}

/// Options for opening a database.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The moment at which a commit counts as done.
    pub durability: Durability,
    /// The most idle connections that are kept for reading; further ones are opened on demand.
    pub readers: usize,
    /// The migrations, oldest first.
    pub migrations: &'static [Migration],
}

/// With whom a database is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// With other processes: beside the file is the memory that they share.
    Processes,
    /// With nobody: that memory is of this process alone and takes no room on the disk.
    Nobody,
}

impl Sharing {
    fn open(self, path: &Path, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
        match self {
            Self::Processes => Connection::open_with_flags(path, flags),
            // SQLite's name of the file system that locks a file for one process.
            Self::Nobody => Connection::open_with_flags_and_vfs(path, flags, c"unix-excl"),
        }
    }
}

/// How long a connection waits for another process's write lock.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Looks at a file before it is opened, unless somebody has it open: its log has to be its own. If it was not closed and its
/// log is gone, what was not copied from the log is lost. The rest may not fit together, so all of it is checked. If nothing
/// was copied, no new file takes the place of what was promised to be kept.
///
/// # Errors
/// [`Error::Damaged`].
pub(crate) fn look_at(path: &Path, options: &Options) -> Result<(), Error> {
    let Some(alone) = Lock::if_alone(path) else { return Ok(()) };
    log::refuse_foreign(path)?;
    let log = with_suffix(path, "-wal");
    if !alone.was_left_open() || !is_present(path) || is_present(&log) {
        return Ok(());
    }
    let lost = format!("it was not closed, and its log {} is missing", log.display());
    let conn = immutable(path, options.migrations)?;
    validate::check_integrity(&conn)?;
    if options.durability == Durability::Full && migrate::found(&conn)? == 0 {
        return Err(Error::Damaged(lost));
    }
    tracing::warn!(path = %path.display(), "what was stored last in the database may be lost: {lost}");
    Ok(())
}

/// Opens the writer's connection; creates and migrates the file. On a full disk, which has no room for the memory that
/// processes share, it is opened for this one alone, so that it can be read.
pub(crate) fn writer(
    path: &Path,
    options: &Options,
    bounds: &Bounds,
) -> Result<(Connection, Sharing), Error> {
    refuse_special(path)?;
    // A failure here is ignored: SQLite reports it again when it opens the file.
    let _ = private(path);
    match writer_shared_with(Sharing::Processes, path, options, bounds) {
        Err(full) if full.is_full() && cfg!(unix) => {
            let alone = writer_shared_with(Sharing::Nobody, path, options, bounds).map_err(|_| full)?;
            tracing::warn!(
                path = %path.display(),
                "the disk is full: the database is open for this process alone until it is started again"
            );
            Ok((alone, Sharing::Nobody))
        }
        opened => Ok((opened?, Sharing::Processes)),
    }
}

fn writer_shared_with(
    sharing: Sharing,
    path: &Path,
    options: &Options,
    bounds: &Bounds,
) -> Result<Connection, Error> {
    let mut conn = sharing.open(path, OpenFlags::default())?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    migrate::refuse_newer(&conn, options.migrations)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    options.durability.set(&conn)?;
    conn.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // What is deleted is private: its bytes are overwritten with zeros, also in pages that become free.
    conn.pragma_update(None, "secure_delete", true)?;
    common(&conn, bounds.cache_kib)?;
    copy_after(&conn, bounds.log_pages)?;
    migrate::run(&mut conn, options.migrations)?;
    // Plans are those of a file without statistics. Ones from when a table had a single row would have SQLite read the whole
    // table for each row of another. A connection keeps what it has read of them. On a disk that takes nothing they stay.
    if validate::drop_statistics(&conn).unwrap_or_default() {
        drop(conn);
        return writer_shared_with(sharing, path, options, bounds);
    }
    statements::attach(&mut conn)?;
    Ok(conn)
}

/// Creates the file with mode 0600, or restricts an existing one to its owner; SQLite gives its log and shared memory
/// the same mode.
#[cfg(unix)]
fn private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        created => return created.map(drop),
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let mode = match std::fs::metadata(&name) {
            Ok(metadata) => metadata.permissions().mode() & 0o777,
            Err(_) => continue,
        };
        if mode & 0o077 != 0 {
            std::fs::set_permissions(&name, std::fs::Permissions::from_mode(mode & 0o700))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn private(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Opens a connection for reading, as the writer's.
pub(crate) fn reader(path: &Path, sharing: Sharing, bounds: &Bounds) -> Result<Connection, Error> {
    let mut conn = sharing.open(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    common(&conn, bounds.reader_cache_kib)?;
    statements::attach(&mut conn)?;
    Ok(conn)
}

/// Opens a connection that copies the write-ahead log, and waits for nobody.
pub(crate) fn for_copies(path: &Path, sharing: Sharing) -> Result<Connection, Error> {
    let conn = sharing.open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(Duration::ZERO)?;
    Ok(conn)
}

/// Opens a file that no process writes, in a folder that is not writable: without lock, shared memory or log.
pub(crate) fn immutable(path: &Path, migrations: &[Migration]) -> Result<Connection, Error> {
    refuse_special(path)?;
    let conn = without_log(path)?;
    migrate::refuse_newer(&conn, migrations)?;
    common(&conn, Bounds::default().reader_cache_kib)?;
    Ok(conn)
}

fn without_log(path: &Path) -> Result<Connection, rusqlite::Error> {
    let text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{text}?immutable=1"), flags)
}

/// Opens a damaged file for reading what can be read of it. No process may write it meanwhile. Unless this process has it
/// open, the log of another database beside it is not read.
///
/// # Errors
/// [`Error::Newer`] for a file of a later version and [`Error::NotAFile`]; both stay untouched.
pub fn open_damaged(path: &Path, migrations: &[Migration], is_open: bool) -> Result<Connection, Error> {
    refuse_special(path)?;
    let conn = if is_open || log::refuse_foreign(path).is_ok() {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags)?
    } else {
        without_log(path)?
    };
    conn.busy_timeout(BUSY_TIMEOUT)?;
    // SQLite refuses a file that is shorter than its first page says, unless this is on. Nothing is written by it.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    match migrate::refuse_newer(&conn, migrations) {
        // Nothing of it can be read.
        Err(error) if error.is_corrupt() => {}
        done => done?,
    }
    Ok(conn)
}

/// The first damage in the pages of a file that other processes may use; `None` for a sound one. Faster than
/// [`Database::integrity_check`](crate::Database::integrity_check), because indexes are not compared with their tables.
///
/// # Errors
/// [`Error::InUse`] while another process has the file for itself, [`Error::NotAFile`], and SQLite's error if the file
/// cannot be read at all.
pub fn quick_check(path: &Path) -> Result<Option<String>, Error> {
    refuse_special(path)?;
    if let Some(_alone) = Lock::if_alone(path) {
        log::refuse_foreign(path)?;
    }
    let _lock = Lock::shared(path)?;
    let conn = reader(path, Sharing::Processes, &Bounds::default())?;
    let found: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((found != "ok").then_some(found))
}

/// Lets a commit copy the log that it makes longer than so many pages, of which there is at least one: with none, no commit ever
/// would.
pub(crate) fn copy_after(conn: &Connection, pages: usize) -> rusqlite::Result<()> {
    conn.pragma_update(None, "wal_autocheckpoint", i64::try_from(pages).unwrap_or(i64::MAX).max(1))
}

/// Lets a connection keep so many KiB of pages in memory. Within a transaction that is at once; changed pages that it holds
/// beyond that are written to the log as others are read.
///
/// # Errors
/// SQLite's own.
pub fn set_page_cache(conn: &Connection, kib: usize) -> rusqlite::Result<()> {
    conn.pragma_update(None, "cache_size", -i64::try_from(kib).unwrap_or(i64::MAX))
}

fn common(conn: &Connection, cache_kib: usize) -> Result<(), Error> {
    validate::harden(conn)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    set_page_cache(conn, cache_kib)?;
    conn.set_prepared_statement_cache_capacity(128);
    // Plans do not depend on bound values. Without it a statement with `LIMIT ?` is prepared again for each execution.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

//! Moves a whole server from a data folder into PostgreSQL, or back. Keys, stamps, hashes of tokens, the epoch, and
//! whatever waits to be delivered stay as they are, so that clients go on where they were.
//!
//! The server is stopped and the location that it goes to is empty. Everything is written in one transaction, from one
//! snapshot; the rows go through memory a few portions at a time. Both sides are recounted.
//!
//! What each database orders in its own way is derived: in PostgreSQL the inboxes, how far others have read and
//! which groups changed. In SQLite these get stamps after all others if a client may have passed them.

mod cell;
mod into_postgres;
mod into_sqlite;
mod stream;
pub(super) mod table;
pub(super) mod tables;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_model::{Clock, Code};
use tidings_sqlite::{DataDir, LockError, Replacement, is_present};
use tidings_store::{DATABASE_FILE, DeliveryStore, Difference, Error, UpkeepStore};
use tidings_store_postgres::{Bulk, StoreAddress};
use tidings_store_sqlite::SqliteStore;

pub use self::stream::Progress;
use self::stream::Written;
use self::tables::TABLES;

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In SQLite, in this data folder.
    Folder(PathBuf),
    /// In PostgreSQL, at this address.
    Database(StoreAddress),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Database(address) => address.fmt(f),
        }
    }
}

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The rows of each table that both databases have.
    pub rows: Vec<(&'static str, u64)>,
    /// The uploaded files that are known. Their bytes are not moved: they lie in a folder.
    pub files: u64,
}

/// Moves the server of one location to another one; `progress` is called with how far it is.
///
/// # Errors
/// `invalid` unless one of the locations is a folder and the other one a database. `not_found` if there is no server in
/// `from`. `conflict` if `to` has tables of ours or a server, if a server runs on one of them, or if what is stored
/// differs from its recount. Then nothing has changed.
pub async fn migrate(
    from: &Location,
    to: &Location,
    clock: Arc<dyn Clock>,
    progress: Progress<'_>,
) -> Result<Migrated, Error> {
    match (from, to) {
        (Location::Folder(folder), Location::Database(address)) if !address.is_local() => {
            into_database(folder, address, clock, progress).await
        }
        (Location::Database(address), Location::Folder(folder)) if !address.is_local() => {
            into_folder(address, folder, clock, progress).await
        }
        _ => Err(Error::refused(
            Code::Invalid,
            "one of the two places must be a data folder, and the other one a database postgres://…",
        )),
    }
}

async fn into_database(
    folder: &Path,
    address: &StoreAddress,
    clock: Arc<dyn Clock>,
    progress: Progress<'_>,
) -> Result<Migrated, Error> {
    let file = folder.join(DATABASE_FILE);
    if !is_present(&file) {
        return Err(no_server(&folder.display()));
    }
    let _lock = lock(folder)?;
    let mut target = Bulk::open(address).await?;
    target.require_no_tables(&tables::names()).await?;
    let source = open(file, Arc::clone(&clock)).await?;
    require_sound(&source.check().await?, &folder.display())?;
    target.begin().await?;
    // This is checked once more, behind the lock with which tables are created.
    target.require_no_tables(&tables::names()).await?;
    let written = into_postgres::copy(&source, &target, clock.now(), progress).await?;
    target.commit().await?;
    require_equal(&Bulk::store(address, clock).await?.check().await?, address)?;
    Ok(migrated(&written))
}

async fn into_folder(
    address: &StoreAddress,
    folder: &Path,
    clock: Arc<dyn Clock>,
    progress: Progress<'_>,
) -> Result<Migrated, Error> {
    let (_lock, file) = (lock(folder)?, folder.join(DATABASE_FILE));
    if is_present(&file) {
        return Err(Error::refused(
            Code::Conflict,
            format!(
                "there is a server in {} already: name an empty folder; nothing has changed",
                folder.display()
            ),
        ));
    }
    let mut source = Bulk::open(address).await?;
    if !source.has_tables(&["meta"]).await? {
        return Err(no_server(address));
    }
    source.require_nobody().await?;
    {
        // Brings the tables up to date and the epoch to the database's origin, as a server does when it starts.
        let store = Bulk::store(address, Arc::clone(&clock)).await?;
        require_sound(&store.check().await?, address)?;
        while store.count_deliveries().await? {}
    }
    let replacement = blocking(move || Replacement::begin(&file)).await??;
    source.begin_snapshot().await?;
    let new = replacement.file();
    let target = blocking(move || SqliteStore::create_file(&new)).await??;
    let written = into_sqlite::copy(&source, &target, progress).await?;
    // A server that started meanwhile may have stored something since.
    source.require_nobody().await?;
    let found = blocking(move || SqliteStore::check_file(&target)).await??;
    require_equal(&found, &folder.display())?;
    blocking(move || Replacement::put_in_place(&[replacement])).await??;
    Ok(migrated(&written))
}

/// Takes the lock that a server has of its data folder.
fn lock(folder: &Path) -> Result<DataDir, Error> {
    DataDir::lock(folder, "server").map_err(|error| match error {
        LockError::InUse(folder) => Error::refused(
            Code::Conflict,
            format!("a server runs on {}: stop it first; nothing has changed", folder.display()),
        ),
        other => other.into(),
    })
}

async fn open(file: PathBuf, clock: Arc<dyn Clock>) -> Result<SqliteStore, Error> {
    blocking(move || SqliteStore::open(&file, clock)).await?
}

/// Runs work on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    Ok(tokio::task::spawn_blocking(work).await.map_err(|_| tidings_sqlite::Error::Panicked)?)
}

fn no_server(location: &dyn fmt::Display) -> Error {
    Error::refused(Code::NotFound, format!("there is no server in {location}"))
}

/// Refuses what differs from its recount before anything is written.
fn require_sound(found: &[Difference], location: &dyn fmt::Display) -> Result<(), Error> {
    let Some(first) = found.first() else { return Ok(()) };
    Err(Error::refused(
        Code::Conflict,
        format!(
            "{} numbers in {location} differ from their recount, the first: {first}. `tidings check` lists them, and a server \
             that runs for a while repairs those of inboxes; nothing has changed",
            found.len()
        ),
    ))
}

/// Refuses a copy that differs from its recount.
fn require_equal(found: &[Difference], location: &dyn fmt::Display) -> Result<(), Error> {
    let Some(first) = found.first() else { return Ok(()) };
    Err(Error::refused(
        Code::Conflict,
        format!(
            "{} numbers of the copy in {location} differ from their recount, the first: {first}. Do not use the copy; what it \
             was made of is unchanged",
            found.len()
        ),
    ))
}

fn migrated(written: &Written) -> Migrated {
    let both = TABLES.iter().enumerate().filter(|(_, table)| table.is_in_sqlite());
    let rows: Vec<_> = both.map(|(nth, table)| (table.name, written.of(nth))).collect();
    let files = rows.iter().find(|(name, _)| *name == "files").map_or(0, |(_, n)| *n);
    Migrated { rows, files }
}

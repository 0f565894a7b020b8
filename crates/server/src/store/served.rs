//! Whether a server runs on the data, for commands that work beside it. Such a server has watched its clock since it
//! started, and a command has not.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use super::StoreAddress;
use super::postgres::bulk::Bulk;
use crate::error::Error;

/// Whether another process serves the data; of PostgreSQL, whether any other is connected to the database. Ask before the
/// store is opened. Nothing is changed or created.
///
/// # Errors
/// [`Error::Unavailable`] if the database does not answer, [`Error::Io`] if the lock of the data folder can't be looked
/// at.
pub async fn is_served(store: &StoreAddress, data_dir: &Path) -> Result<bool, Error> {
    if !store.is_local() {
        return Bulk::open(store).await?.has_servers().await;
    }
    let lock = data_dir.join("server.lock");
    tokio::task::spawn_blocking(move || Ok(is_locked(&lock)?))
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)?
}

fn is_locked(file: &Path) -> io::Result<bool> {
    let file = match File::open(file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    // The lock ends with the file.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

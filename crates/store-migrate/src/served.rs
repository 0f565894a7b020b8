//! Whether a server runs on the data, for commands that work beside it. Such a server has watched its clock since it
//! started, and a command has not.

use std::path::Path;

use tidings_sqlite::DataDir;
use tidings_store::Error;
use tidings_store_postgres::{Bulk, StoreAddress};

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
    let dir = data_dir.to_owned();
    tokio::task::spawn_blocking(move || Ok(DataDir::is_taken(&dir, "server")?))
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)?
}

//! Whether the file can be written.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use tidings_store::Error;

use super::SqliteStore;

/// The bytes that have to be free before nobody looks closer. A publication of the largest size takes about as many in
/// the log, and as many in the file.
const AMPLE_BYTES: u64 = 2 * PROBE_BYTES as u64;
/// The bytes that a probe writes beside the database, and removes.
const PROBE_BYTES: usize = 1024 * 1024;
/// The name of the file with them.
const PROBE_FILE: &str = "server.probe";

/// Implements [`UpkeepStore::ready`](tidings_store::UpkeepStore::ready).
pub(super) async fn ready(store: &SqliteStore) -> Result<(), Error> {
    if !store.room.is_full() && !is_low(store).await {
        // Nothing is changed: it asks for the writer.
        return store.write(|_| Ok(())).await;
    }
    // The system may count differently from what it lets this user write, so that only a write shows it.
    store.room.probe(async { fill_beside(store).await }).await
}

async fn is_low(store: &SqliteStore) -> bool {
    let folder = store.db.path().parent().map(Path::to_owned);
    let free = tokio::task::spawn_blocking(move || folder.and_then(|at| tidings_sqlite::free_space(&at)));
    free.await.ok().flatten().is_some_and(|free| free < AMPLE_BYTES)
}

/// Writes as much as a large publication takes, and then to the database itself.
async fn fill_beside(store: &SqliteStore) -> Result<(), Error> {
    let path = store.db.path().with_file_name(PROBE_FILE);
    let written = tokio::task::spawn_blocking(move || {
        let written = fill(&path);
        let removed = std::fs::remove_file(&path);
        written.and(removed)
    });
    // It becomes an error of the database, which knows the errors that mean a full disk.
    written.await.map_err(|_| tidings_sqlite::Error::Panicked)?.map_err(tidings_sqlite::Error::from)?;
    store
        .write(|w| {
            w.next_stamp();
            Ok(())
        })
        .await
}

fn fill(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let zeros = [0; 8 * 1024];
    for _ in 0..PROBE_BYTES / zeros.len() {
        file.write_all(&zeros)?;
    }
    // Some file systems find out only then.
    file.sync_data()
}

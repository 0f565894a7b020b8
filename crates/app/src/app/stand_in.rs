//! A replica in a temporary folder, for where the data folder cannot be used. Refuses to write into the data folder.

use std::path::Path;
use std::sync::Arc;

use tidings_model::Clock;
use tidings_replica::Replica;

use crate::error::{Error, Result};
use crate::home::Home;
use crate::notices::Degradation;

pub(super) fn folder_degradation(error: &std::io::Error, home: &Home) -> Degradation {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Degradation::Disk,
        _ => Degradation::Folder(home.dir().to_owned()),
    }
}

/// A replica in a temporary folder, with a copy of what is here where that can be read.
pub(crate) fn stand_in(
    from: Option<&Path>,
    clock: &Arc<dyn Clock>,
) -> Result<(Replica, Option<tempfile::TempDir>)> {
    let folder = tempfile::Builder::new().prefix("tidings-").tempdir().map_err(Error::NoFolder)?;
    for name in [tidings_replica::FILE.to_owned(), format!("{}-wal", tidings_replica::FILE)] {
        if let Some(from) = from.map(|dir| dir.join(&name)).filter(|path| path.is_file())
            && let Err(error) = std::fs::copy(&from, folder.path().join(&name))
        {
            tracing::warn!(%error, "the inbox could not be copied");
        }
    }
    let replica = match Replica::open(folder.path(), Arc::clone(clock)) {
        Ok(replica) => replica,
        Err(error) => {
            tracing::warn!(%error, "the copy of the inbox could not be opened; starting without it");
            for name in [tidings_replica::FILE.to_owned(), format!("{}-wal", tidings_replica::FILE)] {
                let _ = std::fs::remove_file(folder.path().join(name));
            }
            Replica::open(folder.path(), Arc::clone(clock))?
        }
    };
    Ok((replica, Some(folder)))
}

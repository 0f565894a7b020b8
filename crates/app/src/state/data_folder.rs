//! The folder of this session's files: the data folder, or a temporary one if that cannot be used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_home::Home;
use tidings_model::Clock;
use tidings_replica::{FILE, Replica};

use crate::error::{Error, Result};
use crate::state::notices::Degradation;

/// The data folder with its replica, opened.
pub struct OpenedFolder {
    pub(crate) folder: DataFolder,
    pub(crate) replica: Replica,
    /// Why a temporary folder stands in, if one does.
    pub(crate) degradation: Option<Degradation>,
}

impl OpenedFolder {
    /// Opens the replica; blocks. If the data folder cannot be written, or its replica cannot be opened, it uses a copy in
    /// a temporary folder, so that the inbox can be read. The degradation says why.
    ///
    /// # Errors
    /// No folder can be written at all, or the copy cannot be opened.
    pub fn open(home: Home, clock: &Arc<dyn Clock>) -> Result<Self> {
        let why = match home.prepare() {
            Err(error) => match error.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Degradation::Disk,
                _ => Degradation::Folder(home.dir().to_owned()),
            },
            Ok(()) => match Replica::open(home.dir(), Arc::clone(clock)) {
                Ok(replica) => {
                    let path = home.dir().to_owned();
                    let folder = DataFolder { home, path, temporary: Mutex::default() };
                    return Ok(Self { folder, replica, degradation: None });
                }
                Err(error) if error.is_full() => Degradation::Disk,
                Err(error) if error.is_read_only() => Degradation::Folder(home.dir().to_owned()),
                Err(error) if error.is_corrupt() => {
                    tracing::warn!(%error, "the inbox is damaged");
                    Degradation::Damaged
                }
                Err(error) => Degradation::Replica(error.to_string()),
            },
        };
        // A replica that is damaged or too new is not copied.
        let from = (!matches!(why, Degradation::Replica(_) | Degradation::Damaged)).then(|| home.dir());
        let (replica, temporary) = open_copy(from, clock)?;
        let path = temporary.path().to_owned();
        let folder = DataFolder { home, path, temporary: Mutex::new(Some(temporary)) };
        Ok(Self { folder, replica, degradation: Some(why) })
    }
}

/// The data folder, and the folder that this session uses.
pub(crate) struct DataFolder {
    home: Home,
    path: PathBuf,
    /// The temporary folder, if one stands in; dropping it removes it.
    temporary: Mutex<Option<tempfile::TempDir>>,
}

impl DataFolder {
    /// The data folder, even if a temporary one stands in.
    pub(crate) const fn home(&self) -> &Home {
        &self.home
    }

    /// The folder of this session's files.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a temporary folder stands in, so that new items are lost at the end of the session.
    pub(crate) fn is_temporary(&self) -> bool {
        self.path != self.home.dir()
    }

    /// Removes the temporary folder.
    pub(crate) fn remove_temporary(&self) {
        self.temporary.lock().take();
    }
}

/// Opens a replica in a temporary folder, on a copy of the one in `from` if that can be copied and opened.
pub(crate) fn open_copy(from: Option<&Path>, clock: &Arc<dyn Clock>) -> Result<(Replica, tempfile::TempDir)> {
    let folder = tempfile::Builder::new().prefix("tidings-").tempdir().map_err(Error::NoFolder)?;
    let files = [FILE.to_owned(), format!("{FILE}-wal")];
    for name in &files {
        if let Some(from) = from.map(|dir| dir.join(name)).filter(|path| path.is_file())
            && let Err(error) = std::fs::copy(&from, folder.path().join(name))
        {
            tracing::warn!(%error, "the inbox could not be copied");
        }
    }
    let replica = Replica::open(folder.path(), Arc::clone(clock)).or_else(|error| {
        tracing::warn!(%error, "the copy of the inbox could not be opened; starting without it");
        for name in &files {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        Replica::open(folder.path(), Arc::clone(clock))
    })?;
    Ok((replica, folder))
}

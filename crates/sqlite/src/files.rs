//! The files of a database: the database file, its logs, and the lock file that shows whether any process has it
//! open.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Error;

/// How long a process waits for the lock of a database.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two attempts to lock.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The suffixes of SQLite's files beside a database: write-ahead log, its shared memory, rollback journal.
pub(crate) const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Appends a suffix to the file name of a path.
pub(crate) fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Whether the path exists. A dangling symbolic link counts as existing.
pub fn is_present(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Accepts a regular file and a missing path; refuses symbolic links, folders, pipes and devices.
///
/// # Errors
/// [`Error::NotAFile`] for every other kind of file.
pub(crate) fn refuse_special(path: &Path) -> Result<(), Error> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a pipe, socket or device"
    };
    Err(Error::NotAFile { path: path.to_owned(), what })
}

/// A lock on a database file: shared by all processes that have it open, exclusive for a process that replaces it.
///
/// It also says whether the database was closed: the lock file has a byte while it is open, and keeps it if the processes
/// are killed.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the shared lock of an open database. `None` if the lock file cannot be created, for example on a full
    /// disk: such a database can still be read.
    pub(crate) fn shared(path: &Path) -> Result<Option<Self>, Error> {
        match lock_file(path) {
            Ok(file) => wait_for_lock(path, &file, File::try_lock_shared)
                .map(|locked| locked.then_some(Self { file })),
            Err(error) => {
                tracing::debug!(%error, "the database is opened without a lock");
                Ok(None)
            }
        }
    }

    /// Takes the exclusive lock of a replacement: no process has the database open while it exists.
    pub(crate) fn exclusive(path: &Path) -> Result<Self, Error> {
        let file = lock_file(path)?;
        if wait_for_lock(path, &file, File::try_lock)? {
            Ok(Self { file })
        } else {
            Err(io::Error::from(io::ErrorKind::Unsupported).into())
        }
    }

    /// The lock of a database that nobody has open at this moment; `None` if somebody has, or if that can't be known.
    pub(crate) fn if_alone(path: &Path) -> Option<Self> {
        let file = lock_file(path).ok()?;
        file.try_lock().ok()?;
        Some(Self { file })
    }

    /// Whether processes had the database open and did not close it.
    pub(crate) fn was_left_open(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.len() > 0)
    }

    /// Says so, or that it is closed. It is a hint: a failure changes nothing.
    pub(crate) fn note(&self, is_open: bool) {
        if let Err(error) = self.file.set_len(u64::from(is_open)) {
            tracing::debug!(%error, "whether the database is open is not noted");
        }
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    private().create(true).truncate(false).open(with_suffix(path, ".lock"))
}

/// Waits for the lock, at most [`LOCK_TIMEOUT`]; `false` if the file system has no locks.
fn wait_for_lock(
    path: &Path,
    file: &File,
    lock: fn(&File) -> Result<(), TryLockError>,
) -> Result<bool, Error> {
    let start = Instant::now();
    loop {
        match lock(file) {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(LOCK_RETRY_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => return Err(Error::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(false);
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Options for opening a file for writing; a new file gets mode 0600.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Syncs the folder of a file, so that renames in it survive a loss of power.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    // The parent of a relative name is this.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Creates a folder with mode 0700, and its missing parents. Each new name survives a loss of power.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// let folder = dir.path().join("tidings/files");
/// tidings_sqlite::create_folder(&folder)?;
/// assert!(folder.is_dir());
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Errors
/// The folder cannot be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !is_present(folder);
    let new: Vec<&Path> = path.ancestors().take_while(is_new).collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    for folder in new {
        match sync_folder_of(folder) {
            // What this user may not read, this user cannot sync.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            synced => synced?,
        }
    }
    Ok(())
}

/// Creates a folder as [`create_folder`] does; an existing folder loses the permissions of group and others. A read-only
/// folder stays read-only.
///
/// # Errors
/// The folder can't be created, or its permissions not changed.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    create_folder(path)?;
    restrict(path)
}

#[cfg(unix)]
fn restrict(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if mode == mode & 0o700 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

#[cfg(not(unix))]
fn restrict(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes a file, if it exists.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether both paths are hard links to one file.
#[cfg(unix)]
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let name = |path: &Path| fs::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    name(a).is_some_and(|file| Some(file) == name(b))
}

#[cfg(not(unix))]
pub(crate) fn is_same_file(_a: &Path, _b: &Path) -> bool {
    false
}

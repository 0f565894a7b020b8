//! Files that only their owner can read (mode 0600): tokens, drafts, the endpoint file. They are never readable by
//! other users, not even for a moment, and are replaced atomically.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Options that open a file for writing, with mode 0600 if it is new; the caller adds `create` or `create_new`.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The prefix and suffix of the names of temporary files.
const TEMP_NAME: (&str, &str) = (".tidings-", ".new");

/// Writes a file under a temporary name, syncs it and renames it into place. A symbolic link at `path` is replaced,
/// not followed.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// let path = dir.path().join("endpoint.json");
/// tidings_net::private_files::write(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Errors
/// The folder is not writable; a previous file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temp_file = locked_temp_file(folder)?;
    temp_file.write_all(bytes)?;
    temp_file.as_file().sync_all()?;
    let _locked = temp_file.persist(path)?;
    // The rename is done even if the folder can't be synced.
    sync_folder(folder).or(Ok(()))
}

/// Makes the names in a folder durable.
///
/// # Errors
/// The folder can't be read or synced.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// A temporary file with a unique name, locked while it is open.
fn locked_temp_file(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let temp_file =
            tempfile::Builder::new().prefix(TEMP_NAME.0).suffix(TEMP_NAME.1).tempfile_in(folder)?;
        temp_file.as_file().lock()?;
        // Until it was locked, `remove_stale_temp_files` could remove it as one of a killed program.
        if temp_file.path().exists() {
            return Ok(temp_file);
        }
    }
}

/// Removes the temporary files that killed programs left in a folder. Those that are being written are locked and
/// stay.
pub fn remove_stale_temp_files(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(TEMP_NAME.0)
            && name.ends_with(TEMP_NAME.1)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // The next start tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn what_a_killed_program_left_goes_and_what_is_being_written_stays() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join(".tidings-left.new");
        fs::write(&left, "half").unwrap();
        fs::write(dir.path().join("mine.new"), "not a draft").unwrap();
        let busy = locked_temp_file(dir.path()).unwrap();
        remove_stale_temp_files(dir.path());
        assert!(!left.exists() && busy.path().exists() && dir.path().join("mine.new").exists());
        let (_, busy) = busy.keep().unwrap();
        remove_stale_temp_files(dir.path());
        assert!(!busy.exists());
    }

    #[test]
    fn what_is_written_while_another_program_starts_arrives() {
        let dir = tempfile::tempdir().unwrap();
        let (target, ended) = (dir.path().join("tokens.json"), AtomicBool::new(false));
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    while !ended.load(Ordering::Relaxed) {
                        remove_stale_temp_files(dir.path());
                    }
                });
            }
            let written = (0..200).try_for_each(|n| write(&target, format!("{n}").as_bytes()));
            ended.store(true, Ordering::Relaxed);
            written.unwrap();
        });
        assert_eq!(fs::read_to_string(&target).unwrap(), "199");
    }

    #[test]
    fn a_private_file_is_never_readable_by_others_and_never_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (target, victim) = (dir.path().join("endpoint.json"), dir.path().join("victim"));
        fs::write(&victim, "mine").unwrap();
        fs::set_permissions(&victim, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&victim, &target).unwrap();
        write(&target, b"secret").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        let metadata = fs::symlink_metadata(&target).unwrap();
        assert!(metadata.is_file());
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&target).unwrap(), "secret");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no half file stays");
        // A file that was readable before is replaced too, and not written into.
        fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).unwrap();
        write(&target, b"other").unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

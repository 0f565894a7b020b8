//! Files of the user outside the data folder: read with a limit, and replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The most symbolic links that are followed in a chain.
const MAX_LINKS: usize = 16;

/// The permissions of a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// For its owner alone (0600), whatever the permissions of a replaced file.
    OwnerOnly,
    /// As other programs of the user write it: 0666 less the umask, that of [`set_umask`] or else the process's. A replaced
    /// file's mode is kept.
    Default,
}

/// The umask of the user's files.
static UMASK: OnceLock<u32> = OnceLock::new();

/// Sets the umask of the user's files, for a process that has a stricter one for its own.
pub fn set_umask(umask: u32) {
    // The first one is that with which the program was started.
    let _ = UMASK.set(umask);
}

/// Reads a regular file of at most `max_bytes` bytes; `None` if it does not exist.
///
/// # Errors
/// `InvalidInput` for anything but a regular file, `FileTooLarge`, or the file system's error.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        // A dangling link counts as a file that does not exist yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(bytes))
}

/// Writes a file in one step: `write` fills a new file in the same folder, which is synced and then replaces the old
/// one. Until then, and after an error, the old file is unchanged. Of a symbolic link, the target is replaced.
///
/// # Errors
/// `InvalidInput` if something other than a regular file has this name, the error of `write`, or the file system's.
pub fn replace<T, E: From<io::Error>>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let path = target(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file").into());
    }
    let mut temp = temp_file_in(folder, access)?;
    let written = write(temp.as_file_mut())?;
    temp.as_file_mut().flush()?;
    let old_mode = old.map(|old| old.permissions());
    if let Some(mode) = old_mode.or_else(new_mode).filter(|_| access == Access::Default) {
        temp.as_file().set_permissions(mode)?;
    }
    temp.as_file().sync_all()?;
    temp.persist(&path).map_err(|error| error.error)?;
    // Syncing the folder makes the new name durable, if the system permits it.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(written)
}

/// Writes bytes to a file as [`replace`] does.
///
/// ```
/// use tidings_home::user_file::{Access, read, write_bytes};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("settings.json");
/// write_bytes(&path, Access::OwnerOnly, b"{}").unwrap();
/// assert_eq!(read(&path, 1 << 20).unwrap().as_deref(), Some(&b"{}"[..]));
/// ```
///
/// # Errors
/// Those of [`replace`].
pub fn write_bytes(path: &Path, access: Access, bytes: &[u8]) -> io::Result<()> {
    replace(path, access, |file| file.write_all(bytes))
}

/// The mode of a new file by [`set_umask`]; none if the process's umask decides.
#[cfg(unix)]
fn new_mode() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    UMASK.get().map(|umask| fs::Permissions::from_mode(0o666 & !umask))
}

#[cfg(not(unix))]
fn new_mode() -> Option<fs::Permissions> {
    None
}

fn temp_file_in(folder: &Path, access: Access) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tidings-").suffix(".part");
    #[cfg(unix)]
    if access == Access::Default {
        use std::os::unix::fs::PermissionsExt as _;
        // The system subtracts the umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    builder.tempfile_in(folder)
}

/// The target of a path through symbolic links, whether or not it exists.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            // No link, or the path does not exist.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many symbolic links"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_keeps_its_mode_and_its_link_and_leaves_no_draft() {
        let at = tempfile::tempdir().unwrap();
        let (file, link) = (at.path().join("file"), at.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        write_bytes(&link, Access::Default, b"new").unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), mode(&file)), ("new", 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(at.path()), ["file", "link"]);

        let nowhere = at.path().join("nowhere");
        symlink("made", &nowhere).unwrap();
        write_bytes(&nowhere, Access::OwnerOnly, b"x").unwrap();
        assert_eq!(mode(&at.path().join("made")), 0o600);
        symlink("round", at.path().join("round")).unwrap();
        write_bytes(&at.path().join("round"), Access::OwnerOnly, b"x").unwrap_err();
    }

    #[test]
    fn what_is_for_its_owner_alone_is_so_also_in_the_place_of_what_others_may_read() {
        let at = tempfile::tempdir().unwrap();
        let file = at.path().join("file");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        write_bytes(&file, Access::OwnerOnly, b"new").unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), mode(&file)), ("new", 0o600));
    }

    #[test]
    fn a_write_that_fails_leaves_everything_as_it_was() {
        let at = tempfile::tempdir().unwrap();
        let file = at.path().join("file");
        fs::write(&file, "old").unwrap();
        let failed: io::Result<()> = replace(&file, Access::Default, |temp| {
            temp.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(
            (fs::read_to_string(&file).unwrap().as_str(), names(at.path())),
            ("old", vec!["file".into()])
        );
        write_bytes(at.path(), Access::Default, b"x").unwrap_err();
    }

    #[test]
    fn only_a_regular_file_of_a_sane_size_is_read() {
        let at = tempfile::tempdir().unwrap();
        assert_eq!(read(&at.path().join("none"), 4).unwrap(), None);
        read(at.path(), 4).unwrap_err();
        let file = at.path().join("file");
        fs::write(&file, [0xff, 0, 1, 2]).unwrap();
        assert_eq!(read(&file, 4).unwrap(), Some(vec![0xff, 0, 1, 2]));
        assert_eq!(read(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}

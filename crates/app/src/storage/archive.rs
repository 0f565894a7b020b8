//! A backup as one file: the server and the inbox, each as its own database, in a tar archive. Nothing but such a file is
//! unpacked.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tidings_sync::private_files;

/// The server's file in a backup.
pub const SERVER: &str = "server.db";
/// The inbox's file in a backup.
pub const REPLICA: &str = tidings_replica::FILE;

/// Room that stays free on the disk beside what is unpacked, bytes.
const MARGIN: u64 = 16 << 20;
/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Bytes of a SQLite file's head that are looked at.
const HEAD: usize = 32;

/// Why a file was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is not a backup of this program, and why.
    #[error("it is not a backup of this program: {0}")]
    Foreign(String),
    /// The disk has no room for it.
    #[error("unpacked it takes {needed} bytes, and {free} are free")]
    NoRoom {
        /// Bytes that unpacking takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A folder for half-made files inside the data folder, so that moving them is one step; gone at the end. What a killed
/// program left goes with [`StagingDir::tidy`].
#[derive(Debug)]
pub struct StagingDir {
    dir: PathBuf,
    /// Locked for as long as somebody works there.
    _lock: File,
}

/// How the names of benches begin.
const PREFIXES: [&str; 2] = [".backup-", ".restore-"];

impl StagingDir {
    /// One for a backup.
    pub fn for_backup(folder: &Path) -> io::Result<Self> {
        Self::new(folder, PREFIXES[0])
    }

    /// One for a restore.
    pub fn for_restore(folder: &Path) -> io::Result<Self> {
        Self::new(folder, PREFIXES[1])
    }

    fn new(folder: &Path, prefix: &str) -> io::Result<Self> {
        Self::tidy(folder);
        loop {
            let dir = tempfile::Builder::new().prefix(prefix).tempdir_in(folder)?.keep();
            let lock = File::open(&dir)?;
            // Somebody who tidies may have been faster; then the folder is gone.
            if lock.try_lock().is_ok() && dir.is_dir() {
                return Ok(Self { dir, _lock: lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Removes the benches in a folder at which nobody works any more.
    pub fn tidy(folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let ours = PREFIXES.iter().any(|prefix| name.to_string_lossy().starts_with(prefix));
            if ours
                && entry.file_type().is_ok_and(|kind| kind.is_dir())
                && let Ok(lock) = File::open(entry.path())
                && lock.try_lock().is_ok()
                && let Err(error) = fs::remove_dir_all(entry.path())
            {
                tracing::warn!(%error, "what a backup or a restore left could not be removed");
            }
        }
    }
}

impl Drop for StagingDir {
    fn drop(&mut self) {
        // What can't be removed is only room lost, until the next start.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Packs parts that lie in a folder into a file for its owner alone. The file has its name only once it is whole and on
/// the disk; one that is there already is never replaced.
pub fn pack_new(to: &Path, from: &Path, parts: &[&str]) -> io::Result<()> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = tempfile::Builder::new().prefix(".tidings-").suffix(".part").tempfile_in(folder)?;
    write(draft.as_file_mut(), from, parts)?;
    draft.as_file().sync_all()?;
    draft.persist_noclobber(to).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Writes the archive of parts that lie in a folder.
pub fn write(to: &mut File, from: &Path, parts: &[&str]) -> io::Result<()> {
    let mut archive = tar::Builder::new(to);
    for part in parts {
        archive.append_path_with_name(from.join(part), part)?;
    }
    archive.finish()
}

/// Unpacks the parts of a backup into a folder, and gives their names. Nothing else may be in the file: no other name, no
/// name twice, no link, device or sparse file, nothing that is no SQLite file of just its size, and nothing for which the
/// disk has no room.
pub fn unpack(from: &Path, to: &Path) -> Result<Vec<&'static str>, Refused> {
    // Before it is opened: opening a pipe waits for somebody to write into it.
    let about = fs::metadata(from)?;
    if !about.is_file() {
        return Err(foreign("it is no file"));
    }
    let mut archive = tar::Archive::new(File::open(from)?);
    let mut parts = Vec::new();
    for entry in archive.entries().map_err(|error| torn(&error))?.raw(true) {
        let mut entry = entry.map_err(|error| torn(&error))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some(part) = [SERVER, REPLICA].into_iter().find(|part| name == *part) else {
            return Err(foreign(format!("it holds `{}`", name.escape_debug())));
        };
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Err(foreign(format!("`{part}` in it is no plain file")));
        }
        if parts.contains(&part) {
            return Err(foreign(format!("`{part}` is in it twice")));
        }
        let size = entry.size();
        if size > about.len() {
            return Err(foreign(format!("`{part}` in it is cut off")));
        }
        unpack_part(&mut entry, size, part, to)?;
        parts.push(part);
    }
    if parts.is_empty() { Err(foreign("it is empty")) } else { Ok(parts) }
}

fn unpack_part(entry: &mut impl Read, size: u64, part: &str, to: &Path) -> Result<(), Refused> {
    let mut head = [0; HEAD];
    let headed = entry.read_exact(&mut head).is_ok();
    if !headed || says(&head) != Some(size) {
        return Err(foreign(format!("`{part}` in it is no whole database")));
    }
    let needed = size.saturating_add(MARGIN);
    if let Some(free) = tidings_replica::free_space(to).filter(|free| *free < needed) {
        return Err(Refused::NoRoom { needed, free });
    }
    let mut file = private_files::options().create_new(true).open(to.join(part))?;
    let copied = io::copy(&mut head.as_slice().chain(entry), &mut file)?;
    if copied == size { Ok(()) } else { Err(foreign(format!("`{part}` in it is cut off"))) }
}

/// How many bytes a SQLite file has, by its head; none where it is no such head.
fn says(head: &[u8; HEAD]) -> Option<u64> {
    let (magic, rest) = head.split_first_chunk::<16>()?;
    let page = u16::from_be_bytes(*rest.first_chunk()?);
    // 65,536 does not fit and is written as 1.
    let page = if page == 1 { 65_536 } else { u64::from(page) };
    let pages = u32::from_be_bytes(*rest.get(12..16)?.first_chunk()?);
    (magic == MAGIC).then(|| page * u64::from(pages))
}

fn foreign(why: impl Into<String>) -> Refused {
    Refused::Foreign(why.into())
}

/// What the archive's reader says of its bytes.
fn torn(error: &io::Error) -> Refused {
    foreign(error.to_string())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::storage::home::Home;

    #[test]
    fn what_a_killed_restore_left_goes_at_the_next_start_and_what_is_in_use_stays() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join(".restore-1234");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(SERVER), "half").unwrap();
        let at_work = StagingDir::for_backup(dir.path()).unwrap();
        fs::write(at_work.path().join(REPLICA), "half").unwrap();
        assert!(!left.exists(), "the next one tidies");
        fs::create_dir(&left).unwrap();
        Home::at(dir.path()).prepare().unwrap();
        assert!(!left.exists(), "and so does a start");
        assert!(at_work.path().join(REPLICA).exists(), "somebody works there");
        let path = at_work.path().to_owned();
        drop(at_work);
        assert!(!path.exists());
    }

    #[test]
    fn a_backup_never_takes_the_place_of_a_file_that_came_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(REPLICA), "rows").unwrap();
        let to = dir.path().join("all.tar");
        fs::write(&to, "the only copy").unwrap();
        let refused = pack_new(&to, dir.path(), &[REPLICA]).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&to).unwrap(), "the only copy");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no half file stays");
    }
}

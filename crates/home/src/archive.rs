//! A backup as one file: a tar archive of the databases of server and inbox. Any other file is refused when it is
//! unpacked.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use tidings_net::private_files;

/// The name of the server's database in a backup and in the data folder.
pub const SERVER: &str = "server.db";
/// The name of the inbox's database in a backup and in the data folder.
pub const REPLICA: &str = tidings_replica::FILE;

/// Bytes that must stay free on the disk besides the unpacked files.
const MIN_FREE_BYTES: u64 = 16 << 20;
/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Bytes of a SQLite file's header that are checked.
const HEADER_BYTES: usize = 32;

/// The reason why a file was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The file is not a backup of this program, with the reason.
    #[error("it is not a backup of this program: {0}")]
    NotABackup(String),
    /// The disk has too little free space.
    #[error("unpacked it takes {needed} bytes, and {free} are free")]
    NoSpace {
        /// Bytes that unpacking takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The file system failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Packs files of a folder into an archive for its owner alone. The archive gets its name only when it is complete and
/// synced; an existing file is never replaced.
///
/// # Errors
/// `AlreadyExists` if `to` exists; else the file system's error.
pub fn pack_new(to: &Path, from: &Path, parts: &[&str]) -> io::Result<()> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temp = tempfile::Builder::new().prefix(".tidings-").suffix(".part").tempfile_in(folder)?;
    write(temp.as_file_mut(), from, parts)?;
    temp.as_file().sync_all()?;
    temp.persist_noclobber(to).map_err(|error| error.error)?;
    // What failed leaves no file behind.
    File::open(folder).and_then(|folder| folder.sync_all()).inspect_err(|_| drop(fs::remove_file(to)))
}

/// Writes the archive of files of a folder.
pub fn write(to: &mut File, from: &Path, parts: &[&str]) -> io::Result<()> {
    let mut archive = tar::Builder::new(to);
    for part in parts {
        archive.append_path_with_name(from.join(part), part)?;
    }
    archive.finish()
}

/// Unpacks the databases of a backup into a folder, and returns their names. The archive may hold nothing else: no
/// other or repeated name, no link, device or sparse file, and only SQLite files whose header states their size.
///
/// # Errors
/// [`UnpackError::NotABackup`] for any other file, [`UnpackError::NoSpace`] if the disk has too little free space.
pub fn unpack(from: &Path, to: &Path) -> Result<Vec<&'static str>, UnpackError> {
    // Checked before it is opened: opening a pipe would wait for a writer.
    let about = fs::metadata(from)?;
    if !about.is_file() {
        return Err(not_a_backup("it is no file"));
    }
    let mut archive = tar::Archive::new(File::open(from)?);
    let mut parts = Vec::new();
    for entry in archive.entries().map_err(|error| unreadable(&error))?.raw(true) {
        let mut entry = entry.map_err(|error| unreadable(&error))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some(part) = [SERVER, REPLICA].into_iter().find(|part| name == *part) else {
            return Err(not_a_backup(format!("it holds `{}`", name.escape_debug())));
        };
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Err(not_a_backup(format!("`{part}` in it is no plain file")));
        }
        if parts.contains(&part) {
            return Err(not_a_backup(format!("`{part}` is in it twice")));
        }
        let size = entry.size();
        if size > about.len() {
            return Err(not_a_backup(format!("`{part}` in it is cut off")));
        }
        unpack_part(&mut entry, size, part, to)?;
        parts.push(part);
    }
    if parts.is_empty() { Err(not_a_backup("it is empty")) } else { Ok(parts) }
}

fn unpack_part(entry: &mut impl Read, size: u64, part: &str, to: &Path) -> Result<(), UnpackError> {
    let mut head = [0; HEADER_BYTES];
    let has_header = entry.read_exact(&mut head).is_ok();
    if !has_header || declared_size(&head) != Some(size) {
        return Err(not_a_backup(format!("`{part}` in it is no whole database")));
    }
    let needed = size.saturating_add(MIN_FREE_BYTES);
    if let Some(free) = tidings_replica::free_space(to).filter(|free| *free < needed) {
        return Err(UnpackError::NoSpace { needed, free });
    }
    let mut file = private_files::options().create_new(true).open(to.join(part))?;
    let copied = io::copy(&mut head.as_slice().chain(entry), &mut file)?;
    if copied == size { Ok(()) } else { Err(not_a_backup(format!("`{part}` in it is cut off"))) }
}

/// The size of a SQLite file by its header, in bytes; `None` if it is no such header.
fn declared_size(head: &[u8; HEADER_BYTES]) -> Option<u64> {
    let (magic, rest) = head.split_first_chunk::<16>()?;
    let page = u16::from_be_bytes(*rest.first_chunk()?);
    // A page size of 65,536 does not fit, and is written as 1.
    let page = if page == 1 { 65_536 } else { u64::from(page) };
    let pages = u32::from_be_bytes(*rest.get(12..16)?.first_chunk()?);
    (magic == MAGIC).then(|| page * u64::from(pages))
}

fn not_a_backup(why: impl Into<String>) -> UnpackError {
    UnpackError::NotABackup(why.into())
}

/// The error for an archive that cannot be read.
fn unreadable(error: &io::Error) -> UnpackError {
    not_a_backup(error.to_string())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Home, StagingDir};

    #[test]
    fn what_a_killed_restore_left_goes_at_the_next_start_and_what_is_in_use_stays() {
        let dir = tempfile::tempdir().unwrap();
        let leftover = dir.path().join(".restore-1234");
        fs::create_dir(&leftover).unwrap();
        fs::write(leftover.join(SERVER), "half").unwrap();
        let in_use = StagingDir::for_backup(dir.path()).unwrap();
        fs::write(in_use.path().join(REPLICA), "half").unwrap();
        assert!(!leftover.exists(), "the next one tidies");
        fs::create_dir(&leftover).unwrap();
        Home::at(dir.path()).prepare().unwrap();
        assert!(!leftover.exists(), "and so does a start");
        assert!(in_use.path().join(REPLICA).exists(), "somebody works there");
        let path = in_use.path().to_owned();
        drop(in_use);
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

    #[test]
    fn whatever_an_archive_has_no_more_is_unpacked_of_it_than_the_databases_in_it() {
        tidings_testkit::fuzz::run("archive", 500, |input| {
            let dir = tempfile::tempdir().unwrap();
            let (from, to) = (dir.path().join("all.tar"), dir.path().join("to"));
            fs::write(&from, input).unwrap();
            fs::create_dir(&to).unwrap();
            let unpacked = unpack(&from, &to);
            let files: Vec<_> = fs::read_dir(&to).unwrap().map(|entry| entry.unwrap()).collect();
            let sizes = files.iter().map(|file| usize::try_from(file.metadata().unwrap().len()).unwrap());
            assert!(sizes.sum::<usize>() <= input.len());
            let is_part = |file: &fs::DirEntry| file.file_name() == SERVER || file.file_name() == REPLICA;
            assert!(files.iter().all(is_part) && fs::read_dir(dir.path()).unwrap().count() == 2);
            if let Ok(parts) = unpacked {
                assert_eq!(files.len(), parts.len());
            }
        });
    }
}

//! Files that only their owner can read (mode 0600): tokens, and what was written by or to a person. They are never
//! readable by others, not even for a moment, and never half in another's place.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// How such a file is opened for writing; whether it may be there already is the caller's matter.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a folder for its owner alone, with those above it that are missing; one that is there is closed to others. A
/// folder that its owner made read-only stays so.
pub fn folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    close(path)
}

#[cfg(unix)]
fn close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if mode == mode & 0o700 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

#[cfg(not(unix))]
fn close(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes such a file beside its place and moves it there: whole or not at all, durably. A link in its place is
/// replaced, and not followed.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    // What a killed program left, or somebody put there: it would be written through.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = write_new(&draft, bytes).and_then(|_locked| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written?;
    match path.parent() {
        // A system that can't sync a folder has moved the file all the same.
        Some(folder) => File::open(folder).and_then(|folder| folder.sync_all()).or(Ok(())),
        None => Ok(()),
    }
}

/// Removes the drafts in a folder that killed programs left; whoever still writes one has it locked.
pub fn tidy(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let process = name.strip_suffix(".new").and_then(|rest| rest.rsplit_once('.')).map(|(_, id)| id);
        let is_draft = process.is_some_and(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()));
        if is_draft
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // What can't be removed is tried again at the next start.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a new file; its lock is held until what is given is dropped.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = options().create_new(true).open(path)?;
    file.lock()?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_a_killed_program_left_goes_and_what_is_being_written_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (left, busy) = (dir.path().join("tokens.12.new"), dir.path().join("tokens.34.new"));
        fs::write(&left, "half").unwrap();
        fs::write(dir.path().join("mine.new"), "not a draft").unwrap();
        let held = write_new(&busy, b"half").unwrap();
        tidy(dir.path());
        assert!(!left.exists() && busy.exists() && dir.path().join("mine.new").exists());
        drop(held);
        tidy(dir.path());
        assert!(!busy.exists());
    }

    #[test]
    fn a_private_file_is_never_readable_by_others_and_never_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (place, victim) = (dir.path().join("endpoint.json"), dir.path().join("victim"));
        fs::write(&victim, "mine").unwrap();
        fs::set_permissions(&victim, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&victim, &place).unwrap();
        symlink(&victim, place.with_extension(format!("{}.new", std::process::id()))).unwrap();
        write(&place, b"secret").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        let about = fs::symlink_metadata(&place).unwrap();
        assert!(about.is_file());
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&place).unwrap(), "secret");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no half file stays");
        // Nor is one that was readable before: it is replaced, and not written into.
        fs::set_permissions(&place, fs::Permissions::from_mode(0o666)).unwrap();
        write(&place, b"other").unwrap();
        assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

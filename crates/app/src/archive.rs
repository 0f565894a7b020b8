//! A backup as one file: the server and the inbox, each as its own database. Refuses to take anything else out of it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::user_file::{self, Readers};

/// The server's file in a backup.
pub const SERVER: &str = "server.db";
/// The inbox's file in a backup.
pub const REPLICA: &str = tidings_replica::FILE;

/// A folder for half-made files inside the data folder, so that moving them is one step; gone at the end.
#[derive(Debug)]
pub struct Bench(PathBuf);

impl Bench {
    /// One for this work.
    pub fn in_folder(folder: &Path, what: &str) -> io::Result<Self> {
        let dir = folder.join(format!(".{what}-{}", std::process::id()));
        // What a killed program left.
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What can't be removed is only room lost.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Packs parts that lie in a folder into a file, for its owner alone. Half a backup never has a backup's name.
pub fn pack(to: &Path, from: &Path, parts: &[&str]) -> io::Result<()> {
    user_file::replace(to, Readers::Owner, |file| write(file, from, parts))
}

/// Writes the archive of parts that lie in a folder.
pub fn write(to: &mut File, from: &Path, parts: &[&str]) -> io::Result<()> {
    let mut archive = tar::Builder::new(to);
    for part in parts {
        archive.append_path_with_name(from.join(part), part)?;
    }
    archive.finish()
}

/// The parts of a backup, unpacked into a folder; none where the file is no backup.
pub fn unpack(from: &Path, to: &Path) -> io::Result<Vec<&'static str>> {
    let mut archive = tar::Archive::new(File::open(from)?);
    let mut parts = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        let Some(part) = [SERVER, REPLICA].into_iter().find(|part| name == Path::new(part)) else { continue };
        io::copy(&mut entry, &mut File::create(to.join(part))?)?;
        parts.push(part);
    }
    Ok(parts)
}

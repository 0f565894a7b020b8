//! Files that only their owner can read (mode 0600): tokens, and what was written by or to a person. Refuses to leave half
//! a file in another's place.

use std::fs::{self, OpenOptions};
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

/// Writes such a file beside its place and moves it there: whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = options().create(true).truncate(true).open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

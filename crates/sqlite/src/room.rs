//! How much a disk has room for.

use std::path::Path;

/// Bytes that this user may still write where a folder is; none where the system does not say.
#[cfg(unix)]
pub fn room(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

/// Bytes that this user may still write where a folder is; none where the system does not say.
#[cfg(not(unix))]
pub fn room(_folder: &Path) -> Option<u64> {
    None
}

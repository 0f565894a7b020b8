//! The free space of a disk.

use std::path::Path;

/// The bytes that this user may still write on the disk of a folder; `None` where the system does not say.
///
/// ```
/// let free = tidings_sqlite::free_space(&std::env::temp_dir());
/// println!("{free:?} bytes");
/// ```
#[cfg(unix)]
pub fn free_space(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

/// The bytes that this user may still write on the disk of a folder; `None` where the system does not say.
#[cfg(not(unix))]
pub fn free_space(_folder: &Path) -> Option<u64> {
    None
}

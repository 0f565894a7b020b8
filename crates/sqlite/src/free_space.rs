//! The size and the free space of a file system.

use std::path::Path;

/// The number of bytes that this user may still write to the file system of a folder; `None` if the system does
/// not report it.
///
/// ```
/// let free = tidings_sqlite::free_space(&std::env::temp_dir());
/// println!("{free:?} bytes");
/// ```
#[cfg(unix)]
pub fn free_space(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

/// The number of bytes that this user may still write to the file system of a folder; `None` on this platform.
#[cfg(not(unix))]
pub fn free_space(_folder: &Path) -> Option<u64> {
    None
}

/// The number of files that this user may still make on the file system of a folder. It is `None` if the system does not
/// report it, or the file system has no such bound.
#[cfg(unix)]
pub fn free_files(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    (stat.f_files > 0).then_some(stat.f_favail)
}

/// The number of files that this user may still make on the file system of a folder; `None` on this platform.
#[cfg(not(unix))]
pub fn free_files(_folder: &Path) -> Option<u64> {
    None
}

/// The size in bytes of the file system of a folder; `None` if the system does not report it.
#[cfg(unix)]
pub fn disk_size(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    stat.f_blocks.checked_mul(stat.f_frsize)
}

/// The size in bytes of the file system of a folder; `None` on this platform.
#[cfg(not(unix))]
pub fn disk_size(_folder: &Path) -> Option<u64> {
    None
}

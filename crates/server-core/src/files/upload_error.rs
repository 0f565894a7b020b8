//! Why an uploaded file is not stored.

use std::io;

/// The reason why a file is not stored.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// It is larger than a file may be, or than what its uploader or all together have left.
    #[error("the file is too large")]
    TooLarge,
    /// Too many uploads are in progress.
    #[error("too many uploads are in progress")]
    Busy,
    /// The disk would have too little room left.
    #[error("the disk has no room for files")]
    NoRoom,
    /// The system can't write it.
    #[error("the file can't be written: {0}")]
    Io(io::Error),
}

impl From<io::Error> for UploadError {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoRoom,
            _ => Self::Io(e),
        }
    }
}

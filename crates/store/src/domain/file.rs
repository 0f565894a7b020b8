//! Uploaded files as the store knows them; their bytes are in a folder.

use serde::{Deserialize, Serialize};
use tidings_model::Stamp;

use super::account::UserKey;

/// A file that was uploaded with a publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedFile {
    /// Its name in the folder, which does not reveal its address.
    pub name: String,
    /// Its name as the publisher gave it.
    pub file_name: String,
    /// The media type.
    pub media_type: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The user whose token uploaded it; `None` for a program without a token.
    pub uploader: Option<UserKey>,
    /// When it is deleted.
    pub expires_at: Stamp,
    /// The limits that hold when it is stored.
    #[serde(skip)]
    pub quota: FileQuota,
}

/// Limits on the bytes of stored files, with the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileQuota {
    /// Bytes of the files of its uploader.
    pub user_bytes: u64,
    /// Bytes of all files.
    pub total_bytes: u64,
}

impl Default for FileQuota {
    fn default() -> Self {
        Self { user_bytes: u64::MAX, total_bytes: u64::MAX }
    }
}

/// What the store knows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its name as the publisher gave it.
    pub file_name: String,
    /// The media type.
    pub media_type: String,
    /// The size in bytes.
    pub bytes: u64,
    /// When it is deleted; a time that has passed if its deletion is due.
    pub expires_at: Stamp,
}

/// What uploaded files take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileUsage {
    /// The number of files of one uploader, without expired ones.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The bytes of all files, also of those that are still to be deleted.
    pub total_bytes: u64,
}

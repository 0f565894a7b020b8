//! The part of the store's interface that is about uploaded files.

use std::collections::HashSet;

use async_trait::async_trait;

use crate::Error;
use crate::{FileUsage, StoredFile, UserKey};

/// The records of uploaded files.
#[async_trait]
pub trait FileStore: Send + Sync {
    /// The record of an uploaded file, by its name in the folder.
    async fn file(&self, name: &str) -> Result<Option<StoredFile>, Error>;
    /// The size of the files of an uploader, and of all files; `None` for programs without a token.
    async fn file_usage(&self, uploader: Option<UserKey>) -> Result<FileUsage, Error>;
    /// The names of files that are to be deleted, at most `limit`: those of deleted publications and, if `by_age`,
    /// those that have expired with time.
    async fn expired_files(&self, by_age: bool, limit: usize) -> Result<Vec<String>, Error>;
    /// Those of these names that the store knows.
    async fn known_files(&self, names: Vec<String>) -> Result<HashSet<String>, Error>;
    /// The next names after one, at most `limit`, in their order.
    async fn files_after(&self, name: &str, limit: usize) -> Result<Vec<String>, Error>;
    /// Forgets files that are not in the folder any more, at most
    /// [`SHORT_WRITE_ROWS`](crate::domain::limits::SHORT_WRITE_ROWS).
    async fn forget_files(&self, names: Vec<String>) -> Result<(), Error>;
}

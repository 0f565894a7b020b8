//! Uploaded files.

use std::collections::HashSet;

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_store::{Error, FileStore, FileUsage, StoredFile, UserKey};

use crate::SqliteStore;
use crate::tables::files;

#[async_trait]
impl FileStore for SqliteStore {
    async fn file(&self, name: &str) -> Result<Option<StoredFile>, Error> {
        let name = name.to_owned();
        self.read(move |c| files::get(c, &name)).await
    }

    async fn file_usage(&self, uploader: Option<UserKey>) -> Result<FileUsage, Error> {
        let now = self.clock.now();
        self.read(move |c| files::usage(c, uploader, now)).await
    }

    async fn expired_files(&self, by_age: bool, limit: usize) -> Result<Vec<String>, Error> {
        let now = if by_age { self.clock.now() } else { Stamp::ZERO };
        self.read(move |c| files::due(c, now, limit)).await
    }

    async fn known_files(&self, names: Vec<String>) -> Result<HashSet<String>, Error> {
        self.read(move |c| files::known(c, names)).await
    }

    async fn files_after(&self, name: &str, limit: usize) -> Result<Vec<String>, Error> {
        let name = name.to_owned();
        self.read(move |c| files::after(c, &name, limit)).await
    }

    async fn forget_files(&self, names: Vec<String>) -> Result<(), Error> {
        self.write_long(move |w| files::forget(w, &names)).await
    }
}

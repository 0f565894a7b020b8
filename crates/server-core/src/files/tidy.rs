//! Keeps the folder and the store alike. It deletes files that have expired, files that the store does not know, and
//! what the store knows of files that are gone. In portions, off the threads that serve connections.
//!
//! First the file goes, then its row. So a kill leaves at worst a file that the next start removes. Of the
//! processes that share a folder (`--files`) one at a time tidies, by the clock of the file system. Such a folder
//! is never created.

use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use tidings_store::{Error, Store};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::{FileFolder, TEMPORARY_SUFFIX, hex_hash, is_stored_name, mint_public_name};
use crate::domain::limits::SHORT_WRITE_ROWS;

/// A file in a shared folder may be one to which nothing was written for this long, and that the store does not know.
/// Then it is of an upload that was cut short. Another process ends its uploads, and what it stores of them, within
/// minutes.
const STRAY_AGE: Duration = Duration::from_secs(3_600);

/// The pause between two portions.
const PAUSE: Duration = Duration::from_millis(20);

/// Deletes the files of deleted publications and, if `by_age`, those that have expired with time; and then their rows.
///
/// # Errors
/// [`Error::Store`] if the database can't be read or written.
pub async fn delete_expired(store: &dyn Store, folder: &Arc<FileFolder>, by_age: bool) -> Result<(), Error> {
    loop {
        let names = store.expired_files(by_age, SHORT_WRITE_ROWS).await?;
        if names.is_empty() {
            return Ok(());
        }
        let count = names.len();
        let gone = folder.remove(names).await?;
        let is_stuck = gone.len() < count;
        store.forget_files(gone).await?;
        // What can't be deleted now is tried again the next time.
        if is_stuck || count < SHORT_WRITE_ROWS {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}

/// Deletes files that the store does not know and that are not being uploaded: of uploads that a kill cut short, or of a
/// history before a restore.
///
/// # Errors
/// [`Error::Store`] if the database can't be read, [`Error::Io`] if the folder can't be listed.
pub async fn delete_strays(store: &dyn Store, folder: &Arc<FileFolder>) -> Result<(), Error> {
    let Some(mut listing) = folder.list().await? else { return Ok(()) };
    loop {
        let (names, rest) = next_names(listing).await?;
        if names.is_empty() {
            return Ok(());
        }
        listing = rest;
        // This comes before the store is asked, so that it knows an upload that ends in between.
        let candidates: Vec<String> =
            names.into_iter().filter(|name| !folder.is_uploading(base_name(name))).collect();
        let candidates =
            if folder.is_shared { folder.untouched_among(candidates).await? } else { candidates };
        let known = store.known_files(candidates.clone()).await?;
        let strays: Vec<String> = candidates.into_iter().filter(|name| !known.contains(name)).collect();
        if !strays.is_empty() {
            tracing::info!(count = strays.len(), "files of no publication are deleted");
            folder.remove(strays).await?;
        }
        sleep(PAUSE).await;
    }
}

/// Forgets files that are not in the folder, as after a restore. If processes with folders of their own share a store,
/// nothing is forgotten: it may be in another folder. A shared folder without any file counts as one that is not mounted.
///
/// # Errors
/// [`Error::Store`] if the database can't be read or written.
pub async fn forget_missing(store: &dyn Store, folder: &Arc<FileFolder>) -> Result<(), Error> {
    if store.is_shared() && !folder.is_shared {
        return Ok(());
    }
    if folder.is_shared && !folder.has_files().await? {
        if !store.files_after("", 1).await?.is_empty() {
            tracing::error!("the folder of uploaded files is empty: is it mounted? no file is forgotten");
        }
        return Ok(());
    }
    let mut last = String::new();
    loop {
        let names = store.files_after(&last, SHORT_WRITE_ROWS).await?;
        let Some(newest) = names.last() else { return Ok(()) };
        last.clone_from(newest);
        let missing = folder.missing_among(names).await?;
        if !missing.is_empty() {
            tracing::warn!(count = missing.len(), "files of publications are gone");
            store.forget_files(missing).await?;
        }
        sleep(PAUSE).await;
    }
}

/// The name of a file without the suffix of one that is not whole.
fn base_name(name: &str) -> &str {
    name.strip_suffix(TEMPORARY_SUFFIX).unwrap_or(name)
}

/// The next names of a listing, at most as many as one portion has; other files in the folder are left alone.
async fn next_names(mut listing: fs::ReadDir) -> Result<(Vec<String>, fs::ReadDir), Error> {
    blocking(move || {
        let mut names = Vec::new();
        for entry in listing.by_ref() {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if is_stored_name(base_name(&name)) {
                names.push(name);
            }
            if names.len() == SHORT_WRITE_ROWS {
                break;
            }
        }
        Ok((names, listing))
    })
    .await
}

/// Runs file operations on a blocking thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    Ok(spawn_blocking(work).await.map_err(io::Error::other)??)
}

impl FileFolder {
    /// A listing of the folder; `None` if it does not exist.
    async fn list(&self) -> Result<Option<fs::ReadDir>, Error> {
        let path = self.path.clone();
        blocking(move || match fs::read_dir(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            listing => listing.map(Some),
        })
        .await
    }

    /// Whether any file of a publication is in it.
    async fn has_files(&self) -> Result<bool, Error> {
        let Some(mut listing) = self.list().await? else { return Ok(false) };
        blocking(move || {
            Ok(listing
                .any(|entry| entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_stored_name))))
        })
        .await
    }

    /// Those of these files to which nothing was written for [`STRAY_AGE`], by the clock of the file system: a file that is
    /// written now tells it.
    async fn untouched_among(self: &Arc<Self>, names: Vec<String>) -> Result<Vec<String>, Error> {
        let folder = Arc::clone(self);
        blocking(move || {
            let probe = folder.path.join(format!("{}{TEMPORARY_SUFFIX}", hex_hash(&mint_public_name("now"))));
            let now = fs::File::create_new(&probe).and_then(|file| file.metadata()?.modified());
            let removed = fs::remove_file(&probe);
            let now = now?;
            removed?;
            let is_untouched = |name: &String| {
                fs::symlink_metadata(folder.path.join(name))
                    .and_then(|about| about.modified())
                    .is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age >= STRAY_AGE))
            };
            Ok(names.into_iter().filter(is_untouched).collect())
        })
        .await
    }

    /// Deletes files; gives the names of those that are gone.
    async fn remove(self: &Arc<Self>, names: Vec<String>) -> Result<Vec<String>, Error> {
        let folder = Arc::clone(self);
        blocking(move || Ok(names.into_iter().filter(|name| folder.remove_one(name)).collect())).await
    }

    /// Deletes a file; true if it is gone.
    fn remove_one(&self, name: &str) -> bool {
        // A name that can't be one of ours has no file.
        if !is_stored_name(base_name(name)) {
            return true;
        }
        match fs::remove_file(self.path.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(error = %e, "an uploaded file can't be deleted");
                false
            }
            _ => true,
        }
    }

    async fn missing_among(self: &Arc<Self>, names: Vec<String>) -> Result<Vec<String>, Error> {
        let folder = Arc::clone(self);
        let is_missing = move |name: &String| match folder.path_of(name) {
            Ok(path) => fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound),
            Err(_) => true,
        };
        blocking(move || Ok(names.into_iter().filter(is_missing).collect())).await
    }
}

#[cfg(test)]
#[path = "tidy_tests.rs"]
mod tests;

//! One upload: written while it comes, renamed when it is whole. A file whose publication is not stored is removed again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use tokio::io::AsyncWriteExt;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::UploadError;
use super::admission::Admission;
use super::{TEMPORARY_SUFFIX, hex_hash, mint_public_name};
use crate::domain::limits;

/// The free space of the disk is looked up again after this many bytes.
const DISK_CHECK_BYTES: u64 = 1024 * 1024;

/// An error if the disk would have less than the reserve left after this many bytes.
fn check_disk(folder: &Path, bytes: u64, reserve: u64) -> Result<(), UploadError> {
    let Some(free) = tidings_sqlite::free_space(folder) else { return Ok(()) };
    let share = tidings_sqlite::disk_size(folder).map(|size| size / 100 * limits::DISK_RESERVE_PERCENT);
    let reserve = share.map_or(reserve, |share| share.min(reserve));
    if free.saturating_sub(bytes) < reserve { Err(UploadError::NoRoom) } else { Ok(()) }
}

/// Options for a new file that only its owner may read.
fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A file that is being written. Dropping it removes the file, unless it was [submitted](Upload::submit).
pub struct Upload {
    /// `None` after it was dropped.
    admission: Option<Admission>,
    file: Option<tokio::fs::File>,
    public_name: String,
    stored_name: String,
    path: PathBuf,
    temporary: PathBuf,
    /// The size at which the free space of the disk was looked up.
    checked_at: u64,
    /// Whether the store may have recorded it.
    is_submitted: bool,
}

impl Upload {
    /// Creates the file, with a public name that ends with the extension.
    ///
    /// # Errors
    /// [`UploadError::NoRoom`] if the disk would have too little room left for `expected` bytes.
    pub(crate) async fn create(
        admission: Admission,
        extension: &str,
        expected: u64,
    ) -> Result<Self, UploadError> {
        let public_name = mint_public_name(extension);
        let stored_name = hex_hash(&public_name);
        admission.folder.uploads.lock().names.insert(stored_name.clone());
        let path = admission.folder.path.join(&stored_name);
        let temporary = admission.folder.path.join(format!("{stored_name}{TEMPORARY_SUFFIX}"));
        let (folder, file, reserve) =
            (Arc::clone(&admission.folder), temporary.clone(), admission.limits.disk_reserve_bytes);
        let mut upload = Self {
            admission: Some(admission),
            file: None,
            public_name,
            stored_name,
            path,
            temporary,
            checked_at: 0,
            is_submitted: false,
        };
        let created = spawn_blocking(move || {
            folder.prepare()?;
            check_disk(&folder.path, expected, reserve)?;
            Ok::<_, UploadError>(private().create_new(true).open(file)?)
        });
        let created = created.await.map_err(io::Error::other)??;
        upload.file = Some(tokio::fs::File::from_std(created));
        Ok(upload)
    }

    /// The last segment of the file's address.
    pub(crate) fn public_name(&self) -> &str {
        &self.public_name
    }

    /// The name in the folder.
    pub(crate) fn stored_name(&self) -> &str {
        &self.stored_name
    }

    /// The bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.admission.as_ref().map_or(0, |admission| admission.bytes)
    }

    /// Appends bytes.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), UploadError> {
        let (Some(admission), Some(file)) = (&mut self.admission, &mut self.file) else { return Ok(()) };
        admission.grow(bytes.len() as u64)?;
        if admission.bytes >= self.checked_at.saturating_add(DISK_CHECK_BYTES) {
            self.checked_at = admission.bytes;
            let (folder, reserve) = (admission.folder.path.clone(), admission.limits.disk_reserve_bytes);
            spawn_blocking(move || check_disk(&folder, 0, reserve)).await.map_err(io::Error::other)??;
        }
        Ok(file.write_all(bytes).await?)
    }

    /// Makes the file durable and gives it its name.
    pub(crate) async fn finish(&mut self) -> Result<(), UploadError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        file.flush().await?;
        let file = file.into_std().await;
        let (temporary, path) = (self.temporary.clone(), self.path.clone());
        let finished = spawn_blocking(move || {
            file.sync_all()?;
            fs::rename(temporary, &path)?;
            #[cfg(unix)]
            if let Some(folder) = path.parent() {
                fs::File::open(folder)?.sync_all()?;
            }
            Ok::<_, io::Error>(())
        });
        Ok(finished.await.map_err(io::Error::other)??)
    }

    /// Leaves the file to the store, which is about to record it. From here on it stays, even if the task is dropped;
    /// if the store does not know it then, it is a stray.
    pub(crate) fn submit(&mut self) {
        self.is_submitted = true;
    }

    /// Removes the file, because the store has refused it.
    pub(crate) fn discard(mut self) {
        self.is_submitted = false;
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(admission) = self.admission.take() else { return };
        if self.is_submitted {
            admission.folder.uploads.lock().names.remove(&self.stored_name);
            return;
        }
        let (file, name) = (self.file.take(), std::mem::take(&mut self.stored_name));
        let paths = [std::mem::take(&mut self.temporary), std::mem::take(&mut self.path)];
        let remove = move || {
            drop(file);
            for path in paths {
                drop(fs::remove_file(path));
            }
            admission.folder.uploads.lock().names.remove(&name);
        };
        // If the program ends now, the next start removes what remains.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{FileFolder, FileLimits};
    use tidings_store::domain::file::FileUsage;

    #[tokio::test]
    async fn a_disk_that_is_nearly_full_takes_no_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Arc::new(FileFolder::new(dir.path()));
        let Some(free) = tidings_sqlite::free_space(dir.path()) else { return };
        let admission = folder.admit(&FileLimits::default(), None, FileUsage::default(), 0).unwrap();
        assert!(matches!(Upload::create(admission, "bin", free).await, Err(UploadError::NoRoom)));
    }
}

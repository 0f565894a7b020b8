//! Admits uploads within the limits of files. What is in progress counts as if it were stored.

use std::sync::Arc;

use tidings_store::domain::account::UserKey;
use tidings_store::domain::file::FileUsage;

use super::{FileFolder, FileLimits, UploadError};
use crate::domain::limits;

/// A place among the uploads in progress, freed when dropped.
pub(crate) struct Admission {
    pub(super) folder: Arc<FileFolder>,
    pub(super) limits: FileLimits,
    uploader: Option<UserKey>,
    usage: FileUsage,
    /// The bytes so far.
    pub(super) bytes: u64,
}

impl Admission {
    pub(super) fn new(
        folder: Arc<FileFolder>,
        limits: FileLimits,
        uploader: Option<UserKey>,
        usage: FileUsage,
        bytes: u64,
    ) -> Result<Self, UploadError> {
        {
            let mut uploads = folder.uploads.lock();
            let own = uploads.of(uploader);
            if own.count >= limits::USER_UPLOADS || uploads.all.count >= limits::ALL_UPLOADS {
                return Err(UploadError::Busy);
            }
            let too_many = usage.files.saturating_add(own.count) >= limits::USER_FILES;
            let fits = bytes <= limits.file_bytes
                && fits(&[usage.bytes, own.bytes, bytes], limits.user_bytes)
                && fits(&[usage.total_bytes, uploads.all.bytes, bytes], limits.total_bytes);
            if too_many || !fits {
                return Err(UploadError::TooLarge);
            }
            uploads.by_uploader.entry(uploader).or_default().count += 1;
            uploads.all.count += 1;
        }
        Ok(Self { folder, limits, uploader, usage, bytes: 0 })
    }

    /// Counts further bytes.
    pub(super) fn grow(&mut self, more: u64) -> Result<(), UploadError> {
        let mut uploads = self.folder.uploads.lock();
        let own = uploads.of(self.uploader);
        let fits = fits(&[self.bytes, more], self.limits.file_bytes)
            && fits(&[self.usage.bytes, own.bytes, more], self.limits.user_bytes)
            && fits(&[self.usage.total_bytes, uploads.all.bytes, more], self.limits.total_bytes);
        if !fits {
            return Err(UploadError::TooLarge);
        }
        uploads.by_uploader.entry(self.uploader).or_default().bytes += more;
        uploads.all.bytes += more;
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut uploads = self.folder.uploads.lock();
        if let Some(own) = uploads.by_uploader.get_mut(&self.uploader) {
            own.count = own.count.saturating_sub(1);
            own.bytes = own.bytes.saturating_sub(self.bytes);
            if own.count == 0 {
                uploads.by_uploader.remove(&self.uploader);
            }
        }
        uploads.all.count = uploads.all.count.saturating_sub(1);
        uploads.all.bytes = uploads.all.bytes.saturating_sub(self.bytes);
    }
}

fn fits(parts: &[u64], limit: u64) -> bool {
    parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part)) <= limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Upload;

    const ANN: Option<UserKey> = Some(UserKey(1));
    const BEN: Option<UserKey> = Some(UserKey(2));

    #[tokio::test]
    async fn uploads_in_progress_count_as_if_they_were_stored() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Arc::new(FileFolder::new(dir.path()));
        let limits = FileLimits { file_bytes: 10, user_bytes: 15, total_bytes: 25, ..FileLimits::default() };
        let admit = |who, bytes| folder.admit(&limits, who, FileUsage::default(), bytes);
        assert!(matches!(admit(ANN, 11), Err(UploadError::TooLarge)));
        let mut first = Upload::create(admit(ANN, 10).unwrap(), "bin", 0).await.unwrap();
        first.write(&[0; 10]).await.unwrap();
        assert!(matches!(first.write(&[0]).await, Err(UploadError::TooLarge)));
        assert!(matches!(admit(ANN, 6), Err(UploadError::TooLarge)), "its uploader's share");
        let mut second = Upload::create(admit(BEN, 0).unwrap(), "bin", 0).await.unwrap();
        second.write(&[0; 10]).await.unwrap();
        assert!(matches!(admit(None, 6), Err(UploadError::TooLarge)), "all files together");
        let third = admit(None, 5).unwrap();
        drop((first, second, third));
        tidings_testkit::wait::until("their room is free", || async { admit(ANN, 10).is_ok() }).await;
    }

    #[tokio::test]
    async fn a_few_uploads_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Arc::new(FileFolder::new(dir.path()));
        let limits = FileLimits::default();
        let admit = |who| folder.admit(&limits, who, FileUsage::default(), 1);
        let mut admitted: Vec<_> = (0..limits::USER_UPLOADS).map(|_| admit(ANN).unwrap()).collect();
        assert!(matches!(admit(ANN), Err(UploadError::Busy)));
        for n in limits::USER_UPLOADS..limits::ALL_UPLOADS {
            admitted.push(admit(Some(UserKey(i64::try_from(n).unwrap()))).unwrap());
        }
        assert!(matches!(admit(None), Err(UploadError::Busy)));
        admitted.clear();
        assert!(admit(None).is_ok());
        assert!(folder.uploads.lock().by_uploader.is_empty(), "nobody is remembered");
    }
}

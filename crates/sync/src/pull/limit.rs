//! The bounds of one pull of a source: how many bytes and pages it may bring, and how much of the disk stays free.
//!
//! The bytes are those of the pages, unpacked, and the room of the disk is looked at before each page. At a bound the
//! pull ends with `PullEnded`, which is no failure of the server. Nothing backs off, the cursor is that of the last
//! page, and the next pull goes on by the timer.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tidings_net::Error as NetError;
use tidings_replica::{Replica, disk_size, free_space};

use crate::{Error, PullEnd, Result};

/// The key of the setting in the replica.
const SETTING: &str = "pull_limit";
/// The most of the disk that stays free for others, in bytes.
const KEEP_FREE_BYTES: u64 = 512 << 20;
/// The part of a smaller disk that stays free: 5 %.
const KEEP_FREE_PART: u64 = 20;

/// The most that one pull of a source brings. The next pull goes on where it ended.
///
/// ```
/// use tidings_sync::PullLimit;
///
/// let limit = PullLimit { pages: 10, ..PullLimit::default() };
/// assert_eq!(limit.bytes, 1 << 30);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PullLimit {
    /// The bytes of its pages, unpacked.
    pub bytes: u64,
    /// Its pages.
    pub pages: u32,
    /// The bytes of the disk that stay free; `None` for 512 MiB, or 5 % of a disk below 10 GiB. Not stored.
    #[serde(skip)]
    pub keep_free: Option<u64>,
}

impl Default for PullLimit {
    fn default() -> Self {
        Self { bytes: 1 << 30, pages: 1_000, keep_free: None }
    }
}

impl PullLimit {
    /// The limit that the reader chose; the usual one if none can be read.
    ///
    /// # Errors
    /// [`Error::Replica`] if the replica can't be read.
    pub fn stored(replica: &Replica) -> tidings_replica::Result<Self> {
        let stored = replica.setting(SETTING)?.and_then(|value| serde_json::from_value::<Self>(value).ok());
        let limit = stored.unwrap_or_default();
        Ok(Self { bytes: limit.bytes.max(1), pages: limit.pages.max(1), keep_free: None })
    }

    /// Stores the limit, which holds from the next pull on.
    ///
    /// # Errors
    /// [`Error::Replica`] if the replica can't be written.
    pub fn store(&self, replica: &Replica) -> tidings_replica::Result<()> {
        replica.set_setting(SETTING, &serde_json::to_value(self)?)
    }

    /// The number of bytes that stay free on the disk of a folder: with less nothing is pulled.
    pub fn kept_free(&self, folder: &Path) -> u64 {
        self.keep_free
            .unwrap_or_else(|| disk_size(folder).map_or(0, |size| KEEP_FREE_BYTES.min(size / KEEP_FREE_PART)))
    }
}

/// What a pull has brought so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    limit: PullLimit,
    bytes: u64,
    pages: u32,
}

impl Spent {
    pub(super) const fn new(limit: PullLimit) -> Self {
        Self { limit, bytes: 0, pages: 0 }
    }

    /// Counts the bytes of answers, and the pages in them.
    pub(super) fn count_pages(&mut self, bytes: usize, pages: u32) {
        self.bytes = self.bytes.saturating_add(bytes.try_into().unwrap_or(u64::MAX));
        self.pages = self.pages.saturating_add(pages);
    }

    /// The bound that was reached; `None` if the pull may go on.
    pub(super) const fn end(&self) -> Option<PullEnd> {
        let PullLimit { bytes, pages, .. } = self.limit;
        if self.bytes >= bytes {
            return Some(PullEnd::Bytes(bytes));
        }
        if self.pages >= pages { Some(PullEnd::Pages(pages)) } else { None }
    }

    /// Checks that the disk of a folder has room for another page.
    ///
    /// # Errors
    /// [`Error::PullEnded`].
    pub(super) async fn check_disk(&self, folder: &Path) -> Result<()> {
        let (limit, folder) = (self.limit, folder.to_owned());
        let look = move || {
            let kept = limit.kept_free(&folder);
            // If the system does not say, an attempt to write shows it.
            free_space(&folder).is_some_and(|free| free < kept).then_some(kept)
        };
        match tokio::task::spawn_blocking(look).await.map_err(|error| NetError::from_task(&error))? {
            Some(kept) => Err(Error::PullEnded(PullEnd::Disk(kept))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_ends_at_the_first_bound_that_it_reaches() {
        let limit = PullLimit { bytes: 1_000, pages: 3, keep_free: None };
        let mut spent = Spent::new(limit);
        spent.count_pages(400, 1);
        spent.count_pages(500, 0);
        assert_eq!(spent.end(), None);
        spent.count_pages(100, 1);
        assert_eq!(spent.end(), Some(PullEnd::Bytes(1_000)));
        let mut spent = Spent::new(limit);
        (0..3).for_each(|_| spent.count_pages(1, 1));
        assert_eq!(spent.end(), Some(PullEnd::Pages(3)));
    }

    #[test]
    fn half_a_gibibyte_stays_free_and_of_a_small_disk_a_twentieth() {
        let folder = std::env::temp_dir();
        let Some(size) = disk_size(&folder) else { return };
        assert_eq!(PullLimit::default().kept_free(&folder), (512 << 20).min(size / 20));
        let limit = PullLimit { keep_free: Some(7), ..PullLimit::default() };
        assert_eq!(limit.kept_free(&folder), 7);
    }
}

//! The part of the store's interface that keeps a database well.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tidings_model::{Clock, Stamp};

use crate::Error;
use crate::{Difference, StoreMeta, UserKey};

/// The state of the database as a whole.
#[async_trait]
pub trait UpkeepStore: Send + Sync {
    /// The clock by which everything here ages and becomes due: the server's own, or that of a database of several.
    fn clock(&self) -> Arc<dyn Clock>;
    /// Takes or renews the lease of a kind of work that one process is enough for; false while another one has it. It
    /// ends half a minute after its last use.
    async fn take_lease(&self, work: &str) -> Result<bool, Error> {
        let _ = work;
        Ok(true)
    }
    /// The id of the current epoch.
    async fn epoch(&self) -> Result<String, Error>;
    /// Begins a new epoch, so that every client pulls from the beginning. Gives its id.
    async fn new_epoch(&self) -> Result<String, Error>;
    /// Whether the store can be written, is of this program's version, and has its clock within a second of this
    /// process's. If the version or the clock differs, the store hands out no stamps until the next look: what would take
    /// one is [`Error::Unavailable`].
    ///
    /// # Errors
    /// `unavailable` with the reason if one of these does not hold, [`Error::Unavailable`] if the store does not
    /// answer.
    async fn ready(&self) -> Result<(), Error>;
    /// Reads again what it read from files as it was opened, beside its data: the certificates that a database has to have.
    ///
    /// # Errors
    /// `invalid` if they can't be read: then everything stays as it was.
    async fn reload(&self) -> Result<(), Error> {
        Ok(())
    }
    /// The newest stamp at which something was created, and counters of the whole store.
    async fn meta(&self) -> Result<StoreMeta, Error>;
    /// The newest stamp of any order: of creations, and of every inbox.
    async fn latest_stamp(&self) -> Result<Stamp, Error>;
    /// Recounts every counter and verifies the database; gives the differences.
    async fn check(&self) -> Result<Vec<Difference>, Error>;
    /// Recounts the inboxes of up to `batch` users after the given one whose inbox changed after `since`, and repairs
    /// them. Gives the differences and the last user considered; `None` after the last of all users.
    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error>;
    /// Whether [`UpkeepStore::backup`] works; else the database is backed up by tools of its own.
    fn takes_backups(&self) -> bool {
        true
    }
    /// Copies the whole database to a file while the store stays in use, and checks the copy.
    ///
    /// # Errors
    /// [`Error::Store`] if the copy is damaged: then no file of it is left. `invalid`, naming the tools, if
    /// [`UpkeepStore::takes_backups`] is false.
    async fn backup(&self, to: &Path) -> Result<(), Error>;
    /// Estimated bytes that [`UpkeepStore::compact`] would free; 0 if the store never has unused space.
    async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        Ok(0)
    }
    /// Returns unused space to the file system.
    async fn compact(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Deletion by age, and of what removed users had.
#[async_trait]
pub trait RetentionStore: Send + Sync {
    /// Deletes at most `batch` rows of expired data, of removed users and, if `before` is given, of everything created
    /// before that time. It gives true while there may be more.
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error>;
    /// Like [`RetentionStore::prune`], except that receipts stay: they go by
    /// [`ReceiptStore::old_receipts`](super::ReceiptStore::old_receipts).
    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error>;
    /// Deletes at most `batch` rows of removed users, and nothing by age. True while there may be more.
    async fn prune_removed(&self, batch: usize) -> Result<bool, Error>;
    /// The rest of the hold on deletion by age, as [`RetentionStore::set_age_hold`] stored it; zero for none.
    async fn age_hold(&self) -> Result<Duration, Error>;
    /// Stores the rest of the hold on deletion by age, in whole seconds.
    async fn set_age_hold(&self, left: Duration) -> Result<(), Error>;
}

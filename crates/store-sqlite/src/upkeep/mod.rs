//! Maintenance of the database: recounts, repairs, retention, removal of users' data, and restores.

pub(super) mod check;
pub(super) mod mend;
pub(super) mod prune;
pub(super) mod removal;
pub(super) mod repair;
pub(super) mod restore;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::{Clock, Stamp};
use tidings_sqlite::Database;
use tidings_store::{Difference, Error, StoreMeta, UpkeepStore, UserKey};

use super::tables::meta;
use super::{SHARED_QUEUE, SqliteStore, readiness};

impl SqliteStore {
    /// Works on the file as a whole, on a blocking thread.
    async fn on_file<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let db = self.db.clone();
        tokio::task::spawn_blocking(move || work(&db)).await.map_err(|_| tidings_sqlite::Error::Panicked)?
    }
}

#[async_trait]
impl UpkeepStore for SqliteStore {
    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    async fn epoch(&self) -> Result<String, Error> {
        self.read(meta::epoch).await
    }

    async fn new_epoch(&self) -> Result<String, Error> {
        self.write(meta::new_epoch).await
    }

    async fn ready(&self) -> Result<(), Error> {
        readiness::ready(self).await
    }

    async fn meta(&self) -> Result<StoreMeta, Error> {
        self.read(meta::get).await
    }

    async fn latest_stamp(&self) -> Result<Stamp, Error> {
        self.read(meta::last_stamp).await
    }

    async fn check(&self) -> Result<Vec<Difference>, Error> {
        let most = self.bounds.differences;
        let mut damage = self.on_file(check::damage).await?;
        match self.read_long(SHARED_QUEUE, move |c| check::unreadable(c, most)).await {
            Ok(unreadable) => damage.extend(unreadable),
            Err(_) if !damage.is_empty() => return Ok(damage),
            Err(error) => return Err(error),
        }
        match self.read_long(SHARED_QUEUE, move |c| check::check(c, most)).await {
            Ok(counted) => Ok(counted.into_iter().chain(damage).collect()),
            // What can't be read can't be counted.
            Err(_) if !damage.is_empty() => Ok(damage),
            Err(error) => Err(error),
        }
    }

    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error> {
        let bounds = self.bounds;
        let (found, last) =
            self.read_long(SHARED_QUEUE, move |c| check::recount(c, after, since, batch, &bounds)).await?;
        let mut users: Vec<UserKey> = found.iter().map(|(user, _)| *user).collect();
        users.dedup();
        for user in users {
            self.in_portions(repair::Repair::new(user)).await?;
        }
        Ok((found.into_iter().map(|(_, difference)| difference).collect(), last))
    }

    async fn backup(&self, to: &Path) -> Result<(), Error> {
        let to = to.to_owned();
        self.on_file(move |db| Ok(db.backup(&to)?)).await
    }

    async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        self.on_file(|db| Ok(db.reclaimable_bytes()?)).await
    }

    async fn compact(&self) -> Result<(), Error> {
        self.on_file(|db| Ok(db.compact()?)).await
    }
}

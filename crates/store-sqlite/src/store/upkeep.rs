//! Upkeep.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tidings_model::{Clock, Stamp};
use tidings_store::{Difference, Error, Receipts, RetentionStore, StoreMeta, UpkeepStore, UserKey};

use crate::tables::meta;
use crate::upkeep::{check, prune, repair};
use crate::{SHARED_QUEUE, SqliteStore, readiness};

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
        let (db, most) = (self.db.clone(), self.bounds.differences);
        let damage = tokio::task::spawn_blocking(move || check::damage(&db));
        let mut damage = damage.await.map_err(|_| tidings_sqlite::Error::Panicked)??;
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
        let (db, to) = (self.db.clone(), to.to_owned());
        tokio::task::spawn_blocking(move || db.backup(&to))
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        Ok(())
    }

    async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        let db = self.db.clone();
        Ok(tokio::task::spawn_blocking(move || db.reclaimable_bytes())
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??)
    }

    async fn compact(&self) -> Result<(), Error> {
        let db = self.db.clone();
        tokio::task::spawn_blocking(move || db.compact())
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        Ok(())
    }
}

#[async_trait]
impl RetentionStore for SqliteStore {
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let (budget, slice) = (self.budget(), self.bounds.retention_slice);
        self.write_long(move |w| prune::portion(w, before, Receipts::Deleted, slice, batch, &mut budget()))
            .await
    }

    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let (budget, slice) = (self.budget(), self.bounds.retention_slice);
        self.write_long(move |w| prune::portion(w, before, Receipts::Kept, slice, batch, &mut budget())).await
    }

    async fn prune_removed(&self, batch: usize) -> Result<bool, Error> {
        let budget = self.budget();
        self.write_long(move |w| prune::portion_of_removed(w, batch, &mut budget())).await
    }

    async fn age_hold(&self) -> Result<Duration, Error> {
        self.read(meta::age_hold).await
    }

    async fn set_age_hold(&self, left: Duration) -> Result<(), Error> {
        self.write(move |w| meta::set_age_hold(w, left)).await
    }
}

//! Maintenance of the database: numbers of the whole, recounts, repairs, retention, and removal of users' data. Work that
//! one process is enough for is done by the one that holds its lease.

mod check;
mod lease;
mod prune;
mod recount;
pub(super) mod removal;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::{Clock, Code, Stamp};
use tidings_store::domain::account::{UserKey, random_name};
use tidings_store::{Difference, Error, StoreMeta, UpkeepStore};

use super::session::Columns;
use super::tx::{in_transaction, reading};
use super::{PostgresStore, readiness};

/// The SQL expression of the correct value of column `unread`, for an item `i` with the read mark `v`.
const UNREAD: &str = "CASE WHEN i.own OR i.deleted OR i.closed OR i.read_at IS NOT NULL THEN 0
    WHEN i.auto AND i.content_at <= coalesce(v.mark, -1) THEN 0
    WHEN i.archived_at IS NOT NULL THEN 2 ELSE 1 END";

#[async_trait]
impl UpkeepStore for PostgresStore {
    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    async fn take_lease(&self, work: &str) -> Result<bool, Error> {
        lease::take(self, work).await
    }

    async fn epoch(&self) -> Result<String, Error> {
        reading!(self, |s| s.query_one("SELECT epoch FROM meta", &[]).await?.at(0))
    }

    async fn new_epoch(&self) -> Result<String, Error> {
        let epoch = random_name();
        in_transaction!(self, |tx| {
            tx.execute("UPDATE meta SET epoch = $1", &[&epoch]).await?;
            tx.creation_stamp().await?;
            Ok(())
        })?;
        Ok(epoch)
    }

    async fn ready(&self) -> Result<(), Error> {
        readiness::ready(self).await
    }

    async fn reload(&self) -> Result<(), Error> {
        self.reload_trust().await
    }

    async fn meta(&self) -> Result<StoreMeta, Error> {
        let sql = "SELECT l.last, c.auth_version, c.user_count, c.file_bytes FROM log l, counters c";
        StoreMeta::from_row(&reading!(self, |s| s.query_one(sql, &[]).await)?)
    }

    async fn latest_stamp(&self) -> Result<Stamp, Error> {
        let sql = "SELECT greatest(l.last, (SELECT max(last) FROM inboxes)) FROM log l";
        reading!(self, |s| s.query_one(sql, &[]).await?.stamp(0))
    }

    async fn check(&self) -> Result<Vec<Difference>, Error> {
        check::check(self).await
    }

    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error> {
        recount::reconcile(self, after, since, batch).await
    }

    fn takes_backups(&self) -> bool {
        false
    }

    // The database has tools for it that do it better.
    async fn backup(&self, _: &Path) -> Result<(), Error> {
        Err(Error::refused(
            Code::Invalid,
            "a server in PostgreSQL is backed up by PostgreSQL's own tools while it is in use, as \
             `pg_dump --format=custom --file=tidings.dump`; no file was written",
        ))
    }
}

//! Maintenance of the database: numbers of the whole, recounts, repairs, retention, and removal of users' data. Work that
//! one process is enough for is done by the one that holds its lease.

mod check;
mod lease;
pub(super) mod partitions;
mod prune;
mod recount;
pub(super) mod removal;

use std::time::Duration;

use tidings_model::{Code, Stamp};

pub(super) use self::check::check;
pub(super) use self::lease::take as take_lease;
pub(super) use self::prune::{prune, prune_removed};
pub(super) use self::recount::reconcile;
use super::PostgresStore;
use super::session::Columns;
use super::tx::{in_transaction, reading};
use crate::domain::account::{UserKey, random_name};
use crate::error::Error;
use crate::store::StoreMeta;

/// The SQL expression of the correct value of column `unread`, for an item `i` with the read mark `v`.
const UNREAD: &str = "CASE WHEN i.own OR i.deleted OR i.closed OR i.read_at IS NOT NULL THEN 0
    WHEN i.auto AND i.content_at <= coalesce(v.mark, -1) THEN 0
    WHEN i.archived_at IS NOT NULL THEN 2 ELSE 1 END";

pub(super) async fn epoch(store: &PostgresStore) -> Result<String, Error> {
    reading!(store, |s| s.query_one("SELECT epoch FROM meta", &[]).await?.at(0))
}

pub(super) async fn new_epoch(store: &PostgresStore) -> Result<String, Error> {
    let epoch = random_name();
    in_transaction!(store, |tx| {
        tx.execute("UPDATE meta SET epoch = $1", &[&epoch]).await?;
        tx.creation_stamp().await?;
        Ok(())
    })?;
    Ok(epoch)
}

pub(super) async fn position(store: &PostgresStore, user: UserKey) -> Result<Stamp, Error> {
    // What comes into an inbox by fan-in has a later stamp than the log had.
    let sql = "SELECT greatest(l.last, (SELECT i.last FROM inboxes i WHERE i.user_key = $1)) FROM log l";
    reading!(store, |s| s.query_one(sql, &[&user.0]).await?.stamp(0))
}

pub(super) async fn meta(store: &PostgresStore) -> Result<StoreMeta, Error> {
    let sql = "SELECT l.last, c.auth_version, c.user_count, c.file_bytes FROM log l, counters c";
    let row = reading!(store, |s| s.query_one(sql, &[]).await)?;
    let number = |n: i64| u64::try_from(n).unwrap_or_default();
    Ok(StoreMeta {
        last_stamp: row.stamp(0)?,
        auth_version: row.at(1)?,
        users: number(row.at(2)?),
        file_bytes: number(row.at(3)?),
    })
}

pub(super) async fn latest_stamp(store: &PostgresStore) -> Result<Stamp, Error> {
    let sql = "SELECT greatest(l.last, (SELECT max(last) FROM inboxes)) FROM log l";
    reading!(store, |s| s.query_one(sql, &[]).await?.stamp(0))
}

pub(super) async fn age_hold(store: &PostgresStore) -> Result<Duration, Error> {
    let secs: i64 = reading!(store, |s| s.query_one("SELECT age_hold_secs FROM meta", &[]).await?.at(0))?;
    Ok(Duration::from_secs(u64::try_from(secs).unwrap_or_default()))
}

pub(super) async fn set_age_hold(store: &PostgresStore, left: Duration) -> Result<(), Error> {
    let secs = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
    in_transaction!(store, |tx| tx.execute("UPDATE meta SET age_hold_secs = $1", &[&secs]).await)?;
    Ok(())
}

/// Why no backup is written: the database has tools for it that do it better.
pub(super) fn no_backup() -> Error {
    Error::refused(
        Code::Invalid,
        "a server in PostgreSQL is backed up by PostgreSQL's own tools while it is in use, as \
         `pg_dump --format=custom --file=tidings.dump`; no file was written",
    )
}

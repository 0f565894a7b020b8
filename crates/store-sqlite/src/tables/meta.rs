//! The table `meta`, one row: the epoch, the newest stamp, the catalog, and counters of the whole database.
//!
//! The newest stamp handed out is the one of this row, or the time of the newest publication if that is later. A
//! publication that writes no other row leaves this one as it is. Before a publication is deleted, the row takes its
//! stamp over.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use tidings_model::{Catalog, Stamp};
use tidings_store::domain::account::random_name;
use tidings_store::{Error, StoreMeta, earlier_catalog};

use crate::catalog_cache::CatalogVersion;
use crate::sql;
use crate::write_tx::WriteTx;

/// The newest stamp handed out, in a statement over `meta`.
macro_rules! newest_stamp {
    () => {
        "max(last_stamp, coalesce((SELECT max(created_at) FROM notifications), 0))"
    };
}
pub(crate) use newest_stamp;

/// Inserts the row into a new database: a random epoch, the shipped catalog, and the newest stamp 0. An earlier shipped
/// catalog becomes the present one, if nobody has replaced it.
pub(crate) fn init(tx: &Transaction<'_>) -> Result<(), Error> {
    let shipped = serde_json::to_string(&Catalog::shipped())?;
    let existing = tx.query_row("SELECT 1 FROM meta WHERE one = 1", [], |_| Ok(())).optional()?;
    if existing.is_none() {
        tx.execute(
            "INSERT INTO meta (one, last_stamp, catalog_version, auth_version, epoch, catalog) VALUES (1, 0, 1, 1, ?1, ?2)",
            params![random_name(), shipped],
        )?;
    } else {
        tx.execute(earlier_catalog::REPLACE_UNCHANGED, params![shipped, earlier_catalog::SHIPPED])?;
    }
    Ok(())
}

pub(crate) fn get(conn: &Connection) -> Result<StoreMeta, Error> {
    let sql =
        concat!("SELECT ", newest_stamp!(), ", auth_version, user_count, file_bytes FROM meta WHERE one = 1");
    sql::one(conn, sql, [], |r| StoreMeta::from_row(r))
}

pub(crate) fn epoch(conn: &Connection) -> Result<String, Error> {
    sql::one(conn, "SELECT epoch FROM meta WHERE one = 1", [], |r| Ok(r.get(0)?))
}

pub(crate) fn new_epoch(ctx: &mut WriteTx<'_>) -> Result<String, Error> {
    let epoch = random_name();
    ctx.next_stamp();
    ctx.tx.execute("UPDATE meta SET epoch = ?1 WHERE one = 1", [&epoch])?;
    Ok(epoch)
}

/// The version of the current catalog. In the row it stands behind the catalog, so that reading it takes further pages.
pub(crate) fn catalog_version(conn: &Connection) -> Result<CatalogVersion, Error> {
    let sql = "SELECT epoch, catalog_version FROM meta WHERE one = 1";
    sql::one(conn, sql, [], |r| Ok(CatalogVersion { epoch: r.get(0)?, version: r.get(1)? }))
}

/// The newest stamp handed out.
pub(crate) fn last_stamp(conn: &Connection) -> Result<Stamp, Error> {
    let sql = concat!("SELECT ", newest_stamp!(), " FROM meta WHERE one = 1");
    sql::one(conn, sql, [], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// Writes the newest stamp into the row, unless it is there.
pub(crate) fn keep_last_stamp(ctx: &WriteTx<'_>) -> Result<(), Error> {
    let sql = "UPDATE meta SET last_stamp = ?1 WHERE one = 1 AND last_stamp < ?1";
    sql::run(ctx.tx, sql, [ctx.last_stamp().as_micros()]).map(drop)
}

/// Increments the version by which other processes see that users or tokens changed.
pub(crate) fn bump_auth_version(ctx: &WriteTx<'_>) -> Result<(), Error> {
    ctx.tx.execute("UPDATE meta SET auth_version = auth_version + 1 WHERE one = 1", [])?;
    Ok(())
}

pub(crate) fn count_users(ctx: &WriteTx<'_>, more: i64) -> Result<(), Error> {
    ctx.tx.execute("UPDATE meta SET user_count = user_count + ?1 WHERE one = 1", [more])?;
    Ok(())
}

/// Adds to the bytes of all uploaded files.
pub(crate) fn count_file_bytes(ctx: &WriteTx<'_>, more: i64) -> Result<(), Error> {
    sql::run(ctx.tx, "UPDATE meta SET file_bytes = file_bytes + ?1 WHERE one = 1", [more]).map(drop)
}

/// The time before which retention removes everything: what was created before it, and not revised from then on.
pub(crate) fn forgotten_before(conn: &Connection) -> Result<Stamp, Error> {
    let sql = "SELECT forgotten_before FROM meta WHERE one = 1";
    sql::one(conn, sql, [], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// Moves the time of [`forgotten_before`] forward, never back.
pub(crate) fn forget_before(ctx: &WriteTx<'_>, at: Stamp) -> Result<(), Error> {
    let sql = "UPDATE meta SET forgotten_before = ?1 WHERE one = 1 AND forgotten_before < ?1";
    sql::run(ctx.tx, sql, [at.as_micros()]).map(drop)
}

/// The rest of the hold on deletion by age.
pub(crate) fn age_hold(conn: &Connection) -> Result<Duration, Error> {
    let sql = "SELECT age_hold_secs FROM meta WHERE one = 1";
    let secs: u64 = sql::one(conn, sql, [], |r| Ok(r.get(0)?))?;
    Ok(Duration::from_secs(secs))
}

pub(crate) fn set_age_hold(ctx: &WriteTx<'_>, left: Duration) -> Result<(), Error> {
    ctx.tx.execute("UPDATE meta SET age_hold_secs = ?1 WHERE one = 1", [left.as_secs()])?;
    Ok(())
}

/// The time before which retention has removed everything, except what was revised later.
pub(crate) fn swept_to(conn: &Connection) -> Result<Stamp, Error> {
    sql::one(conn, "SELECT swept_to FROM meta WHERE one = 1", [], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// Moves the time of [`swept_to`].
pub(crate) fn set_swept_to(ctx: &WriteTx<'_>, at: Stamp) -> Result<(), Error> {
    sql::run(ctx.tx, "UPDATE meta SET swept_to = ?1 WHERE one = 1", [at.as_micros()]).map(drop)
}

/// The catalog, parsed from this connection's snapshot.
pub(crate) fn catalog(conn: &Connection) -> Result<Arc<Catalog>, Error> {
    let text: String = sql::one(conn, "SELECT catalog FROM meta WHERE one = 1", [], |r| Ok(r.get(0)?))?;
    Ok(Arc::new(serde_json::from_str(&text)?))
}

/// Replaces the catalog. Items in inboxes keep the class that they had.
pub(crate) fn replace_catalog(ctx: &mut WriteTx<'_>, catalog: &Catalog) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE meta SET catalog = ?1, catalog_version = catalog_version + 1 WHERE one = 1",
        [serde_json::to_string(catalog)?],
    )?;
    ctx.catalog_replaced();
    Ok(())
}

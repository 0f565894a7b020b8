//! Prepares a backup to become the server's database: checks what the schema does not, and begins a new epoch in the
//! file before it is put in place.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use tidings_model::{AgeHold, Catalog, Clock, Stamp};
use tidings_sqlite::Database;

use crate::error::Error;
use crate::store::sqlite::catalog_cache::CatalogCache;
use crate::store::sqlite::tables::meta;
use crate::store::sqlite::write_tx::WriteTx;
use crate::store::sqlite::{MIGRATIONS, OPTIONS};

/// Seconds that the newest stamp of a restored file may be ahead of the clock. New stamps follow the newest one, so a
/// file further ahead would give every later notification a wrong time.
const MAX_CLOCK_AHEAD_SECS: i64 = 366 * 24 * 3_600;

/// Checks a private copy of a backup and begins a new epoch in it.
///
/// # Errors
/// [`Error::Store`] where the file is not a server's database, is damaged, of a newer version, or has implausible
/// stamps.
pub(crate) fn prepare_copy(copy: &Path, clock: &Arc<dyn Clock>) -> Result<(), Error> {
    tidings_sqlite::validate(copy, MIGRATIONS)?;
    let now = clock.now();
    let db = Database::open(copy, &OPTIONS)?;
    db.read(|conn| check_plausible(conn, now))?;
    db.write_blocking(move |tx| {
        let catalog = CatalogCache::default();
        let mut ctx = WriteTx::begin(tx, now, &catalog)?;
        // The new epoch moves the newest stamp to the clock, by which the next start would find nothing odd.
        let hold = AgeHold::at_start(meta::age_hold(ctx.tx)?, ctx.last_stamp(), now);
        meta::set_age_hold(&ctx, hold.left())?;
        meta::new_epoch(&mut ctx)?;
        ctx.end()?;
        Ok(())
    })
}

fn check_plausible(conn: &Connection, now: Stamp) -> Result<(), Error> {
    let meta_rows: i64 = conn.query_row("SELECT count(*) FROM meta WHERE one = 1", [], |row| row.get(0))?;
    if meta_rows != 1 {
        return Err(invalid_copy("it holds no server"));
    }
    let (last, catalog): (i64, String) =
        conn.query_row("SELECT last_stamp, catalog FROM meta WHERE one = 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    if serde_json::from_str::<Catalog>(&catalog).is_err() {
        return Err(invalid_copy("its catalog can't be read"));
    }
    if last < 0 || last > now.plus_secs(MAX_CLOCK_AHEAD_SECS).as_micros() {
        return Err(invalid_copy("its clock was more than a year ahead"));
    }
    let newest: i64 = conn.query_row(
        "SELECT coalesce(max(at), 0) FROM (SELECT max(created_at) AS at FROM notifications
             UNION ALL SELECT max(stamp) FROM items UNION ALL SELECT max(stamp) FROM read_marks)",
        [],
        |row| row.get(0),
    )?;
    if newest > last { Err(invalid_copy("it holds stamps that it never handed out")) } else { Ok(()) }
}

fn invalid_copy(why: &str) -> Error {
    tidings_sqlite::Error::Invalid(why.to_owned()).into()
}

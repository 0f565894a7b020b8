//! Prepares a backup to become the server's database: checks what the schema does not, and begins a new epoch in the
//! file before it is put in place.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, Transaction};
use tidings_model::{AgeHold, Catalog, Clock, Stamp};
use tidings_sqlite::Database;
use tidings_store::Error;
use tidings_store::future_stamps::{FutureStamps, is_ahead};

use crate::catalog_cache::CatalogCache;
use crate::tables::meta;
use crate::write_tx::WriteTx;
use crate::{MIGRATIONS, OPTIONS};

/// Makes stamps of now of those that are later than now, and gives how many they were. The caller begins a new epoch in the
/// same transaction.
pub type MendStamps = fn(&Transaction<'_>, Stamp) -> Result<u64, Error>;

/// Checks a private copy of a backup and begins a new epoch in it. `future` says what is done with stamps that are more than
/// an hour ahead of the clock; `mend` is called if they are to be mended. Gives how many were mended. Blocks.
///
/// # Errors
/// [`Error::Store`] if the file is not a server's database, is damaged, of a newer version, or has implausible
/// stamps.
pub fn prepare_copy(
    copy: &Path,
    clock: &Arc<dyn Clock>,
    future: FutureStamps,
    mend: MendStamps,
) -> Result<u64, Error> {
    tidings_sqlite::validate(copy, MIGRATIONS)?;
    let now = clock.now();
    let db = Database::open(copy, &OPTIONS)?;
    let is_ahead = db.read(|conn| check_plausible(conn, now))?;
    if is_ahead && future == FutureStamps::Refuse {
        return Err(invalid_copy(AHEAD));
    }
    let mend = (is_ahead && future == FutureStamps::Mend).then_some(mend);
    db.write_blocking(move |tx| begin_epoch(tx, now, mend))
}

/// Why a backup is refused whose stamps are in the future.
const AHEAD: &str = "its newest stamp is more than an hour ahead of the clock, as a wrong clock leaves it: look at the clock of \
    this machine; if it is right, `tidings restore --mend-clock` restores the backup and mends its stamps";

/// Begins a new epoch, after the stamps in the future were mended if `mend` does that. Gives how many they were.
pub(super) fn begin_epoch(tx: &Transaction<'_>, now: Stamp, mend: Option<MendStamps>) -> Result<u64, Error> {
    let mended = mend.map_or(Ok(0), |mend| mend(tx, now))?;
    let catalog = CatalogCache::default();
    let mut ctx = WriteTx::begin(tx, now, &catalog)?;
    // The new epoch moves the newest stamp to the clock, by which the next start would find nothing odd.
    let hold = AgeHold::at_start(meta::age_hold(ctx.tx)?, ctx.last_stamp(), now);
    meta::set_age_hold(&ctx, hold.left())?;
    meta::new_epoch(&mut ctx)?;
    ctx.end()?;
    Ok(mended)
}

/// Refuses what no server has written. Gives whether the newest stamp is more than an hour ahead of the clock.
fn check_plausible(conn: &Connection, now: Stamp) -> Result<bool, Error> {
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
    let published: Option<i64> =
        conn.query_row("SELECT max(created_at) FROM notifications", [], |row| row.get(0))?;
    let newest = last.max(published.unwrap_or_default());
    if last < 0 || newest > Stamp::MAX.as_micros() {
        return Err(invalid_copy("it has stamps that are no times"));
    }
    // A publication alone tells its stamp itself.
    let of_inboxes: i64 = conn.query_row(
        "SELECT coalesce(max(at), 0) FROM (
             SELECT max(stamp) AS at FROM items UNION ALL SELECT max(stamp) FROM read_marks)",
        [],
        |row| row.get(0),
    )?;
    if of_inboxes > last {
        return Err(invalid_copy("it holds stamps that it never handed out"));
    }
    Ok(is_ahead(Stamp::from_micros(newest), now))
}

fn invalid_copy(why: &str) -> Error {
    tidings_sqlite::Error::Invalid(why.to_owned()).into()
}

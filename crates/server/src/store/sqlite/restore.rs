//! Makes a backup ready to become the server: what the schema can't say of its rows is checked here, and a new epoch
//! begins inside the file, before it is put in place.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use tidings_model::{Catalog, Clock, Stamp};
use tidings_sqlite::Database;

use super::write_context::WriteContext;
use super::{CatalogCache, MIGRATIONS, OPTIONS, upkeep};
use crate::error::Error;

/// Stamps never lie further ahead of the clock than this, seconds: whoever takes over such a file would hand out only
/// times that nobody lives to see.
const AHEAD: i64 = 366 * 24 * 3_600;

/// Checks a private copy of a backup and begins a new epoch in it.
///
/// # Errors
/// What is not the file of a server, is damaged, of a later version, or holds stamps that make no sense.
pub(crate) fn ready(copy: &Path, clock: &Arc<dyn Clock>) -> Result<(), Error> {
    tidings_sqlite::validate(copy, MIGRATIONS)?;
    let now = clock.now();
    let db = Database::open(copy, &OPTIONS)?;
    db.read(|conn| sensible(conn, now))?;
    db.write_blocking(move |tx| {
        let catalog = CatalogCache::default();
        let mut ctx = WriteContext::begin(tx, now, &catalog)?;
        upkeep::new_epoch(&mut ctx)?;
        ctx.end()?;
        Ok(())
    })
}

fn sensible(conn: &Connection, now: Stamp) -> Result<(), Error> {
    let heads: i64 = conn.query_row("SELECT count(*) FROM head WHERE one = 1", [], |row| row.get(0))?;
    if heads != 1 {
        return Err(unfit("it holds no server"));
    }
    let (last, catalog): (i64, String) =
        conn.query_row("SELECT last_stamp, catalog FROM head WHERE one = 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    if serde_json::from_str::<Catalog>(&catalog).is_err() {
        return Err(unfit("its catalog can't be read"));
    }
    if last < 0 || last > now.plus_secs(AHEAD).as_micros() {
        return Err(unfit("its clock was more than a year ahead"));
    }
    let newest: i64 = conn.query_row(
        "SELECT coalesce(max(at), 0) FROM (SELECT max(created_at) AS at FROM notifications
             UNION ALL SELECT max(stamp) FROM items UNION ALL SELECT max(stamp) FROM views)",
        [],
        |row| row.get(0),
    )?;
    if newest > last { Err(unfit("it holds stamps that it never handed out")) } else { Ok(()) }
}

fn unfit(why: &str) -> Error {
    tidings_sqlite::Error::Invalid(why.to_owned()).into()
}

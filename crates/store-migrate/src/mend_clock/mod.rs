//! Mends what a wrong clock left. Stamps in the future become stamps of now, in their order, and a new epoch begins, so
//! that every client pulls from the beginning. It is one transaction, on the data of a server that is stopped. Times that were
//! reckoned from such a stamp move with it: of questions, deliveries, snoozes and files.
//!
//! The columns are those of a migration whose names are those of stamps, and a test holds every number of both schemas
//! against them. `tidings check` reports stamps more than an hour ahead and `check --mend-clock` mends them, as
//! `restore --mend-clock` does with a backup. The window offers it for its own server. A start hands out no stamp: the
//! time of a token, which each start makes, is later than that of other tokens alone.

mod file;
mod stamps;
#[cfg(test)]
mod tests;
mod times;

use std::path::Path;
use std::sync::Arc;

use tidings_model::{Clock, Code, Stamp};
use tidings_sqlite::{DataDir, LockError, is_present};
use tidings_store::domain::account::random_name;
use tidings_store::failure::broken;
pub use tidings_store::future_stamps::FutureStamps;
use tidings_store::future_stamps::is_ahead;
use tidings_store::{DATABASE_FILE, Error};
use tidings_store_postgres::{Bulk, StoreAddress};
use tidings_store_sqlite::mend_file;
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

use self::stamps::{Range, Stamps};
use self::times::{Publications, Row, Statement, move_ends};

/// Mends the stamps of a server by the clock; of one in PostgreSQL by the database's. `data_dir` is its data folder. It gives how many there were in
/// the future; 0 if the newest one is at most an hour ahead: then nothing has changed.
///
/// # Errors
/// `conflict` if a server runs on this data, [`Error::Store`] if it can't be read or written. Then nothing has changed.
pub async fn mend_clock(store: &StoreAddress, data_dir: &Path, clock: Arc<dyn Clock>) -> Result<u64, Error> {
    if !store.is_local() {
        return mend_database(store, clock).await;
    }
    let dir = data_dir.to_owned();
    tokio::task::spawn_blocking(move || {
        let _lock = DataDir::lock(&dir, "server").map_err(|error| match error {
            LockError::InUse(folder) => Error::refused(
                Code::Conflict,
                format!("a server runs on {}: stop it first; nothing has changed", folder.display()),
            ),
            other => other.into(),
        })?;
        let file = dir.join(DATABASE_FILE);
        if is_present(&file) { mend_file(&file, &*clock, file::mend) } else { Ok(0) }
    })
    .await
    .map_err(|_| tidings_sqlite::Error::Panicked)?
}

/// Checks a private copy of a backup of a SQLite file and begins a new epoch in it. `future` says what is done with stamps
/// that are more than an hour ahead of the clock. Gives how many were mended. Blocks.
///
/// # Errors
/// [`Error::Store`] if the file is not a server's database, is damaged, of a newer version, or has implausible
/// stamps.
pub fn prepare_copy(copy: &Path, clock: &Arc<dyn Clock>, future: FutureStamps) -> Result<u64, Error> {
    tidings_store_sqlite::prepare_copy(copy, clock, future, file::mend)
}

async fn mend_database(store: &StoreAddress, clock: Arc<dyn Clock>) -> Result<u64, Error> {
    let mut database = Bulk::open(store).await?;
    database.require_nobody().await?;
    // Brings the tables up to date.
    drop(Bulk::store(store, clock).await?);
    database.begin().await?;
    // A server that started meanwhile may be storing something.
    database.require_nobody().await?;
    let stamps = Stamps::of_postgres();
    let (newest, now) = database.newest_stamp().await?;
    if !is_ahead(newest, now) {
        return Ok(0);
    }
    let client = database.client();
    client.batch_execute(&stamps.collect(now)).await?;
    let found = client.query_typed(&stamps.range(now), &[]).await?;
    let row = found.first().ok_or_else(|| broken("it counted nothing"))?;
    let range = Range { past: row.try_get(0)?, count: row.try_get(1)?, first: row.try_get(2)? };
    client.batch_execute(&stamps.mend(&range, now)).await?;
    client.batch_execute(&move_ends(&range, now)).await?;
    mend_publications(client, &range, now).await?;
    let epoch = random_name();
    client
        .batch_execute(&format!(
            "UPDATE meta SET epoch = '{epoch}'; UPDATE log SET last = greatest(last + 1, {})",
            now.as_micros()
        ))
        .await?;
    database.commit().await?;
    Ok(u64::try_from(range.count).unwrap_or_default())
}

/// Moves the times that publications name.
async fn mend_publications(client: &Client, range: &Range, now: Stamp) -> Result<(), Error> {
    for publications in Publications::ALL {
        let query = publications.query(range, now);
        let mut after = Publications::START.to_owned();
        loop {
            let portion = client.query_typed(&query, &[(&after, Type::TEXT)]).await?;
            if portion.is_empty() {
                break;
            }
            for row in &portion {
                let at = Stamp::from_micros(row.try_get(1)?);
                let row = Row { key: row.try_get(0)?, at, json: row.try_get(2)? };
                for Statement { sql, texts } in publications.statements(&row, now)? {
                    let texts: Vec<(&(dyn ToSql + Sync), Type)> =
                        texts.iter().map(|text| (text as &(dyn ToSql + Sync), Type::TEXT)).collect();
                    client.execute_typed(&sql, &texts).await?;
                }
                after = row.key;
            }
        }
    }
    Ok(())
}

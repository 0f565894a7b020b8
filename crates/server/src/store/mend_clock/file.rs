//! Mends the stamps of a SQLite file.

use rusqlite::Transaction;
use tidings_model::Stamp;

use super::stamps::{Range, Stamps};
use crate::error::Error;

/// Mends the stamps of a file; the caller begins a new epoch in the same transaction. Gives how many were in the future.
pub(in crate::store) fn mend(tx: &Transaction<'_>, now: Stamp) -> Result<u64, Error> {
    let stamps = Stamps::of_sqlite();
    // Rows and those that refer to them change in different statements.
    tx.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    tx.execute_batch(&stamps.collect(now))?;
    let range = tx.query_row(&stamps.range(now), [], |row| {
        Ok(Range { past: row.get(0)?, count: row.get(1)?, first: row.get(2)? })
    })?;
    tx.execute_batch(&stamps.mend(&range, now))?;
    tx.execute_batch("DROP TABLE mended; DROP TABLE future")?;
    Ok(u64::try_from(range.count).unwrap_or_default())
}

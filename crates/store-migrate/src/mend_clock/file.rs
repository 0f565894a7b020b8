//! Mends the stamps of a SQLite file.

use rusqlite::{Transaction, params_from_iter};
use tidings_model::Stamp;
use tidings_store::Error;

use super::stamps::{Range, Stamps};
use super::times::{Publications, Row, Statement, move_ends};

/// Mends the stamps of a file; the caller begins a new epoch in the same transaction. Gives how many were in the future.
pub(super) fn mend(tx: &Transaction<'_>, now: Stamp) -> Result<u64, Error> {
    let stamps = Stamps::of_sqlite();
    // Rows and those that refer to them change in different statements.
    tx.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    tx.execute_batch(&stamps.collect(now))?;
    let range = tx.query_row(&stamps.range(now), [], |row| {
        Ok(Range { past: row.get(0)?, count: row.get(1)?, first: row.get(2)? })
    })?;
    tx.execute_batch(&stamps.mend(&range, now))?;
    tx.execute_batch(&move_ends(&range, now))?;
    mend_publications(tx, &range, now)?;
    tx.execute_batch("DROP TABLE mended; DROP TABLE future")?;
    Ok(u64::try_from(range.count).unwrap_or_default())
}

/// Moves the times that publications name.
fn mend_publications(tx: &Transaction<'_>, range: &Range, now: Stamp) -> Result<(), Error> {
    for publications in Publications::ALL {
        let query = numbered(&publications.query(range, now));
        let mut after = Publications::START.to_owned();
        loop {
            let portion = rows(tx, &query, &after)?;
            let Some(last) = portion.last() else { break };
            after.clone_from(&last.key);
            for row in &portion {
                for Statement { sql, texts } in publications.statements(row, now)? {
                    tx.execute(&numbered(&sql), params_from_iter(texts))?;
                }
            }
        }
    }
    Ok(())
}

/// A statement with SQLite's numbered parameters.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

fn rows(tx: &Transaction<'_>, query: &str, after: &str) -> Result<Vec<Row>, Error> {
    let mut found = tx.prepare(query)?;
    let rows = found.query_map([after], |row| {
        Ok(Row { key: row.get(0)?, at: Stamp::from_micros(row.get(1)?), json: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

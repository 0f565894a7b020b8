//! Mends the stamps of a SQLite file.

use rusqlite::{Row, ToSql, Transaction, params};
use tidings_model::Stamp;

use super::stamps::{Range, Stamps};
use super::times::{Asked, Waiting};
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
    mend_questions(tx, &range, now)?;
    mend_waiting(tx, now)?;
    tx.execute_batch("DROP TABLE mended; DROP TABLE future")?;
    Ok(u64::try_from(range.count).unwrap_or_default())
}

fn mend_questions(tx: &Transaction<'_>, range: &Range, now: Stamp) -> Result<(), Error> {
    let mut after = Stamp::ZERO;
    loop {
        let portion = portion(tx, &Asked::query(range, now, after), &[], |row| {
            let (created_at, was) = (Stamp::from_micros(row.get(0)?), Stamp::from_micros(row.get(1)?));
            Ok(Asked { created_at, was, content: row.get(2)? })
        })?;
        let Some(last) = portion.last() else { return Ok(()) };
        after = last.created_at;
        for asked in &portion {
            let Some((content, due)) = asked.mended(now)? else { continue };
            let at = asked.created_at.as_micros();
            tx.execute("UPDATE notifications SET content = ?2 WHERE created_at = ?1", params![at, content])?;
            tx.execute("UPDATE open_questions SET due = ?2 WHERE created_at = ?1", [at, due.as_micros()])?;
        }
    }
}

fn mend_waiting(tx: &Transaction<'_>, now: Stamp) -> Result<(), Error> {
    let mut after = String::new();
    loop {
        let portion = portion(tx, &Waiting::query('?', now), &[&after], |row| {
            let deliver_at = Stamp::from_micros(row.get(1)?);
            Ok(Waiting { msgid: row.get(0)?, deliver_at, draft: row.get(2)? })
        })?;
        let Some(last) = portion.last() else { return Ok(()) };
        after.clone_from(&last.msgid);
        for waiting in &portion {
            let Some((due, draft)) = waiting.mended(now)? else { continue };
            let (msgid, due) = (&waiting.msgid, due.as_micros());
            let sql = "UPDATE scheduled SET deliver_at = ?2, draft = ?3 WHERE msgid = ?1";
            tx.execute(sql, params![msgid, due, draft])?;
            let sql = "UPDATE files SET published_at = ?2 WHERE msgid = ?1 AND expires_at > 0";
            tx.execute(sql, params![msgid, due])?;
        }
    }
}

fn portion<T>(
    tx: &Transaction<'_>,
    sql: &str,
    values: &[&dyn ToSql],
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Error> {
    let mut found = tx.prepare(sql)?;
    let rows = found.query_map(values, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

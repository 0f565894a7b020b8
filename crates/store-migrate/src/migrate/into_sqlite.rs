//! From PostgreSQL into SQLite: the rows of one snapshot, by binary COPY, into a new file within one transaction.

use std::pin::pin;

use futures_util::StreamExt;
use rusqlite::{Transaction, params, params_from_iter};
use tidings_sqlite::Database;
use tidings_store::Error;
use tidings_store::failure::broken;
use tidings_store_postgres::Bulk;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_postgres::Row as PostgresRow;
use tokio_postgres::binary_copy::BinaryCopyOutStream;
use tokio_postgres::types::Type;

use super::cell::{Cell, Row};
use super::stream::{AHEAD, Part, Portion, Progress, Whole, Written};
use super::tables::TABLES;

/// Copies everything from the open snapshot of a database into a file without rows.
pub(super) async fn copy(source: &Bulk, target: &Database, progress: Progress<'_>) -> Result<Written, Error> {
    let (sender, parts) = channel(AHEAD);
    let writing = target.write_long(move |tx| write(tx, parts));
    let (read, written) = tokio::join!(read(source, sender, progress), writing);
    let read = read?;
    written?;
    read.ok_or_else(|| broken("the copy was cut short"))
}

/// Reads everything; `None` if nobody takes the rows any more.
async fn read(source: &Bulk, to: Sender<Part>, progress: Progress<'_>) -> Result<Option<Written>, Error> {
    if to.send(Part::Whole(whole(source).await?)).await.is_err() {
        return Ok(None);
    }
    let mut read = Written::none();
    for (nth, table) in TABLES.iter().enumerate().filter(|(_, table)| table.is_in_sqlite()) {
        let kinds: Vec<Type> = table.in_sqlite().map(|column| column.kind.postgres()).collect();
        let stream = source.client().copy_out(&table.copy_out_of_postgres()).await?;
        let mut rows = pin!(BinaryCopyOutStream::new(stream, &kinds));
        let mut portion = Portion::default();
        loop {
            let row = rows.next().await.transpose()?;
            let full = match &row {
                Some(row) => {
                    let cells = (0..kinds.len()).map(|column| row.try_get::<Cell>(column));
                    portion.push(cells.collect::<Result<Row, _>>()?)
                }
                None => Some(portion.take()),
            };
            if let Some(full) = full {
                progress(table.name, read.add(nth, full.len()));
                if to.send(Part::Rows(nth, full)).await.is_err() {
                    return Ok(None);
                }
            }
            if row.is_none() {
                break;
            }
        }
    }
    Ok(to.send(Part::End).await.is_ok().then_some(read))
}

/// The numbers of the whole. Clients may know stamps of their inboxes that are later than the log's.
const WHOLE: &str =
    "SELECT m.epoch, greatest(l.last, (SELECT max(last) FROM inboxes)), m.forgotten_before, m.catalog,
        m.catalog_version, c.auth_version, c.user_count, c.file_bytes, m.age_hold_secs
    FROM meta m CROSS JOIN counters c CROSS JOIN log l";

async fn whole(source: &Bulk) -> Result<Whole, Error> {
    let mut counters = Vec::new();
    for table in TABLES.iter() {
        let Some(column) = table.counter else { continue };
        let sql = "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)";
        let found =
            source.client().query_typed(sql, &[(&table.name, Type::TEXT), (&column, Type::TEXT)]).await?;
        let last: Option<i64> = one(&found)?.try_get(0)?;
        counters.extend(last.map(|last| (table.name, last)));
    }
    let found = source.client().query_typed(WHOLE, &[]).await?;
    let row = one(&found)?;
    Ok(Whole {
        epoch: row.try_get(0)?,
        last_stamp: row.try_get(1)?,
        forgotten_before: row.try_get(2)?,
        catalog: row.try_get(3)?,
        catalog_version: row.try_get(4)?,
        auth_version: row.try_get(5)?,
        user_count: row.try_get(6)?,
        file_bytes: row.try_get(7)?,
        age_hold_secs: row.try_get(8)?,
        oldest: None,
        counters,
    })
}

fn one(rows: &[PostgresRow]) -> Result<&PostgresRow, Error> {
    rows.first().ok_or_else(|| broken("it holds no server"))
}

/// Writes what comes, on the thread of the writer.
fn write(tx: &Transaction<'_>, mut parts: Receiver<Part>) -> Result<(), Error> {
    while let Some(part) = parts.blocking_recv() {
        match part {
            Part::Whole(whole) => write_whole(tx, &whole)?,
            Part::Rows(nth, rows) => {
                let table = TABLES.get(nth).ok_or_else(|| broken("a row of no table"))?;
                let mut insert = tx.prepare_cached(&table.insert_into_sqlite())?;
                for row in rows {
                    insert.execute(params_from_iter(row))?;
                }
            }
            Part::End => return finish(tx),
        }
    }
    Err(broken("the copy was cut short"))
}

fn write_whole(tx: &Transaction<'_>, whole: &Whole) -> Result<(), Error> {
    tx.execute(
        "INSERT INTO meta (one, epoch, last_stamp, forgotten_before, catalog, catalog_version, auth_version, user_count,
             file_bytes, age_hold_secs) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            whole.epoch,
            whole.last_stamp,
            whole.forgotten_before,
            whole.catalog,
            whole.catalog_version,
            whole.auth_version,
            whole.user_count,
            whole.file_bytes,
            whole.age_hold_secs
        ],
    )?;
    for (name, last) in &whole.counters {
        // Numbers that rows with a larger key bring along go on from there.
        tx.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", params![name, last])?;
    }
    Ok(())
}

/// Brings what PostgreSQL orders by inboxes into the one order of SQLite. A client may know a stamp of its inbox that
/// is later than that of a group's last change, which it does not know yet. So each group's change gets a stamp after
/// all others, in their order, and clients hear of their groups once more.
fn finish(tx: &Transaction<'_>) -> Result<(), Error> {
    let newest =
        "UPDATE meta SET last_stamp = max(last_stamp, (SELECT coalesce(max(stamp), 0) FROM read_marks),
        (SELECT coalesce(max(changed_at), 0) FROM groups))";
    tx.execute(newest, [])?;
    tx.execute(
        "UPDATE groups SET changed_at = w.at FROM (SELECT g.key, m.last_stamp + row_number() OVER (ORDER BY g.changed_at, g.key)
             AS at FROM groups g CROSS JOIN meta m) w WHERE w.key = groups.key",
        [],
    )?;
    tx.execute(newest, [])?;
    Ok(())
}

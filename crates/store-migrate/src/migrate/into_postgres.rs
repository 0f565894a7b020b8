//! From SQLite into PostgreSQL: the rows of one snapshot, by binary COPY within one transaction.

use std::pin::pin;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::failure::broken;
use tidings_store_postgres::Bulk;
use tidings_store_sqlite::SqliteStore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use super::cell::Row;
use super::stream::{AHEAD, Part, Portion, Progress, Whole, Written};
use super::tables::TABLES;

/// Copies everything into the open transaction of an empty database.
pub(super) async fn copy(
    source: &SqliteStore,
    target: &Bulk,
    now: Stamp,
    progress: Progress<'_>,
) -> Result<Written, Error> {
    let (sender, mut parts) = channel(AHEAD);
    let source = source.clone();
    let reading = tokio::task::spawn_blocking(move || source.read_whole(|conn| read(conn, &sender)));
    let written = write(target, &mut parts, now, progress).await;
    // The reading task ends when nobody takes the rows.
    drop(parts);
    let read = reading.await.map_err(|_| tidings_sqlite::Error::Panicked)?;
    let written = written?;
    read?;
    written.ok_or_else(|| broken("the copy was cut short"))
}

/// Whether reading goes on. It does not if nobody takes the rows any more.
fn send(to: &Sender<Part>, part: Part) -> Result<(), Error> {
    to.blocking_send(part).map_err(|_| broken("nobody takes the rows"))
}

/// Reads everything in one snapshot.
fn read(conn: &Connection, to: &Sender<Part>) -> Result<(), Error> {
    send(to, Part::Whole(whole(conn)?))?;
    for (nth, table) in TABLES.iter().enumerate() {
        let mut statement = conn.prepare(&table.select_from_sqlite())?;
        let columns = statement.column_count();
        let (mut rows, mut portion) = (statement.query([])?, Portion::default());
        while let Some(row) = rows.next()? {
            let row = (0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<Row>>()?;
            if let Some(full) = portion.push(row) {
                send(to, Part::Rows(nth, full))?;
            }
        }
        send(to, Part::Rows(nth, portion.take()))?;
    }
    send(to, Part::End)
}

fn whole(conn: &Connection) -> Result<Whole, Error> {
    let counter = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    let mut counters = Vec::new();
    for table in TABLES.iter().filter(|table| table.counter.is_some()) {
        let last: Option<i64> = conn.query_row(counter, [table.name], |row| row.get(0)).optional()?;
        counters.extend(last.map(|last| (table.name, last)));
    }
    let oldest = conn.query_row("SELECT min(created_at) FROM notifications", [], |row| row.get(0))?;
    let sql = "SELECT epoch, max(last_stamp, coalesce((SELECT max(created_at) FROM notifications), 0)),
            forgotten_before, catalog, catalog_version, auth_version, user_count, file_bytes,
            age_hold_secs FROM meta WHERE one = 1";
    Ok(conn.query_row(sql, [], |row| {
        Ok(Whole {
            epoch: row.get(0)?,
            last_stamp: row.get(1)?,
            forgotten_before: row.get(2)?,
            catalog: row.get(3)?,
            catalog_version: row.get(4)?,
            auth_version: row.get(5)?,
            user_count: row.get(6)?,
            file_bytes: row.get(7)?,
            age_hold_secs: row.get(8)?,
            oldest,
            counters,
        })
    })?)
}

/// Writes what comes; `None` if it ends before everything was read.
async fn write(
    target: &Bulk,
    parts: &mut Receiver<Part>,
    now: Stamp,
    progress: Progress<'_>,
) -> Result<Option<Written>, Error> {
    let Some(Part::Whole(whole)) = parts.recv().await else { return Ok(None) };
    target.create_tables(whole.oldest.map(Stamp::from_micros), now).await?;
    write_whole(target, &whole).await?;
    let mut written = Written::none();
    let mut next = parts.recv().await;
    while let Some(Part::Rows(nth, rows)) = next {
        next = write_table(target, parts, (nth, rows), &mut written, progress).await?;
    }
    Ok(matches!(next, Some(Part::End)).then_some(written))
}

/// Writes the rows of one table; gives the part after them.
async fn write_table(
    target: &Bulk,
    parts: &mut Receiver<Part>,
    (nth, mut rows): (usize, Vec<Row>),
    written: &mut Written,
    progress: Progress<'_>,
) -> Result<Option<Part>, Error> {
    let table = TABLES.get(nth).ok_or_else(|| broken("a row of no table"))?;
    let kinds: Vec<Type> = table.in_postgres().map(|column| column.kind.postgres()).collect();
    let sink = target.client().copy_in::<str, Bytes>(&table.copy_into_postgres()).await?;
    let mut copy = pin!(BinaryCopyInWriter::new(sink, &kinds));
    let after = loop {
        for row in &rows {
            copy.as_mut().write_raw(row).await?;
        }
        progress(table.name, written.add(nth, rows.len()));
        match parts.recv().await {
            Some(Part::Rows(same, more)) if same == nth => rows = more,
            other => break other,
        }
    };
    if copy.as_mut().finish().await? != written.of(nth) {
        return Err(broken("the database took another number of rows than it was given"));
    }
    Ok(after)
}

/// Sets the numbers and texts of the whole. The origin and the name of the database stay those of the new one.
async fn write_whole(target: &Bulk, whole: &Whole) -> Result<(), Error> {
    let client = target.client();
    let (text, number) = (Type::TEXT, Type::INT8);
    client
        .query_typed(
            "UPDATE meta SET epoch = $1, forgotten_before = $2, catalog = $3, catalog_version = $4,
                age_hold_secs = $5",
            &[
                (&whole.epoch, text.clone()),
                (&whole.forgotten_before, number.clone()),
                (&whole.catalog, text.clone()),
                (&whole.catalog_version, number.clone()),
                (&whole.age_hold_secs, number.clone()),
            ],
        )
        .await?;
    client
        .query_typed(
            "UPDATE counters SET auth_version = $1, user_count = $2, file_bytes = $3",
            &[
                (&whole.auth_version, number.clone()),
                (&whole.user_count, number.clone()),
                (&whole.file_bytes, number.clone()),
            ],
        )
        .await?;
    client.query_typed("UPDATE log SET last = $1", &[(&whole.last_stamp, number.clone())]).await?;
    for (name, last) in whole.counters.iter().filter(|(_, last)| *last > 0) {
        let column = TABLES.iter().find(|table| table.name == *name).and_then(|table| table.counter);
        client
            .query_typed(
                "SELECT setval(pg_get_serial_sequence($1, $2), $3)",
                &[(name, text.clone()), (&column.unwrap_or_default(), text.clone()), (last, number.clone())],
            )
            .await?;
    }
    Ok(())
}

//! The partitions of tables that are kept by months. They are created ahead of time and dropped by retention.
//!
//! A month of which something stays is emptied row by row instead of being dropped. Items are in 32 partitions by
//! user.

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::msgid;
use tokio_postgres::Client;

use crate::PostgresStore;
use crate::session::Columns;
use crate::tx::{in_transaction, reading};

/// The tables with partitions by month; what belongs to a notification goes before it.
const TABLES: [&str; 2] = ["group_messages", "notifications"];

/// Months for which there are partitions ahead of time, with the current one.
const MONTHS_AHEAD: u32 = 2;

/// A calendar month in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Month(NaiveDate);

impl Month {
    fn of(at: Stamp) -> Option<Self> {
        NaiveDate::from_ymd_opt(at.to_datetime().year(), at.to_datetime().month(), 1).map(Self)
    }

    fn plus(self, months: u32) -> Option<Self> {
        self.0.checked_add_months(Months::new(months)).map(Self)
    }

    fn begin(self) -> Option<i64> {
        let at: DateTime<Utc> = self.0.and_hms_opt(0, 0, 0)?.and_utc();
        Some(at.timestamp_micros())
    }

    /// The name of the partition of a table.
    fn table(self, table: &str) -> String {
        format!("{table}_{:04}_{:02}", self.0.year(), self.0.month())
    }

    /// The statement that creates the partition of a table if it is missing. If rows of the month are in the
    /// partition of the others, they stay there.
    fn create(self, table: &str) -> Option<String> {
        let (from, to) = (self.begin()?, self.plus(1)?.begin()?);
        let name = self.table(table);
        Some(format!(
            "DO $$ BEGIN
                 IF to_regclass('{name}') IS NULL
                     AND NOT EXISTS (SELECT 1 FROM {table}_other WHERE created_at >= {from} AND created_at < {to}) THEN
                     CREATE TABLE {name} PARTITION OF {table} FOR VALUES FROM ({from}) TO ({to});
                 END IF;
             END $$;"
        ))
    }
}

/// The statements that create the partitions of this month and the next.
fn creations(now: Stamp) -> String {
    let months = (0..MONTHS_AHEAD).filter_map(|ahead| Month::of(now)?.plus(ahead));
    months.flat_map(|month| TABLES.iter().filter_map(move |table| month.create(table))).collect()
}

/// Creates the partitions of this month and the next, in a transaction of the caller that excludes others.
pub(crate) async fn ensure(client: &Client, now: Stamp) -> Result<(), Error> {
    Ok(client.batch_execute(&creations(now)).await?)
}

/// Months of the past for which partitions are made; what is older goes with the others that have none.
const MONTHS_BACK: u32 = 60;

/// Creates the partitions of every month from `oldest` to `now`, likewise.
pub(crate) async fn ensure_since(client: &Client, oldest: Stamp, now: Stamp) -> Result<(), Error> {
    let Some(this) = Month::of(now) else { return Ok(()) };
    let first = this.0.checked_sub_months(Months::new(MONTHS_BACK)).map(Month);
    let mut month = Month::of(oldest).max(first);
    while let Some(past) = month.filter(|month| *month < this) {
        let sql: String = TABLES.iter().filter_map(|table| past.create(table)).collect();
        client.batch_execute(&sql).await?;
        month = past.plus(1);
    }
    Ok(())
}

/// Creates the partitions of this month and the next if they are missing. If somebody works for long, it does so later.
pub(super) async fn create_ahead(store: &PostgresStore) -> Result<(), Error> {
    let next = Month::of(store.clock.now()).and_then(|month| month.plus(MONTHS_AHEAD - 1));
    let Some(name) = next.map(|month| month.table("notifications")) else { return Ok(()) };
    let missing = "SELECT 1 WHERE to_regclass($1) IS NULL";
    if !reading!(store, |s| s.exists(missing, &[&name]).await)? {
        return Ok(());
    }
    change(store, &creations(store.clock.now())).await
}

/// The partitions of months, by the names of their tables.
const PARTITIONS: &str = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass($1) AND c.relname::text ~ '_[0-9]{4,}_[0-9]{2}$'";

/// Rows of a table of publications that are kept because they were revised at a time or later.
fn revised_since(table: &str, horizon: Stamp) -> String {
    let at = horizon.as_micros();
    format!("SELECT 1 FROM {table} WHERE content_revised_at > 0 AND content_revised_at >= {at} AND kind < 3")
}

/// The partitions of a table whose months had passed as a whole at a time.
async fn passed(store: &PostgresStore, table: &str, before: Stamp) -> Result<Vec<String>, Error> {
    let Some(first_kept) = Month::of(before) else { return Ok(Vec::new()) };
    let kept = first_kept.table(table);
    let mut passed = Vec::new();
    for row in &reading!(store, |s| s.query(PARTITIONS, &[&table]).await)? {
        let name: &str = row.at(0)?;
        // Names of one length sort as their months do.
        if name.len() == kept.len() && name < kept.as_str() {
            passed.push(name.to_owned());
        }
    }
    Ok(passed)
}

/// The partitions of publications that are dropped as a whole.
pub(super) struct Dropped(Vec<String>);

impl Dropped {
    /// Whether a publication that was created at a time goes with its partition.
    pub(super) fn takes(&self, created_at: i64) -> bool {
        !self.0.is_empty()
            && Month::of(Stamp::from_micros(created_at))
                .is_some_and(|month| self.0.contains(&month.table("notifications")))
    }
}

/// The partitions that retention with this horizon drops: of months that had passed as a whole, and of which nothing was
/// revised later.
pub(super) async fn dropped(store: &PostgresStore, before: Stamp, horizon: Stamp) -> Result<Dropped, Error> {
    let mut dropped = Vec::new();
    for name in passed(store, "notifications", before).await? {
        let sql = format!("{} LIMIT 1", revised_since(&name, horizon));
        if !reading!(store, |s| s.exists(&sql, &[]).await)? {
            dropped.push(name);
        }
    }
    Ok(Dropped(dropped))
}

/// Drops the partitions of months that had passed as a whole at a time, when nothing refers to them any more and nothing of
/// them was revised later.
pub(super) async fn drop_before(store: &PostgresStore, before: Stamp, horizon: Stamp) -> Result<(), Error> {
    for table in TABLES {
        for name in passed(store, table, before).await? {
            let drop = if table == "notifications" {
                let revised = revised_since(&name, horizon);
                if reading!(store, |s| s.exists(&format!("{revised} LIMIT 1"), &[]).await)? {
                    continue;
                }
                // Nobody revises any of it between the look and the end of it.
                format!(
                    "DO $$ BEGIN
                         IF to_regclass('{name}') IS NOT NULL THEN
                             LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE;
                             IF NOT EXISTS ({revised}) THEN DROP TABLE {name}; END IF;
                         END IF;
                     END $$"
                )
            } else {
                format!("DROP TABLE IF EXISTS {name}")
            };
            change(store, &drop).await?;
            tracing::info!(partition = name, "a month of publications was removed, as retention says");
        }
    }
    Ok(())
}

/// Changes partitions, which nobody may use meanwhile: for a moment, or not now.
async fn change(store: &PostgresStore, sql: &str) -> Result<(), Error> {
    let changed: Result<(), Error> = in_transaction!(store, |tx| {
        tx.batch("SET LOCAL lock_timeout = '500ms'").await?;
        tx.lock_names(&[&["partitions"]]).await?;
        tx.batch(sql).await
    });
    match changed {
        Err(Error::Unavailable(why)) => {
            tracing::info!(%why, "partitions are changed later: the tables are in use");
            Ok(())
        }
        changed => changed,
    }
}

/// A time before the creation of all of these, so that partitions of older ones are not searched. A msgid has the time in
/// it at which it was made; what is delivered later is newer, and a day is left for clocks that differ.
pub(crate) fn earliest(msgids: &[&str]) -> Stamp {
    let times = msgids.iter().map(|id| msgid::stamp_of(id).unwrap_or(Stamp::ZERO));
    times.min().unwrap_or(Stamp::ZERO).plus_secs(-24 * 3_600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_reaches_to_the_next_one() {
        let december = Month::of(Stamp::from_secs(1_798_000_000)).unwrap();
        assert_eq!(december.0, NaiveDate::from_ymd_opt(2026, 12, 1).unwrap());
        let sql = december.create("notifications").unwrap();
        assert!(sql.contains("notifications_2026_12"), "{sql}");
        assert!(sql.contains("FROM (1796083200000000) TO (1798761600000000)"), "{sql}");
        assert!(creations(Stamp::from_secs(1_798_000_000)).contains("notifications_2027_01"));
    }
}

//! The table `topics`: what was set for topics.

use rusqlite::{Connection, params};
use tidings_store::domain::topic::{Topic, TopicSettings};
use tidings_store::page::PageBuilder;
use tidings_store::topics::{readers_column, readers_of, settings_of};
use tidings_store::{Error, ListPage, ListQuery};

use crate::sql;
use crate::write_tx::WriteTx;

/// What was set for a topic.
pub(crate) fn get(conn: &Connection, topic: &str) -> Result<Option<TopicSettings>, Error> {
    let sql = "SELECT settings, readers FROM topics WHERE topic = ?1";
    let found: Option<(String, String)> = sql::first(conn, sql, [topic], |r| Ok((r.get(0)?, r.get(1)?)))?;
    found.map(|(settings, readers)| settings_of(&settings, &readers)).transpose()
}

/// The ids of the users who may read a topic; `None` for all users.
pub(crate) fn readers(conn: &Connection, topic: &str) -> Result<Option<Vec<String>>, Error> {
    let sql = "SELECT readers FROM topics WHERE topic = ?1 AND readers <> ''";
    let readers: Option<String> = sql::first(conn, sql, [topic], |r| Ok(r.get(0)?))?;
    Ok(readers.as_deref().and_then(readers_of))
}

/// Whether a user may read a topic.
pub(crate) fn is_readable(conn: &Connection, topic: &str, user: &str) -> Result<bool, Error> {
    let sql =
        "SELECT 1 FROM topics WHERE topic = ?1 AND readers <> '' AND instr(readers, ' ' || ?2 || ' ') = 0";
    Ok(!sql::exists(conn, sql, [topic, user])?)
}

/// A page of the topics with settings, by name.
pub(crate) fn page(conn: &Connection, page: &ListQuery) -> Result<ListPage, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT topic, settings, readers FROM topics WHERE topic > ?1 ORDER BY topic LIMIT ?2",
    )?;
    let mut rows = rows.query(params![page.after.as_deref().unwrap_or(""), page.limit])?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        let (topic, settings, readers): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if !builder.push(&Topic::new(&topic, settings_of(&settings, &readers)?))? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

/// Sets everything for a topic.
pub(crate) fn set(ctx: &WriteTx<'_>, topic: &str, settings: &TopicSettings) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO topics (topic, settings, readers) VALUES (?1, ?2, ?3)";
    sql::run(
        ctx.tx,
        sql,
        params![topic, serde_json::to_string(settings)?, readers_column(settings.readers.as_deref())],
    )
    .map(drop)
}

/// Removes what was set for a topic; gives the number of rows.
pub(crate) fn remove(ctx: &WriteTx<'_>, topic: &str) -> Result<usize, Error> {
    sql::run(ctx.tx, "DELETE FROM topics WHERE topic = ?1", [topic])
}

//! The table `topics`: what was set for topics.

use rusqlite::{Connection, params};
use tidings_store::Error;
use tidings_store::domain::topic::TopicSettings;
use tidings_store::topics::{readers_column, readers_of, settings_of};

use crate::sql;
use crate::write_tx::WriteTx;

/// What was set for a topic.
pub(crate) fn get(conn: &Connection, topic: &str) -> Result<Option<TopicSettings>, Error> {
    let sql = "SELECT settings, readers FROM topics WHERE topic = ?1";
    sql::first(conn, sql, [topic], |r| settings_of(&r.get::<_, String>(0)?, &r.get::<_, String>(1)?))
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

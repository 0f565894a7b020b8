//! The table `topics`: what was set for topics.

use rusqlite::{Connection, OptionalExtension, params};

use crate::domain::topic::{Topic, TopicSettings};
use crate::error::Error;
use crate::store::page::PageBuilder;
use crate::store::sqlite::write_tx::WriteTx;
use crate::store::{ListPage, ListQuery};

/// What was set for a topic.
pub(crate) fn get(conn: &Connection, topic: &str) -> Result<Option<TopicSettings>, Error> {
    let settings: Option<String> = conn
        .prepare_cached("SELECT settings FROM topics WHERE topic = ?1")?
        .query_row([topic], |r| r.get(0))
        .optional()?;
    Ok(settings.map(|settings| serde_json::from_str(&settings)).transpose()?)
}

/// A page of the topics with settings, by name.
pub(crate) fn page(conn: &Connection, page: &ListQuery) -> Result<ListPage, Error> {
    let mut rows =
        conn.prepare_cached("SELECT topic, settings FROM topics WHERE topic > ?1 ORDER BY topic LIMIT ?2")?;
    let mut rows = rows.query(params![page.after.as_deref().unwrap_or(""), page.limit])?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        let (topic, settings): (String, String) = (row.get(0)?, row.get(1)?);
        if !builder.push(&Topic::new(&topic, serde_json::from_str(&settings)?))? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

/// Sets everything for a topic.
pub(crate) fn set(ctx: &WriteTx<'_>, topic: &str, settings: &TopicSettings) -> Result<(), Error> {
    ctx.tx
        .prepare_cached("INSERT OR REPLACE INTO topics (topic, settings) VALUES (?1, ?2)")?
        .execute(params![topic, serde_json::to_string(settings)?])?;
    Ok(())
}

/// Removes what was set for a topic; gives the number of rows.
pub(crate) fn remove(ctx: &WriteTx<'_>, topic: &str) -> Result<usize, Error> {
    Ok(ctx.tx.prepare_cached("DELETE FROM topics WHERE topic = ?1")?.execute([topic])?)
}

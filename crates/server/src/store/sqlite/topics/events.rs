//! What happened on a topic, in the order in which its listeners see it: publications at their creation, and revisions
//! at theirs. Earlier content of a revised publication is gone.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidings_model::{MsgId, Stamp};

use crate::domain::limits;
use crate::error::Error;
use crate::store::sqlite::tables::notifications::Revision;
use crate::store::{TopicChange, TopicEvent, TopicPage};

/// Rows that a search for the newest publication looks at.
const LATEST_ROWS: usize = 1_000;

/// The events of a topic after a position, at most `limit` rows of either kind.
pub(crate) fn after(
    conn: &Connection,
    topic: &str,
    position: Stamp,
    limit: usize,
) -> Result<TopicPage, Error> {
    let created = format!(
        "SELECT n.created_at, {COLUMNS} FROM notifications n INDEXED BY reminders_by_target
         LEFT JOIN sequences s ON s.created_at = n.created_at
         WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.action = 'publish'
             AND n.created_at > ?2
         ORDER BY n.created_at LIMIT ?3"
    );
    // One that was revised or deleted is listed at that time.
    let created = list(conn, &created, (topic, position, limit), |revision| match revision {
        None | Some(Revision::Clear) => Some(TopicChange::Published),
        Some(Revision::Content | Revision::Delete) => None,
    })?;
    let revised = format!(
        "SELECT n.revised_at, {COLUMNS} FROM notifications n INDEXED BY topic_revisions
         LEFT JOIN sequences s ON s.created_at = n.created_at
         WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.revised_at > ?2 AND n.revised_at > 0
         ORDER BY n.revised_at LIMIT ?3"
    );
    let revised = list(conn, &revised, (topic, position, limit), |revision| {
        Some(match revision? {
            Revision::Content => TopicChange::Revised,
            Revision::Clear => TopicChange::Cleared,
            Revision::Delete => TopicChange::Deleted,
        })
    })?;
    // What lies beyond the shorter list is read with the next page.
    let through = created.through.min(revised.through);
    let mut events: Vec<TopicEvent> = created.events.into_iter().chain(revised.events).collect();
    events.retain(|event| event.position <= through);
    events.sort_by_key(|event| event.position);
    Ok(TopicPage { events, next: (through < Stamp::MAX).then_some(through) })
}

/// The columns after the position that [`event`] reads.
const COLUMNS: &str = "n.msgid, n.content, n.revision, s.name";

/// Events of one kind, in order.
struct List {
    events: Vec<TopicEvent>,
    /// How far the list is complete: to its last row, or to the end of all times.
    through: Stamp,
}

/// Reads rows up to the limit or until they have [`limits::TOPIC_PAGE_BYTES`]; `change` is what a row with this last
/// revision tells, if anything.
fn list(
    conn: &Connection,
    sql: &str,
    (topic, position, limit): (&str, Stamp, usize),
    change: impl Fn(Option<Revision>) -> Option<TopicChange>,
) -> Result<List, Error> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![topic, position.as_micros(), limit])?;
    let (mut events, mut bytes, mut count) = (Vec::new(), 0, 0);
    while let Some(row) = rows.next()? {
        let at = Stamp::from_micros(row.get(0)?);
        if let Some(change) = change(Revision::from_row(row.get(3)?)) {
            bytes += row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?.len();
            events.push(event(row, at, change)?);
        }
        count += 1;
        if count == limit || bytes > limits::TOPIC_PAGE_BYTES {
            return Ok(List { events, through: at });
        }
    }
    Ok(List { events, through: Stamp::MAX })
}

fn event(row: &Row<'_>, position: Stamp, change: TopicChange) -> rusqlite::Result<TopicEvent> {
    let content = serde_json::from_str(row.get_ref(2)?.as_str()?).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, Box::new(e))
    })?;
    Ok(TopicEvent { position, change, msgid: MsgId(row.get(1)?), sequence: row.get(4)?, content })
}

/// The position of the newest publication on a topic that was not deleted; `None` where there is none among the newest
/// [`LATEST_ROWS`].
pub(crate) fn latest(conn: &Connection, topic: &str) -> Result<Option<Stamp>, Error> {
    let newest = |sql: &str| -> Result<Option<Stamp>, Error> {
        let found: Option<Option<i64>> =
            conn.prepare_cached(sql)?.query_row(params![topic, LATEST_ROWS], |r| r.get(0)).optional()?;
        Ok(found.flatten().map(Stamp::from_micros))
    };
    let created = newest(
        "SELECT max(created_at) FROM (SELECT created_at, revision FROM notifications INDEXED BY reminders_by_target
             WHERE kind = 2 AND target_type = 'topic' AND target_id = ?1 AND action = 'publish'
             ORDER BY created_at DESC LIMIT ?2)
         WHERE revision IN (0, 2)",
    )?;
    let revised = newest(
        "SELECT max(revised_at) FROM (SELECT revised_at, revision FROM notifications INDEXED BY topic_revisions
             WHERE kind = 2 AND target_type = 'topic' AND target_id = ?1 AND revised_at > 0
             ORDER BY revised_at DESC LIMIT ?2)
         WHERE revision = 1",
    )?;
    Ok(created.max(revised))
}

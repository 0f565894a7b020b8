//! What happened on a topic, in the order in which its listeners see it: publications at their creation, and revisions
//! at theirs. Earlier content of a revised publication is gone.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidings_model::{MsgId, Stamp};

use super::tables::notifications::Revision;
use crate::domain::limits;
use crate::error::Error;
use crate::store::{TopicChange, TopicEvent, TopicPage};

/// Rows that a search for the newest publication looks at.
const LATEST_ROWS: usize = 1_000;

/// The events of a topic after a position, at most `limit` rows of either kind.
pub(super) fn after(
    conn: &Connection,
    topic: &str,
    position: Stamp,
    limit: usize,
) -> Result<TopicPage, Error> {
    let (mut events, created_through) = created(conn, topic, position, limit)?;
    let (revisions, revised_through) = revised(conn, topic, position, limit)?;
    events.extend(revisions);
    events.sort_by_key(|event| event.position);
    // Each list is complete up to its last row; what lies beyond the shorter one is read with the next page.
    let mut through = created_through.min(revised_through);
    events.retain(|event| event.position <= through);
    let mut bytes = 0;
    let fitting = events.iter().take_while(|event| {
        let first = bytes == 0;
        bytes += event.content.body.len() + limits::NAME_BYTES;
        first || bytes <= limits::TOPIC_PAGE_BYTES
    });
    let count = fitting.count();
    if count < events.len() {
        events.truncate(count);
        through = events.last().map_or(position, |event| event.position);
    }
    Ok(TopicPage { events, next: (through < Stamp::MAX).then_some(through) })
}

/// The columns that [`event`] reads.
const COLUMNS: &str = "n.created_at, n.msgid, n.content, n.revised_at, n.revision, s.name";

/// Publications that were created after a position and not changed since, and how far the list is complete.
fn created(
    conn: &Connection,
    topic: &str,
    position: Stamp,
    limit: usize,
) -> Result<(Vec<TopicEvent>, Stamp), Error> {
    let mut rows = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM notifications n INDEXED BY reminders_by_target
         LEFT JOIN sequences s ON s.created_at = n.created_at
         WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.action = 'publish'
             AND n.created_at > ?2
         ORDER BY n.created_at LIMIT ?3"
    ))?;
    let rows = rows.query_map(params![topic, position.as_micros(), limit], |row| {
        let at = Stamp::from_micros(row.get(0)?);
        // One that was revised or deleted is listed at that time.
        let listed = !matches!(revision(row)?, Some(Revision::Content | Revision::Delete));
        Ok((at, if listed { Some(event(row, at, TopicChange::Published)?) } else { None }))
    })?;
    collect(rows, limit)
}

/// Revisions after a position, and how far the list is complete.
fn revised(
    conn: &Connection,
    topic: &str,
    position: Stamp,
    limit: usize,
) -> Result<(Vec<TopicEvent>, Stamp), Error> {
    let mut rows = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM notifications n INDEXED BY topic_revisions
         LEFT JOIN sequences s ON s.created_at = n.created_at
         WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.revised_at > ?2 AND n.revised_at > 0
         ORDER BY n.revised_at LIMIT ?3"
    ))?;
    let rows = rows.query_map(params![topic, position.as_micros(), limit], |row| {
        let at = Stamp::from_micros(row.get(3)?);
        let change = match revision(row)? {
            Some(Revision::Content) => TopicChange::Revised,
            Some(Revision::Clear) => TopicChange::Cleared,
            Some(Revision::Delete) => TopicChange::Deleted,
            None => return Ok((at, None)),
        };
        Ok((at, Some(event(row, at, change)?)))
    })?;
    collect(rows, limit)
}

/// The events of these rows, and how far they are complete: to the last row of a full list, else to the end.
fn collect(
    rows: impl Iterator<Item = rusqlite::Result<(Stamp, Option<TopicEvent>)>>,
    limit: usize,
) -> Result<(Vec<TopicEvent>, Stamp), Error> {
    let (mut events, mut count, mut last) = (Vec::new(), 0, Stamp::ZERO);
    for row in rows {
        let (at, event) = row?;
        count += 1;
        last = at;
        events.extend(event);
    }
    Ok((events, if count < limit { Stamp::MAX } else { last }))
}

fn revision(row: &Row<'_>) -> rusqlite::Result<Option<Revision>> {
    Ok(Revision::from_row(row.get(4)?))
}

fn event(row: &Row<'_>, position: Stamp, change: TopicChange) -> rusqlite::Result<TopicEvent> {
    let content = serde_json::from_str(row.get_ref(2)?.as_str()?).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, Box::new(e))
    })?;
    Ok(TopicEvent { position, change, msgid: MsgId(row.get(1)?), sequence: row.get(5)?, content })
}

/// The position of the newest publication on a topic that was not deleted; `None` where there is none among the newest
/// [`LATEST_ROWS`].
pub(super) fn latest(conn: &Connection, topic: &str) -> Result<Option<Stamp>, Error> {
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

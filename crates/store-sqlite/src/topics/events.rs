//! The events of a topic, in the order in which its listeners see them. A publication comes at its creation or its last
//! new content, and one that was cleared or deleted at that time. Earlier content of a revised publication is gone.

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::topic_events::EventList;
use tidings_store::{Error, TopicChange, TopicEventStore, TopicPage};

use crate::SqliteStore;
use crate::tables::notifications::Revision;

#[async_trait]
impl TopicEventStore for SqliteStore {
    async fn topic_events(&self, topic: &str, after: Stamp, limit: usize) -> Result<TopicPage, Error> {
        let topic = topic.to_owned();
        let created = format!(
            "SELECT n.created_at, {COLUMNS} FROM notifications n INDEXED BY reminders_by_target
             LEFT JOIN sequences s ON s.created_at = n.created_at
             WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.action = 'publish'
                 AND n.created_at > ?2
             ORDER BY n.created_at LIMIT ?3"
        );
        let revised = format!(
            "SELECT n.content_revised_at, {COLUMNS} FROM notifications n INDEXED BY topic_content_revisions
             LEFT JOIN sequences s ON s.created_at = n.created_at
             WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.content_revised_at > ?2
                 AND n.content_revised_at > 0
             ORDER BY n.content_revised_at LIMIT ?3"
        );
        let withdrawn = format!(
            "SELECT n.revised_at, {COLUMNS} FROM notifications n INDEXED BY topic_revisions
             LEFT JOIN sequences s ON s.created_at = n.created_at
             WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = ?1 AND n.revised_at > ?2 AND n.revised_at > 0
             ORDER BY n.revised_at LIMIT ?3"
        );
        self.read(move |c| {
            let at = (topic.as_str(), after, limit);
            // One that got new content is listed at that time, and one that was deleted when it was.
            let created = list(c, &created, at, |last, is_revised| {
                (last != Some(Revision::Delete) && !is_revised).then_some(TopicChange::Published)
            })?;
            let revised = list(c, &revised, at, |last, _| {
                (last != Some(Revision::Delete)).then_some(TopicChange::Revised)
            })?;
            let withdrawn = list(c, &withdrawn, at, |last, _| match last? {
                Revision::Content | Revision::Close => None,
                Revision::Clear => Some(TopicChange::Cleared),
                Revision::Delete => Some(TopicChange::Deleted),
            })?;
            Ok(EventList::merge([created, revised, withdrawn]))
        })
        .await
    }

    async fn topic_latest(&self, topic: &str) -> Result<Option<Stamp>, Error> {
        let (mut latest, most): (Option<Stamp>, _) = (None, self.bounds.latest_rows);
        // A look that passes only what was deleted is followed by another one.
        for sql in [NEWEST_REVISED, NEWEST_CREATED] {
            let mut before = Some(Stamp::MAX);
            while let Some(end) = before {
                let topic = topic.to_owned();
                let look = move |c: &Connection| newest(c, sql, (topic.as_str(), end), most);
                let (found, oldest) = self.read(look).await?;
                latest = latest.max(found);
                before = oldest.filter(|oldest| Some(*oldest) > latest);
            }
        }
        Ok(latest)
    }
}

/// The columns after the position, as [`EventList::push`] reads them. Listeners put what has the same name in place of
/// each other. So only the first publisher who has a name is listed with it; the others are listed by their msgids.
const COLUMNS: &str = "n.msgid, n.content, n.revision, iif(s.name IS NULL OR EXISTS (
    SELECT 1 FROM sequences o INDEXED BY sequences_by_age
    WHERE o.topic = s.topic AND o.name = s.name AND o.created_at < s.created_at), NULL, s.name), n.content_revised_at > 0";

/// Reads rows until the list ends; `change` gives the event of a row with this last revision, if there is one.
fn list(
    conn: &Connection,
    sql: &str,
    (topic, position, limit): (&str, Stamp, usize),
    change: impl Fn(Option<Revision>, bool) -> Option<TopicChange>,
) -> Result<EventList, Error> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![topic, position.as_micros(), limit])?;
    let mut list = EventList::new(limit);
    while let Some(row) = rows.next()?
        && list.push(row, change(Revision::from_row(row.get(3)?), row.get(5)?))?
    {}
    Ok(list)
}

/// Of the last `?3` publications that were created before `?2`: the newest that was neither deleted nor revised, and the
/// oldest.
const NEWEST_CREATED: &str =
    "SELECT max(iif(revision <> 3 AND content_revised_at = 0, created_at, NULL)), min(created_at)
     FROM (SELECT created_at, revision, content_revised_at FROM notifications INDEXED BY reminders_by_target
         WHERE kind = 2 AND target_type = 'topic' AND target_id = ?1 AND action = 'publish' AND created_at < ?2
         ORDER BY created_at DESC LIMIT ?3)";

/// The same of new contents.
const NEWEST_REVISED: &str =
    "SELECT max(iif(revision <> 3, content_revised_at, NULL)), min(content_revised_at)
     FROM (SELECT content_revised_at, revision FROM notifications INDEXED BY topic_content_revisions
         WHERE kind = 2 AND target_type = 'topic' AND target_id = ?1 AND content_revised_at > 0
             AND content_revised_at < ?2
         ORDER BY content_revised_at DESC LIMIT ?3)";

/// One look for the newest publication on a topic: what it found, and how far back it went.
fn newest(
    conn: &Connection,
    sql: &str,
    (topic, before): (&str, Stamp),
    most: usize,
) -> Result<(Option<Stamp>, Option<Stamp>), Error> {
    let mut look = conn.prepare_cached(sql)?;
    let (found, oldest): (Option<i64>, Option<i64>) =
        look.query_row(params![topic, before.as_micros(), most], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((found.map(Stamp::from_micros), oldest.map(Stamp::from_micros)))
}

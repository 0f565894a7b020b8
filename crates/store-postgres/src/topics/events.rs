//! The events of a topic, in the order in which its listeners see them. A publication comes at its creation or its last
//! new content, and one that was cleared or deleted at that time. Earlier content of a revised publication is gone.

use async_trait::async_trait;
use futures_util::StreamExt;
use tidings_model::Stamp;
use tidings_store::topic_events::EventList;
use tidings_store::{Error, TopicChange, TopicEventStore, TopicPage};

use crate::PostgresStore;
use crate::publishing::revision;
use crate::session::{Columns, Session, rows};
use crate::tx::{in_snapshot, reading};

/// The columns after the position, as [`EventList::push`] reads them. Listeners put what has the same name in place of
/// each other. So only the first publisher who has a name is listed with it; the others are listed by their msgids.
macro_rules! columns {
    () => {
        "n.msgid, n.content, n.revision,
        (SELECT s.name FROM sequences s WHERE s.created_at = n.created_at AND NOT EXISTS (
            SELECT 1 FROM sequences o WHERE o.topic = s.topic AND o.name = s.name AND o.created_at < s.created_at) LIMIT 1), n.content_revised_at > 0"
    };
}

const CREATED: &str = concat!("SELECT n.created_at, ", columns!(), "
    FROM notifications n
    WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = $1 AND n.action = 'publish' AND n.created_at > $2
    ORDER BY n.created_at LIMIT $3");

const REVISED: &str = concat!(
    "SELECT n.content_revised_at, ",
    columns!(),
    "
    FROM notifications n
    WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = $1 AND n.content_revised_at > $2
        AND n.content_revised_at > 0
    ORDER BY n.content_revised_at LIMIT $3"
);

const WITHDRAWN: &str = concat!("SELECT n.revised_at, ", columns!(), "
    FROM notifications n
    WHERE n.kind = 2 AND n.target_type = 'topic' AND n.target_id = $1 AND n.revised_at > $2 AND n.revised_at > 0
    ORDER BY n.revised_at LIMIT $3");

/// The event of a publication at its creation. One that got new content is listed at that time instead, and one that
/// was deleted at its deletion.
fn created(last: i16, is_revised: bool) -> Option<TopicChange> {
    (last != revision::DELETE && !is_revised).then_some(TopicChange::Published)
}

/// The event at its last new content.
fn revised(last: i16, _: bool) -> Option<TopicChange> {
    (last != revision::DELETE).then_some(TopicChange::Revised)
}

/// The event when it was cleared or deleted.
fn withdrawn(last: i16, _: bool) -> Option<TopicChange> {
    match last {
        revision::CLEAR => Some(TopicChange::Cleared),
        revision::DELETE => Some(TopicChange::Deleted),
        _ => None,
    }
}

/// Reads rows until the list ends; `change` gives the event of a row with this last revision, if there is one.
async fn list(
    session: &Session,
    sql: &str,
    (topic, position, limit): (&str, Stamp, usize),
    change: fn(i16, bool) -> Option<TopicChange>,
) -> Result<EventList, Error> {
    let mut found =
        std::pin::pin!(session.stream(sql, &[&topic, &position.as_micros(), &rows(limit)]).await?);
    let mut list = EventList::new(limit);
    while let Some(row) = found.next().await {
        let row = row?;
        if !list.push(&row, change(row.at(3)?, row.at(5)?))? {
            break;
        }
    }
    Ok(list)
}

/// Of the last `$3` publications that were created before `$2`: the newest that was neither deleted nor revised, and the
/// oldest.
const NEWEST_CREATED: &str =
    "SELECT max(created_at) FILTER (WHERE revision <> 3 AND content_revised_at = 0), min(created_at)
    FROM (SELECT created_at, revision, content_revised_at FROM notifications
        WHERE kind = 2 AND target_type = 'topic' AND target_id = $1 AND action = 'publish' AND created_at < $2
        ORDER BY created_at DESC LIMIT $3) c";

/// The same of new contents.
const NEWEST_REVISED: &str =
    "SELECT max(content_revised_at) FILTER (WHERE revision <> 3), min(content_revised_at)
    FROM (SELECT content_revised_at, revision FROM notifications
        WHERE kind = 2 AND target_type = 'topic' AND target_id = $1 AND content_revised_at > 0
            AND content_revised_at < $2
        ORDER BY content_revised_at DESC LIMIT $3) r";

#[async_trait]
impl TopicEventStore for PostgresStore {
    async fn topic_events(&self, topic: &str, after: Stamp, limit: usize) -> Result<TopicPage, Error> {
        let at = (topic, after, limit);
        let lists = in_snapshot!(self, |s| {
            let created = list(s, CREATED, at, created).await?;
            let revised = list(s, REVISED, at, revised).await?;
            Ok([created, revised, list(s, WITHDRAWN, at, withdrawn).await?])
        })?;
        Ok(EventList::merge(lists))
    }

    async fn topic_latest(&self, topic: &str) -> Result<Option<Stamp>, Error> {
        let (mut latest, most): (Option<Stamp>, _) = (None, rows(self.bounds.latest_rows));
        // A look that passes only what was deleted is followed by another one.
        for sql in [NEWEST_REVISED, NEWEST_CREATED] {
            let mut before = Some(Stamp::MAX);
            while let Some(end) = before {
                let row = reading!(self, |s| s.query_one(sql, &[&topic, &end.as_micros(), &most]).await)?;
                latest = latest.max(row.time(0)?);
                before = row.time(1)?.filter(|oldest| Some(*oldest) > latest);
            }
        }
        Ok(latest)
    }
}

//! Finds what names on topics mean for their publishers.

use tidings_model::{MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::named::{NEWEST_NAMED, Named};
use tokio_postgres::Row;

use crate::session::{Columns, Session, Value, rows};

/// The publications that the names `$2` on the topics `$1` mean for the publishers `$3`; if `$4`, also those of others,
/// of the newest `$5` of a name. The rows are in the order of [`Named`].
pub(super) const FIND: &str = "SELECT w.topic, w.name, f.publisher, f.created_at, f.msgid
    FROM unnest($1, $2, $3, $4) AS w (topic, name, publisher, others)
    CROSS JOIN LATERAL (
        SELECT 1 AS place, s.publisher, n.created_at, n.msgid
        FROM sequences s JOIN notifications n ON n.created_at = s.created_at
        WHERE s.topic = w.topic AND s.name = w.name AND s.publisher = w.publisher AND n.revision <> 3
        UNION ALL
        SELECT CASE WHEN n.publisher = w.publisher THEN 2 ELSE 5 END, n.publisher, n.created_at, n.msgid
        FROM notifications n
        WHERE n.msgid = w.name AND n.kind = 2 AND n.target_type = 'topic' AND n.target_id = w.topic AND n.revision <> 3
            AND (n.publisher = w.publisher OR w.others)
        UNION ALL
        (SELECT CASE WHEN d.publisher = w.publisher THEN 3 ELSE 6 END, d.publisher, NULL::bigint, NULL::text
        FROM scheduled d
        WHERE d.target = 'topic:' || w.topic AND (d.sequence = w.name OR d.msgid = w.name)
            AND (d.publisher = w.publisher OR w.others)
        ORDER BY d.publisher <> w.publisher, d.deliver_at, d.msgid LIMIT 1)
        UNION ALL
        (SELECT 4, o.publisher, n.created_at, n.msgid
        FROM (SELECT s.publisher, s.created_at FROM sequences s
                WHERE w.others AND s.topic = w.topic AND s.name = w.name ORDER BY s.created_at DESC LIMIT $5) o
            JOIN notifications n ON n.created_at = o.created_at
        WHERE n.revision <> 3 ORDER BY o.created_at DESC LIMIT 1)
        ORDER BY place LIMIT 1) f";

/// Names that are looked up together, column by column.
pub(super) struct Names {
    topics: Vec<String>,
    texts: Vec<String>,
    publishers: Vec<i64>,
    others: Vec<bool>,
    newest: i64,
}

impl Default for Names {
    fn default() -> Self {
        let (topics, texts, publishers, others) = Default::default();
        Self { topics, texts, publishers, others, newest: rows(NEWEST_NAMED) }
    }
}

impl Names {
    /// Adds a name; with `others`, also what somebody else has under it is found.
    pub(super) fn push(&mut self, topic: &str, name: &str, by: PostedBy, others: bool) {
        self.topics.push(topic.to_owned());
        self.texts.push(name.to_owned());
        self.publishers.push(by.key());
        self.others.push(others);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The values of [`FIND`].
    pub(super) fn values(&self) -> Vec<&dyn Value> {
        vec![&self.topics, &self.texts, &self.publishers, &self.others, &self.newest]
    }
}

/// What a row of [`FIND`] says.
pub(super) fn from_row(row: &Row) -> Result<Named, Error> {
    let item = match (row.at::<Option<i64>>(3)?, row.at::<Option<String>>(4)?) {
        (Some(created_at), Some(msgid)) => Some((Stamp::from_micros(created_at), MsgId(msgid))),
        _ => None,
    };
    Ok(Named { publisher: row.at(2)?, item })
}

/// What one name means for a publisher; with `others`, even if it is somebody else's.
pub(super) async fn find(
    session: &Session,
    topic: &str,
    name: &str,
    by: PostedBy,
    others: bool,
) -> Result<Option<Named>, Error> {
    let mut names = Names::default();
    names.push(topic, name, by, others);
    session.query_opt(FIND, &names.values()).await?.as_ref().map(from_row).transpose()
}

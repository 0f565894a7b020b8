//! The table `drafts`: unsent text of conversations, by the thread's key.

use rusqlite::{Connection, params};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::{sources, sql};

use crate::{Replica, Result, SourceId};

impl Replica {
    /// Saves the unsent text of a thread; empty text deletes the draft.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn save_draft(&self, source: SourceId, key: &str, text: &str) -> Result<()> {
        let (key, text) = (key.to_owned(), text.to_owned());
        self.write_durable(move |tx, aggregates| put(tx, aggregates, source, &key, &text))?;
        Ok(())
    }

    /// A thread's draft; empty if there is none.
    pub fn draft(&self, source: SourceId, key: &str) -> Result<String> {
        let sql = "SELECT text FROM drafts WHERE source = ?1 AND key = ?2";
        let found = self.read(|conn| sql::first(conn, sql, params![source, key], |r| r.get(0)))?;
        Ok(found.unwrap_or_default())
    }
}

/// Saves a draft; empty text deletes it.
pub(crate) fn put(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    key: &str,
    text: &str,
) -> Result<()> {
    sources::one(tx, source)?;
    let changed = if text.is_empty() {
        sql::run(tx, "DELETE FROM drafts WHERE source = ?1 AND key = ?2", params![source, key])?
    } else {
        let sql = "INSERT INTO drafts (source, key, text) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET text = ?3 WHERE text <> ?3";
        sql::run(tx, sql, params![source, key, text])?
    };
    if changed == 0 { Ok(()) } else { aggregates.touch_listed(source, key) }
}

/// Deletes drafts of a source, at most `?2` rows.
pub(crate) const DISCARD: &str =
    "DELETE FROM drafts WHERE (source, key) IN (SELECT source, key FROM drafts WHERE source = ?1 LIMIT ?2)";

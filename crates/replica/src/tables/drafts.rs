//! The table `drafts`: what was written in a thread and not sent, by the thread's key.

use rusqlite::{Connection, params};

use super::{sources, sql, threads};
use crate::aggregates::Aggregates;
use crate::{Replica, Result, SourceId};

impl Replica {
    /// Saves what was written in a thread and not sent; empty text forgets it.
    pub fn save_draft(&self, source: SourceId, key: &str, text: &str) -> Result<()> {
        let (key, text) = (key.to_owned(), text.to_owned());
        self.write(move |tx, aggregates| put(tx, aggregates, source, &key, &text))?;
        Ok(())
    }

    /// A thread's draft; empty where there is none.
    pub fn draft(&self, source: SourceId, key: &str) -> Result<String> {
        let sql = "SELECT text FROM drafts WHERE source = ?1 AND key = ?2";
        let found = self.read(|conn| sql::first(conn, sql, params![source, key], |r| r.get(0)))?;
        Ok(found.unwrap_or_default())
    }
}

/// Saves a draft; empty text forgets it.
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
    if changed == 0 { Ok(()) } else { threads::touch(tx, aggregates, source, key) }
}

/// Discards drafts of a source, a portion at a time.
pub(crate) const DISCARD: &str =
    "DELETE FROM drafts WHERE (source, key) IN (SELECT source, key FROM drafts WHERE source = ?1 LIMIT ?2)";

//! The table `closed_conversations`: those with one person whom the server removed.
//!
//! Such a conversation keeps its name and its messages, and takes no more.

use rusqlite::{Connection, params};
use tidings_model::wire::ClosedConversation;
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::sql;

use crate::{Replica, Result, SourceId};

impl Replica {
    /// The name of the other user of a conversation that its server closed; `None` for one that is open.
    pub fn closed_conversation(&self, source: SourceId, key: &str) -> Result<Option<String>> {
        let sql = "SELECT title FROM closed_conversations WHERE source = ?1 AND key = ?2";
        self.read(|conn| sql::first(conn, sql, params![source, key], |r| r.get(0)))
    }
}

/// Closes conversations.
pub(crate) fn close(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    closed: &[ClosedConversation],
) -> Result<()> {
    let sql = "INSERT INTO closed_conversations (source, key, title) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET title = excluded.title WHERE title <> excluded.title";
    for ClosedConversation { conversation, title, .. } in closed {
        if sql::run(tx, sql, params![source, conversation, title])? > 0 {
            aggregates.touch_listed(source, conversation)?;
        }
    }
    Ok(())
}

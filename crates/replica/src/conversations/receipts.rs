//! The table `receipts`: the readers of the user's group messages. The number of readers is the server's count on the
//! message.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};
use tidings_model::group::ReceiptLine;
use tidings_model::{MsgId, View};
use tidings_replica_tables::columns::stamp;
use tidings_replica_tables::{sources, sql, views};

use crate::{PeerRead, Reader, Replica, Result, SourceId};

impl Replica {
    /// Stores receipts. They may come in any order, repeatedly, and before the message that they are about. A receipt
    /// that is stored already, or is of a deleted message, changes nothing.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn apply_receipts(&self, source: SourceId, lines: &[ReceiptLine]) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let lines = lines.to_vec();
        self.write(move |tx, aggregates| {
            sources::one(tx, source)?;
            let insert = "INSERT OR IGNORE INTO receipts (source, msgid, reader, at) SELECT ?1, ?2, ?3, ?4
                 WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE source = ?1 AND msgid = ?2)";
            let mut changed: BTreeSet<&str> = BTreeSet::new();
            for line in &lines {
                let row = params![source, line.msgid.as_str(), line.reader, line.at.as_micros()];
                if sql::run(tx, insert, row)? > 0 {
                    changed.insert(&line.conversation);
                }
            }
            changed.into_iter().try_for_each(|conversation| aggregates.touch_listed(source, conversation))
        })?;
        Ok(())
    }

    /// How far the other person has read the conversation with this key; `None` if the server did not say.
    pub fn peer_read(&self, source: SourceId, key: &str) -> Result<Option<PeerRead>> {
        self.read(|conn| views::peer_read(conn, source, &View::Conversation(key.to_owned())))
    }

    /// The stored readers of a message in the order of reading. The count on the message may be higher, because a
    /// receipt goes to one device of the sender only.
    pub fn receipts_of(&self, source: SourceId, msgid: &MsgId) -> Result<Vec<Reader>> {
        let sql = "SELECT reader, at FROM receipts WHERE source = ?1 AND msgid = ?2 ORDER BY at, reader";
        let reader = |r: &rusqlite::Row<'_>| Ok(Reader { id: r.get(0)?, at: stamp(r, 1)? });
        self.read(|conn| sql::all(conn, sql, params![source, msgid.as_str()], reader))
    }
}

/// Deletes the receipts of a deleted message.
pub(crate) fn forget(tx: &Connection, source: SourceId, msgid: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM receipts WHERE source = ?1 AND msgid = ?2", params![source, msgid]).map(drop)
}

//! The table `outgoing` as the lists see it. What writes it is `conversations::messages`.

use rusqlite::Connection;
use tidings_model::{Actor, Stamp, wire};

use super::columns::{json, stamp};
use super::search_text::snippet;
use super::sql;
use crate::{Result, SourceId, ThreadId, ThreadPreview};

/// The row preview of a conversation without items: its newest outgoing message; `None` without one.
pub(crate) fn preview(tx: &Connection, thread: ThreadId) -> Result<Option<(Stamp, ThreadPreview)>> {
    let sql = "SELECT o.conversation, o.message, o.written_at, ifnull(s.user, '')
             FROM threads t JOIN outgoing o ON o.source = t.source AND o.conversation = t.key
                JOIN sources s ON s.id = t.source
             WHERE t.id = ?1 ORDER BY o.seq DESC LIMIT 1";
    sql::first(tx, sql, [thread], |r| {
        let message: wire::NewMessage = json(r, 1)?;
        let user: String = r.get(3)?;
        let preview = ThreadPreview {
            actor: Actor { name: user.clone(), id: user },
            own: true,
            conversation: Some(r.get(0)?),
            title: snippet(&message.content.title, ThreadPreview::SNIPPET_CHARS),
            body: snippet(&message.content.body, ThreadPreview::SNIPPET_CHARS),
            format: message.content.format,
            ..ThreadPreview::default()
        };
        Ok((stamp(r, 2)?, preview))
    })
}

/// Queues posted messages again that no pull has brought, because the server has a new history that may lack them.
/// Their id is the idempotency key, so a server that has them does not post them twice.
pub(crate) fn post_again(tx: &Connection, source: SourceId) -> Result<()> {
    sql::run(tx, "UPDATE outgoing SET posted_as = NULL WHERE source = ?1 AND posted_as IS NOT NULL", [source])
        .map(drop)
}

//! Conversations that the user began: they have a row from the first message on, before a pull has brought any. Refuses
//! to count what is on its way: numbers are of items.

use rusqlite::{Connection, OptionalExtension};
use tidings_model::{Actor, Kind, Stamp, wire};

use crate::ledger::Ledger;
use crate::{Result, SourceId, ThreadId, ThreadPreview, row, text};

/// What the row of a conversation without items says: the newest message on its way in it; none where there is none.
pub(crate) fn newest(tx: &Connection, thread: ThreadId) -> Result<Option<(Stamp, ThreadPreview)>> {
    let found = tx
        .prepare_cached(
            "SELECT o.conversation, o.message, o.written_at, ifnull(s.user, '')
             FROM threads t JOIN outgoing o ON o.source = t.source AND o.conversation = t.key
                JOIN sources s ON s.id = t.source
             WHERE t.id = ?1 ORDER BY o.seq DESC LIMIT 1",
        )?
        .query_row([thread], |r| {
            let message: wire::NewMessage = row::json(r, 1)?;
            let user: String = r.get(3)?;
            let last = ThreadPreview {
                actor: Actor { name: user.clone(), id: user },
                own: true,
                conversation: Some(r.get(0)?),
                title: text::snippet(&message.content.title, ThreadPreview::SNIPPET),
                body: text::snippet(&message.content.body, ThreadPreview::SNIPPET),
                format: message.content.format,
                ..ThreadPreview::default()
            };
            Ok((row::stamp(r, 2)?, last))
        })
        .optional()?;
    Ok(found)
}

/// Something was written in a conversation: it has a row from now on.
pub(crate) fn written(ledger: &mut Ledger<'_>, source: SourceId, conversation: &str) -> Result<()> {
    let thread = ledger.thread(source, conversation, Kind::Message)?;
    ledger.touch(thread)
}

//! The table `outgoing`: messages that the user wrote, until a pull brings them back.
//!
//! A message's id is also its idempotency key, so one that was sent and whose answer was lost arrives once. A
//! conversation has its thread from the first message that the user writes in it. A first message whose server says
//! at once that nobody has that name goes back to its writer.

use std::collections::BTreeSet;

use rusqlite::{Connection, Row, params};
use tidings_model::{Kind, MsgId, wire};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::{json, optional_json, stamp};
use tidings_replica_tables::outbox::new_id;
use tidings_replica_tables::{sources, sql};

use super::drafts;
use crate::{Error, Outgoing, OutgoingFile, Replica, Result, SourceId};

impl Replica {
    /// Queues a message, deletes the conversation's draft and creates its thread if needed. `conversation` is
    /// `user:<peer>` or `group:<gid>`. Returns the message's id, which is also its idempotency key.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `conversation` is neither, [`Error::NoSource`].
    pub fn write_message(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
    ) -> Result<String> {
        let id = new_id();
        self.queue_message(source, conversation, message, id.clone(), None, false)?;
        Ok(id)
    }

    /// Like [`Replica::write_message`] for one that was not written in the window, whose draft stays.
    ///
    /// # Errors
    /// Those of [`Replica::write_message`].
    pub fn write_message_beside_draft(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
    ) -> Result<()> {
        self.queue_message(source, conversation, message, new_id(), None, true)
    }

    /// Like [`Replica::write_message`], with a file. `id` becomes the message's id; the copy of the file has this name.
    ///
    /// # Errors
    /// Those of [`Replica::write_message`].
    pub fn write_message_with_file(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
        id: &str,
        file: OutgoingFile,
    ) -> Result<()> {
        self.queue_message(source, conversation, message, id.to_owned(), Some(file), false)
    }

    fn queue_message(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
        id: String,
        file: Option<OutgoingFile>,
        keeps_draft: bool,
    ) -> Result<()> {
        if !tidings_model::view::is_conversation(conversation) {
            return Err(Error::Invalid(format!("`{conversation}` is not user:<id> or group:<id>")));
        }
        let (now, conversation) = (self.clock.now(), conversation.to_owned());
        self.write_durable(move |tx, aggregates| {
            sources::one(tx, source)?;
            if !keeps_draft {
                drafts::put(tx, aggregates, source, &conversation, "")?;
            }
            let text = serde_json::to_string(&message)?;
            let file = file.as_ref().map(serde_json::to_string).transpose()?;
            let sql = "INSERT INTO outgoing (id, source, conversation, message, file, written_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            sql::run(tx, sql, params![id, source, conversation, text, file, now.as_micros()])?;
            let thread = aggregates.thread(source, &conversation, Kind::Message)?;
            aggregates.touch(thread)
        })?;
        Ok(())
    }

    /// Whether a message with this id is in the outbox, so that its file is still needed.
    pub fn is_outgoing(&self, id: &str) -> Result<bool> {
        self.read(|conn| {
            sql::one(conn, "SELECT EXISTS (SELECT 1 FROM outgoing WHERE id = ?1)", [id], |r| r.get(0))
        })
    }

    /// Messages of a source that wait, were refused, or were posted and have not come back yet; oldest first.
    pub fn outgoing(&self, source: SourceId) -> Result<Vec<Outgoing>> {
        self.read(|conn| all(conn, source))
    }

    /// The messages of [`Replica::outgoing`] in one conversation.
    pub fn outgoing_to(&self, source: SourceId, conversation: &str) -> Result<Vec<Outgoing>> {
        let mut all = self.outgoing(source)?;
        all.retain(|message| message.conversation == conversation);
        Ok(all)
    }

    /// Records that the server posted a message under this msgid. It stays until a pull brings it.
    pub fn message_posted(&self, id: &str, msgid: &MsgId) -> Result<()> {
        self.set_message_state(id, MessageState::Posted(msgid.clone()))
    }

    /// Deletes a message that a pull has brought, or that its writer has discarded.
    pub fn message_done(&self, id: &str) -> Result<()> {
        self.set_message_state(id, MessageState::Done)
    }

    /// Records that the server refused a message for good; it stays with the reason until its writer retries or
    /// discards it.
    pub fn message_refused(&self, id: &str, reason: &str) -> Result<()> {
        self.set_message_state(id, MessageState::Refused(reason.to_owned()))
    }

    /// Queues a refused message again.
    pub fn retry_message(&self, id: &str) -> Result<()> {
        self.set_message_state(id, MessageState::Retried)
    }

    fn set_message_state(&self, id: &str, state: MessageState) -> Result<()> {
        let id = id.to_owned();
        self.write(move |tx, aggregates| set(tx, aggregates, &id, &state))?;
        Ok(())
    }
}

/// The messages of a source, oldest first.
fn all(tx: &Connection, source: SourceId) -> Result<Vec<Outgoing>> {
    let outgoing = |r: &Row<'_>| {
        Ok(Outgoing {
            id: r.get(0)?,
            source: r.get(1)?,
            conversation: r.get(2)?,
            message: json(r, 3)?,
            written_at: stamp(r, 4)?,
            refused: r.get(5)?,
            posted: r.get::<_, Option<String>>(6)?.map(MsgId),
            file: optional_json(r, 7)?,
        })
    };
    let sql = "SELECT id, source, conversation, message, written_at, refusal, posted_as, file FROM outgoing
             WHERE source = ?1 ORDER BY seq";
    sql::all(tx, sql, [source], outgoing)
}

/// The new state of an outgoing message.
enum MessageState {
    /// Deleted from the outbox.
    Done,
    /// Refused for good, with the reason.
    Refused(String),
    /// Queued again.
    Retried,
    /// Posted under this msgid.
    Posted(MsgId),
}

/// Writes the new state of a message.
fn set(tx: &Connection, aggregates: &mut Aggregates<'_>, id: &str, state: &MessageState) -> Result<()> {
    let known: Option<(SourceId, String)> =
        sql::first(tx, "SELECT source, conversation FROM outgoing WHERE id = ?1", [id], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })?;
    let Some((source, conversation)) = known else { return Ok(()) };
    let refuse = "UPDATE outgoing SET refusal = ?2 WHERE id = ?1";
    match state {
        MessageState::Done => sql::run(tx, "DELETE FROM outgoing WHERE id = ?1", [id])?,
        MessageState::Refused(reason) => sql::run(tx, refuse, [id, reason])?,
        MessageState::Retried => sql::run(tx, refuse, params![id, None::<String>])?,
        MessageState::Posted(msgid) => sql::run(
            tx,
            "UPDATE outgoing SET posted_as = ?2, refusal = NULL WHERE id = ?1",
            [id, msgid.as_str()],
        )?,
    };
    if matches!(state, MessageState::Posted(_)) {
        forget_arrived(tx, aggregates, source)?;
    }
    aggregates.touch_listed(source, &conversation)
}

/// Deletes posted messages that a pull has brought.
pub(crate) fn forget_arrived(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
) -> Result<()> {
    let sql = "DELETE FROM outgoing WHERE source = ?1 AND posted_as IS NOT NULL AND (
                EXISTS (SELECT 1 FROM items i WHERE i.source = ?1 AND i.msgid = posted_as)
                OR EXISTS (SELECT 1 FROM tombstones d WHERE d.source = ?1 AND d.msgid = posted_as))
             RETURNING conversation";
    let conversations: Vec<String> = sql::all(tx, sql, [source], |r| r.get(0))?;
    conversations.iter().try_for_each(|conversation| aggregates.touch_listed(source, conversation))
}

/// Deletes at most `most` messages of a source, and conversations that are empty without them. `false` if there were
/// none.
pub(crate) fn discard(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    most: i64,
) -> Result<bool> {
    let sql = "SELECT seq, conversation FROM outgoing WHERE source = ?1 LIMIT ?2";
    let discarded: Vec<(i64, String)> = sql::all(tx, sql, [source, most], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let mut delete = tx.prepare_cached("DELETE FROM outgoing WHERE seq = ?1")?;
    for (seq, _) in &discarded {
        delete.execute([seq])?;
    }
    let conversations: BTreeSet<&String> = discarded.iter().map(|(_, conversation)| conversation).collect();
    for conversation in conversations {
        aggregates.touch_listed(source, conversation)?;
    }
    Ok(!discarded.is_empty())
}

//! Messages that the user writes, until they are posted. Refuses to post them.

use rusqlite::{OptionalExtension, params};
use tidings_model::wire;

use super::Replica;
use crate::talk::touch;
use crate::{Error, Outgoing, Result, SourceId, begun, outbox, sources};

impl Replica {
    /// Puts a message into the outbox and forgets the conversation's draft; `conversation` is `user:<peer>` or
    /// `group:<gid>`, and has a thread from now on. Gives the message's id.
    pub fn write_message(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
    ) -> Result<String> {
        if !tidings_model::view::is_conversation(conversation) {
            return Err(Error::Invalid(format!("`{conversation}` is not user:<id> or group:<id>")));
        }
        let (now, conversation) = (self.clock.now(), conversation.to_owned());
        let (id, _) = self.write(move |tx, ledger| {
            sources::one(tx, source)?;
            let id = outbox::new_id();
            tx.prepare_cached(
                "INSERT INTO outgoing (id, source, conversation, message, written_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, source, conversation, serde_json::to_string(&message)?, now.as_micros()])?;
            tx.prepare_cached("DELETE FROM drafts WHERE source = ?1 AND key = ?2")?
                .execute(params![source, conversation])?;
            begun::written(ledger, source, &conversation)?;
            Ok(id)
        })?;
        Ok(id)
    }

    /// Messages of a source that wait or were refused, oldest first.
    pub fn outgoing(&self, source: SourceId) -> Result<Vec<Outgoing>> {
        self.database.read(|conn| outbox::outgoing(conn, source))
    }

    /// The message was posted (the pull brings it) or given up by its writer: it leaves the outbox.
    pub fn message_done(&self, id: &str) -> Result<()> {
        self.message(id, "DELETE FROM outgoing WHERE id = ?1 AND ?2 IS NULL", None)
    }

    /// The server will never take it: it stays with the reason until its writer tries again or gives it up.
    pub fn message_refused(&self, id: &str, why: &str) -> Result<()> {
        self.message(id, "UPDATE outgoing SET refused = ?2 WHERE id = ?1", Some(why.to_owned()))
    }

    /// Tries a refused message again.
    pub fn retry_message(&self, id: &str) -> Result<()> {
        self.message(id, "UPDATE outgoing SET refused = ?2 WHERE id = ?1", None)
    }

    fn message(&self, id: &str, sql: &'static str, value: Option<String>) -> Result<()> {
        let id = id.to_owned();
        self.write(move |tx, ledger| {
            let known: Option<(SourceId, String)> = tx
                .prepare_cached("SELECT source, conversation FROM outgoing WHERE id = ?1")?
                .query_row([&id], |r| Ok((r.get(0)?, r.get(1)?)))
                .optional()?;
            tx.prepare_cached(sql)?.execute(params![id, value])?;
            known.map_or(Ok(()), |(source, conversation)| touch(tx, ledger, source, &conversation))
        })?;
        Ok(())
    }
}

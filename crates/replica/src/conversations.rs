//! What can be asked of the local inbox about conversations, and done to them. Refuses to do it itself, like the rest
//! of the handle.

use std::collections::HashMap;

use tidings_model::group::ReceiptLine;
use tidings_model::{MsgId, Stamp};

use crate::{Group, Outgoing, Reader, Replica, Result, SourceId, gather, outbox, talk};

impl Replica {
    /// Keeps who read what. Receipts may come in any order, again, and before the message that they are about.
    pub fn apply_receipts(&self, source: SourceId, receipts: &[ReceiptLine]) -> Result<()> {
        if receipts.is_empty() {
            return Ok(());
        }
        let receipts = receipts.to_vec();
        self.write(move |tx, ledger| talk::keep_receipts(tx, ledger, source, &receipts))?;
        Ok(())
    }

    /// Who is known to have read a message, the first first. The count on the message may be higher: a receipt goes to
    /// one device of its sender only.
    pub fn receipts_of(&self, source: SourceId, msgid: &MsgId) -> Result<Vec<Reader>> {
        self.read(|conn| talk::receipts_of(conn, source, msgid))
    }

    /// Keeps a group's name and members as the server has them now.
    pub fn save_group(&self, source: SourceId, group: &Group) -> Result<()> {
        let (now, group) = (self.clock.now(), group.clone());
        self.write(move |tx, ledger| talk::save_group(tx, ledger, source, &group, now))?;
        Ok(())
    }

    /// The server would not tell of a group, for example because the user has left it: what is known of it stays.
    pub fn group_withheld(&self, source: SourceId, gid: &str) -> Result<()> {
        let (now, gid) = (self.clock.now(), gid.to_owned());
        self.write(move |tx, _| talk::group_withheld(tx, source, &gid, now))?;
        Ok(())
    }

    /// What is known of a group; `gid` without `group:`.
    pub fn group(&self, source: SourceId, gid: &str) -> Result<Option<Group>> {
        self.read(|conn| talk::group(conn, source, gid))
    }

    /// The names of all groups, by source and id.
    pub fn group_names(&self) -> Result<HashMap<(SourceId, String), String>> {
        let names = self.read(talk::group_names)?;
        Ok(names.into_iter().map(|(source, gid, name)| ((source, gid), name)).collect())
    }

    /// At most `limit` groups that have a conversation here and of which the server has not told, or not for `age`
    /// microseconds; the latest conversation first.
    pub fn groups_to_refresh(&self, source: SourceId, age: Option<i64>, limit: usize) -> Result<Vec<String>> {
        let since = age.map_or(Stamp::ZERO, |age| self.clock.now().plus_micros(-age));
        self.read(|conn| talk::groups_to_refresh(conn, source, since, limit))
    }

    /// What people call a user, as far as the conversations here tell; none where they don't.
    pub fn name_of(&self, source: SourceId, conversation: &str, user: &str) -> Result<Option<String>> {
        self.read(|conn| talk::name_of(conn, source, conversation, user))
    }

    /// Keeps what was begun in a thread and not sent; empty forgets it.
    pub fn save_draft(&self, source: SourceId, key: &str, text: &str) -> Result<()> {
        let (key, text) = (key.to_owned(), text.to_owned());
        self.write(move |tx, ledger| talk::save_draft(tx, ledger, source, &key, &text))?;
        Ok(())
    }

    /// What was begun in a thread; empty where nothing was.
    pub fn draft(&self, source: SourceId, key: &str) -> Result<String> {
        self.read(|conn| talk::draft(conn, source, key))
    }

    /// Messages of one conversation that wait, were refused, or were taken and have not come back yet; oldest first.
    pub fn outgoing_to(&self, source: SourceId, conversation: &str) -> Result<Vec<Outgoing>> {
        let all = self.read(|conn| outbox::outgoing(conn, source))?;
        Ok(all.into_iter().filter(|message| message.conversation == conversation).collect())
    }

    /// The server took a message under this name. It stays in sight here until a pull brings it.
    pub fn message_posted(&self, id: &str, msgid: &MsgId) -> Result<()> {
        let (id, msgid) = (id.to_owned(), msgid.clone());
        self.write(move |tx, ledger| talk::posted(tx, ledger, &id, &msgid))?;
        Ok(())
    }

    /// How long what was read in groups may be held back at most, in microseconds, so that more of it goes together.
    pub const READ_BATCH_WINDOW: i64 = gather::PATIENCE;

    /// Whether all that waits for a source is a few messages that were just read in groups: sending it can wait for
    /// [`Replica::READ_BATCH_WINDOW`], so that one acknowledgement covers many.
    pub fn is_batching_reads(&self, source: SourceId) -> Result<bool> {
        let now = self.clock.now();
        self.read(|conn| gather::is_batching_reads(conn, source, now))
    }
}

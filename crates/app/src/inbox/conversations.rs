//! Conversations: messages, drafts, the outbox, group members and read receipts. If the server cannot be asked, the
//! replica's knowledge is used.

mod compose;
mod groups;

use std::collections::HashSet;
use std::sync::Arc;

use tidings_ipc::{Face, Member, ReadBy, Reader, ThreadId};
use tidings_model::group::Readers;
use tidings_model::{Actor, MsgId, Stamp};
use tidings_render::avatar;
use tidings_replica::{self as replica, Group, Replica};

use super::conversation::{Conversation, conversation_of, invalid, message, text};
use super::staged_files::ComposerFiles;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;
use crate::sources::files::SourceFiles;
use crate::state::pending_group::PendingGroup;

part! {
    /// Conversations: their messages, drafts, groups and receipts.
    pub(crate) struct Conversations {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        source_files: Arc<SourceFiles>,
        composer_files: Arc<ComposerFiles>;
        pending_group: PendingGroup = PendingGroup::default(),
    }
}

impl Conversations {
    /// Puts a message into the outbox and removes the draft; the engine sends it when the server can be reached. The
    /// first of the attached `files` goes with it, each other one in a message of its own.
    pub(crate) async fn send_message(
        &self,
        thread: ThreadId,
        body: String,
        files: Vec<String>,
    ) -> Result<()> {
        let body = text(body.trim().to_owned())?;
        let conversation = conversation_of(&self.context, thread).await?;
        if !files.is_empty() {
            return self.composer_files.send_files(thread, conversation, body, &files).await;
        }
        if body.is_empty() {
            return Err(invalid("there is nothing to send"));
        }
        let message = message(body);
        self.context
            .disk(move |r| r.write_message(conversation.source, &conversation.key, message))
            .await
            .map(drop)
    }

    /// Puts a message that was written in a toast into the outbox. The draft in the window stays.
    pub(crate) async fn send_reply(&self, thread: ThreadId, body: &str) -> Result<()> {
        let message = message(text(body.trim().to_owned())?);
        let conversation = conversation_of(&self.context, thread).await?;
        self.context
            .disk(move |r| r.write_message_beside_draft(conversation.source, &conversation.key, message))
            .await
    }

    /// Saves a draft; an empty one is removed.
    pub(crate) async fn save_draft(&self, thread: ThreadId, draft: String) -> Result<()> {
        let draft = text(draft)?;
        let conversation = conversation_of(&self.context, thread).await?;
        let stored = if draft.trim().is_empty() { String::new() } else { draft };
        self.context.disk(move |r| r.save_draft(conversation.source, &conversation.key, &stored)).await
    }

    /// Sends a refused message again.
    pub(crate) async fn retry_message(&self, id: String) -> Result<()> {
        self.context.disk(move |r| r.retry_message(&id)).await
    }

    /// Discards a message that waits, is being uploaded, or was refused, with the copy of its file.
    pub(crate) async fn discard_message(&self, id: String) -> Result<()> {
        self.context.disk(move |r| r.message_done(&id)).await?;
        self.source_files.remove_unneeded_copies().await;
        Ok(())
    }

    /// Acknowledges at once what the reader read in a conversation, when the reader leaves its thread; else reads are
    /// acknowledged in batches.
    pub(crate) async fn leave_thread(&self, thread: ThreadId) -> Result<()> {
        let row = self.context.disk(move |r| r.threads_by_id(&[thread])).await?.pop();
        // A removed thread, or one that is no conversation, has nothing to acknowledge.
        if let Some(row) = row.filter(|row| tidings_model::view::is_conversation(&row.key)) {
            self.engine.flush_read_marks(Some(row.source));
        }
        Ok(())
    }

    /// The readers of a group message: the server's exact list, or else the one derived from the replica.
    pub(crate) async fn read_by(&self, thread: ThreadId, msgid: String) -> Result<ReadBy> {
        let conversation = conversation_of(&self.context, thread).await?;
        let gid = conversation.key.strip_prefix("group:").ok_or(Error::NotFound)?.to_owned();
        let msgid = MsgId(msgid);
        let answer = match self.engine.get() {
            Some(engine) => engine.read_by(conversation.source, &gid, &msgid).await.unwrap_or_else(|error| {
                tracing::debug!(%error, "the readers of a message are taken from the replica");
                None
            }),
            None => None,
        };
        self.context
            .disk(move |r| {
                let people = People::of(r, &conversation)?;
                match answer {
                    Some(readers) => people.readers_by_server(&readers),
                    None => people.readers_by_replica(&msgid),
                }
            })
            .await
    }

    /// The members of a group, in the order in which they joined: refreshed from the server if it can be reached.
    pub(crate) async fn members(&self, thread: ThreadId) -> Result<Vec<Member>> {
        let conversation = conversation_of(&self.context, thread).await?;
        let gid = conversation.key.strip_prefix("group:").ok_or(Error::NotFound)?;
        self.refresh_group(conversation.source, gid).await;
        self.known_members(thread).await
    }

    /// The members of a group as the replica knows them.
    pub(super) async fn known_members(&self, thread: ThreadId) -> Result<Vec<Member>> {
        let conversation = conversation_of(&self.context, thread).await?;
        self.context.disk(move |r| People::of(r, &conversation)?.members()).await
    }
}

/// Resolves the names of the people in a conversation.
struct People<'a> {
    replica: &'a Replica,
    conversation: &'a Conversation,
    group: Group,
}

impl<'a> People<'a> {
    fn of(replica: &'a Replica, conversation: &'a Conversation) -> replica::Result<Self> {
        let gid = conversation.key.strip_prefix("group:").unwrap_or_default();
        Ok(Self {
            replica,
            conversation,
            group: replica.group(conversation.source, gid)?.unwrap_or_default(),
        })
    }

    /// A user's name and avatar: the server's name, else the one on the messages, else the id.
    fn name_and_face(&self, id: &str) -> replica::Result<(String, Face)> {
        let name = if let Some(name) = self.group.names.get(id) {
            name.clone()
        } else {
            let message_name = self.replica.name_of(self.conversation.source, &self.conversation.key, id)?;
            message_name.unwrap_or_else(|| id.to_owned())
        };
        let name = tidings_model::text::line(&name).into_owned();
        let face = avatar::face(&Actor { id: id.to_owned(), name: name.clone() });
        Ok((name, face))
    }

    fn reader(&self, id: &str, when: Option<Stamp>) -> replica::Result<Reader> {
        let (name, face) = self.name_and_face(id)?;
        Ok(Reader { id: id.to_owned(), name, face, at: when.map(Stamp::as_millis) })
    }

    /// All members, in the order in which they joined.
    fn members(&self) -> replica::Result<Vec<Member>> {
        let user = self.replica.source(self.conversation.source)?.user;
        let member = |id: &String| {
            let (name, face) = self.name_and_face(id)?;
            Ok(Member {
                id: id.clone(),
                name,
                face,
                me: user.as_ref() == Some(id),
                owner: self.group.owner == *id,
            })
        };
        self.group.members.iter().map(member).collect()
    }

    /// The readers by the server's list.
    fn readers_by_server(&self, readers: &Readers) -> replica::Result<ReadBy> {
        let read = readers.read.iter().rev().map(|reader| self.reader(&reader.user, Some(reader.at)));
        let arrived: HashSet<&String> = readers.delivered.iter().collect();
        let unread = readers.unread.iter().map(|id| Ok((arrived.contains(id), self.reader(id, None)?)));
        let unread: Vec<(bool, Reader)> = unread.collect::<replica::Result<_>>()?;
        let (arrived, unread): (Vec<_>, Vec<_>) = unread.into_iter().partition(|(has_it, _)| *has_it);
        let readers_of =
            |list: Vec<(bool, Reader)>| list.into_iter().map(|(_, reader)| reader).collect::<Vec<_>>();
        Ok(ReadBy {
            read: read.collect::<replica::Result<_>>()?,
            arrived: readers_of(arrived),
            unread: readers_of(unread),
            members: readers.member_count,
        })
    }

    /// The readers by the receipts and members in the replica.
    fn readers_by_replica(&self, msgid: &MsgId) -> replica::Result<ReadBy> {
        let (r, source) = (self.replica, self.conversation.source);
        let receipts = r.receipts_of(source, msgid)?;
        let me = r.source(source)?.user;
        let read_ids: HashSet<&str> =
            receipts.iter().map(|receipt| receipt.id.as_str()).chain(me.as_deref()).collect();
        let missing = self.group.members.iter().filter(|id| !read_ids.contains(id.as_str()));
        let read = receipts.iter().rev().map(|receipt| self.reader(&receipt.id, Some(receipt.at)));
        let read: Vec<Reader> = read.collect::<replica::Result<_>>()?;
        let unread: Vec<Reader> = missing.map(|id| self.reader(id, None)).collect::<replica::Result<_>>()?;
        let item = r.items_by_msgid(Some(source), std::slice::from_ref(msgid))?.pop();
        let receipt_members = item.and_then(|item| item.notification.receipt).map(|receipt| receipt.members);
        let members =
            receipt_members.unwrap_or_else(|| u32::try_from(read.len() + unread.len()).unwrap_or(u32::MAX));
        Ok(ReadBy { read, arrived: Vec::new(), unread, members })
    }
}

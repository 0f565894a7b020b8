//! The trait that every protocol implements: the requests of a pull. A source stores nothing; the pull stores its
//! answers.

mod ahead;
mod answers;
mod changes;
mod protocol;
mod publication;
pub(crate) mod upload;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use tidings_model::group::{Readers, ReceiptPage};
use tidings_model::wire::{self, AnnouncementReaders};
use tidings_model::{Actor, Kind, Mark, MsgId, Notification, Stamp};
use tidings_net::{Error, Result};
use tidings_replica as replica;

pub use self::ahead::Ahead;
pub(crate) use self::ahead::Unparsed;
pub use self::answers::{Fetched, ServerInfo};
pub use self::changes::{ChangeAnswer, GroupAnswer, GroupChange, GroupView, NewGroup, PublishedChange};
pub use self::protocol::{
    Abilities, BrowserGrant, Credential, DeviceGrant, Keeps, MoreRights, Open, Phrase, Protocol, Reason,
    Rights, SignIn, TakenBack,
};
pub use self::publication::Publication;
pub use self::upload::Upload;
use crate::bounds::Bounds;

/// A server that notifications are pulled from, for one user. Each protocol implements it in a folder of `kinds`.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// The bounds that it was opened with, to which a pull of it keeps.
    fn bounds(&self) -> Bounds {
        Bounds::default()
    }

    /// The user of the token, and the catalog. They are requested with every new connection.
    async fn server_info(&self) -> Result<ServerInfo>;

    /// The server's unread counts and its newest items: enough for the badge and the first page of a list while the
    /// backlog is pulled. `None` if the protocol has no such request.
    async fn preview_page(&self) -> Result<Option<PreviewPage>> {
        Ok(None)
    }

    /// The items that are new or changed after `since`, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Resync`] if the server has a new history: pull from the beginning.
    async fn page(&self, since: Since, limit: usize) -> Result<Fetched>;

    /// As [`Source::page`]. If a page follows and `ahead` wants it, it is asked for before this one is parsed.
    ///
    /// # Errors
    /// Those of [`Source::page`].
    async fn page_ahead(&self, since: Since, limit: usize, _ahead: &mut Ahead) -> Result<Fetched> {
        self.page(since, limit).await
    }

    /// A page of one item that is too large to be read, without that item, which is in [`Fetched::skipped`]. `None`
    /// if the protocol can't determine the position after it.
    async fn skip_item(&self, _since: Since) -> Result<Option<Fetched>> {
        Ok(None)
    }

    /// The number of items that are new or changed after `since`; `None` if the server does not count them.
    async fn remaining(&self, _since: Since) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Drops the data that was kept from page to page: the pull has ended.
    fn end_pull(&self) {}

    /// The most operations that [`Source::send_ops`] takes. Those that it was given are sent again after an error, so
    /// the number is small if each mark is a request.
    fn max_ops(&self) -> usize {
        self.bounds().single_ops
    }

    /// Sends operations, at most [`Source::max_ops`], which the server applies in order; an operation whose id was
    /// applied before is not applied again. Unless a protocol has operations of its own, each mark is sent by
    /// [`Source::send_mark`], and after an error the results before it are returned.
    ///
    /// # Errors
    /// Any error but a refusal of one operation, which is a result.
    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>> {
        let mut results = Vec::with_capacity(ops.len());
        for op in ops {
            let sent = match op.change {
                wire::Change::Mark { mark, msgids, .. } => self.send_marks(mark, &msgids).await,
                wire::Change::ReadAll { kind, through } => self.send_read_all(kind, through).await,
                // Views, their marks and questions are kept by Tidings servers only.
                wire::Change::Visit { .. } | wire::Change::Answer { .. } => Ok(()),
            };
            let code = match sent {
                Ok(()) | Err(Error::Refused(404) | Error::Resync) => None,
                Err(Error::Refused(_) | Error::Forbidden) => Some(tidings_model::Code::Forbidden),
                // It occurs again with the next operation, which is then the first.
                Err(_) if !results.is_empty() => break,
                Err(error) => return Err(error),
            };
            results.push(wire::OpResult { id: op.id, ok: code.is_none(), code });
        }
        Ok(results)
    }

    /// Sends one mark of several items, one by one unless the protocol can do better. What the service does not have
    /// any more (404, 410) counts as done.
    async fn send_marks(&self, mark: Mark, msgids: &[MsgId]) -> Result<()> {
        for msgid in msgids {
            match self.send_mark(mark, msgid).await {
                Ok(()) | Err(Error::Refused(404) | Error::Resync) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends one mark. A mark that the service does not keep is `Ok` without a request.
    async fn send_mark(&self, _mark: Mark, _msgid: &MsgId) -> Result<()> {
        Ok(())
    }

    /// Marks everything created at or before a time as read. `Ok` without a request if the service keeps no read state.
    async fn send_read_all(&self, _kind: Option<Kind>, _through: Stamp) -> Result<()> {
        Ok(())
    }

    /// Subscribes to a thread at the service, unsubscribes from it, or has it ignored. Sent again, it changes nothing more;
    /// a thread that the service does not have any more (404, 410) counts as done.
    ///
    /// # Errors
    /// [`Error::Refused`] with 405 if the service keeps no subscriptions, or none of such a thread.
    async fn set_subscription(&self, _subject: &replica::Subject, _to: replica::Subscription) -> Result<()> {
        Err(Error::Refused(405))
    }

    /// The subscription of a thread; `None` if the service does not report it. It takes one request at most.
    async fn subscription(&self, _subject: &replica::Subject) -> Result<Option<replica::Subscription>> {
        Ok(None)
    }

    /// An item with what it lacks, such as the latest comment; `None` if it lacks nothing. It takes one request at most. The
    /// service is asked again only after an error: what is gone, or not to be read, is not lacking any more.
    async fn details(&self, _item: &Notification) -> Result<Option<replica::ServiceItem>> {
        Ok(None)
    }

    /// Posts a message and returns its msgid. The message's id is the idempotency key, so a retry posts it once.
    ///
    /// # Errors
    /// [`Error::Refused`] with 405 if the protocol has no messages.
    async fn send_message(&self, _message: &replica::Outgoing) -> Result<MsgId> {
        Err(Error::Refused(405))
    }

    /// Posts a message with its file, like [`Source::send_message`].
    ///
    /// # Errors
    /// [`Error::Refused`] with 415 if the protocol has no files in messages.
    async fn send_message_with_file(&self, _message: &replica::Outgoing, _file: Upload) -> Result<MsgId> {
        Err(Error::Refused(415))
    }

    /// Publishes a notification on a topic, which a pull then brings like any other. Nothing waits, and nothing is sent
    /// again by itself: whether it is to be sent after an error is its writer's to say.
    ///
    /// # Errors
    /// [`Error::Refused`] with 405 if the protocol has no topics to publish on.
    async fn publish(&self, _publication: &Publication) -> Result<()> {
        Err(Error::Refused(405))
    }

    /// Read receipts of this user's group messages after `since` that were not acknowledged; `None` if the protocol
    /// has none.
    async fn receipts(&self, _since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        Ok(None)
    }

    /// Acknowledges stored receipts; the server deletes them.
    async fn ack_receipts(&self, _through: Stamp) -> Result<()> {
        Ok(())
    }

    /// People who can be written to and whose id or name begins like this, a small number; `None` if the server does not
    /// say it.
    async fn people(&self, _typed: &str) -> Result<Option<Vec<Actor>>> {
        Ok(None)
    }

    /// A group's name and members; hidden if the protocol has no groups.
    async fn group(&self, _gid: &str) -> Result<GroupView> {
        Ok(GroupView::Hidden)
    }

    /// Creates a group of this user and others. `key` is the idempotency key: a retry makes no second group. `None`
    /// if the protocol has no groups.
    async fn make_group(&self, _new: &NewGroup, _key: &str) -> Result<Option<GroupAnswer>> {
        Ok(None)
    }

    /// Changes a group. `None` if the protocol has no groups.
    async fn change_group(&self, _gid: &str, _change: &GroupChange) -> Result<Option<ChangeAnswer>> {
        Ok(None)
    }

    /// Edits what this user published, or takes it back. `None` if the protocol cannot do that.
    async fn change_published(
        &self,
        _msgid: &MsgId,
        _change: &PublishedChange,
    ) -> Result<Option<ChangeAnswer>> {
        Ok(None)
    }

    /// How many users have read an announcement that this user published; `None` if the server does not report it.
    async fn announcement_readers(&self, _msgid: &MsgId) -> Result<Option<AnnouncementReaders>> {
        Ok(None)
    }

    /// The readers and non-readers of a group message; `None` if the server does not have this list.
    async fn readers(&self, _gid: &str, _msgid: &MsgId) -> Result<Option<Readers>> {
        Ok(None)
    }

    /// Checks what a pull and a live channel need beside the requests of a pull. It is called before a source is added.
    async fn check_access(&self) -> Result<()> {
        Ok(())
    }

    /// Opens the live channel; `None` if the protocol has none: such a source is pulled on a timer.
    async fn listen(&self) -> Result<Option<Live>> {
        Ok(None)
    }
}

/// The position at which a pull starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Since {
    /// The position after the last page, in a format that only the source knows; `None` stands for the beginning.
    pub cursor: Option<String>,
    /// The epoch of the cursor.
    pub epoch: Option<String>,
}

/// The answer to [`Source::preview_page`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewPage {
    /// The server's unread counts.
    pub unread: wire::UnreadCounts,
    /// The newest items, newest first.
    pub newest: Vec<tidings_model::Notification>,
}

/// The live channel. It ends with an error when the connection is dead.
pub type Live = BoxStream<'static, Result<Hint>>;

/// An event of the live channel; each causes a pull.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// The inbox changed.
    Changed,
    /// Read receipts of this user's group messages.
    Receipts(ReceiptPage),
}

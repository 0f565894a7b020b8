//! The trait that every protocol implements: the requests of a pull. A source stores nothing; the pull stores its
//! answers.

mod events;
mod json;
mod outline;
mod tidings;
mod upload;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::Serialize;
use tidings_model::group::{Group, Readers, ReceiptPage};
use tidings_model::{Catalog, Clock, MsgId, Stamp, wire};
use tidings_replica as replica;

use crate::{Error, Result};

pub use self::tidings::Tidings;
pub use self::upload::Upload;

/// A server that notifications are pulled from, for one user. Each protocol has one file in this folder.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// The user of the token, and the catalog. Requested with every new connection.
    async fn server_info(&self) -> Result<ServerInfo>;

    /// The server's unread counts and its newest items: enough for the badge and the first page of a list while the
    /// backlog is pulled. `None` if the protocol has no such request.
    async fn preview_page(&self) -> Result<Option<PreviewPage>>;

    /// The items that are new or changed after `since`, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Resync`] if the server has a new history: pull from the beginning.
    async fn page(&self, since: Since, limit: usize) -> Result<Fetched>;

    /// A page of one item that is too large to be read, without that item, which is in [`Fetched::skipped`]. `None`
    /// if the protocol can't determine the position after it.
    async fn skip_item(&self, _since: Since) -> Result<Option<Fetched>> {
        Ok(None)
    }

    /// The number of items that are new or changed after `since`; `None` if the server does not count them.
    async fn remaining(&self, since: Since) -> Result<Option<u64>>;

    /// Sends operations, at most 1,000, which the server applies in order; an operation whose id was applied before
    /// is not applied again.
    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>>;

    /// Posts a message and returns its msgid. The message's id is the idempotency key, so a retry posts it once.
    async fn send_message(&self, message: &replica::Outgoing) -> Result<MsgId>;

    /// Posts a message with its file, like [`Source::send_message`].
    ///
    /// # Errors
    /// [`Error::Refused`] with 415 if the protocol has no files in messages.
    async fn send_message_with_file(&self, _message: &replica::Outgoing, _file: Upload) -> Result<MsgId> {
        Err(Error::Refused(415))
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

    /// A group's name and members; `None` if the protocol has no groups or the server does not show this one.
    async fn group(&self, _gid: &str) -> Result<Option<Group>> {
        Ok(None)
    }

    /// Creates a group of this user and others. `key` is the idempotency key: a retry makes no second group. `None`
    /// if the protocol has no groups.
    async fn make_group(&self, _new: &NewGroup, _key: &str) -> Result<Option<GroupAnswer>> {
        Ok(None)
    }

    /// The readers and non-readers of a group message; `None` if the server does not have this list.
    async fn readers(&self, _gid: &str, _msgid: &MsgId) -> Result<Option<Readers>> {
        Ok(None)
    }

    /// Opens the live channel; `None` if the protocol has none: such a source is pulled on a timer.
    async fn listen(&self) -> Result<Option<Live>>;
}

/// A group to create.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct NewGroup {
    /// The display name.
    pub name: String,
    /// The ids of the other members; the user is a member without being listed.
    pub members: Vec<String>,
}

/// The answer to [`Source::make_group`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupAnswer {
    /// The group, created now or by an earlier try.
    Created(Group),
    /// No group was created, because the server does not know these users; empty if it did not name them.
    Unknown(Vec<String>),
}

/// The position at which a pull starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Since {
    /// The position after the last page, in a format that only the source knows; `None` stands for the beginning.
    pub cursor: Option<String>,
    /// The epoch of the cursor.
    pub epoch: Option<String>,
}

/// The token's user and the catalog of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerInfo {
    /// The user's id.
    pub user: Option<String>,
    /// The user's name.
    pub name: Option<String>,
    /// The catalog; `None` if the server has none.
    pub catalog: Option<Catalog>,
    /// The largest file that the server takes with a message, in bytes; `None` if it takes none.
    pub attachment_bytes: Option<u64>,
}

/// The answer to [`Source::preview_page`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewPage {
    /// The server's unread counts.
    pub unread: wire::UnreadCounts,
    /// The newest items, newest first.
    pub newest: Vec<tidings_model::Notification>,
}

/// A fetched page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fetched {
    /// The page to apply.
    pub page: replica::Page,
    /// Its size on the wire in bytes, which decides on the size of the next one.
    pub bytes: usize,
    /// The item that it lacks because of its size.
    pub skipped: Option<replica::Skipped>,
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

/// The client of the source that a row of the replica describes.
///
/// # Errors
/// [`Error::Kind`] for a protocol that this version does not support, [`Error::Address`] for an invalid address.
pub fn open(row: &replica::Source, token: String, clock: Arc<dyn Clock>) -> Result<Arc<dyn Source>> {
    match row.protocol.as_str() {
        "tidings" => Ok(Arc::new(Tidings::new(&row.url, token, clock)?)),
        other => Err(Error::Kind(other.to_owned())),
    }
}

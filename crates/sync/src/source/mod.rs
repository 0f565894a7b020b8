//! The trait that every protocol implements: what a pull asks of a source. A source writes nothing; the pull stores what
//! it brings.

mod events;
mod json;
mod outline;
mod tidings;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::Serialize;
use tidings_model::group::{Group, Readers, ReceiptPage};
use tidings_model::{Catalog, Clock, MsgId, Stamp, wire};
use tidings_replica as replica;

use crate::{Error, Result};

pub use self::tidings::Tidings;

/// A server that notifications are pulled from, for one user. Each protocol is one file in this folder.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// The user of the token, and the catalog. Asked for with every new connection.
    async fn server_info(&self) -> Result<ServerInfo>;

    /// The server's unread counts and its newest items: enough for the badge and the first page of a list while the
    /// backlog is pulled. `None` where the protocol has no such thing.
    async fn preview_page(&self) -> Result<Option<PreviewPage>>;

    /// What is new or changed after `since`, at most `limit` items.
    ///
    /// # Errors
    /// [`Error::Resync`] where the server's history began anew: pull from the beginning.
    async fn page(&self, since: Since, limit: usize) -> Result<Fetched>;

    /// A page of one item that is too large to be read, without that item, which is named in [`Fetched::skipped`].
    /// `None` where the protocol can't tell the position after it.
    async fn skip_item(&self, _since: Since) -> Result<Option<Fetched>> {
        Ok(None)
    }

    /// How many items are new or changed after `since`; `None` where the server can't say.
    async fn remaining(&self, since: Since) -> Result<Option<u64>>;

    /// Sends operations, at most 1,000, applied in their order; an operation whose id was applied before is not applied
    /// again.
    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>>;

    /// Posts a message and gives its msgid. The message's own id is the idempotency key: a retry posts it once.
    async fn send_message(&self, message: &replica::Outgoing) -> Result<MsgId>;

    /// Read receipts of this user's group messages after `since` that were not acknowledged; `None` where the protocol
    /// has none.
    async fn receipts(&self, _since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        Ok(None)
    }

    /// Acknowledges stored receipts; the server deletes them.
    async fn ack_receipts(&self, _through: Stamp) -> Result<()> {
        Ok(())
    }

    /// A group's name and members; `None` where the protocol has no groups, or the server does not show this one.
    async fn group(&self, _gid: &str) -> Result<Option<Group>> {
        Ok(None)
    }

    /// Creates a group of this user and others. `key` is the idempotency key: a retry makes no second group. `None`
    /// where the protocol has no groups.
    async fn make_group(&self, _new: &NewGroup, _key: &str) -> Result<Option<GroupAnswer>> {
        Ok(None)
    }

    /// Who has read a group message and who has not; `None` where the server does not say.
    async fn readers(&self, _gid: &str, _msgid: &MsgId) -> Result<Option<Readers>> {
        Ok(None)
    }

    /// Opens the live channel; `None` where the protocol has none: such a source is polled.
    async fn listen(&self) -> Result<Option<Live>>;
}

/// A group to create.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct NewGroup {
    /// What people call it.
    pub name: String,
    /// The ids of the other members; the user is one without being named.
    pub members: Vec<String>,
}

/// The answer to [`Source::make_group`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupAnswer {
    /// The group, new or made by an earlier try.
    Made(Group),
    /// No group was made: the server does not know these users; empty where it did not say which.
    Unknown(Vec<String>),
}

/// Where a pull starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Since {
    /// The position after the last page, opaque to everybody but the source; `None`: from the beginning.
    pub cursor: Option<String>,
    /// The server's history that the cursor belongs to.
    pub epoch: Option<String>,
}

/// What a server says about itself and the token's user.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerInfo {
    /// The user's id.
    pub user: Option<String>,
    /// The user's name.
    pub name: Option<String>,
    /// The catalog, where there is one.
    pub catalog: Option<Catalog>,
}

/// The answer to [`Source::preview_page`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewPage {
    /// The server's unread counts.
    pub unread: wire::UnreadCounts,
    /// The newest items, newest first.
    pub newest: Vec<tidings_model::Notification>,
}

/// A page as it was fetched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fetched {
    /// The page to apply.
    pub page: replica::Page,
    /// Its size on the wire in bytes, which decides about the size of the next one.
    pub bytes: usize,
    /// The item that it lacks because it is too large.
    pub skipped: Option<replica::Skipped>,
}

/// The live channel. It ends with an error when the connection is dead.
pub type Live = BoxStream<'static, Result<Hint>>;

/// An event of the live channel; a pull follows either way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// The inbox changed.
    Changed,
    /// Read receipts of this user's group messages.
    Receipts(ReceiptPage),
}

/// The source that a row of the replica describes.
///
/// # Errors
/// [`Error::Kind`] for a protocol that this version does not know, [`Error::Address`] for an address that can't be used.
pub fn open(row: &replica::Source, token: String, clock: Arc<dyn Clock>) -> Result<Arc<dyn Source>> {
    match row.protocol.as_str() {
        "tidings" => Ok(Arc::new(Tidings::new(&row.url, token, clock)?)),
        other => Err(Error::Kind(other.to_owned())),
    }
}

//! What every source can do, whatever it speaks. Refuses to write anything: what a source brings, the pull keeps.

mod events;
mod json;
mod skim;
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

/// A place that notifications are pulled from. Each protocol is one file beside this one.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// Who the reader is there, and how items read. Asked for with every new connection.
    async fn greet(&self) -> Result<Greeting>;

    /// The unread numbers and the newest items: what a badge and a first page need, in one round trip.
    /// None where the source has no such thing.
    async fn head(&self) -> Result<Option<Head>>;

    /// What is new or changed after `since`, at most `limit` items.
    /// [`Error::Resync`] says that the history is another one.
    async fn page(&self, since: Since, limit: usize) -> Result<Fetched>;

    /// The page after an item that is too large to be read whatever the limit, without that item, which is named in
    /// [`Fetched::skipped`]; none where the source can't tell where it ends.
    async fn pass_over(&self, _since: Since) -> Result<Option<Fetched>> {
        Ok(None)
    }

    /// How many items are new or changed after `since`; none where the source can't say.
    async fn remaining(&self, since: Since) -> Result<Option<u64>>;

    /// Applies operations in their order, at most 1,000; an id that was applied before is not applied again.
    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>>;

    /// Posts a message; doing it again with the same id posts it once. Gives the name by which a pull will bring it.
    async fn send_message(&self, message: &replica::Outgoing) -> Result<MsgId>;

    /// Who read what the reader of this inbox sent, after `since`, as far as it was not acknowledged; none where the
    /// source has no such thing.
    async fn receipts(&self, _since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        Ok(None)
    }

    /// What [`Source::receipts`] gave is kept here: the server forgets it for good.
    async fn ack_receipts(&self, _through: Stamp) -> Result<()> {
        Ok(())
    }

    /// A group's name and members; none where the source has no groups, or does not tell of this one.
    async fn group(&self, _gid: &str) -> Result<Option<Group>> {
        Ok(None)
    }

    /// Makes a group of the reader and these; doing it again with the same `key` makes it once. None where the source
    /// has no groups.
    async fn make_group(&self, _new: &NewGroup, _key: &str) -> Result<Option<GroupAnswer>> {
        Ok(None)
    }

    /// Who has read a group message and who has not; none where the source does not tell.
    async fn readers(&self, _gid: &str, _msgid: &MsgId) -> Result<Option<Readers>> {
        Ok(None)
    }

    /// Opens the live channel; None where the source has none and is asked from time to time.
    async fn listen(&self) -> Result<Option<Live>>;
}

/// A group that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct NewGroup {
    /// What people call it.
    pub name: String,
    /// The members' ids; the reader is one without being named.
    pub members: Vec<String>,
}

/// What came of making a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupAnswer {
    /// It is there.
    Made(Group),
    /// There is no group: the source does not know these, as far as it said whom; empty where it did not.
    Unknown(Vec<String>),
}

/// Where a pull starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Since {
    /// In the source's own words; none = from the beginning.
    pub cursor: Option<String>,
    /// The history that the cursor belongs to.
    pub epoch: Option<String>,
}

/// Who the reader is, and how items read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Greeting {
    /// The reader's id there.
    pub user: Option<String>,
    /// What the reader is called there.
    pub name: Option<String>,
    /// The catalog; none where the source has none.
    pub catalog: Option<Catalog>,
}

/// What a badge and a first page need.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Head {
    /// Unread numbers.
    pub unread: wire::UnreadCounts,
    /// The newest items, newest first.
    pub newest: Vec<tidings_model::Notification>,
}

/// One page of a pull.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fetched {
    /// To be written as it is.
    pub page: replica::Page,
    /// How much was fetched, in bytes: pages of heavy items are asked for in smaller numbers.
    pub bytes: usize,
    /// An item that is not in it because it is too large.
    pub skipped: Option<replica::Skipped>,
}

/// The live channel. It ends with an error when the connection is dead.
pub type Live = BoxStream<'static, Result<Hint>>;

/// What the live channel says. Either way there is something to pull.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Something changed.
    Changed,
    /// Somebody read what the reader of this inbox sent.
    Receipts(ReceiptPage),
}

/// The source that a row of the replica describes.
pub fn open(row: &replica::Source, token: String, clock: Arc<dyn Clock>) -> Result<Arc<dyn Source>> {
    match row.protocol.as_str() {
        "tidings" => Ok(Arc::new(Tidings::new(&row.url, token, clock)?)),
        other => Err(Error::Kind(other.to_owned())),
    }
}

//! Changes of the user's publications, and the number of their readers: requests that a reader waits for.

use std::time::Duration;

use tidings_model::MsgId;
use tidings_model::wire::AnnouncementReaders;
use tidings_net::{Error, Result};
use tidings_sources::{ChangeAnswer, PublishedChange, Source};

/// The longest wait for a change.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest wait for a number.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);

/// Edits what the user published, or takes it back.
pub(crate) async fn change(
    source: &dyn Source,
    msgid: &MsgId,
    change: &PublishedChange,
) -> Result<Option<ChangeAnswer>> {
    let request = source.change_published(msgid, change);
    tokio::time::timeout(CHANGE_TIMEOUT, request).await.map_err(|_| Error::Slow)?
}

/// How many have read an announcement of the user.
pub(crate) async fn readers(source: &dyn Source, msgid: &MsgId) -> Result<Option<AnnouncementReaders>> {
    let request = source.announcement_readers(msgid);
    tokio::time::timeout(ASK_TIMEOUT, request).await.map_err(|_| Error::Slow)?
}

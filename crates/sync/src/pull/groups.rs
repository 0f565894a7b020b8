//! Groups and read receipts: pulled after the items, or requested alone. A receipt is acknowledged only after it is
//! stored, because the server then deletes it.
//!
//! How far the other person has read a conversation is that person's mark of the view. A pull names those that moved
//! (`peer_marks`), and there are no receipts of it. A pull also names the user's groups that changed (`groups`), however
//! long ago that was.

use std::time::Duration;

use futures_util::{StreamExt, TryFutureExt, TryStreamExt, stream};
use tidings_model::MsgId;
use tidings_model::group::{Readers, ReceiptLine, ReceiptPage};
use tidings_net::Error as NetError;
use tidings_replica::{Group, Replica, SourceId, Withheld};
use tidings_sources::{ChangeAnswer, GroupAnswer, GroupChange, GroupView, NewGroup, Source};

use super::Pull;
use super::limit::Spent;
use crate::blocking::with_replica;
use crate::{Error, Result};

/// The age of a group's stored members, in µs, from which they are requested again after a new connection.
const MEMBERS_MAX_AGE_MICROS: i64 = 5 * 60 * 1_000_000;
/// The timeout for creating or changing a group.
const CREATE_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of lists that a caller waits for.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

impl Pull {
    /// Pulls receipts, after a new connection (`first`) and if a message has a new reader (`read`). Pulls groups that
    /// are not stored yet, and after a new connection also those whose members are stale.
    pub(super) async fn pull_groups(&self, first: bool, read: bool, spent: &mut Spent) -> Result<()> {
        if first || read {
            self.pull_receipts(spent).await?;
        }
        let (id, max_age, bounds) = (self.id, first.then_some(MEMBERS_MAX_AGE_MICROS), self.source.bounds());
        let most = bounds.groups;
        let gids = with_replica(&self.replica, move |r| r.groups_to_refresh(id, max_age, most)).await?;
        let fetch = |gid: String| async move { fetch_group(&self.replica, id, &*self.source, gid).await };
        stream::iter(gids).map(fetch).buffer_unordered(bounds.groups_at_once).try_collect().await
    }

    /// Pulls receipts, within the limit of the pull. The server deletes those that are stored, so that the next pull goes on
    /// with the others.
    async fn pull_receipts(&self, spent: &mut Spent) -> Result<()> {
        let mut since = None;
        while let Some(page) = self.source.receipts(since).await? {
            let (more, next) = (page.more, page.next);
            let texts =
                page.receipts.iter().flat_map(|one| [one.msgid.as_str(), &one.conversation, &one.reader]);
            spent.count_pages(texts.map(str::len).sum(), 1);
            self.store_receipts(page).await?;
            if !more {
                break;
            }
            if let Some(end) = spent.end() {
                return Err(Error::PullEnded(end));
            }
            spent.check_disk(self.replica.folder()).await?;
            if since.is_some_and(|since| since >= next) {
                return Err(NetError::Malformed.into());
            }
            since = Some(next);
        }
        Ok(())
    }

    /// Stores receipts, then acknowledges them.
    pub(crate) async fn store_receipts(&self, page: ReceiptPage) -> Result<()> {
        let ReceiptPage { receipts, next, .. } = page;
        if receipts.is_empty() {
            return Ok(());
        }
        let id = self.id;
        with_replica(&self.replica, move |r| r.apply_receipts(id, &receipts)).await?;
        match self.source.ack_receipts(next).await {
            // The receipts arrive again with the next pull, which changes nothing.
            Err(NetError::Refused(_) | NetError::Forbidden) => Ok(()),
            answer => Ok(answer?),
        }
    }
}

async fn fetch_group(replica: &Replica, id: SourceId, source: &dyn Source, gid: String) -> Result<()> {
    let group = source.group(&gid).await?;
    with_replica(replica, move |r| match group {
        GroupView::Shown(group) => r.save_group(id, &Group { id: gid, ..to_stored(group) }),
        GroupView::Hidden => r.group_withheld(id, &gid, Withheld::Left),
        GroupView::Ended => r.group_withheld(id, &gid, Withheld::Ended),
    })
    .await
}

fn to_stored(group: tidings_model::group::Group) -> Group {
    let tidings_model::group::Group { id, name, owner, members, names, .. } = group;
    Group { id, name, owner, members, names, withheld: None }
}

/// Creates a group, and stores it before a pull brings its first message.
pub(crate) async fn make_group(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    new: &NewGroup,
    key: &str,
) -> Result<Option<GroupAnswer>> {
    let request = source.make_group(new, key);
    let answer = tokio::time::timeout(CREATE_TIMEOUT, request).await.map_err(|_| NetError::Slow)??;
    if let Some(GroupAnswer::Created(group)) = &answer {
        let group = to_stored(group.clone());
        with_replica(replica, move |r| r.save_group(id, &group)).await?;
    }
    Ok(answer)
}

/// Changes a group, and stores it as it is then.
pub(crate) async fn change_group(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    gid: &str,
    change: &GroupChange,
) -> Result<Option<ChangeAnswer>> {
    let request = async {
        let answer = source.change_group(gid, change).await?;
        if answer == Some(ChangeAnswer::Done)
            && let Err(error) = fetch_group(replica, id, source, gid.to_owned()).await
        {
            // The change was made; the next pull brings it.
            tracing::debug!(%error, "a group that was changed is not known yet");
        }
        Ok(answer)
    };
    tokio::time::timeout(CREATE_TIMEOUT, request).await.map_err(|_| NetError::Slow)?
}

/// Requests the members of a group, and stores them.
pub(crate) async fn refresh_members(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    gid: &str,
) -> Result<()> {
    let request = fetch_group(replica, id, source, gid.to_owned());
    tokio::time::timeout(LIST_TIMEOUT, request).await.map_err(|_| NetError::Slow)?
}

/// Requests the readers and non-readers of a group message, and stores them with the group's members. `None` if the
/// server does not have this list.
pub(crate) async fn read_by(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    gid: &str,
    msgid: &MsgId,
) -> Result<Option<Readers>> {
    let both = async {
        tokio::try_join!(
            source.readers(gid, msgid).map_err(Error::from),
            fetch_group(replica, id, source, gid.to_owned())
        )
    };
    let (readers, ()) = tokio::time::timeout(LIST_TIMEOUT, both).await.map_err(|_| NetError::Slow)??;
    if let Some(readers) = &readers {
        let line = |reader: &tidings_model::group::Reader| ReceiptLine {
            msgid: msgid.clone(),
            conversation: format!("group:{gid}"),
            reader: reader.user.clone(),
            at: reader.at,
        };
        let receipts: Vec<_> = readers.read.iter().map(line).collect();
        with_replica(replica, move |r| r.apply_receipts(id, &receipts)).await?;
    }
    Ok(readers)
}

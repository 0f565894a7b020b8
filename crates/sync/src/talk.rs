//! Groups and read receipts, beside the pull. Refuses to acknowledge a receipt before it is kept: the server forgets it
//! then.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use tidings_model::MsgId;
use tidings_model::group::{Readers, ReceiptLine, ReceiptPage};
use tidings_replica::{Group, Replica, SourceId};

use crate::{Error, GroupAnswer, NewGroup, Result, Source, disk::on_disk, pull::Pull};

/// How long a group's members hold before they are asked for with a new connection, in microseconds.
const HOLD: i64 = 5 * 60 * 1_000_000;
/// Groups that one pull asks about.
const GROUPS: usize = 50;
/// Groups that are asked about at the same time.
const AT_ONCE: usize = 4;
/// How long a group may take to be made.
const MAKING: Duration = Duration::from_secs(10);
/// How long a reader waits for the exact list before what is known here has to do.
const PATIENCE: Duration = Duration::from_secs(5);

impl Pull {
    /// What belongs to conversations: receipts after a new connection and where a message says that it was `read`;
    /// groups that are new here, and after a new connection those that may have changed.
    pub(crate) async fn talk(&self, first: bool, read: bool) -> Result<()> {
        if first || read {
            self.receipts().await?;
        }
        let (id, hold) = (self.id, first.then_some(HOLD));
        let asks = on_disk(&self.replica, move |r| r.groups_to_refresh(id, hold, GROUPS)).await?;
        let ask = |gid: String| async move { save_group(&self.replica, id, &*self.source, gid).await };
        stream::iter(asks).map(ask).buffer_unordered(AT_ONCE).try_collect().await
    }

    async fn receipts(&self) -> Result<()> {
        let mut since = None;
        while let Some(page) = self.source.receipts(since).await? {
            let (more, next) = (page.more, page.next);
            self.keep_receipts(page).await?;
            if !more {
                break;
            }
            if since.is_some_and(|since| since >= next) {
                return Err(Error::Garbled);
            }
            since = Some(next);
        }
        Ok(())
    }

    /// Keeps receipts, then lets the server forget them.
    pub(crate) async fn keep_receipts(&self, page: ReceiptPage) -> Result<()> {
        let ReceiptPage { receipts, next, .. } = page;
        if receipts.is_empty() {
            return Ok(());
        }
        let id = self.id;
        on_disk(&self.replica, move |r| r.apply_receipts(id, &receipts)).await?;
        match self.source.ack_receipts(next).await {
            // They come again, and change nothing then.
            Err(Error::Refused(_) | Error::Forbidden) => Ok(()),
            answer => answer,
        }
    }
}

async fn save_group(replica: &Replica, id: SourceId, source: &dyn Source, gid: String) -> Result<()> {
    let group = source.group(&gid).await?;
    on_disk(replica, move |r| match group {
        Some(group) => r.save_group(id, &Group { id: gid, ..kept(group) }),
        None => r.group_withheld(id, &gid),
    })
    .await
}

fn kept(group: tidings_model::group::Group) -> Group {
    let tidings_model::group::Group { id, name, members, names, .. } = group;
    Group { id, name, members, names }
}

/// Makes a group, and keeps it before a pull brings anything of it.
pub(crate) async fn make_group(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    new: &NewGroup,
    key: &str,
) -> Result<Option<GroupAnswer>> {
    let asked = source.make_group(new, key);
    let answer = tokio::time::timeout(MAKING, asked).await.map_err(|_| Error::Slow)??;
    if let Some(GroupAnswer::Made(group)) = &answer {
        let group = kept(group.clone());
        on_disk(replica, move |r| r.save_group(id, &group)).await?;
    }
    Ok(answer)
}

/// Asks who is in a group, and keeps the answer.
pub(crate) async fn members(replica: &Replica, id: SourceId, source: &dyn Source, gid: &str) -> Result<()> {
    let asked = save_group(replica, id, source, gid.to_owned());
    tokio::time::timeout(PATIENCE, asked).await.map_err(|_| Error::Slow)?
}

/// Asks who has read a message of a group and who has not, and keeps the answer with the group's members.
/// None where the source does not tell.
pub(crate) async fn read_by(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    gid: &str,
    msgid: &MsgId,
) -> Result<Option<Readers>> {
    let both = async {
        tokio::try_join!(source.readers(gid, msgid), save_group(replica, id, source, gid.to_owned()))
    };
    let (readers, ()) = tokio::time::timeout(PATIENCE, both).await.map_err(|_| Error::Slow)??;
    if let Some(readers) = &readers {
        let line = |reader: &tidings_model::group::Reader| ReceiptLine {
            msgid: msgid.clone(),
            conversation: format!("group:{gid}"),
            reader: reader.user.clone(),
            at: reader.at,
        };
        let receipts: Vec<_> = readers.read.iter().map(line).collect();
        on_disk(replica, move |r| r.apply_receipts(id, &receipts)).await?;
    }
    Ok(readers)
}

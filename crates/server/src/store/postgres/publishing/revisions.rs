//! Clears and deletes publications by their sequence. Inboxes get a revision at their next fan-in, as they got the
//! publication.

use tidings_model::wire::Posted;
use tidings_model::{MsgId, Stamp};

use super::facts::NAMED;
use super::statements::{CANCEL, EXPIRE_OF};
use super::{revision, sequence_lock, topic_target};
use crate::domain::draft::{Post, Recipients};
use crate::error::Error;
use crate::store::SequenceChange;
use crate::store::postgres::PostgresStore;
use crate::store::postgres::session::Columns;
use crate::store::postgres::tx::{WriteTx, in_transaction};

/// Who gets a hint about a revision on a topic.
pub(super) fn recipients(topic: &str) -> Recipients {
    Recipients::Subscribers {
        kind: "topic".to_owned(),
        id: topic.to_owned(),
        action: "publish".to_owned(),
        actor: topic.to_owned(),
    }
}

/// Clears or deletes the publication with a sequence or a msgid; `None` where there is none. Deleting it also cancels
/// what waits to be delivered under that name, and lets its files expire.
pub(in crate::store::postgres) async fn sequence(
    store: &PostgresStore,
    topic: &str,
    name: &str,
    change: SequenceChange,
) -> Result<Option<Post>, Error> {
    in_transaction!(store, |tx| {
        tx.lock_names(&[&sequence_lock(topic, name)]).await?;
        if change == SequenceChange::Delete {
            tx.execute(CANCEL, &[&vec![topic_target(topic)], &vec![name]]).await?;
        }
        let Some(row) = tx.query_opt(NAMED, &[&vec![topic], &vec![name]]).await? else { return Ok(None) };
        let (created_at, msgid) = (row.stamp(2)?, MsgId(row.at(3)?));
        let stamp = set(tx, created_at, &msgid, change).await?;
        Ok(Some(Post { posted: Posted { msgid, stamp }, recipients: recipients(topic) }))
    })
}

/// Records a revision at a new stamp.
async fn set(
    tx: &mut WriteTx<'_>,
    created_at: Stamp,
    msgid: &MsgId,
    change: SequenceChange,
) -> Result<Stamp, Error> {
    let stamp = tx.creation_stamp().await?;
    let revision = match change {
        SequenceChange::Clear => revision::CLEAR,
        SequenceChange::Delete => {
            tx.execute(EXPIRE_OF, &[&vec![msgid.as_str()]]).await?;
            revision::DELETE
        }
    };
    let sql =
        "UPDATE notifications SET revised_at = $2, revision = $3 WHERE created_at = $1 AND revision <> 3";
    if tx.execute(sql, &[&created_at.as_micros(), &stamp.as_micros(), &revision]).await? == 0 {
        return Err(Error::interrupted("a publication was deleted while it was revised"));
    }
    Ok(stamp)
}

//! Clears and deletes publications by their sequence. Inboxes get a revision at their next fan-in, as they got the
//! publication.

use tidings_model::Stamp;
use tidings_model::wire::Posted;

use super::names;
use super::statements::{CANCEL, REVISION_IDS};
use super::{recall, revision, sequence_lock, topic_target};
use crate::domain::draft::{Post, Recipients};
use crate::domain::posted_by::PostedBy;
use crate::error::Error;
use crate::store::SequenceChange;
use crate::store::named::Named;
use crate::store::postgres::PostgresStore;
use crate::store::postgres::session::Session;
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

/// Clears or deletes the publication with a sequence or a msgid; `None` if there is none. Deleting it also cancels
/// what waits to be delivered under that name, and lets its files expire.
///
/// # Errors
/// `forbidden` if it is somebody else's.
pub(in crate::store::postgres) async fn sequence(
    store: &PostgresStore,
    topic: &str,
    name: &str,
    change: SequenceChange,
    by: PostedBy,
) -> Result<Option<Post>, Error> {
    in_transaction!(store, |tx| {
        tx.lock_names(&[&sequence_lock(topic, name)]).await?;
        let Some(mut found) = find(tx, topic, name, by).await? else { return Ok(None) };
        if change == SequenceChange::Delete {
            tx.execute(CANCEL, &[&vec![topic_target(topic)], &vec![name], &vec![found.publisher]]).await?;
            if found.item.is_none() {
                // If it was waiting, it may have been delivered while this waited for its row.
                let Some(now) = find(tx, topic, name, by).await? else { return Ok(None) };
                found = now;
            }
        }
        let Some((created_at, msgid)) = found.item else { return Ok(None) };
        if change == SequenceChange::Delete {
            let Some(found) = recall::find(tx, &msgid).await? else { return Ok(None) };
            return recall::withdraw(tx, found).await.map(Some);
        }
        let stamp = clear(tx, created_at).await?;
        Ok(Some(Post { posted: Posted { msgid, stamp }, recipients: recipients(topic) }))
    })
}

/// What a name means that is to be changed.
async fn find(session: &Session, topic: &str, name: &str, by: PostedBy) -> Result<Option<Named>, Error> {
    Named::for_change(names::find(session, topic, name, by, true).await?, by)
}

/// Records at a new stamp that a publication was marked as read for everyone.
async fn clear(tx: &mut WriteTx<'_>, created_at: Stamp) -> Result<Stamp, Error> {
    let stamp = tx.creation_stamp().await?;
    let sql =
        "UPDATE notifications SET revised_at = $2, revision = $3 WHERE created_at = $1 AND revision <> 3";
    if tx.execute(sql, &[&created_at.as_micros(), &stamp.as_micros(), &revision::CLEAR]).await? == 0 {
        return Err(Error::interrupted("a publication was deleted while it was revised"));
    }
    tx.execute(REVISION_IDS, &[&vec![stamp.as_micros()], &vec![created_at.as_micros()]]).await?;
    Ok(stamp)
}

//! Takes notifications back. What they say is erased at once; inboxes lose them at their next fan-in, as they got them.

use tidings_model::wire::Posted;
use tidings_model::{MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Post;
use tidings_store::domain::editor::Editor;
use tidings_store::domain::msgid;
use tidings_store::published::{Cancelled, Published, published_columns};
use tokio_postgres::Row;

use super::statements::{ERASE, EXPIRE_OF, LEAVE_GOTIFY};
use crate::answers;
use crate::partitions::earliest;
use crate::session::{Columns, Session, Values};
use crate::tx::WriteTx;

/// Who has a direct message `n`, and the group of any other message.
macro_rules! holders {
    () => {
        "(SELECT g.id FROM group_messages m JOIN groups g ON g.key = m.group_key WHERE m.created_at = n.created_at LIMIT 1),
        CASE WHEN n.kind = 3 AND NOT EXISTS (SELECT 1 FROM group_messages m WHERE m.created_at = n.created_at)
            THEN ARRAY(SELECT i.user_key FROM items i WHERE i.created_at = n.created_at LIMIT 2) END"
    };
}

pub(crate) use holders;

/// `$1` the msgid, `$2` a time that is not after its creation.
const FIND: &str = concat!(
    "SELECT ",
    published_columns!(),
    ", ",
    holders!(),
    " FROM notifications n WHERE n.msgid = $1 AND n.created_at >= $2 LIMIT 1"
);

/// A notification that is to be changed, with the users and the group of a message.
pub(super) struct StoredPublication {
    pub(super) published: Published,
    group: Option<String>,
    users: Vec<UserKey>,
}

impl StoredPublication {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let users = row.at::<Option<Vec<i64>>>(10)?.unwrap_or_default();
        Ok(Self {
            published: Published::from_row(row)?,
            group: row.at(9)?,
            users: users.into_iter().map(UserKey).collect(),
        })
    }

    /// The post of its recall at a stamp.
    pub(super) fn post(self, stamp: Stamp) -> Post {
        let recipients = self.published.recipients(self.group, self.users);
        Post { posted: Posted { msgid: self.published.msgid, stamp }, recipients }
    }
}

/// The notification that was revised at the stamp `$1`.
const FIND_REVISED: &str = concat!(
    "SELECT ",
    published_columns!(),
    ", ",
    holders!(),
    " FROM notifications n WHERE n.created_at = (SELECT r.created_at FROM revision_ids r WHERE r.stamp = $1) LIMIT 1"
);

/// The notification with a msgid, or with the id of one of its revisions.
pub(super) async fn find(session: &Session, id: &MsgId) -> Result<Option<StoredPublication>, Error> {
    let since = earliest(&[id.as_str()]).as_micros();
    // One whose stamp was mended is older than its msgid says.
    for since in [since, 0] {
        if let Some(row) = session.query_opt(FIND, &[&id.as_str(), &since]).await? {
            return StoredPublication::from_row(&row).map(Some);
        }
    }
    let Some(stamp) = msgid::stamp_of(id.as_str()) else { return Ok(None) };
    let found = session.query_opt(FIND_REVISED, &[&stamp.as_micros()]).await?;
    let found = found.as_ref().map(StoredPublication::from_row).transpose()?;
    Ok(found.filter(|found| msgid::of_revision(&found.published.msgid, stamp) == id.as_str()))
}

/// Whose it is what waits to be delivered under the msgid `$1`; nobody delivers it meanwhile.
const WAITING: &str = "SELECT publisher FROM scheduled WHERE msgid = $1 FOR UPDATE";

/// `$1` the msgid.
const FORGET_WAITING: &str = "DELETE FROM scheduled WHERE msgid = $1";

/// Cancels what waits to be delivered under a msgid, with its files; false if there is nothing that `by` may change.
pub(super) async fn cancel(tx: &WriteTx<'_>, msgid: &MsgId, by: &Editor) -> Result<bool, Error> {
    let Some(waiting) = tx.query_opt(WAITING, &[&msgid.as_str()]).await? else { return Ok(false) };
    let publisher: i64 = waiting.at(0)?;
    if !by.may_cancel(publisher) {
        return Ok(false);
    }
    let (id, ids) = (msgid.as_str(), vec![msgid.as_str()]);
    let (forgotten, files): (Values<'_>, Values<'_>) = (&[&id], &[&ids]);
    tx.pipeline(&[(FORGET_WAITING, forgotten), (EXPIRE_OF, files)]).await?;
    tx.keep(Cancelled::OWNER, id, Cancelled::answer(publisher)).await?;
    Ok(true)
}

/// Refuses to cancel what is not there, unless `by` may have cancelled it before.
pub(super) async fn check_repeated(tx: &WriteTx<'_>, msgid: &MsgId, by: &Editor) -> Result<(), Error> {
    let kept = answers::get(tx, tx.clock(), Cancelled::OWNER, msgid.as_str()).await?;
    Cancelled::check_repeated(kept, by)
}

/// Takes back one that is there. Its work does not depend on how many have it.
pub(super) async fn withdraw(tx: &mut WriteTx<'_>, found: StoredPublication) -> Result<Post, Error> {
    let stamp = tx.creation_stamp().await?;
    let (created_at, msgids) = (found.published.created_at.as_micros(), vec![found.published.msgid.as_str()]);
    let micros = stamp.as_micros();
    let erased: Values<'_> = &[&created_at, &micros];
    let files: Values<'_> = &[&msgids];
    let listed: Values<'_> = &[&created_at];
    let done = tx.pipeline(&[(ERASE, erased), (EXPIRE_OF, files), (LEAVE_GOTIFY, listed)]).await?;
    if done.first().is_none_or(Vec::is_empty) {
        return Err(Error::interrupted("a publication was deleted while it was revised"));
    }
    Ok(found.post(stamp))
}

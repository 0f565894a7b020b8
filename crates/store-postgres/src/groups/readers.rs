//! Lists the members who have read a group message, with whom it has arrived, and who have not read it.

use tidings_model::MsgId;
use tidings_store::{Error, ListQuery, Reader, Readers};

use super::deliveries::uncounted;
use crate::partitions::earliest;
use crate::session::{Columns, Session, rows};
use crate::{session::Values, users};

/// A message of a group. `$1` its msgid, `$2` the group, `$3` a time that is not after its creation.
const MESSAGE: &str = concat!(
    "SELECT m.created_at, m.group_key, m.sender, m.read_count, m.members, m.delivered_count + ",
    uncounted!(),
    " FROM notifications n JOIN group_messages m ON m.created_at = n.created_at JOIN groups g ON g.key = m.group_key
    WHERE n.msgid = $1 AND n.created_at >= $3 AND g.id = $2"
);

/// The members whose reading of a message counts, in the order of their keys, with when they read it, and whether they
/// pulled it. Each row begins with the number of memberships that were examined, and with the id after which the next page
/// begins. The first row has them even if nobody counts. That is the last user who counts, or all of whose memberships were
/// examined. `$1` the group, `$2` the key after which the page begins, `$3` the message,
/// `$4` its sender, `$5` the most memberships, `$6` the most members.
const MEMBERS: &str = "WITH examined AS MATERIALIZED (
        SELECT s.user_key, u.id, s.joined_at, s.left_at FROM memberships s JOIN users u ON u.key = s.user_key
        WHERE s.group_key = $1 AND s.user_key > $2 AND u.id < '~' ORDER BY s.user_key LIMIT $5),
    counted AS (
        SELECT DISTINCT e.user_key, e.id FROM examined e WHERE e.user_key <> $4 AND e.joined_at < $3
            AND (e.left_at = 0 OR e.left_at > $3) ORDER BY e.user_key LIMIT $6)
    SELECT x.examined, coalesce((SELECT e.id FROM examined e WHERE e.user_key < (SELECT max(user_key) FROM examined)
                OR EXISTS (SELECT 1 FROM counted k WHERE k.user_key = e.user_key) ORDER BY e.user_key DESC LIMIT 1),
            (SELECT id FROM examined LIMIT 1)), c.id,
        (SELECT acked_at FROM acks a WHERE a.group_key = $1 AND a.user_key = c.user_key AND a.through >= $3
            ORDER BY a.through LIMIT 1),
        EXISTS (SELECT 1 FROM deliveries d WHERE d.user_key = c.user_key AND d.delivered_to >= $3)
    FROM (SELECT count(*) AS examined FROM examined) x LEFT JOIN counted c ON true ORDER BY c.user_key";

/// A page of the members whose reading of a message counts, those who still are users. The counts are those stored with
/// the message, of all members. At most `examined` memberships are examined.
pub(super) async fn readers(
    db: &Session,
    group: &str,
    msgid: &MsgId,
    page: &ListQuery,
    examined: usize,
) -> Result<Readers, Error> {
    let (name, since) = (msgid.as_str(), earliest(&[msgid.as_str()]).as_micros());
    let mut message = db.query_opt(MESSAGE, &[&name, &group, &since]).await?;
    if message.is_none() {
        // One whose stamp was mended is older than its msgid says.
        message = db.query_opt(MESSAGE, &[&name, &group, &0_i64]).await?;
    }
    let message = message.ok_or_else(|| Error::not_found("message in this group"))?;
    let after = match &page.after {
        Some(id) => {
            let user = users::by_id(db, id).await?;
            user.ok_or_else(|| Error::invalid("after", "must be a user"))?.key.0
        }
        None => 0,
    };
    let [created_at, key, sender] = [message.at::<i64>(0)?, message.at(1)?, message.at(2)?];
    let mut readers = Readers {
        read_count: u32::try_from(message.count(3)?).unwrap_or_default(),
        delivered_count: u32::try_from(message.count(5)?).unwrap_or_default(),
        member_count: u32::try_from(message.count(4)?).unwrap_or_default(),
        ..Readers::default()
    };
    let (most_examined, most) = (rows(examined), rows(page.limit + 1));
    let values: Values<'_> = &[&key, &after, &created_at, &sender, &most_examined, &most];
    let found = db.query(MEMBERS, values).await?;
    let mut last = None;
    for row in &found {
        let Some(id) = row.at::<Option<String>>(2)? else { break };
        if readers.read.len() + readers.unread.len() == page.limit {
            readers.next = last;
            break;
        }
        if let Some(at) = row.time(3)? {
            readers.read.push(Reader { user: id.clone(), at });
        } else {
            if row.at(4)? {
                readers.delivered.push(id.clone());
            }
            readers.unread.push(id.clone());
        }
        last = Some(id);
    }
    if readers.next.is_none()
        && let Some(row) = found.first()
        && row.count(0)? == examined
    {
        readers.next = row.at(1)?;
    }
    readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
    readers.delivered.sort();
    readers.unread.sort();
    Ok(readers)
}

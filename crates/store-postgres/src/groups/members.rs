//! The members of groups: their list, and who comes and goes.

use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::former_positions_expire;
use tidings_store::page::ListPage;
use tidings_store::{Error, ListQuery, Member};

use crate::session::{Columns, Session, Values, rows};
use crate::tx::WriteTx;

/// The key of a group, and the key and the list position of a user there, even if the user left a short while ago. `$1` the
/// group, `$2` the user; NULL for nobody.
const POSITION: &str = "SELECT g.key, u.key, coalesce(
        (SELECT list_position FROM memberships WHERE group_key = g.key AND user_key = u.key AND left_at = 0),
        (SELECT list_position FROM former_positions WHERE group_key = g.key AND user_key = u.key),
        (SELECT max(list_position) FROM memberships WHERE group_key = g.key AND user_key = u.key))
    FROM groups g LEFT JOIN users u ON u.id = $2 AND u.id < '~'
    WHERE g.id = $1 AND g.ended_at = 0";

/// `$1` the group, `$2` and `$3` the list position and the user after which the page begins, `$4` the most members.
const PAGE: &str = "SELECT u.id, u.name FROM memberships m JOIN users u ON u.key = m.user_key AND u.id < '~'
    WHERE m.group_key = $1 AND m.left_at = 0 AND (m.list_position, m.user_key) > ($2, $3)
    ORDER BY m.list_position, m.user_key LIMIT $4";

/// A page of a group's members, in the order in which they joined.
pub(super) async fn page(db: &Session, group: &str, page: &ListQuery) -> Result<ListPage, Error> {
    let row = db.query_opt(POSITION, &[&group, &page.after]).await?;
    let row = row.ok_or_else(|| Error::not_found("group"))?;
    let unknown =
        || Error::invalid("after", "is no member of this group any more: begin with the first page");
    let (position, user) = match page.after {
        Some(_) => (row.at::<Option<i64>>(2)?.ok_or_else(unknown)?, row.at::<i64>(1)?),
        None => (0, 0),
    };
    let values: Values<'_> = &[&row.at::<i64>(0)?, &position, &user, &rows(page.limit)];
    let found = db.query(PAGE, values).await?;
    ListPage::of(page.limit, found.iter().map(|row| Ok(Member { id: row.at(0)?, name: row.at(1)? })))
}

/// A group whose row is locked, and a user that the change is about.
pub(super) struct LockedGroup {
    pub(super) key: i64,
    user: Option<UserKey>,
    is_member: bool,
}

impl LockedGroup {
    /// The user.
    fn require_user(&self) -> Result<UserKey, Error> {
        self.user.ok_or_else(|| Error::not_found("user"))
    }

    /// The user, who is a member.
    pub(super) fn require_member(&self) -> Result<UserKey, Error> {
        let user = self.require_user()?;
        if self.is_member { Ok(user) } else { Err(Error::not_found("member")) }
    }
}

/// Keeps a user's inbox, and so the user, until the end of the transaction.
const KEEP_USER: &str =
    "SELECT i.user_key FROM inboxes i JOIN users u ON u.key = i.user_key WHERE u.id = $1 FOR KEY SHARE OF i";

const LOCK: &str = "SELECT key FROM groups WHERE id = $1 AND ended_at = 0 FOR UPDATE";

const IS_MEMBER: &str = "SELECT EXISTS (SELECT 1 FROM memberships m JOIN groups g ON g.key = m.group_key
        JOIN users u ON u.key = m.user_key
    WHERE g.id = $1 AND u.id = $2 AND m.left_at = 0)";

/// Locks a group's row to change it, after the inbox of the user, if any, whom the change is about.
pub(super) async fn lock(tx: &WriteTx<'_>, group: &str, user: Option<&str>) -> Result<LockedGroup, Error> {
    let name = user.unwrap_or_default();
    let found =
        tx.pipeline(&[(KEEP_USER, &[&name]), (LOCK, &[&group]), (IS_MEMBER, &[&group, &name])]).await?;
    let first = |nth: usize| found.get(nth).and_then(|found| found.first());
    let key = first(1).ok_or_else(|| Error::not_found("group"))?.at(0)?;
    let user = first(0).map(|row| row.at(0)).transpose()?.map(UserKey);
    let is_member = first(2).map(|row| row.at(0)).transpose()?.unwrap_or_default();
    Ok(LockedGroup { key, user, is_member })
}

/// Adds a member to a group, at the stamp `$4`. A member who left a short while ago, after `$5`, gets the former list
/// position, so that a client that pages through the list meanwhile misses nobody. `$1` the group, `$2` its id, `$3` the user.
const INSERT: &str =
    "INSERT INTO memberships (group_key, group_id, user_key, joined_at, left_at, list_position)
    VALUES ($1, $2, $3, $4, 0, coalesce((SELECT list_position FROM former_positions WHERE group_key = $1
        AND user_key = $3 AND left_at >= $5), $4))";

/// Counts a member who joined; the first one after all had left, and the owner with them, owns the group. `$1` the group, `$2`
/// the stamp.
const COUNT: &str = "UPDATE groups g SET member_count = member_count + 1, changed_at = $2,
        owner = CASE WHEN EXISTS (SELECT 1 FROM memberships WHERE group_key = $1 AND user_key = g.owner AND left_at = 0)
            THEN owner ELSE (SELECT user_key FROM memberships WHERE group_key = $1 AND left_at = 0
                ORDER BY list_position, user_key LIMIT 1) END
    WHERE key = $1";

pub(super) async fn join(tx: &mut WriteTx<'_>, group: &str, user: &str) -> Result<(), Error> {
    let found = lock(tx, group, Some(user)).await?;
    let user = found.require_user()?;
    if found.is_member {
        return Ok(());
    }
    let since = former_positions_expire(tx.now).as_micros();
    let stamp = tx.creation_stamp().await?.as_micros();
    let insert: Values<'_> = &[&found.key, &group, &user.0, &stamp, &since];
    tx.pipeline(&[(INSERT, insert), (COUNT, &[&found.key, &stamp])]).await?;
    Ok(())
}

pub(super) async fn leave(tx: &mut WriteTx<'_>, group: &str, user: &str) -> Result<(), Error> {
    let found = lock(tx, group, Some(user)).await?;
    let user = found.require_member()?;
    let stamp = tx.creation_stamp().await?;
    end_membership(tx, found.key, user, stamp).await
}

/// Keeps the list position of a member who leaves. `$1` the group, `$2` the user, `$3` the stamp.
const SAVE_POSITION: &str = "INSERT INTO former_positions (group_key, user_key, list_position, left_at)
    SELECT group_key, user_key, list_position, $3 FROM memberships WHERE group_key = $1 AND user_key = $2 AND left_at = 0
    ON CONFLICT (group_key, user_key) DO UPDATE SET list_position = excluded.list_position, left_at = excluded.left_at";

/// Deletes a membership during which no message was posted. `$1` the group, `$2` the user.
const DELETE_UNUSED: &str =
    "DELETE FROM memberships s WHERE s.group_key = $1 AND s.user_key = $2 AND s.left_at = 0
    AND NOT EXISTS (SELECT 1 FROM group_messages m WHERE m.group_key = $1 AND m.created_at > s.joined_at)";

/// `$1` the group, `$2` the user, `$3` the stamp.
const END: &str =
    "UPDATE memberships SET left_at = $3 WHERE group_key = $1 AND user_key = $2 AND left_at = 0";

/// Deletes the acknowledgements of a user without any membership row, whose membership ended without a message. There
/// are few, because acknowledgements that read no message are merged. `$1` the group, `$2` the user.
const DELETE_ACKS: &str = "DELETE FROM acks WHERE group_key = $1 AND user_key = $2
    AND NOT EXISTS (SELECT 1 FROM memberships WHERE group_key = $1 AND user_key = $2)";

/// Counts a member who left; an owner is succeeded by the member who joined first. `$1` the group, `$2` the user, `$3` the
/// stamp.
const UNCOUNT: &str = "UPDATE groups SET member_count = member_count - 1, changed_at = $3,
        owner = CASE WHEN owner = $2 THEN coalesce((SELECT user_key FROM memberships WHERE group_key = $1 AND left_at = 0
            ORDER BY list_position, user_key LIMIT 1), owner) ELSE owner END
    WHERE key = $1";

/// Ends a membership in a group whose row is locked; no row of it remains if no message was posted during it.
async fn end_membership(tx: &WriteTx<'_>, group: i64, user: UserKey, at: Stamp) -> Result<(), Error> {
    let at = at.as_micros();
    let (named, timed): (Values<'_>, Values<'_>) = (&[&group, &user.0], &[&group, &user.0, &at]);
    let statements = [
        (SAVE_POSITION, timed),
        (DELETE_UNUSED, named),
        (END, timed),
        (DELETE_ACKS, named),
        (UNCOUNT, timed),
    ];
    tx.pipeline(&statements).await?;
    Ok(())
}

/// Ends at most `$1` memberships of a group that was ended. The rows stay, so that a pull names the group to each user
/// who was in it. Of several processes one has the lease of this work.
const END_MEMBERSHIPS: &str = "WITH ending AS MATERIALIZED (
        SELECT key, ended_at FROM groups WHERE ended_at > 0 AND member_count > 0 ORDER BY ended_at LIMIT 1 FOR UPDATE),
    ended AS (UPDATE memberships m SET left_at = e.ended_at FROM ending e
        WHERE m.group_key = e.key AND m.left_at = 0 AND m.user_key = ANY(ARRAY(
            SELECT s.user_key FROM memberships s JOIN ending g ON g.key = s.group_key WHERE s.left_at = 0 LIMIT $1))
        RETURNING 1)
    UPDATE groups g SET member_count = member_count - (SELECT count(*) FROM ended) FROM ending e WHERE g.key = e.key
    RETURNING (SELECT count(*) FROM ended)";

/// Ends memberships of a group that was ended; gives their number.
pub(crate) async fn end_memberships(tx: &WriteTx<'_>, batch: usize) -> Result<usize, Error> {
    let ended = tx.query_opt(END_MEMBERSHIPS, &[&rows(batch)]).await?;
    ended.map_or(Ok(0), |row| row.count(0))
}

/// `$1` the user, `$2` the most groups. They are locked in the order of their keys. This is an array, and no join, as
/// when inboxes are locked to post.
const GROUPS_OF: &str = "SELECT g.key FROM groups g WHERE g.key = ANY(ARRAY(
    SELECT group_key FROM memberships WHERE user_key = $1 AND left_at = 0 LIMIT $2)) ORDER BY g.key FOR UPDATE";

/// Removes a user who is being deleted from at most `batch` groups; gives the number of groups.
pub(crate) async fn leave_groups(tx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let groups = tx.query(GROUPS_OF, &[&user.0, &rows(batch)]).await?;
    if groups.is_empty() {
        return Ok(0);
    }
    let mut stamp = tx.creation_stamps(groups.len(), Stamp::ZERO).await?;
    for group in &groups {
        end_membership(tx, group.at(0)?, user, stamp).await?;
        stamp = stamp.plus_micros(1);
    }
    Ok(groups.len())
}

//! Recounts a few inboxes at a time, and repairs those with differences.

use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::{Difference, Error};

use super::check::differences;
use super::{UNREAD, lease};
use crate::PostgresStore;
use crate::session::{Columns, rows};
use crate::tx::{in_snapshot, in_transaction, reading};

/// Items of a user with a wrong column `unread`.
fn unread_check() -> String {
    format!(
        "SELECT 'unread mark of ' || n.msgid || ' for ' || u.id, i.unread::bigint, ({UNREAD})::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         LEFT JOIN read_marks v ON v.user_key = i.user_key AND v.kind = i.kind AND v.view = i.view
         WHERE i.user_key = $1 AND i.unread <> {UNREAD} AND n.content_revised_at <= greatest(i.revised_at, i.edited_at) LIMIT $2"
    )
}

/// The newest items of the conversations of a user, as they are kept and as they are; 0 for none.
const LISTED_CHECK: &str = "SELECT 'newest item of ' || coalesce(c.view, w.view) || ' of ' || u.id,
        coalesce(c.newest_at, 0), coalesce(w.newest, 0)
    FROM (SELECT view, newest_at FROM conversations WHERE user_key = $1) c
    FULL JOIN (SELECT view, max(created_at) AS newest FROM items
        WHERE user_key = $1 AND kind = 3 AND NOT deleted GROUP BY view) w ON w.view = c.view
    JOIN users u ON u.key = $1 WHERE c.newest_at IS DISTINCT FROM w.newest LIMIT $2";

/// Recounts the next `batch` users whose inbox changed after a stamp; gives the differences and the last user
/// considered; nothing while another process does it.
pub(super) async fn reconcile(
    store: &PostgresStore,
    after: UserKey,
    since: Stamp,
    batch: usize,
) -> Result<(Vec<Difference>, Option<UserKey>), Error> {
    if !lease::take(store, "reconcile").await? {
        return Ok((Vec::new(), None));
    }
    let sql = "SELECT user_key FROM inboxes WHERE user_key > $1 AND last > $2 ORDER BY user_key LIMIT $3";
    let active = reading!(store, |s| s.query(sql, &[&after.0, &since.as_micros(), &rows(batch)]).await)?;
    let (mut found, mut last) = (Vec::new(), None);
    let most = rows(store.bounds.differences);
    for row in &active {
        let user = UserKey(row.at(0)?);
        last = Some(user);
        let differing = in_snapshot!(store, |s| {
            let mut differing = differences(s, &unread_check(), &[&user.0, &most]).await?;
            differing.extend(differences(s, LISTED_CHECK, &[&user.0, &most]).await?);
            Ok(differing)
        })?;
        if !differing.is_empty() {
            repair(store, user).await?;
            found.extend(differing);
        }
    }
    Ok((found, last))
}

/// Repairs the column `unread` of a user's items, in portions, and then the list of conversations.
async fn repair(store: &PostgresStore, user: UserKey) -> Result<(), Error> {
    let items = format!(
        "UPDATE items o SET unread = w.counted FROM (
             SELECT i.created_at, ({UNREAD})::smallint AS counted FROM items i
             LEFT JOIN read_marks v ON v.user_key = i.user_key AND v.kind = i.kind AND v.view = i.view
             WHERE i.user_key = $1 AND i.unread <> {UNREAD} LIMIT $2) w
         WHERE o.user_key = $1 AND o.created_at = w.created_at"
    );
    let portion = rows(store.bounds.short_write_rows);
    loop {
        let repaired = in_transaction!(store, |tx| {
            tx.lock_inbox(user).await?;
            tx.execute(&items, &[&user.0, &portion]).await
        })?;
        if rows(usize::try_from(repaired).unwrap_or_default()) < portion {
            break;
        }
    }
    in_transaction!(store, |tx| {
        tx.lock_inbox(user).await?;
        let unlisted = "DELETE FROM conversations c WHERE c.user_key = $1 AND NOT EXISTS (
            SELECT 1 FROM items i WHERE i.user_key = $1 AND i.kind = 3 AND NOT i.deleted AND i.view = c.view)";
        tx.execute(unlisted, &[&user.0]).await?;
        let listed = "INSERT INTO conversations AS c (user_key, view, newest_at)
            SELECT $1, view, max(created_at) FROM items WHERE user_key = $1 AND kind = 3 AND NOT deleted GROUP BY view
            ON CONFLICT (user_key, view) DO UPDATE SET newest_at = excluded.newest_at
            WHERE c.newest_at <> excluded.newest_at";
        tx.execute(listed, &[&user.0]).await?;
        // Another version: all earlier counts are of another one.
        let moved = "UPDATE inboxes SET last = greatest($2, last + 1) WHERE user_key = $1";
        tx.execute(moved, &[&user.0, &tx.now.as_micros()]).await?;
        Ok(())
    })
}

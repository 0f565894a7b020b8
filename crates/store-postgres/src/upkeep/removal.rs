//! Deletes the rows of removed users, and what nobody can read any more, in portions between which other writes go.
//! Each portion finds the remaining rows by looking, so that it goes on after a crash.

use tidings_model::gotify::APPLICATION_TARGET;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::statements::{DELETE_FIRST_OF_USER, DELETE_OF_USER};

use crate::groups;
use crate::session::{Columns, Values, rows, shared};
use crate::tx::WriteTx;

/// What only this store has of the rows that go after the user's publications and items were looked through. `$1` the user,
/// `$2` the most rows.
const LAST: &[&str] = &[
    "DELETE FROM conversations WHERE user_key = $1 AND view IN (
        SELECT view FROM conversations WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM peer_marks WHERE user_key = $1 AND peer_key IN (
        SELECT peer_key FROM peer_marks WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM peer_marks WHERE peer_key = $1 AND user_key IN (
        SELECT user_key FROM peer_marks WHERE peer_key = $1 LIMIT $2)",
    "DELETE FROM changed_groups WHERE user_key = $1 AND group_key IN (
        SELECT group_key FROM changed_groups WHERE user_key = $1 LIMIT $2)",
];

/// Deletes at most `batch` rows of a removed user, and looks through at most `most` publications and items; gives how many. 0
/// means that nothing is left. Whatever locks inboxes has a portion to itself, because groups and the log are locked after
/// them.
pub(crate) async fn portion(
    tx: &mut WriteTx<'_>,
    user: UserKey,
    batch: usize,
    most: usize,
) -> Result<usize, Error> {
    let gone = first(tx, user, batch).await?;
    if gone > 0 {
        return Ok(gone);
    }
    let most = batch.min(most);
    let gone = published(tx, user, most).await?;
    if gone > 0 {
        return Ok(gone);
    }
    let gone = items(tx, user, most).await?;
    if gone > 0 {
        return Ok(gone);
    }
    let gone = run(tx, LAST, user, batch).await?;
    let gone = gone + run(tx, DELETE_OF_USER, user, batch - gone).await?;
    if gone < batch {
        tx.execute("DELETE FROM users WHERE key = $1 AND id >= '~'", &[&user.0]).await?;
    }
    Ok(gone)
}

/// What is done at once, also for a user of whom everything is recalled before the rest goes.
pub(crate) async fn first(tx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let left_groups = groups::leave_groups(tx, user, batch).await?;
    Ok(left_groups + run(tx, DELETE_FIRST_OF_USER, user, batch.saturating_sub(left_groups)).await?)
}

async fn run(tx: &WriteTx<'_>, deletions: &[&str], user: UserKey, batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    for sql in deletions {
        if left == 0 {
            break;
        }
        let deleted = tx.execute(&shared(sql), &[&user.0, &rows(left)]).await?;
        left = left.saturating_sub(usize::try_from(deleted).unwrap_or(left));
    }
    Ok(batch - left)
}

/// The next publications of the user `$1`, at most `$2`.
const PUBLISHED: &str = "SELECT n.created_at, n.target_type FROM former_users f CROSS JOIN LATERAL (
        SELECT created_at, target_type FROM notifications WHERE publisher = f.key AND publisher > 0
            AND created_at > f.published_to ORDER BY created_at LIMIT $2) n
    WHERE f.key = $1 ORDER BY n.created_at";

const DELETE_NAMES: &str = "DELETE FROM sequences WHERE created_at = ANY($1)";

/// Whether another user than `$2` can read the notification `n`. One can if it is in another inbox, or if it was posted
/// to a group in which another user was, who has not pulled it.
macro_rules! read_by_others {
    () => {
        "(EXISTS (SELECT 1 FROM items i WHERE i.created_at = n.created_at AND i.user_key <> $2 AND NOT i.deleted
                AND EXISTS (SELECT 1 FROM inboxes x WHERE x.user_key = i.user_key))
            OR EXISTS (SELECT 1 FROM group_messages m CROSS JOIN LATERAL (
                SELECT s.user_key FROM memberships s WHERE s.group_key = m.group_key AND s.user_key <> $2
                    AND s.user_key <> m.sender AND s.joined_at < m.created_at
                    AND (s.left_at = 0 OR s.left_at > m.created_at)
                    AND EXISTS (SELECT 1 FROM inboxes x WHERE x.user_key = s.user_key)
                    AND NOT EXISTS (SELECT 1 FROM items i WHERE i.user_key = s.user_key AND i.created_at = m.created_at)
                    LIMIT 1) s
                WHERE m.created_at = n.created_at))"
    };
}

/// Lets the files expire of those of the publications `$1` that nobody but the user `$2` has or gets.
const EXPIRE_FILES: &str = concat!(
    "UPDATE files SET expires_at = 0 WHERE expires_at > 0 AND msgid IN (
        SELECT n.msgid FROM unnest($1::bigint[]) w (at)
        CROSS JOIN LATERAL (SELECT * FROM notifications WHERE created_at = w.at LIMIT 1) n
        WHERE n.kind <> 1
            AND EXISTS (SELECT 1 FROM files f WHERE f.msgid = n.msgid AND f.expires_at > 0)
            AND NOT (n.kind = 2 AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.target_type = n.target_type
                AND s.target_id = n.target_id AND s.action = n.action AND s.user_key <> $2
                AND s.created_at < n.created_at))
            AND NOT (n.kind = 2 AND EXISTS (SELECT 1 FROM follows f WHERE f.actor = n.actor_id AND f.user_key <> $2
                AND f.created_at < n.created_at))
            AND NOT ",
    read_by_others!(),
    ")"
);

/// Deletes those of the notifications `$1` that nobody but the user `$2` can read, with their files. If one was deleted in
/// another inbox, only its content goes.
const FORGET: &str = concat!(
    "WITH c AS MATERIALIZED (
        SELECT n.created_at, n.msgid,
            EXISTS (SELECT 1 FROM items i WHERE i.created_at = n.created_at AND i.user_key <> $2) AS held
        FROM unnest($1::bigint[]) w (at)
        CROSS JOIN LATERAL (SELECT * FROM notifications WHERE created_at = w.at LIMIT 1) n WHERE NOT ",
    read_by_others!(),
    "),
    f AS (UPDATE files SET expires_at = 0 WHERE expires_at > 0 AND msgid IN (SELECT msgid FROM c)),
    s AS (DELETE FROM sequences WHERE created_at IN (SELECT created_at FROM c)),
    g AS (DELETE FROM group_messages WHERE created_at IN (SELECT created_at FROM c WHERE NOT held)),
    r AS (DELETE FROM revision_ids WHERE created_at IN (SELECT created_at FROM c WHERE NOT held)),
    m AS (DELETE FROM gotify_messages WHERE created_at IN (SELECT created_at FROM c)),
    e AS (UPDATE notifications SET content = '{}', target_details = ''
        WHERE created_at IN (SELECT created_at FROM c WHERE held))
    DELETE FROM notifications WHERE created_at IN (SELECT created_at FROM c WHERE NOT held)"
);

const LOOKED_UPTO: &str = "UPDATE former_users SET published_to = $2 WHERE key = $1";

/// Looks through what a user published: its names go, and files that nobody else can have. Gives the number of publications.
async fn published(tx: &WriteTx<'_>, user: UserKey, most: usize) -> Result<usize, Error> {
    let found = tx.query(PUBLISHED, &[&user.0, &rows(most)]).await?;
    let (mut all, mut private) = (Vec::<i64>::new(), Vec::<i64>::new());
    for row in &found {
        all.push(row.at(0)?);
        if row.at::<&str>(1)? == APPLICATION_TARGET {
            private.push(row.at(0)?);
        }
    }
    let Some(last) = all.last().copied() else { return Ok(0) };
    let (of_all, of_user): (Values<'_>, Values<'_>) = (&[&all, &user.0], &[&user.0, &last]);
    let private: Values<'_> = &[&private, &user.0];
    tx.pipeline(&[
        (DELETE_NAMES, &[&all]),
        (EXPIRE_FILES, of_all),
        (FORGET, private),
        (LOOKED_UPTO, of_user),
    ])
    .await?;
    Ok(all.len())
}

const ITEMS: &str =
    "SELECT created_at, kind = 3, view FROM items WHERE user_key = $1 ORDER BY created_at LIMIT $2";

/// The inboxes of the users `$1`. This is an array, and no join, as when inboxes are locked to post.
const LOCK: &str = "SELECT user_key FROM inboxes WHERE user_key = ANY(ARRAY(
        SELECT key FROM users WHERE id = ANY($1) AND id < '~')) ORDER BY user_key FOR UPDATE";

/// Closes the conversations of those inboxes `$1` with the removed user `$2`, each once and at a stamp of the inbox. `$3` the
/// time.
const CLOSE: &str = "WITH closing AS MATERIALIZED (
        SELECT w.user_key, 'user:' || f.id AS view, u.name FROM unnest($1::bigint[]) w (user_key)
        CROSS JOIN former_users f JOIN users u ON u.key = f.key WHERE f.key = $2
            AND NOT EXISTS (SELECT 1 FROM closed_conversations c
                WHERE c.user_key = w.user_key AND c.view = 'user:' || f.id)),
    stamped AS (UPDATE inboxes i SET last = greatest($3, i.last + 1)
        WHERE i.user_key = ANY(ARRAY(SELECT user_key FROM closing)) RETURNING i.user_key, i.last)
    INSERT INTO closed_conversations (user_key, view, name, stamp)
    SELECT c.user_key, c.view, c.name, s.last FROM closing c JOIN stamped s ON s.user_key = c.user_key RETURNING stamp";

const DELETE_ITEMS: &str = "DELETE FROM items WHERE user_key = $1 AND created_at = ANY($2)";

/// Deletes the next items of a user, in the order of their creation: conversations with others are closed, and what nobody
/// can read any more goes. Gives the number of items.
async fn items(tx: &mut WriteTx<'_>, user: UserKey, most: usize) -> Result<usize, Error> {
    let found = tx.query(ITEMS, &[&user.0, &rows(most)]).await?;
    let (mut all, mut private, mut peers) = (Vec::<i64>::new(), Vec::<i64>::new(), Vec::<String>::new());
    for row in &found {
        let (created_at, is_message, view): (i64, bool, &str) = (row.at(0)?, row.at(1)?, row.at(2)?);
        all.push(created_at);
        let application = view.strip_prefix(APPLICATION_TARGET).is_some_and(|id| id.starts_with(':'));
        if is_message || application {
            private.push(created_at);
        }
        if is_message && let Some(peer) = view.strip_prefix("user:") {
            peers.push(peer.to_owned());
        }
    }
    if all.is_empty() {
        return Ok(0);
    }
    peers.sort_unstable();
    peers.dedup();
    if !peers.is_empty() {
        let locked = tx.query(LOCK, &[&peers]).await?;
        let locked = locked.iter().map(|row| row.at(0)).collect::<Result<Vec<i64>, Error>>()?;
        let now = tx.now.as_micros();
        for row in tx.query(CLOSE, &[&locked, &user.0, &now]).await? {
            tx.note_stamps(row.stamp(0)?, 1)?;
        }
    }
    let (private, of_user): (Values<'_>, Values<'_>) = (&[&private, &user.0], &[&user.0, &all]);
    tx.pipeline(&[(FORGET, private), (DELETE_ITEMS, of_user)]).await?;
    Ok(all.len())
}

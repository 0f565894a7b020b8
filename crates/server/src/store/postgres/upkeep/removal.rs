//! Deletes the rows of removed users, in portions between which other writes go.

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::postgres::groups;
use crate::store::postgres::session::rows;
use crate::store::postgres::tx::WriteTx;

/// The deletions of a user's rows, in their order: stored responses are found by the tokens, which go after them. `$1`
/// the user, `$2` the most rows.
const DELETIONS: &[&str] = &[
    "DELETE FROM stored_responses WHERE (token, key) IN (
        SELECT r.token, r.key FROM tokens t JOIN stored_responses r ON r.token = t.id WHERE t.user_key = $1 LIMIT $2)",
    "DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM items WHERE user_key = $1 AND created_at IN (
        SELECT created_at FROM items WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM conversations WHERE user_key = $1 AND view IN (
        SELECT view FROM conversations WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM read_marks WHERE user_key = $1 AND (kind, view) IN (
        SELECT kind, view FROM read_marks WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM applied_ops WHERE user_key = $1 AND id IN (
        SELECT id FROM applied_ops WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM subscriptions WHERE user_key = $1 AND (target_type, target_id, action) IN (
        SELECT target_type, target_id, action FROM subscriptions WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM follows WHERE user_key = $1 AND actor IN (SELECT actor FROM follows WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM preferences WHERE user_key = $1 AND action IN (
        SELECT action FROM preferences WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM receipts WHERE sender = $1 AND stamp IN (SELECT stamp FROM receipts WHERE sender = $1 LIMIT $2)",
    "DELETE FROM peer_marks WHERE user_key = $1 AND peer_key IN (
        SELECT peer_key FROM peer_marks WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM peer_marks WHERE peer_key = $1 AND user_key IN (
        SELECT user_key FROM peer_marks WHERE peer_key = $1 LIMIT $2)",
    "DELETE FROM changed_groups WHERE user_key = $1 AND group_key IN (
        SELECT group_key FROM changed_groups WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM gotify_messages WHERE id IN (SELECT id FROM gotify_messages WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM gotify_images WHERE application IN (
        SELECT application FROM gotify_images WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM gotify_applications WHERE id IN (SELECT id FROM gotify_applications WHERE user_key = $1 LIMIT $2)",
    "UPDATE files SET expires_at = 0 WHERE name IN (
        SELECT name FROM files WHERE uploader = $1 AND expires_at > 0 LIMIT $2)",
];

/// Deletes at most `batch` rows of a removed user; gives their number. Fewer than `batch` means that nothing is left.
pub(in crate::store::postgres) async fn portion(
    tx: &mut WriteTx<'_>,
    user: UserKey,
    batch: usize,
) -> Result<usize, Error> {
    let mut left = batch.saturating_sub(groups::leave_groups(tx, user, batch).await?);
    for sql in DELETIONS {
        if left == 0 {
            return Ok(batch);
        }
        let deleted = tx.execute(sql, &[&user.0, &rows(left)]).await?;
        left = left.saturating_sub(usize::try_from(deleted).unwrap_or(left));
    }
    if left > 0 {
        tx.execute("DELETE FROM users WHERE key = $1 AND id >= '~'", &[&user.0]).await?;
    }
    Ok(batch - left)
}

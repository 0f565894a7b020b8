//! Statements that are the same in both databases. Their parameters are `$1` and so on, and `user_key` stands for the column
//! with a user's key; SQLite has `?1` and `user`.

use crate::descent::is_valid;

/// The tokens from which one descends that the token `$1` makes, and whether that is valid.
pub const MAKERS: &str = concat!(
    "SELECT (WITH RECURSIVE makers (id, made_by) AS (
         SELECT t.id, t.made_by
         UNION SELECT p.id, p.made_by FROM makers JOIN tokens p ON p.id = makers.made_by)
         SELECT count(*) FROM makers), ",
    is_valid!("user_key"),
    " FROM tokens t JOIN users u ON u.key = t.user_key WHERE t.id = $1 AND u.id < '~'"
);

/// The valid token with the hash `$1`, as [`Bearer::from_row`](crate::Bearer::from_row) reads it.
pub const BEARER: &str = concat!(
    "SELECT u.key, u.id, u.name, t.id, t.scopes FROM tokens t JOIN users u ON u.key = t.user_key
     WHERE t.hash = $1 AND u.id < '~' AND ",
    is_valid!("user_key")
);

/// The receipts of the sender `$1` after the stamp `$2`, at most `$3`.
pub const RECEIPTS: &str = "SELECT r.stamp, n.msgid, g.id, r.reader, r.read_at FROM receipts r
    JOIN notifications n ON n.created_at = r.message
    JOIN group_messages m ON m.created_at = r.message JOIN groups g ON g.key = m.group_key
    WHERE r.sender = $1 AND r.stamp > $2 ORDER BY r.stamp LIMIT $3";

/// Deletes responses that were stored up to the time `$1`, at most `$2`.
pub const EXPIRED_RESPONSES: &str = "DELETE FROM stored_responses WHERE (token, key) IN (
    SELECT token, key FROM stored_responses WHERE stored_at <= $1 LIMIT $2)";

/// Deletes list positions of members who left before the time `$1`, at most `$2`.
pub const EXPIRED_POSITIONS: &str = "DELETE FROM former_positions WHERE (group_key, user_key) IN (
    SELECT group_key, user_key FROM former_positions WHERE left_at < $1 LIMIT $2)";

/// They delete rows of a removed user, a message before its application. `$1` the user, `$2` the most rows.
pub const DELETE_OF_USER: &[&str] = &[
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
    "DELETE FROM closed_conversations WHERE user_key = $1 AND view IN (
        SELECT view FROM closed_conversations WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM gotify_messages WHERE id IN (SELECT id FROM gotify_messages WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM gotify_images WHERE application IN (
        SELECT application FROM gotify_images WHERE user_key = $1 LIMIT $2)",
    "DELETE FROM gotify_applications WHERE id IN (SELECT id FROM gotify_applications WHERE user_key = $1 LIMIT $2)",
];

//! Statements that are the same in both databases. Their parameters are `$1` and so on, and `user_key` stands for the column
//! with a user's key; SQLite has `?1` and `user`. `INDEXED BY` and `CROSS JOIN` are for SQLite: PostgreSQL reads neither,
//! because it chooses by itself.

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

/// Deletes read marks that cover only what was created before the time `$1`, at most `$2`.
pub const MARKS_BEFORE: &str = "DELETE FROM read_marks WHERE (user_key, kind, view) IN (
    SELECT user_key, kind, view FROM read_marks INDEXED BY read_marks_by_mark WHERE mark < $1 ORDER BY mark LIMIT $2)";

/// Deletes acknowledgements up to before the time `$1`, at most `$2`.
pub const ACKS_BEFORE: &str = "DELETE FROM acks WHERE (group_key, user_key, through) IN (
    SELECT group_key, user_key, through FROM acks INDEXED BY acks_by_through WHERE through < $1 ORDER BY through LIMIT $2)";

/// Deletes payloads that came before the time `$1`, at most `$2`.
pub const PAYLOADS_BEFORE: &str = "DELETE FROM topic_payloads WHERE id IN (
    SELECT id FROM topic_payloads INDEXED BY topic_payloads_by_age WHERE received_at < $1 ORDER BY received_at LIMIT $2)";

/// They delete what goes first of a removed user, in this order: stored responses are found by the tokens, and files by the
/// waiting publications. `$1` the user, `$2` the most rows.
pub const DELETE_FIRST_OF_USER: &[&str] = &[
    "DELETE FROM stored_responses WHERE (token, key) IN (
        SELECT r.token, r.key FROM tokens t CROSS JOIN stored_responses r ON r.token = t.id WHERE t.user_key = $1 LIMIT $2)",
    "DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE user_key = $1 LIMIT $2)",
    "UPDATE files SET expires_at = 0 WHERE name IN (
        SELECT f.name FROM scheduled d INDEXED BY scheduled_by_publisher
        CROSS JOIN files f INDEXED BY files_by_msgid ON f.msgid = d.msgid AND f.expires_at > 0
        WHERE d.publisher = $1 LIMIT $2)",
    "DELETE FROM scheduled WHERE msgid IN (
        SELECT msgid FROM scheduled INDEXED BY scheduled_by_publisher WHERE publisher = $1 LIMIT $2)",
    "DELETE FROM follows WHERE (user_key, actor) IN (
        SELECT f.user_key, f.actor FROM former_users r CROSS JOIN follows f INDEXED BY follows_by_actor ON f.actor = r.id
        WHERE r.key = $1 LIMIT $2)",
];

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

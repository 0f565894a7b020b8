//! Statements that are the same in both databases. Their parameters are `$1` and so on, and `user_key` stands for the column
//! with a user's key; SQLite has `?1` and `user`.

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

//! The rows of an inbox, as [`item_row`](tidings_store::item_row) reads them.

use tidings_store::domain::limits;

use crate::groups::deliveries::uncounted;

/// The columns of a row, from items `i` and [`JOINS`]. The last one is the size of the content, a lower bound of that
/// of the notification as JSON.
pub(super) const COLUMNS: &str = "i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at,
    i.read_at, i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at, i.edited_at, i.closed, n.msgid, n.actor_id, n.actor_name,
    n.action, n.target_type, n.target_id, n.target_details, CASE WHEN i.deleted THEN '' ELSE n.content END AS content,
    g.read_count, g.members, v.stamp AS mark_stamp, g.delivered_count,
    CASE WHEN i.deleted THEN 0 ELSE octet_length(n.content) END AS bytes";

/// The number of [`COLUMNS`]: a query may have more columns after them.
pub(super) const COLUMN_COUNT: usize = 29;

/// What is looked up for each item `i`: its notification `n`, its view's read mark `v`, and the counts `g` of the
/// user's own group message. By `LATERAL` with a `LIMIT`, which keeps PostgreSQL from reading a whole table into a hash.
pub(super) const JOINS: &str = concat!(
    "CROSS JOIN LATERAL (SELECT * FROM notifications WHERE created_at = i.created_at LIMIT 1) n
    LEFT JOIN LATERAL (SELECT mark, stamp FROM read_marks WHERE i.auto AND user_key = i.user_key AND kind = i.kind
        AND view = i.view LIMIT 1) v ON true
    LEFT JOIN LATERAL (SELECT m.read_count, m.members, m.delivered_count + ",
    uncounted!(),
    " AS delivered_count FROM group_messages m WHERE i.own AND m.created_at = i.created_at LIMIT 1) g ON true"
);

/// A query of rows in this order that ends once their content alone fills a page: no more of a large inbox is read than
/// is sent. `rows` selects [`COLUMNS`] among others, up to its own limit.
pub(super) fn page_of(rows: &str, order: &str) -> String {
    let most = limits::PAGE_BYTES;
    format!(
        "SELECT * FROM (SELECT p.*, sum(p.bytes) OVER (ORDER BY p.{order} ROWS UNBOUNDED PRECEDING) - p.bytes AS before
             FROM ({rows}) p) q WHERE q.before <= {most} ORDER BY q.{order}"
    )
}

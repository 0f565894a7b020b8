//! The rows of an inbox, as [`item_row`](tidings_store::item_row) reads them.

/// The columns of a row, from [`FROM`].
pub(super) const COLUMNS: &str = "i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at,
    i.read_at, i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at, i.edited_at, i.closed, n.msgid, n.actor_id, n.actor_name,
    n.action, n.target_type, n.target_id, n.target_details, n.content, g.read_count, g.members, v.stamp, g.delivered_count";

/// The tables of a row: items `i` with their notification `n`, their view's read mark `v`, and the counts `g` of
/// the user's own group messages.
pub(super) const FROM: &str = "items i CROSS JOIN notifications n ON n.created_at = i.created_at
    LEFT JOIN read_marks v ON i.auto = 1 AND v.user = i.user AND v.kind = i.kind AND v.view = i.view
    LEFT JOIN group_messages g ON i.own = 1 AND g.created_at = i.created_at";

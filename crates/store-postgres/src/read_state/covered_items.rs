//! The items that a view's read mark covers, or no longer covers: rows of the table `items`, by view and time.

use tidings_model::Kind;

/// Marks a view's unread items as covered by a read mark. `$1` the user, `$2` the kind, `$3` the view, `$4` the mark.
pub(super) const COVER: &str =
    "UPDATE items SET unread = 0 WHERE user_key = $1 AND unread > 0 AND unread IN (1, 2)
    AND kind = $2 AND view = $3 AND auto AND content_at <= $4";

/// The smallest read marks that cover `$5 + 1` unread items, and as many that are archived as well, up to `$4`; NULL if
/// there are fewer. `$1` the user, `$2` the kind, `$3` the view. The first column is the read mark.
pub(super) const NTH_UNREAD: &str = "SELECT
    (SELECT mark FROM read_marks WHERE user_key = $1 AND kind = $2 AND view = $3),
    (SELECT content_at FROM items WHERE user_key = $1 AND unread > 0 AND unread = 1 AND kind = $2 AND view = $3 AND auto
        AND content_at <= $4 ORDER BY content_at OFFSET $5 LIMIT 1),
    (SELECT content_at FROM items WHERE user_key = $1 AND unread > 0 AND unread = 2 AND kind = $2 AND view = $3 AND auto
        AND content_at <= $4 ORDER BY content_at OFFSET $5 LIMIT 1)";

/// The condition and time column of items that a view's read mark can cover, which have an index. Messages are never
/// revised, so their time is that of creation, and they have an index of their own.
const fn covered(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Message => ("kind = 3 AND NOT deleted", "created_at"),
        Kind::Announcement | Kind::Reminder => ("kind < 3 AND auto", "content_at"),
    }
}

/// The `$6`-th item, counted from the newest and from 0, of a view whose content is from after `$4` up to `$5`. `$1` the
/// user, `$2` the kind, `$3` the view.
pub(super) fn nth_covered(kind: Kind) -> String {
    let (condition, at) = covered(kind);
    format!(
        "SELECT content_at FROM items WHERE user_key = $1 AND kind = $2 AND view = $3 AND {condition}
             AND {at} > $4 AND {at} <= $5 ORDER BY {at} DESC OFFSET $6 LIMIT 1"
    )
}

/// Makes items unread that a read mark covered after `$4` up to `$5`, unless they are read individually, own, deleted
/// or closed.
pub(super) fn uncover(kind: Kind) -> String {
    let (condition, at) = covered(kind);
    format!(
        "UPDATE items SET unread = CASE WHEN archived_at IS NULL THEN 1 ELSE 2 END
         WHERE user_key = $1 AND kind = $2 AND view = $3 AND {condition} AND {at} > $4 AND {at} <= $5 AND auto
             AND NOT own AND NOT deleted AND NOT closed AND read_at IS NULL"
    )
}

/// Gives a new version to items that a read mark covered after `$4` up to `$5` and that are read individually. Each
/// gets a stamp of its own from `$6` on, in the order of their content. The mark had hidden their own `read_at`, so
/// that a reader cannot derive it. The items created at `$7` keep their version.
pub(super) fn restamp_read_individually(kind: Kind) -> String {
    let (condition, at) = covered(kind);
    format!(
        "UPDATE items i SET stamp = $6 + m.nth, version = i.version + 1
         FROM (SELECT created_at AS at, row_number() OVER (ORDER BY {at}) - 1 AS nth
             FROM items WHERE user_key = $1 AND kind = $2 AND view = $3 AND {condition} AND {at} > $4 AND {at} <= $5
                 AND created_at <> ALL($7) AND auto AND NOT deleted AND read_at IS NOT NULL) m
         WHERE i.user_key = $1 AND i.created_at = m.at"
    )
}

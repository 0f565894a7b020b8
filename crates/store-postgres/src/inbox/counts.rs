//! Counts the unread items of an inbox in one statement, each count up to a cap.

use tidings_model::wire::{Count, UnreadCounts};
use tidings_model::{Kind, Stamp, View};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits;

use crate::counted::Counted;
use crate::read_state;
use crate::session::{Columns, Session, rows};

/// The count of a query that stops one row after the cap.
pub(super) fn capped(n: i64, cap: u64) -> Count {
    let n = u64::try_from(n).unwrap_or(0);
    Count { count: n.min(cap), capped: n > cap }
}

/// One more than the cap.
pub(super) fn count_limit(cap: u64) -> i64 {
    i64::try_from(cap).unwrap_or(i64::MAX - 1) + 1
}

/// The unread counts by kind (rows without a view), then those of conversations with unread items, by their ids. `$1` is
/// the user, `$2` the time, `$3` the count limit, `$4` the most conversations. Views are found one after the other along
/// the index, so that a conversation costs one look-up, however much is unread in it.
const UNREAD: &str = "WITH RECURSIVE views AS (
        (SELECT view FROM items WHERE user_key = $1 AND unread > 0 AND unread = 1 AND kind = 3 ORDER BY view LIMIT 1)
        UNION ALL
        SELECT (SELECT i.view FROM items i WHERE i.user_key = $1 AND i.unread > 0 AND i.unread = 1 AND i.kind = 3
                AND i.view > v.view ORDER BY i.view LIMIT 1)
            FROM views v WHERE v.view IS NOT NULL)
    SELECT k.kind, NULL AS view, (SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.user_key = $1 AND i.unread > 0
            AND i.unread = 1 AND i.kind = k.kind AND (i.snoozed_until IS NULL OR i.snoozed_until <= $2) LIMIT $3) x)
        FROM (VALUES (1::smallint), (2::smallint), (3::smallint)) k (kind)
    UNION ALL
    (SELECT 3::smallint, c.view, c.n FROM (SELECT v.view, (SELECT count(*) FROM (SELECT 1 FROM items i
            WHERE i.user_key = $1 AND i.unread > 0 AND i.unread = 1 AND i.kind = 3 AND i.view = v.view
                AND (i.snoozed_until IS NULL OR i.snoozed_until <= $2) LIMIT $3) x) AS n
        FROM views v WHERE v.view IS NOT NULL) c WHERE c.n > 0 LIMIT $4)";

impl Counted {
    /// Counts an inbox up to one more than `cap`.
    pub(super) async fn of(db: &Session, user: UserKey, cap: u64, now: Stamp) -> Result<Self, Error> {
        let most = rows(limits::CONVERSATIONS_LIMIT);
        let found = db.query_in_order(UNREAD, &[&user.0, &now.as_micros(), &count_limit(cap), &most]).await?;
        let mut counted = Self::default();
        for row in found {
            let (kind, view, n): (i16, Option<String>, i64) = (row.at(0)?, row.at(1)?, row.at(2)?);
            let n = u64::try_from(n).unwrap_or_default();
            match (view, Kind::from_row(i64::from(kind))) {
                (Some(view), _) => {
                    counted.conversations.insert(view, n);
                }
                (None, Some(Kind::Announcement)) => counted.kinds[0] = n,
                (None, Some(Kind::Reminder)) => counted.kinds[1] = n,
                (None, _) => counted.kinds[2] = n,
            }
        }
        Ok(counted)
    }

    /// The answer with a cap up to which this was counted at least.
    pub(crate) fn answer(&self, cap: u64) -> UnreadCounts {
        let count = |n: u64| Count { count: n.min(cap), capped: n > cap };
        let [announcement, reminder, message] = self.kinds;
        UnreadCounts {
            total: count(announcement + reminder + message),
            announcement: count(announcement),
            reminder: count(reminder),
            message: count(message),
            conversations: self.conversations.iter().map(|(id, n)| (id.clone(), count(*n))).collect(),
        }
    }
}

/// All unread counts of an inbox, each up to `cap`: those of at most [`limits::CONVERSATIONS_LIMIT`] conversations.
pub(super) async fn unread(db: &Session, user: UserKey, cap: u64, now: Stamp) -> Result<UnreadCounts, Error> {
    Ok(Counted::of(db, user, cap, now).await?.answer(cap))
}

/// A view's read mark and its unread count. `$1` the user, `$2` the kind, `$3` the view, `$4` the time, `$5` the count
/// limit.
const VIEW: &str = "SELECT (SELECT mark FROM read_marks WHERE user_key = $1 AND kind = $2 AND view = $3),
    (SELECT count(*) FROM (SELECT 1 FROM items WHERE user_key = $1 AND unread > 0 AND unread = 1 AND kind = $2
        AND view = $3 AND (snoozed_until IS NULL OR snoozed_until <= $4) LIMIT $5) x)";

/// A view's read mark and unread count, up to `cap`.
pub(super) async fn view(
    db: &Session,
    user: UserKey,
    view: &View,
    cap: u64,
    now: Stamp,
) -> Result<(Option<Stamp>, Count), Error> {
    let (kind, id) = read_state::view_key(view);
    let row = db
        .query_one(VIEW, &[&user.0, &read_state::kind_row(kind), &id, &now.as_micros(), &count_limit(cap)])
        .await?;
    Ok((row.time(0)?, capped(row.at(1)?, cap)))
}

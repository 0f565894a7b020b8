//! Reads everything created up to a time: items of manual class individually, those of auto class by their view's mark.

use std::collections::VecDeque;

use tidings_model::{Kind, Stamp};
use tidings_store::Error;
use tidings_store::domain::item::UnreadState;

use super::{ViewKey, kind_row, marks};
use crate::portions::{Portion, Progress};
use crate::session::{Columns, Values, rows};

/// Marks the next unread items that are of manual class as read, each at its own stamp from `$6` on in the order of
/// creation. `$1` the user, `$2` the state, `$3` the kind, `$4` the time, `$5` the most rows.
const READ_NEXT: &str =
    "WITH read AS (UPDATE items i SET stamp = $6 + m.nth, read_at = $6 + m.nth, version = i.version + 1, unread = 0
        FROM (SELECT x.created_at AS at, row_number() OVER (ORDER BY x.created_at) - 1 AS nth
            FROM (SELECT created_at FROM items WHERE user_key = $1 AND unread > 0 AND stamp > 0 AND unread = $2
                    AND kind = $3 AND created_at <= $4 AND NOT auto ORDER BY created_at LIMIT $5) x) m
        WHERE i.user_key = $1 AND i.created_at = m.at RETURNING 1)
    SELECT count(*) FROM read";

/// The next unread items of auto class. `$1` the user, `$2` the state, `$3` the kind, `$4` after a time, `$5` up to
/// another, `$6` the most rows.
const NEXT_UNREAD: &str =
    "SELECT created_at, view FROM items WHERE user_key = $1 AND unread > 0 AND stamp > 0 AND unread = $2
    AND kind = $3 AND created_at > $4 AND created_at <= $5 AND auto ORDER BY created_at LIMIT $6";

/// The position among unread items: ranges of kind and state one after the other, each in the order of creation.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadAllCursor {
    range: usize,
    after: Stamp,
    /// The views whose read marks are being moved. An unfinished move is completed even if no unread item is left in
    /// the view, so that the mark also covers the user's own items.
    views: VecDeque<ViewKey>,
}

/// Reads everything of one kind, or of all, as far as the budget permits.
pub(super) async fn read_all(
    portion: &mut Portion<'_, '_>,
    kind: Option<Kind>,
    through: Stamp,
    cursor: &mut ReadAllCursor,
) -> Result<Progress, Error> {
    let ranges: Vec<(Kind, UnreadState)> = Kind::ALL
        .into_iter()
        .filter(|k| kind.is_none_or(|wanted| wanted == *k))
        .flat_map(|kind| [(kind, UnreadState::Unread), (kind, UnreadState::Archived)])
        .collect();
    while let Some((kind, state)) = ranges.get(cursor.range).copied() {
        if portion.budget.is_spent() {
            return Ok(Progress::More);
        }
        if let Some(view) = cursor.views.front().cloned() {
            match marks::advance(portion, &view, through, None).await? {
                Progress::Done => drop(cursor.views.pop_front()),
                progress => return Ok(progress),
            }
            continue;
        }
        // Only reminders may be of manual class.
        if kind == Kind::Reminder && read_next(portion, (kind, state), through).await? > 0 {
            continue;
        }
        if !find_views(portion, (kind, state), through, cursor).await? {
            cursor.range += 1;
            cursor.after = Stamp::ZERO;
            continue;
        }
        let views = cursor.views.iter().map(|view| (view, through));
        let missing =
            portion.unlocked(marks::lock_set(portion.tx, portion.user, &portion.bounds, views).await?);
        if !missing.is_empty() {
            return Ok(Progress::Locks(missing));
        }
    }
    Ok(Progress::Done)
}

/// Reads the next items of manual class; gives their number.
async fn read_next(
    portion: &mut Portion<'_, '_>,
    (kind, state): (Kind, UnreadState),
    through: Stamp,
) -> Result<usize, Error> {
    let (user, state, kind, upto) = (portion.user, state_row(state), kind_row(kind), through.as_micros());
    let first = portion.locked.coming_stamp(user).as_micros();
    let values: Values<'_> = &[&user.0, &state, &kind, &upto, &rows(portion.budget.batch_rows()), &first];
    let found = portion.tx.query_in_order(READ_NEXT, values).await?;
    let read = found.first().map(|row| row.count(0)).transpose()?.unwrap_or_default();
    portion.locked.assign(user, read);
    portion.budget.charge(read);
    Ok(read)
}

/// Finds the next views that hold anything unread; false if there is none.
async fn find_views(
    portion: &Portion<'_, '_>,
    (kind, state): (Kind, UnreadState),
    through: Stamp,
    cursor: &mut ReadAllCursor,
) -> Result<bool, Error> {
    let (after, upto) = (cursor.after.as_micros(), through.as_micros());
    let values: Values<'_> = &[
        &portion.user.0,
        &state_row(state),
        &kind_row(kind),
        &after,
        &upto,
        &rows(portion.bounds.unread_items),
    ];
    for row in portion.tx.query_in_order(NEXT_UNREAD, values).await? {
        cursor.after = row.stamp(0)?;
        let view = ViewKey { kind, view: row.at(1)? };
        if !cursor.views.contains(&view) {
            cursor.views.push_back(view);
        }
    }
    Ok(!cursor.views.is_empty())
}

fn state_row(state: UnreadState) -> i16 {
    i16::try_from(state.as_row()).unwrap_or_default()
}

//! The marks of views: forward when they are looked at, back only for one item. Refuses to touch the items' versions:
//! who reads them derives their state from the mark.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, Stamp, View};

use super::work::Work;
use super::{groups, ops};
use crate::domain::account::UserKey;
use crate::domain::item::Standing;
use crate::error::Error;
use crate::store::{Ripple, Visit};

/// The kind and the view of a row.
pub(super) fn place(view: &View) -> (Kind, &str) {
    match view {
        View::Announcements => (Kind::Announcement, "all"),
        View::Conversation(id) => (Kind::Message, id),
        View::Target(id) => (Kind::Reminder, id),
    }
}

/// The view of a row.
pub(super) fn view(kind: Kind, id: String) -> View {
    match kind {
        Kind::Announcement => View::Announcements,
        Kind::Message => View::Conversation(id),
        Kind::Reminder => View::Target(id),
    }
}

/// A view's mark, and the stamp of its last move.
pub(super) fn mark(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
) -> Result<Option<(Stamp, Stamp)>, Error> {
    Ok(conn
        .prepare_cached("SELECT mark, stamp FROM views WHERE user = ?1 AND kind = ?2 AND view = ?3")?
        .query_row(params![user.0, kind.as_row(), view], |r| {
            Ok((Stamp::from_micros(r.get(0)?), Stamp::from_micros(r.get(1)?)))
        })
        .optional()?)
}

/// Looks at a view. Its mark goes at most to the newest stamp handed out: what comes later was not seen.
pub(super) fn visit(
    work: &mut Work<'_>,
    user: UserKey,
    view: &View,
    visit: &Visit,
    ripple: &mut Ripple,
) -> Result<Stamp, Error> {
    let (kind, id) = place(view);
    let to = match visit {
        // Stamps may run ahead of the clock: now is when the newest of them was handed out.
        Visit::Now => work.last(),
        Visit::At(at) => (*at).min(work.last()),
        Visit::Item(msgid) => {
            let unknown = || Error::not_found("message in this conversation");
            let at = ops::created_at(work.tx, msgid)?.ok_or_else(unknown)?;
            let (found, found_item) = ops::item(work.tx, user, at)?.ok_or_else(unknown)?;
            if found.kind != kind || found.view != id {
                return Err(unknown());
            }
            found_item.content_at()
        }
    };
    forward(work, user, kind, id, to, ripple)?;
    Ok(mark(work.tx, user, kind, id)?.map_or(to, |(mark, _)| mark))
}

/// Moves a mark forward, never back.
pub(super) fn forward(
    work: &mut Work<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    to: Stamp,
    ripple: &mut Ripple,
) -> Result<(), Error> {
    if mark(work.tx, user, kind, view)?.is_some_and(|(mark, _)| mark >= to) {
        return Ok(());
    }
    let stamp = set(work, user, kind, view, to)?;
    for standing in [Standing::Unread, Standing::Archived] {
        work.tx
            .prepare_cached(
                "UPDATE items INDEXED BY items_unread_of_view SET unread = 0 WHERE user = ?1 AND unread > 0
                     AND unread = ?5 AND kind = ?2 AND view = ?3 AND auto = 1 AND content_at <= ?4",
            )?
            .execute(params![user.0, kind.as_row(), view, to.as_micros(), standing.as_row()])?;
    }
    if let (Kind::Message, Some(group)) = (kind, view.strip_prefix("group:")) {
        groups::ack(work, user, group, to, stamp, ripple)?;
    }
    Ok(())
}

/// Moves a mark back: what lies between is unread again, unless something else says that it isn't.
pub(super) fn back(
    work: &mut Work<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    to: Stamp,
) -> Result<(), Error> {
    let Some((was, _)) = mark(work.tx, user, kind, view)? else { return Ok(()) };
    set(work, user, kind, view, to)?;
    work.tx
        .prepare_cached(
            "UPDATE items SET unread = CASE WHEN archived_at IS NULL THEN 1 ELSE 2 END
             WHERE user = ?1 AND content_at > ?4 AND content_at <= ?5 AND kind = ?2 AND view = ?3 AND auto = 1
                 AND own = 0 AND deleted = 0 AND read_at IS NULL",
        )?
        .execute(params![user.0, kind.as_row(), view, to.as_micros(), was.as_micros()])?;
    Ok(())
}

fn set(work: &mut Work<'_>, user: UserKey, kind: Kind, view: &str, to: Stamp) -> Result<Stamp, Error> {
    let stamp = work.stamp();
    work.tx
        .prepare_cached(
            "INSERT INTO views (user, kind, view, mark, stamp) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET mark = excluded.mark, stamp = excluded.stamp",
        )?
        .execute(params![user.0, kind.as_row(), view, to.as_micros(), stamp.as_micros()])?;
    Ok(stamp)
}

//! Converts a row of an inbox into a notification of the API. A tombstone has no content.

use tidings_model::notification::{ANNOUNCEMENTS_THREAD, reminder_thread};
use tidings_model::wire::ViewMark;
use tidings_model::{Actor, Content, Kind, MsgId, Notification, Receipt, Stamp, Target};
use tokio_postgres::Row;

use crate::domain::item::Item;
use crate::domain::limits;
use crate::error::Error;
use crate::store::postgres::session::Columns;

/// The columns that [`notification`] reads, from items `i` and [`JOINS`]. The last one is the size of the content, a lower bound of that
/// of the notification as JSON.
pub(super) const COLUMNS: &str = "i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at,
    i.read_at, i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at, n.msgid, n.actor_id, n.actor_name,
    n.action, n.target_type, n.target_id, n.target_details, CASE WHEN i.deleted THEN '' ELSE n.content END AS content,
    g.read_count, g.members, v.stamp AS mark_stamp,
    CASE WHEN i.deleted THEN 0 ELSE octet_length(n.content) END AS bytes";

/// The number of [`COLUMNS`]: a query may have more columns after them.
pub(super) const COLUMN_COUNT: usize = 26;

/// What is looked up for each item `i`: its notification `n`, its view's read mark `v`, and the read count `g` of the
/// user's own group message. By `LATERAL` with a `LIMIT`, which keeps PostgreSQL from reading a whole table into a hash.
pub(super) const JOINS: &str = "CROSS JOIN LATERAL (SELECT * FROM notifications WHERE created_at = i.created_at LIMIT 1) n
    LEFT JOIN LATERAL (SELECT mark, stamp FROM read_marks WHERE i.auto AND user_key = i.user_key AND kind = i.kind
        AND view = i.view LIMIT 1) v ON true
    LEFT JOIN LATERAL (SELECT read_count, members FROM group_messages WHERE i.own AND created_at = i.created_at
        LIMIT 1) g ON true";

/// A query of rows in this order that ends where their content alone fills a page, so that no more of a large inbox is
/// read than is sent. `rows` selects [`COLUMNS`] among others, up to its own limit.
pub(super) fn page_of(rows: &str, order: &str) -> String {
    let most = limits::PAGE_BYTES;
    format!(
        "SELECT * FROM (SELECT p.*, sum(p.bytes) OVER (ORDER BY p.{order} ROWS UNBOUNDED PRECEDING) - p.bytes AS before
             FROM ({rows}) p) q WHERE q.before <= {most} ORDER BY q.{order}"
    )
}

/// The item of a row that begins with [`COLUMNS`].
fn item(row: &Row) -> Result<Item, Error> {
    Ok(Item {
        created_at: row.stamp(0)?,
        auto: row.at(5)?,
        own: row.at(6)?,
        seen_at: row.time(7)?,
        read_at: row.time(8)?,
        archived_at: row.time(9)?,
        snoozed_until: row.time(10)?,
        deleted: row.at(11)?,
        mark: row.time(12)?,
        revised_at: row.stamp_or_none(13)?,
    })
}

/// The notification of a row that begins with [`COLUMNS`].
pub(super) fn notification(row: &Row) -> Result<Notification, Error> {
    let item = item(row)?;
    let kind = Kind::from_row(row.at::<i16>(3)?.into()).unwrap_or(Kind::Reminder);
    let view: String = row.at(4)?;
    let action: String = row.at(17)?;
    let target = (kind == Kind::Reminder)
        .then(|| Ok::<_, Error>(Target { kind: row.at(18)?, id: row.at(19)?, ..Target::default() }))
        .transpose()?;
    let thread = match (&target, kind) {
        (Some(target), _) => reminder_thread(target, &action),
        (None, Kind::Announcement) => ANNOUNCEMENTS_THREAD.to_owned(),
        (None, _) => view.clone(),
    };
    let mut notification = Notification {
        msgid: MsgId(row.at(14)?),
        stamp: row.stamp(1)?,
        version: count(row, 2)?.unwrap_or_default(),
        kind,
        created_at: item.created_at,
        thread,
        actor: Actor { id: row.at(15)?, name: row.at(16)? },
        action: (kind == Kind::Reminder).then_some(action),
        target,
        conversation: (kind == Kind::Message).then_some(view),
        content: Content::default(),
        seen_at: None,
        read_at: None,
        archived_at: None,
        snoozed_until: None,
        auto: item.auto,
        revised_at: item.revised_at,
        deleted: item.deleted,
        receipt: None,
    };
    if !item.deleted {
        fill(row, &item, &mut notification)?;
        notification.receipt =
            count(row, 22)?.zip(count(row, 23)?).map(|(read, members)| Receipt { read, members });
    }
    Ok(notification)
}

/// A counter in a row.
pub(super) fn count(row: &Row, column: usize) -> Result<Option<u32>, Error> {
    Ok(row.at::<Option<i64>>(column)?.map(|n| u32::try_from(n).unwrap_or_default()))
}

/// The mark of the item's view, where that is what makes the item read.
pub(super) fn reading_mark(row: &Row, item: &Notification) -> Result<Option<ViewMark>, Error> {
    let mark = row.time(12)?;
    let (Some(through), Some(view)) =
        (mark.filter(|mark| item.auto && item.read_at == Some(*mark)), item.view())
    else {
        return Ok(None);
    };
    Ok(Some(ViewMark { view, through, stamp: row.time(24)?.unwrap_or(Stamp::ZERO) }))
}

fn fill(row: &Row, item: &Item, into: &mut Notification) -> Result<(), Error> {
    let target_details: &str = row.at(20)?;
    if let Some(target) = into.target.as_mut()
        && !target_details.is_empty()
    {
        (target.title, target.url, target.owner) = serde_json::from_str(target_details)?;
    }
    into.content = serde_json::from_str(row.at(21)?)?;
    into.seen_at = item.seen_at;
    into.read_at = item.read_at();
    into.archived_at = item.archived_at;
    into.snoozed_until = item.snoozed_until;
    Ok(())
}

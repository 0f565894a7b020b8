//! Converts a row of an inbox into a notification of the API. A tombstone has no content.

use rusqlite::Row;
use tidings_model::notification::{ANNOUNCEMENTS_THREAD, reminder_thread};
use tidings_model::wire::ViewMark;
use tidings_model::{Actor, Content, Kind, MsgId, Notification, Receipt, Stamp, Target};

use crate::domain::item::Item;
use crate::store::sqlite::tables::items;

/// The columns that [`notification`] reads, from [`FROM`].
pub(super) const COLUMNS: &str = "i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at,
    i.read_at, i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at, n.msgid, n.actor_id, n.actor_name,
    n.action, n.target_type, n.target_id, n.target_details, n.content, g.read_count, g.members, v.stamp";

/// The tables of a row: items `i` with their notification `n`, their view's read mark `v`, and the read count `g` of
/// the user's own group messages.
pub(super) const FROM: &str = "items i CROSS JOIN notifications n ON n.created_at = i.created_at
    LEFT JOIN read_marks v ON i.auto = 1 AND v.user = i.user AND v.kind = i.kind AND v.view = i.view
    LEFT JOIN group_messages g ON i.own = 1 AND g.created_at = i.created_at";

/// The notification of a row with [`COLUMNS`].
pub(super) fn notification(row: &Row<'_>) -> rusqlite::Result<Notification> {
    let item = items::from_row(row)?;
    let kind = Kind::from_row(row.get(3)?).unwrap_or(Kind::Reminder);
    let view: String = row.get(4)?;
    let action: String = row.get(17)?;
    let target = (kind == Kind::Reminder).then_some(Target {
        kind: row.get(18)?,
        id: row.get(19)?,
        ..Target::default()
    });
    let thread = match (&target, kind) {
        (Some(target), _) => reminder_thread(target, &action),
        (None, Kind::Announcement) => ANNOUNCEMENTS_THREAD.to_owned(),
        (None, _) => view.clone(),
    };
    let read: Option<u32> = row.get(22)?;
    let members: Option<u32> = row.get(23)?;
    let mut notification = Notification {
        msgid: MsgId(row.get(14)?),
        stamp: Stamp::from_micros(row.get(1)?),
        version: row.get(2)?,
        kind,
        created_at: item.created_at,
        thread,
        actor: Actor { id: row.get(15)?, name: row.get(16)? },
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
        notification.receipt = read.zip(members).map(|(read, members)| Receipt { read, members });
    }
    Ok(notification)
}

/// The mark of the item's view, where that is what makes the item read.
pub(super) fn reading_mark(row: &Row<'_>, item: &Notification) -> rusqlite::Result<Option<ViewMark>> {
    let mark: Option<Stamp> = row.get::<_, Option<i64>>(12)?.map(Stamp::from_micros);
    let (Some(through), Some(view)) =
        (mark.filter(|mark| item.auto && item.read_at == Some(*mark)), item.view())
    else {
        return Ok(None);
    };
    Ok(Some(ViewMark { view, through, stamp: Stamp::from_micros(row.get(24)?) }))
}

fn fill(row: &Row<'_>, item: &Item, into: &mut Notification) -> rusqlite::Result<()> {
    let target_details: &str = row.get_ref(20)?.as_str()?;
    if let Some(target) = into.target.as_mut()
        && !target_details.is_empty()
    {
        (target.title, target.url, target.owner) = json(20, target_details)?;
    }
    into.content = json(21, row.get_ref(21)?.as_str()?)?;
    into.seen_at = item.seen_at;
    into.read_at = item.read_at();
    into.archived_at = item.archived_at;
    into.snoozed_until = item.snoozed_until;
    Ok(())
}

fn json<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

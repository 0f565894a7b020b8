//! Turns a row of an inbox into the notification that goes over the wire. Refuses to let content through on a
//! tombstone.

use rusqlite::Row;
use tidings_model::notification::{ANNOUNCEMENTS_THREAD, reminder_thread};
use tidings_model::{Actor, Content, Format, Kind, MsgId, Notification, Priority, Receipt, Stamp, Target};

use crate::domain::draft::Extra;
use crate::domain::item::Item;

/// The columns that [`notification`] reads, from [`FROM`].
pub(super) const COLUMNS: &str = "i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at,
    i.read_at, i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at, n.msgid, n.actor_id, n.actor_name,
    n.action, n.target_type, n.target_id, n.target_more, n.title, n.body, n.format, n.priority, n.extra, g.read_count, g.members";

/// Items `i` with their notification, their view's mark, and the receipt on the user's own group messages.
pub(super) const FROM: &str = "items i CROSS JOIN notifications n ON n.created_at = i.created_at
    LEFT JOIN views v ON i.auto = 1 AND v.user = i.user AND v.kind = i.kind AND v.view = i.view
    LEFT JOIN group_messages g ON i.own = 1 AND g.created_at = i.created_at";

/// An optional time of a row.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Stamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Stamp::from_micros))
}

/// When something was revised; a row says 0 for never.
pub(super) fn revised_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Stamp>> {
    Ok(Some(row.get(column)?).filter(|at| *at > 0).map(Stamp::from_micros))
}

/// The item as the rules see it.
pub(super) fn item(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        created_at: Stamp::from_micros(row.get(0)?),
        auto: row.get(5)?,
        own: row.get(6)?,
        seen_at: time(row, 7)?,
        read_at: time(row, 8)?,
        archived_at: time(row, 9)?,
        snoozed_until: time(row, 10)?,
        deleted: row.get(11)?,
        mark: time(row, 12)?,
        revised_at: revised_at(row, 13)?,
    })
}

/// The notification of a row with [`COLUMNS`].
pub(super) fn notification(row: &Row<'_>) -> rusqlite::Result<Notification> {
    let item = item(row)?;
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
    let read: Option<u32> = row.get(26)?;
    let members: Option<u32> = row.get(27)?;
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

fn fill(row: &Row<'_>, item: &Item, into: &mut Notification) -> rusqlite::Result<()> {
    let more: &str = row.get_ref(20)?.as_str()?;
    if let Some(target) = into.target.as_mut()
        && !more.is_empty()
    {
        (target.title, target.url, target.owner) = json(20, more)?;
    }
    into.content.title = row.get(21)?;
    into.content.body = row.get(22)?;
    into.content.format = if row.get::<_, i64>(23)? == 1 { Format::Markdown } else { Format::Plain };
    into.content.priority = Priority::new(row.get(24)?).unwrap_or_default();
    let extra: &str = row.get_ref(25)?.as_str()?;
    if !extra.is_empty() {
        let extra: Extra = json(25, extra)?;
        into.content.tags = extra.tags;
        into.content.url = extra.url;
        into.content.icon = extra.icon;
        into.content.actions = extra.actions;
        into.content.attachment = extra.attachment;
        into.content.data = extra.data;
    }
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

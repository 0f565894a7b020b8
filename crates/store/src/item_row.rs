//! Converts a row of an inbox into a notification of the API. A tombstone has no content.
//!
//! The columns, in this order:
//! `created_at, stamp, version, kind, view, auto, own, seen_at, read_at, archived_at, snoozed_until, deleted` of the
//! item, the mark of its view, `revised_at`, `edited_at` and `closed` of the item. Then come
//! `msgid, actor_id, actor_name, action, target_type, target_id, target_details, content` of the notification, and
//! `read_count, members` of a group message of the user's own. The last ones are the stamp of the view's mark, and
//! `delivered_count` of that group message.

use tidings_model::notification::{ANNOUNCEMENTS_THREAD, reminder_thread};
use tidings_model::wire::ViewMark;
use tidings_model::{Actor, Content, Kind, MsgId, Notification, Receipt, Stamp, Target, View};

use super::fields::Fields;
use crate::Error;
use crate::domain::item::{Item, MarkTimes};

/// The columns `kind` and `view` of a view.
pub fn view_key(view: &View) -> (Kind, &str) {
    match view {
        View::Announcements => (Kind::Announcement, "all"),
        View::Conversation(id) => (Kind::Message, id),
        View::Target(id) => (Kind::Reminder, id),
    }
}

/// The item of a row that has at least the columns up to `closed`; without the times of its marks.
pub fn item(row: &impl Fields) -> Result<Item, Error> {
    Ok(Item {
        created_at: row.stamp(0)?,
        auto: row.flag(5)?,
        own: row.flag(6)?,
        seen_at: row.time(7)?,
        read_at: row.time(8)?,
        archived_at: row.time(9)?,
        snoozed_until: row.time(10)?,
        deleted: row.flag(11)?,
        mark: row.time(12)?,
        mark_read_at: None,
        revised_at: row.stamp_or_none(13)?,
        edited_at: row.stamp_or_none(14)?,
        closed: row.flag(15)?,
        marked: MarkTimes::default(),
    })
}

/// The notification of a row.
pub fn notification(row: &impl Fields) -> Result<Notification, Error> {
    let item = item(row)?;
    let kind = row.kind(3)?;
    let (view, action) = (row.string(4)?, row.string(19)?);
    let target = (kind == Kind::Reminder)
        .then(|| Ok::<_, Error>(Target { kind: row.string(20)?, id: row.string(21)?, ..Target::default() }))
        .transpose()?;
    let thread = match (&target, kind) {
        (Some(target), _) => reminder_thread(target, &action),
        (None, Kind::Announcement) => ANNOUNCEMENTS_THREAD.to_owned(),
        (None, _) => view.clone(),
    };
    let mut notification = Notification {
        msgid: MsgId(row.string(16)?),
        stamp: row.stamp(1)?,
        version: row.counter(2)?.unwrap_or_default(),
        kind,
        created_at: item.created_at,
        thread,
        actor: Actor { id: row.string(17)?, name: row.string(18)? },
        action: (kind == Kind::Reminder).then_some(action),
        target,
        conversation: (kind == Kind::Message).then_some(view),
        content: Content::default(),
        seen_at: None,
        read_at: None,
        archived_at: None,
        snoozed_until: None,
        auto: item.auto,
        revised_at: item.revised_at.or(item.edited_at),
        deleted: item.deleted,
        receipt: None,
    };
    if !item.deleted {
        fill(row, &item, &mut notification)?;
        notification.receipt = row
            .counter(24)?
            .zip(row.counter(25)?)
            .zip(row.counter(27)?)
            .map(|((read, members), delivered)| Receipt { read, delivered, members });
    }
    Ok(notification)
}

/// The mark of the item's view, if that is what makes the item read.
pub(crate) fn reading_mark(row: &impl Fields, item: &Notification) -> Result<Option<ViewMark>, Error> {
    let mark = row.time(12)?;
    let (Some(through), Some(view)) =
        (mark.filter(|mark| item.auto && item.read_at == Some(*mark)), item.view())
    else {
        return Ok(None);
    };
    Ok(Some(ViewMark { view, through, stamp: row.time(26)?.unwrap_or(Stamp::ZERO) }))
}

fn fill(row: &impl Fields, item: &Item, into: &mut Notification) -> Result<(), Error> {
    let target_details = row.text(22)?;
    if let Some(target) = into.target.as_mut()
        && !target_details.is_empty()
    {
        (target.title, target.url, target.owner) = serde_json::from_str(target_details)?;
    }
    into.content = serde_json::from_str(row.text(23)?)?;
    into.seen_at = item.seen_at;
    // Who posted an announcement has read it, also what it was revised to.
    let is_poster = item.own && into.kind == Kind::Announcement;
    into.read_at = item.read_at().or_else(|| is_poster.then(|| item.content_at()));
    into.archived_at = item.archived_at;
    into.snoozed_until = item.snoozed_until;
    Ok(())
}

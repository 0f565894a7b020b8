//! How rows become the replica's words: the one place that knows the order of an item's columns. Refuses to decide.

mod brief;

use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tidings_model::{
    Action, Actor, Attachment, Content, Format, Kind, MsgId, Notification, Priority, Receipt, Stamp, Target,
};

use crate::{Item, ItemId, Result, ThreadId, ThreadPreview, text};

pub(crate) use self::brief::{BRIEF, Brief, Marks};

/// A column that holds a kind.
pub(crate) fn kind(row: &Row<'_>, at: usize) -> rusqlite::Result<Kind> {
    let n: i64 = row.get(at)?;
    Kind::from_row(n).ok_or(rusqlite::Error::IntegralValueOutOfRange(at, n))
}

/// A column that holds a time.
pub(crate) fn stamp(row: &Row<'_>, at: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp::from_micros(row.get(at)?))
}

/// A column that may hold a time.
pub(crate) fn time(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Stamp>> {
    Ok(row.get::<_, Option<i64>>(at)?.map(Stamp::from_micros))
}

/// A column that holds a number of things.
pub(crate) fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let n: i64 = row.get(at)?;
    u64::try_from(n).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, n))
}

/// A column that holds JSON.
pub(crate) fn json<T: for<'de> Deserialize<'de>>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(at)?.as_str()?;
    serde_json::from_str(text)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(e)))
}

/// What an item has besides its columns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rest {
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    #[serde(rename = "f", default, skip_serializing_if = "is_plain")]
    format: Format,
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    icon: Option<String>,
    #[serde(rename = "b", default, skip_serializing_if = "Vec::is_empty")]
    actions: Vec<Action>,
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    attachment: Option<Attachment>,
    #[serde(rename = "d", default, skip_serializing_if = "Map::is_empty")]
    data: Map<String, Value>,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    receipt: Option<Receipt>,
}

/// The same, borrowed from a notification that is to be written.
#[derive(Serialize)]
struct RestOf<'a> {
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    target: Option<&'a Target>,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    conversation: Option<&'a str>,
    #[serde(rename = "f", skip_serializing_if = "is_plain")]
    format: Format,
    #[serde(rename = "g", skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    #[serde(rename = "u", skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(rename = "i", skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    #[serde(rename = "b", skip_serializing_if = "<[Action]>::is_empty")]
    actions: &'a [Action],
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    attachment: Option<&'a Attachment>,
    #[serde(rename = "d", skip_serializing_if = "Map::is_empty")]
    data: &'a Map<String, Value>,
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    receipt: Option<Receipt>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_plain(format: &Format) -> bool {
    *format == Format::Plain
}

/// What of a notification goes into the column `rest`.
pub(crate) fn rest(n: &Notification) -> Result<String> {
    Ok(serde_json::to_string(&RestOf {
        target: n.target.as_ref(),
        conversation: n.conversation.as_deref(),
        format: n.content.format,
        tags: &n.content.tags,
        url: n.content.url.as_deref(),
        icon: n.content.icon.as_deref(),
        actions: &n.content.actions,
        attachment: n.content.attachment.as_ref(),
        data: &n.content.data,
        receipt: n.receipt,
    })?)
}

/// What a thread's row shows of its newest item.
pub(crate) fn last(n: &Notification, own: bool) -> ThreadPreview {
    const DATA: usize = 4 * 1024;
    let small = |data: &Map<String, Value>| {
        data.is_empty() || serde_json::to_string(data).is_ok_and(|text| text.len() <= DATA)
    };
    ThreadPreview {
        msgid: n.msgid.0.clone(),
        actor: n.actor.clone(),
        own,
        action: n.action.clone(),
        target: n.target.clone(),
        conversation: n.conversation.clone(),
        title: text::snippet(&n.content.title, ThreadPreview::SNIPPET),
        body: text::snippet(&n.content.body, ThreadPreview::SNIPPET),
        format: n.content.format,
        url: n.content.url.clone(),
        icon: n.content.icon.clone(),
        tags: n.content.tags.clone(),
        data: if small(&n.content.data) { n.content.data.clone() } else { Map::new() },
    }
}

/// The columns of [`item`], of `items i`, `threads t` and `views v`.
pub(crate) const ITEM: &str =
    "i.id, i.thread, i.source, i.msgid, i.stamp, i.version, i.kind, i.created_at, t.key,
    i.actor, i.actor_name, i.action, i.own, i.priority, i.view IS NOT NULL, v.through, i.seen_at, i.read_at,
    i.archived_at, i.snoozed_until, i.deleted, i.unread, i.title, i.body, i.rest,
    EXISTS (SELECT 1 FROM outbox_items o JOIN outbox b ON b.seq = o.op WHERE o.item = i.id AND b.act <> 'seen'),
    i.revised_at, i.content_at";

/// Where they come from; the items lead.
pub(crate) const ITEM_FROM: &str =
    "items i CROSS JOIN threads t ON t.id = i.thread LEFT JOIN views v ON v.id = i.view";

/// An item from the columns [`ITEM`].
pub(crate) fn item(r: &Row<'_>) -> rusqlite::Result<Item> {
    let rest: Rest = json(r, 24)?;
    let created_at = stamp(r, 7)?;
    let auto: bool = r.get(14)?;
    let (own_read, content_at) = (time(r, 17)?, stamp(r, 27)?);
    let mark = if auto { time(r, 15)?.filter(|mark| *mark >= content_at) } else { None };
    let priority: i64 = r.get(13)?;
    let notification = Notification {
        msgid: MsgId(r.get(3)?),
        stamp: stamp(r, 4)?,
        version: r.get(5)?,
        kind: kind(r, 6)?,
        created_at,
        thread: r.get(8)?,
        actor: Actor { id: r.get(9)?, name: r.get(10)? },
        action: r.get(11)?,
        target: rest.target,
        conversation: rest.conversation,
        content: Content {
            title: r.get(22)?,
            body: r.get(23)?,
            format: rest.format,
            priority: Priority::new(priority).unwrap_or_default(),
            tags: rest.tags,
            url: rest.url,
            icon: rest.icon,
            actions: rest.actions,
            attachment: rest.attachment,
            data: rest.data,
        },
        seen_at: time(r, 16)?,
        read_at: mark.or(own_read),
        archived_at: time(r, 18)?,
        snoozed_until: time(r, 19)?,
        auto,
        revised_at: time(r, 26)?,
        deleted: r.get(20)?,
        receipt: rest.receipt,
    };
    Ok(Item {
        id: r.get(0)?,
        thread: r.get(1)?,
        source: r.get(2)?,
        notification,
        unread: r.get(21)?,
        own: r.get(12)?,
        pending: r.get(25)?,
    })
}

/// The newest item of a thread: its id, `created_at`, priority, kind, and what the row shows.
pub(crate) fn newest(tx: &Connection, thread: ThreadId) -> Result<(ItemId, Stamp, u8, Kind, ThreadPreview)> {
    let sql = format!(
        "SELECT {ITEM} FROM {ITEM_FROM} WHERE i.thread = ?1 AND i.deleted = 0
         ORDER BY i.created_at DESC, i.id DESC LIMIT 1"
    );
    let found = tx.prepare_cached(&sql)?.query_row([thread], item)?;
    let n = &found.notification;
    Ok((found.id, n.created_at, n.content.priority.get(), n.kind, last(n, found.own)))
}

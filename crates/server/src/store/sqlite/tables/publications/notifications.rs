//! The table `notifications`: each publication once, however many users it reaches.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Content, MsgId, Stamp};

use crate::domain::account::UserKey;
use crate::domain::draft::Draft;
use crate::error::Error;
use crate::store::named::Named;
use crate::store::published::{Published, Said, published_columns, said_columns};
use crate::store::sqlite::tables::users;
use crate::store::sqlite::write_tx::WriteTx;

pub(crate) use crate::domain::item::Revision;

pub(crate) fn insert(ctx: &WriteTx<'_>, draft: &Draft, msgid: &MsgId, stamp: Stamp) -> Result<(), Error> {
    let name = match &draft.actor_name {
        Some(name) => name.clone(),
        None => users::by_id(ctx.tx, &draft.actor)?.map_or_else(|| draft.actor.clone(), |u| u.name),
    };
    let target = draft.target.as_ref();
    ctx.tx
        .prepare_cached(
            "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
                 target_details, content, publisher)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            stamp.as_micros(),
            msgid.as_str(),
            draft.kind.as_row(),
            draft.actor,
            name,
            draft.action,
            target.map_or("", |t| t.kind.as_str()),
            target.map_or("", |t| t.id.as_str()),
            target_details(draft)?,
            content_json(&draft.content)?,
            draft.posted_by.key(),
        ])?;
    Ok(())
}

/// The target's title, URL and owner as JSON; empty where it has none of them.
fn target_details(draft: &Draft) -> Result<String, Error> {
    match &draft.target {
        Some(t) if t.title.is_some() || t.url.is_some() || t.owner.is_some() => {
            Ok(serde_json::to_string(&(&t.title, &t.url, &t.owner))?)
        }
        _ => Ok(String::new()),
    }
}

/// The column `content`: JSON without the fields that have their default.
fn content_json(content: &Content) -> Result<String, Error> {
    Ok(serde_json::to_string(&content.stored(&[]))?)
}

/// Gives a publication new content.
pub(crate) fn revise(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    content: &Content,
    stamp: Stamp,
) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE notifications SET content = ?2, revised_at = ?3, revision = ?4 WHERE created_at = ?1",
        params![created_at.as_micros(), content_json(content)?, stamp.as_micros(), Revision::Content as i64],
    )?;
    Ok(())
}

/// Records that the publisher marked a publication as read for everyone.
pub(crate) fn clear(ctx: &WriteTx<'_>, created_at: Stamp, stamp: Stamp) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE notifications SET revised_at = ?2, revision = ?3 WHERE created_at = ?1",
        params![created_at.as_micros(), stamp.as_micros(), Revision::Clear as i64],
    )?;
    Ok(())
}

/// Records that a publication was deleted for everyone, and erases what it said.
pub(crate) fn erase(ctx: &WriteTx<'_>, created_at: Stamp, stamp: Stamp) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE notifications SET revised_at = ?2, revision = ?3, content = '{}', target_details = ''
         WHERE created_at = ?1",
        params![created_at.as_micros(), stamp.as_micros(), Revision::Delete as i64],
    )?;
    Ok(())
}

/// The publication with a msgid.
pub(crate) fn find(conn: &Connection, msgid: &MsgId) -> Result<Option<Published>, Error> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        published_columns!(),
        " FROM notifications n WHERE n.msgid = ?1"
    ))?;
    let mut rows = statement.query([msgid.as_str()])?;
    rows.next()?.map(Published::from_row).transpose()
}

/// The publication that was created at a time.
pub(crate) fn published_at(conn: &Connection, created_at: Stamp) -> Result<Option<Published>, Error> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        published_columns!(),
        " FROM notifications n WHERE n.created_at = ?1"
    ))?;
    let mut rows = statement.query([created_at.as_micros()])?;
    rows.next()?.map(Published::from_row).transpose()
}

/// What a publication says.
pub(crate) fn said(conn: &Connection, created_at: Stamp) -> Result<Option<Said>, Error> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        said_columns!(),
        " FROM notifications n WHERE n.created_at = ?1"
    ))?;
    let mut rows = statement.query([created_at.as_micros()])?;
    rows.next()?.map(Said::from_row).transpose()
}

/// The creation time of the notification with this msgid.
pub(crate) fn created_at(conn: &Connection, msgid: &MsgId) -> Result<Option<Stamp>, Error> {
    Ok(conn
        .prepare_cached("SELECT created_at FROM notifications WHERE msgid = ?1")?
        .query_row([msgid.as_str()], |r| Ok(Stamp::from_micros(r.get(0)?)))
        .optional()?)
}

/// A publication on a topic, by its msgid; `None` where it was deleted.
pub(crate) fn on_topic(conn: &Connection, topic: &str, msgid: &str) -> Result<Option<Named>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT created_at, msgid, publisher FROM notifications
             WHERE msgid = ?2 AND kind = 2 AND target_type = 'topic' AND target_id = ?1 AND revision <> 3",
        )?
        .query_row([topic, msgid], |r| {
            let item = Some((Stamp::from_micros(r.get(0)?), MsgId(r.get(1)?)));
            Ok(Named { publisher: r.get(2)?, item })
        })
        .optional()?)
}

/// The columns of a publication that an item depends on.
pub(crate) struct Publication {
    pub(crate) actor: String,
    pub(crate) action: String,
    /// The stamp and the kind of its last revision.
    pub(crate) revision: Option<(Stamp, Revision)>,
}

/// A publication; `None` where retention has removed it.
pub(crate) fn get(conn: &Connection, created_at: Stamp) -> Result<Option<Publication>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT actor_id, action, revised_at, revision FROM notifications WHERE created_at = ?1",
        )?
        .query_row([created_at.as_micros()], |r| {
            let at = Stamp::from_micros(r.get(2)?);
            let revision = Revision::from_row(r.get(3)?).map(|revision| (at, revision));
            Ok(Publication { actor: r.get(0)?, action: r.get(1)?, revision })
        })
        .optional()?)
}

impl Publication {
    pub(crate) fn has_revision(&self, wanted: Revision) -> bool {
        self.revision.is_some_and(|(_, revision)| revision == wanted)
    }

    /// The stamp of its last revision, where that changed the content.
    pub(crate) fn revised_at(&self) -> Option<Stamp> {
        self.revision.filter(|(_, revision)| *revision == Revision::Content).map(|(at, _)| at)
    }
}

/// The creation time of the newest notification created before a time.
pub(crate) fn newest_before(conn: &Connection, before: Stamp) -> Result<Option<Stamp>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT created_at FROM notifications WHERE created_at < ?1 ORDER BY created_at DESC LIMIT 1",
        )?
        .query_row([before.as_micros()], |r| r.get(0).map(Stamp::from_micros))
        .optional()?)
}

/// A publication of a user.
pub(crate) struct OfUser {
    pub(crate) created_at: Stamp,
    pub(crate) msgid: MsgId,
    pub(crate) target_type: String,
}

/// The next publications of a user after a time, at most `limit`, in their order.
pub(crate) fn published_after(
    conn: &Connection,
    user: UserKey,
    after: Stamp,
    limit: usize,
) -> Result<Vec<OfUser>, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT created_at, msgid, target_type FROM notifications INDEXED BY notifications_by_publisher
         WHERE publisher = ?1 AND publisher > 0 AND created_at > ?2 ORDER BY created_at LIMIT ?3",
    )?;
    let found = rows
        .query_map(params![user.0, after.as_micros(), limit], |r| {
            let created_at = Stamp::from_micros(r.get(0)?);
            Ok(OfUser { created_at, msgid: MsgId(r.get(1)?), target_type: r.get(2)? })
        })?
        .collect::<Result<_, _>>()?;
    Ok(found)
}

/// Deletes a publication with what belongs to it.
pub(crate) fn delete(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    ctx.tx
        .prepare_cached("DELETE FROM notifications WHERE created_at = ?1")?
        .execute([created_at.as_micros()])?;
    Ok(())
}

/// Deletes the content of a publication.
pub(crate) fn blank(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    ctx.tx
        .prepare_cached("UPDATE notifications SET content = '{}', target_details = '' WHERE created_at = ?1")?
        .execute([created_at.as_micros()])?;
    Ok(())
}

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_CREATED_BEFORE: &str = "DELETE FROM notifications WHERE created_at IN (
    SELECT created_at FROM notifications WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)";

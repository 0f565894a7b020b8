//! The table `notifications`: each publication once, however many users it reaches.

mod in_order;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Content, Kind, MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::Draft;
use tidings_store::fields::Fields;
use tidings_store::named::Named;
use tidings_store::published::{
    Published, PublishedTexts, content_json, published_columns, target_details, text_columns,
};

use crate::sql;
use crate::tables::{meta, open_questions, users};
use crate::write_tx::WriteTx;

pub(crate) use self::in_order::{expired_revised, expired_within, published_after};
pub(crate) use tidings_store::domain::item::{Revision, Revisions};

pub(crate) fn insert(ctx: &WriteTx<'_>, draft: &Draft, msgid: &MsgId, stamp: Stamp) -> Result<(), Error> {
    let name = match &draft.actor_name {
        Some(name) => name.clone(),
        None => users::by_id(ctx.tx, &draft.actor)?.map_or_else(|| draft.actor.clone(), |u| u.name),
    };
    let target = draft.target.as_ref();
    let sql = "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
                 target_details, content, publisher)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    sql::run(
        ctx.tx,
        sql,
        params![
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
        ],
    )?;
    open_questions::insert(ctx, stamp, &draft.content, Stamp::ZERO)
}

/// Gives a publication new content, which every inbox that has it gets at its next fan-in, and who would get it as a new
/// publication.
pub(crate) fn revise(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    content: &Content,
    stamp: Stamp,
) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE notifications SET content = ?2, revised_at = ?3, content_revised_at = ?3, revision = ?4 WHERE created_at = ?1",
        params![created_at.as_micros(), content_json(content)?, stamp.as_micros(), Revision::Content as i64],
    )?;
    Ok(())
}

/// Records that the publisher marked a publication as read for everyone. New content that came before is not forgotten by it.
pub(crate) fn clear(ctx: &WriteTx<'_>, created_at: Stamp, stamp: Stamp) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE notifications SET revised_at = ?2, revision = ?3 WHERE created_at = ?1",
        params![created_at.as_micros(), stamp.as_micros(), Revision::Clear as i64],
    )?;
    Ok(())
}

/// Records that a publication was deleted for everyone, and erases its text.
pub(crate) fn erase(ctx: &WriteTx<'_>, created_at: Stamp, stamp: Stamp) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE notifications SET revised_at = ?2, revision = ?3, content = '{}', target_details = ''
         WHERE created_at = ?1",
        params![created_at.as_micros(), stamp.as_micros(), Revision::Delete as i64],
    )?;
    open_questions::delete(ctx, created_at)
}

/// Opens the question of a publication's new content, which has this stamp.
pub(crate) fn ask_again(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    content: &Content,
    stamp: Stamp,
) -> Result<(), Error> {
    let sql = "UPDATE notifications SET closed = 0 WHERE created_at = ?1";
    sql::run(ctx.tx, sql, [created_at.as_micros()])?;
    open_questions::insert(ctx, created_at, content, stamp)
}

/// Writes the outcome of a publication's question; true if the publication was cleared before, and stays so.
pub(crate) fn close(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    content: &Content,
    stamp: Stamp,
) -> Result<bool, Error> {
    let sql = "UPDATE notifications SET content = ?2, revised_at = ?3, revision = iif(revision = ?5, revision, ?4), closed = 1
             WHERE created_at = ?1 RETURNING revision = ?5";
    sql::one(
        ctx.tx,
        sql,
        params![
            created_at.as_micros(),
            content_json(content)?,
            stamp.as_micros(),
            Revision::Close as i64,
            Revision::Clear as i64
        ],
        |r| Ok(r.get(0)?),
    )
}

/// What the publisher of a publication wrote.
pub(crate) fn content(conn: &Connection, created_at: Stamp) -> Result<Option<Content>, Error> {
    let mut statement = conn.prepare_cached("SELECT content FROM notifications WHERE created_at = ?1")?;
    let mut rows = statement.query([created_at.as_micros()])?;
    rows.next()?.map(|row| Ok(serde_json::from_str(row.text(0)?)?)).transpose()
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
pub(crate) fn said(conn: &Connection, created_at: Stamp) -> Result<Option<PublishedTexts>, Error> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        text_columns!(),
        " FROM notifications n WHERE n.created_at = ?1"
    ))?;
    let mut rows = statement.query([created_at.as_micros()])?;
    rows.next()?.map(PublishedTexts::from_row).transpose()
}

/// The creation time of the notification with this msgid.
pub(crate) fn created_at(conn: &Connection, msgid: &MsgId) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT created_at FROM notifications WHERE msgid = ?1";
    sql::first(conn, sql, [msgid.as_str()], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// A publication on a topic, by its msgid; `None` if it was deleted.
pub(crate) fn on_topic(conn: &Connection, topic: &str, msgid: &str) -> Result<Option<Named>, Error> {
    let sql = "SELECT created_at, msgid, publisher FROM notifications
             WHERE msgid = ?2 AND kind = 2 AND target_type = 'topic' AND target_id = ?1 AND revision <> 3";
    sql::first(conn, sql, [topic, msgid], |r| {
        let item = Some((Stamp::from_micros(r.get(0)?), MsgId(r.get(1)?)));
        Ok(Named { publisher: r.get(2)?, item })
    })
}

/// The columns of a publication that an item depends on.
pub(crate) struct Publication {
    pub(crate) kind: Kind,
    pub(crate) actor: String,
    pub(crate) action: String,
    pub(crate) revisions: Revisions,
}

/// A publication; `None` if retention has removed it.
pub(crate) fn get(conn: &Connection, created_at: Stamp) -> Result<Option<Publication>, Error> {
    let mut statement = conn.prepare_cached(
        "SELECT kind, actor_id, action, content_revised_at, revision, closed FROM notifications WHERE created_at = ?1",
    )?;
    let mut rows = statement.query([created_at.as_micros()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let content_at = row.stamp_or_none(3)?;
    Ok(Some(Publication {
        kind: row.kind(0)?,
        actor: row.string(1)?,
        action: row.string(2)?,
        revisions: Revisions { content_at, last: Revision::from_row(row.int(4)?), is_closed: row.flag(5)? },
    }))
}

/// The newest time before `before` at which a notification was created or got new content.
pub(crate) fn newest_before(conn: &Connection, before: Stamp) -> Result<Option<Stamp>, Error> {
    let newest = |sql: &str| -> Result<Option<Stamp>, Error> {
        let mut statement = conn.prepare_cached(sql)?;
        Ok(statement.query_row([before.as_micros()], |r| r.get(0).map(Stamp::from_micros)).optional()?)
    };
    let created = newest(
        "SELECT created_at FROM notifications WHERE created_at < ?1 ORDER BY created_at DESC LIMIT 1",
    )?;
    let revised = newest(
        "SELECT content_revised_at FROM notifications INDEXED BY content_revisions
         WHERE content_revised_at > 0 AND content_revised_at < ?1 ORDER BY content_revised_at DESC LIMIT 1",
    )?;
    Ok(created.max(revised))
}

/// The time of creation of the `n`-th notification, counted from 0, that was created at a time or later.
pub(crate) fn nth_from(conn: &Connection, from: Stamp, n: usize) -> Result<Option<Stamp>, Error> {
    let sql =
        "SELECT created_at FROM notifications WHERE created_at >= ?1 ORDER BY created_at LIMIT 1 OFFSET ?2";
    sql::first(conn, sql, params![from.as_micros(), n], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// Deletes a notification; what belongs to it goes along, except the items and the ids of revisions. It may be the one that
/// tells the newest stamp, so that is kept before.
pub(crate) fn delete(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    meta::keep_last_stamp(ctx)?;
    let sql = "DELETE FROM notifications WHERE created_at = ?1";
    sql::run(ctx.tx, sql, [created_at.as_micros()]).map(drop)
}

/// Deletes the content of a publication.
pub(crate) fn blank(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    let sql = "UPDATE notifications SET content = '{}', target_details = '' WHERE created_at = ?1";
    sql::run(ctx.tx, sql, [created_at.as_micros()]).map(drop)
}

//! The table `sources`: the servers from which the inbox pulls, the position of each pull, and the reader's settings.
//! Credentials are stored elsewhere.

mod forgotten;
mod pulls;
mod server_time;
mod unfinished;

use rusqlite::{Connection, Row, params};
use tidings_model::{Catalog, Stamp};

pub use self::forgotten::{forgotten_before, left_to_delete, set_deleted_up_to, set_forgotten_before};
pub use self::pulls::{
    PullState, advance_tick, begin_history, finish_page, finish_preview, pull_everything_again, pull_state,
    resync, set_cursor, set_stamp,
};
pub use self::server_time::{
    Wait, acted_at, clock_offset, clock_offsets, set_clock_offset, wait_until, waits,
};
pub use self::unfinished::{
    Unfinished, begin_keeping, begin_removal, delete, end_keeping, is_unfinished, kept_with_operations,
    own_recheck, set_own_recheck, unfinished,
};
use super::columns::{count, json, optional_json, time};
use super::positions::{in_order, set_positions};
use super::sql;
use crate::{Error, KindCounts, NewSource, NotifySettings, Result, Source, SourceChange, SourceId};

/// The notify level of a source: `Nothing` while it is muted.
macro_rules! level {
    () => {
        "iif(EXISTS (SELECT 1 FROM mutes m WHERE m.source = sources.id AND m.origin = ''), 2, sources.notify_level)"
    };
}

/// The notify level of a row of `sources`, as SQL: `Nothing` while the source is muted.
pub const LEVEL: &str = level!();

const COLUMNS: &str = concat!(
    "id, name, protocol, url, user, own, paused, position, cursor, epoch, complete, last_pull, ",
    level!(),
    ", notify_from_priority, notify_sound, paused_at,
    (SELECT count(*) FROM skipped k WHERE k.source = sources.id AND k.malformed = 0),
    attachment_bytes, show_icons,
    (SELECT count(*) FROM skipped k WHERE k.source = sources.id AND k.malformed = 1),
    (SELECT json_group_array(msgid) FROM (SELECT msgid FROM skipped k
        WHERE k.source = sources.id AND k.malformed = 1 AND msgid <> '' ORDER BY at DESC, position LIMIT 3)),
    (SELECT until FROM mutes m WHERE m.source = sources.id AND m.origin = '')"
);

fn source(r: &Row<'_>) -> rusqlite::Result<Source> {
    Ok(Source {
        id: r.get(0)?,
        name: r.get(1)?,
        protocol: r.get(2)?,
        url: r.get(3)?,
        user: r.get(4)?,
        own: r.get(5)?,
        paused: r.get(6)?,
        position: r.get(7)?,
        cursor: r.get(8)?,
        epoch: r.get(9)?,
        complete: r.get(10)?,
        last_pull: time(r, 11)?,
        notify: NotifySettings::of(r, 12)?,
        paused_at: time(r, 15)?,
        skipped: count(r, 16)?,
        attachment_bytes: r.get::<_, Option<i64>>(17)?.and_then(|bytes| u64::try_from(bytes).ok()),
        show_icons: r.get(18)?,
        malformed: count(r, 19)?,
        malformed_msgids: json(r, 20)?,
        muted_until: time(r, 21)?,
    })
}

/// All sources in their order.
pub fn all(conn: &Connection) -> Result<Vec<Source>> {
    let sql = format!("SELECT {COLUMNS} FROM sources WHERE removing = 0 ORDER BY position, id");
    sql::all(conn, &sql, [], source)
}

/// The ids of all sources in their order.
pub fn ids(conn: &Connection) -> Result<Vec<SourceId>> {
    sql::all(conn, "SELECT id FROM sources WHERE removing = 0 ORDER BY position, id", [], |r| r.get(0))
}

/// A source.
///
/// # Errors
/// [`Error::NoSource`] if it does not exist or is being removed.
pub fn one(conn: &Connection, id: SourceId) -> Result<Source> {
    let sql = format!("SELECT {COLUMNS} FROM sources WHERE id = ?1 AND removing = 0");
    sql::first(conn, &sql, [id], source)?.ok_or(Error::NoSource(id))
}

fn check_name_is_free(tx: &Connection, name: &str, but: Option<SourceId>) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sources WHERE name = ?1 AND id IS NOT ?2)";
    let taken: bool = sql::one(tx, sql, params![name, but], |r| r.get(0))?;
    if taken { Err(Error::NameTaken(name.to_owned())) } else { Ok(()) }
}

/// Adds a source after the others, and returns its id.
///
/// # Errors
/// [`Error::NameTaken`], and [`Error::OwnTaken`] for a second own server.
pub fn add(tx: &Connection, new: &NewSource) -> Result<SourceId> {
    check_name_is_free(tx, &new.name, None)?;
    if new.own && all(tx)?.iter().any(|source| source.own) {
        return Err(Error::OwnTaken);
    }
    let sql = "INSERT INTO sources (name, protocol, url, user, own, paused, position, generation, tick, server_wins, complete)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, (SELECT ifnull(max(position) + 1, 0) FROM sources), 1, 0, 0, 0)";
    sql::run(tx, sql, params![new.name, new.protocol, new.url, new.user, new.own])?;
    Ok(tx.last_insert_rowid())
}

/// Changes a source. Another address ends the waits that its server asked for. If the user changes, the user's own
/// items are determined again.
///
/// # Errors
/// [`Error::NoSource`], and [`Error::NameTaken`] for the name of another one.
pub fn change(tx: &Connection, id: SourceId, change: &SourceChange, now: Stamp) -> Result<()> {
    let before = one(tx, id)?;
    if let Some(name) = &change.name {
        check_name_is_free(tx, name, Some(id))?;
    }
    let sql = "UPDATE sources SET name = ifnull(?2, name), url = ifnull(?3, url), user = ifnull(?4, user),
            paused_at = CASE ifnull(?5, paused) WHEN 0 THEN NULL WHEN paused THEN paused_at ELSE ?7 END,
            paused = ifnull(?5, paused), position = ifnull(?6, position),
            show_icons = ifnull(?8, show_icons),
            not_before = CASE WHEN ifnull(?3, url) = url THEN not_before END,
            poll_not_before = CASE WHEN ifnull(?3, url) = url THEN poll_not_before END WHERE id = ?1";
    sql::run(
        tx,
        sql,
        params![
            id,
            change.name,
            change.url,
            change.user,
            change.paused,
            change.position,
            now.as_micros(),
            change.show_icons
        ],
    )?;
    match &change.user {
        Some(user) if before.user.as_ref() != Some(user) => set_own_recheck(tx, id, Some("")),
        _ => Ok(()),
    }
}

/// Numbers the sources again, the named ones first.
pub fn order(tx: &Connection, ids: &[SourceId]) -> Result<()> {
    let rows = all(tx)?.into_iter().map(|source| source.id).collect();
    set_positions(tx, "sources", in_order(rows, ids))
}

/// The catalog of a source; `None` if its server has not said it.
pub fn catalog(conn: &Connection, id: SourceId) -> Result<Option<Catalog>> {
    let text: Option<Option<String>> =
        sql::first(conn, "SELECT catalog FROM sources WHERE id = ?1", [id], |r| r.get(0))?;
    Ok(match text.ok_or(Error::NoSource(id))? {
        Some(text) => Some(serde_json::from_str(&text)?),
        None => None,
    })
}

/// Stores the catalog of a source; `false` if it is stored already.
pub fn set_catalog(tx: &Connection, id: SourceId, new: &Catalog) -> Result<bool> {
    let old = catalog(tx, id)?.unwrap_or_default();
    if old == *new {
        return Ok(false);
    }
    sql::run(tx, "UPDATE sources SET catalog = ?2 WHERE id = ?1", params![id, serde_json::to_string(new)?])?;
    Ok(true)
}

/// Stores the largest file that the source's server takes with a message, in bytes.
pub fn set_attachment_bytes(tx: &Connection, id: SourceId, bytes: Option<u64>) -> Result<()> {
    let bytes = bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    sql::run(tx, "UPDATE sources SET attachment_bytes = ?2 WHERE id = ?1", params![id, bytes]).map(drop)
}

/// Whether the source's server keeps view marks and sends them.
pub fn stores_view_marks(tx: &Connection, id: SourceId) -> Result<bool> {
    sql::one(tx, "SELECT protocol = 'tidings' FROM sources WHERE id = ?1", [id], |r| r.get(0))
}

/// The values of a source that counts need: its id, its name, its notify settings, and the server's unread counts
/// while its backlog is incomplete.
pub(crate) type ForCounts = (SourceId, String, NotifySettings, Option<KindCounts>);

/// These values of all sources, in their order.
pub(crate) fn for_counts(conn: &Connection) -> Result<Vec<ForCounts>> {
    let sql = concat!(
        "SELECT id, name, ",
        level!(),
        ", notify_from_priority, notify_sound, server_counts FROM sources WHERE removing = 0 ORDER BY position, id"
    );
    sql::all(conn, sql, [], |r| Ok((r.get(0)?, r.get(1)?, NotifySettings::of(r, 2)?, optional_json(r, 5)?)))
}

/// Stores the server's unread counts.
pub(crate) fn set_server_counts(tx: &Connection, id: SourceId, counts: &KindCounts) -> Result<()> {
    let sql = "UPDATE sources SET server_counts = ?2 WHERE id = ?1";
    sql::run(tx, sql, params![id, serde_json::to_string(counts)?]).map(drop)
}

/// The server's unread counts; `None` once the backlog is complete.
pub(crate) fn server_counts(tx: &Connection, id: SourceId) -> Result<Option<KindCounts>> {
    let sql = "SELECT server_counts FROM sources WHERE id = ?1 AND server_counts IS NOT NULL";
    sql::first(tx, sql, [id], |r| json(r, 0))
}

/// Writes the notify settings of a source. That of a muted one keeps the level that it had before.
pub fn set_notify(tx: &Connection, id: SourceId, notify: NotifySettings) -> Result<()> {
    let [level, from_priority, sound] = notify.columns();
    let sql = "UPDATE sources SET notify_level = iif(?2 IS 2, notify_level, ?2), notify_from_priority = ?3,
            notify_sound = ?4 WHERE id = ?1";
    sql::run(tx, sql, params![id, level, from_priority, sound]).map(drop)
}

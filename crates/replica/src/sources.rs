//! The sources: what the inbox pulls from, and what each brought. Refuses to hold a credential.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidings_model::{Catalog, Stamp};

use crate::ledger::Ledger;
use crate::{Error, NewSource, NotifySettings, Result, Source, SourceChange, SourceId, own, row, talk};

const COLUMNS: &str =
    "id, name, protocol, url, user, own, paused, position, cursor, epoch, complete, last_pull, tell,
    from_priority, sound, paused_at, (SELECT count(*) FROM skipped k WHERE k.source = sources.id)";

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
        last_pull: row::time(r, 11)?,
        notify: NotifySettings::of(r, 12)?,
        paused_at: row::time(r, 15)?,
        skipped: row::count(r, 16)?,
    })
}

pub(crate) fn all(conn: &Connection) -> Result<Vec<Source>> {
    let sql = format!("SELECT {COLUMNS} FROM sources WHERE going = 0 ORDER BY position, id");
    let mut rows = conn.prepare_cached(&sql)?;
    Ok(rows.query_map([], source)?.collect::<Result<_, _>>()?)
}

pub(crate) fn one(conn: &Connection, id: SourceId) -> Result<Source> {
    let sql = format!("SELECT {COLUMNS} FROM sources WHERE id = ?1 AND going = 0");
    conn.prepare_cached(&sql)?.query_row([id], source).optional()?.ok_or(Error::NoSource(id))
}

fn refuse_taken(tx: &Connection, name: &str, but: Option<SourceId>) -> Result<()> {
    let taken: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM sources WHERE name = ?1 AND id IS NOT ?2)")?
        .query_row(params![name, but], |r| r.get(0))?;
    if taken { Err(Error::NameTaken(name.to_owned())) } else { Ok(()) }
}

pub(crate) fn add(tx: &Connection, new: &NewSource) -> Result<SourceId> {
    refuse_taken(tx, &new.name, None)?;
    if new.own && all(tx)?.iter().any(|source| source.own) {
        return Err(Error::OwnTaken);
    }
    tx.prepare_cached(
        "INSERT INTO sources (name, protocol, url, user, own, paused, position, generation, tick, retake, complete)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, (SELECT ifnull(max(position) + 1, 0) FROM sources), 1, 0, 0, 0)",
    )?
    .execute(params![new.name, new.protocol, new.url, new.user, new.own])?;
    Ok(tx.last_insert_rowid())
}

pub(crate) fn change(tx: &Connection, id: SourceId, change: &SourceChange, now: Stamp) -> Result<()> {
    let before = one(tx, id)?;
    if let Some(name) = &change.name {
        refuse_taken(tx, name, Some(id))?;
    }
    tx.prepare_cached(
        "UPDATE sources SET name = ifnull(?2, name), url = ifnull(?3, url), user = ifnull(?4, user),
            paused_at = CASE ifnull(?5, paused) WHEN 0 THEN NULL WHEN paused THEN paused_at ELSE ?7 END,
            paused = ifnull(?5, paused), position = ifnull(?6, position) WHERE id = ?1",
    )?
    .execute(params![
        id,
        change.name,
        change.url,
        change.user,
        change.paused,
        change.position,
        now.as_micros()
    ])?;
    match &change.user {
        Some(user) if before.user.as_ref() != Some(user) => own::begin(tx, id),
        _ => Ok(()),
    }
}

/// Numbers the sources anew: the named ones first.
pub(crate) fn order(tx: &Connection, ids: &[SourceId]) -> Result<()> {
    let mut order = ids.to_vec();
    order.extend(all(tx)?.into_iter().map(|source| source.id).filter(|id| !ids.contains(id)));
    let mut place = tx.prepare_cached("UPDATE sources SET position = ?2 WHERE id = ?1")?;
    for (position, id) in order.iter().enumerate() {
        place.execute(params![id, i64::try_from(position).unwrap_or(i64::MAX)])?;
    }
    Ok(())
}

/// People that are looked at in one transaction.
const PEOPLE: i64 = 500;

/// Forgets those of the next people after `after`, in the order of their ids, who act nowhere any more. Gives the last
/// that was looked at; none at the end.
pub(crate) fn forget_people(tx: &Connection, after: &str) -> Result<Option<String>> {
    let people: Vec<String> = tx
        .prepare_cached("SELECT actor FROM people WHERE actor > ?1 ORDER BY actor LIMIT ?2")?
        .query_map(params![after, PEOPLE], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    let mut forget = tx.prepare_cached(
        "DELETE FROM people WHERE actor = ?1 AND NOT EXISTS (SELECT 1 FROM thread_actors WHERE actor = ?1)",
    )?;
    for actor in &people {
        forget.execute([actor])?;
    }
    Ok(people.into_iter().next_back())
}

pub(crate) fn catalog(conn: &Connection, id: SourceId) -> Result<Option<Catalog>> {
    let text: Option<Option<String>> = conn
        .prepare_cached("SELECT catalog FROM sources WHERE id = ?1")?
        .query_row([id], |r| r.get(0))
        .optional()?;
    Ok(match text.ok_or(Error::NoSource(id))? {
        Some(text) => Some(serde_json::from_str(&text)?),
        None => None,
    })
}

pub(crate) fn set_catalog(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    id: SourceId,
    new: &Catalog,
) -> Result<()> {
    let old = catalog(tx, id)?.unwrap_or_default();
    if old == *new {
        return Ok(());
    }
    tx.prepare_cached("UPDATE sources SET catalog = ?2 WHERE id = ?1")?
        .execute(params![id, serde_json::to_string(new)?])?;
    // Sentences read differently now.
    ledger.refetch = true;
    Ok(())
}

/// The next pull starts from the beginning, and rows of the history so far take whatever it brings.
pub(crate) fn resync(tx: &Connection, id: SourceId) -> Result<()> {
    one(tx, id)?;
    tx.prepare_cached(
        "UPDATE sources SET cursor = NULL, epoch = NULL, generation = generation + 1, complete = 0,
            forgotten_before = NULL, swept_to = NULL WHERE id = ?1",
    )?
    .execute([id])?;
    talk::post_again(tx, id)
}

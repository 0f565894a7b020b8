//! The numbers: a few counter rows, summed. Refuses to count items.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, wire};

use crate::{Error, Numbers, Place, Result, SourceId, SourceNumbers, row};

/// A server's numbers, while its backlog is not in.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Said {
    announcement: u64,
    reminder: u64,
    message: u64,
}

impl Said {
    fn of(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Announcement => &mut self.announcement,
            Kind::Reminder => &mut self.reminder,
            Kind::Message => &mut self.message,
        }
    }
}

/// Adds up the counters.
pub(crate) fn read(conn: &Connection) -> Result<Numbers> {
    let mut numbers = Numbers::default();
    let mut at: BTreeMap<SourceId, usize> = BTreeMap::new();
    let mut said: BTreeMap<SourceId, Said> = BTreeMap::new();
    let mut rows = conn.prepare_cached("SELECT id, name, counts FROM sources ORDER BY position, id")?;
    for source in rows.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get::<_, Option<String>>(2)?)))? {
        let (source, name, counts) = source?;
        at.insert(source, numbers.sources.len());
        if let Some(counts) = &counts {
            said.insert(source, serde_json::from_str(counts)?);
        }
        let provisional = counts.is_some();
        numbers.sources.push(SourceNumbers { source, name, provisional, ..SourceNumbers::default() });
    }
    let mut rows = conn.prepare_cached(
        "SELECT source, kind, items, unread, badge, unseen, inbox, unread_threads, pinned, snoozed, done
         FROM counters",
    )?;
    let mut counters = rows.query([])?;
    while let Some(r) = counters.next()? {
        let source: SourceId = r.get(0)?;
        let kind = row::kind(r, 1)?;
        numbers.places.inbox += row::count(r, 6)?;
        numbers.places.unread += row::count(r, 7)?;
        numbers.places.pinned += row::count(r, 8)?;
        numbers.places.snoozed += row::count(r, 9)?;
        numbers.places.done += row::count(r, 10)?;
        let Some(share) = at.get(&source).and_then(|at| numbers.sources.get_mut(*at)) else { continue };
        share.items += row::count(r, 2)?;
        if said.contains_key(&source) {
            continue;
        }
        let (unread, badge) = (row::count(r, 3)?, row::count(r, 4)?);
        share.unread += unread;
        share.badge += badge;
        numbers.badge += badge;
        numbers.unseen += row::count(r, 5)?;
        add(&mut numbers, kind, unread);
    }
    for (source, mut said) in said {
        for kind in Kind::ALL {
            let n = *said.of(kind);
            add(&mut numbers, kind, n);
            numbers.badge += n;
            numbers.unseen += n;
            if let Some(share) = at.get(&source).and_then(|at| numbers.sources.get_mut(*at)) {
                share.unread += n;
                share.badge += n;
            }
        }
    }
    numbers.waiting = conn
        .prepare_cached(
            "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM outgoing
                WHERE refused IS NULL AND posted IS NULL)",
        )?
        .query_row([], |r| row::count(r, 0))?;
    Ok(numbers)
}

fn add(numbers: &mut Numbers, kind: Kind, unread: u64) {
    numbers.total += unread;
    match kind {
        Kind::Announcement => numbers.announcement += unread,
        Kind::Reminder => numbers.reminder += unread,
        Kind::Message => numbers.message += unread,
    }
}

/// Threads in a place.
pub(crate) fn threads_in(conn: &Connection, place: Place) -> Result<u64> {
    let (column, condition, value) = match place {
        Place::Inbox => ("inbox", "?1 IS NULL", None),
        Place::Unread => ("unread_threads", "?1 IS NULL", None),
        Place::Pinned => ("pinned", "?1 IS NULL", None),
        Place::Snoozed => ("snoozed", "?1 IS NULL", None),
        Place::Done => ("done", "?1 IS NULL", None),
        Place::Kind(kind) => ("inbox", "kind = ?1", Some(kind.as_row())),
        Place::Source(source) => ("inbox", "source = ?1", Some(source)),
    };
    let sql = format!("SELECT ifnull(sum({column}), 0) FROM counters WHERE {condition}");
    Ok(conn.prepare_cached(&sql)?.query_row([value], |r| row::count(r, 0))?)
}

/// Keeps what the server counts; `false` when the backlog is in and the replica knows better.
pub(crate) fn said(tx: &Connection, source: SourceId, counts: &wire::UnreadCounts) -> Result<bool> {
    let complete: Option<bool> = tx
        .prepare_cached("SELECT complete FROM sources WHERE id = ?1")?
        .query_row([source], |r| r.get(0))
        .optional()?;
    if complete.ok_or(Error::NoSource(source))? {
        return Ok(false);
    }
    let said = Said {
        announcement: counts.announcement.count,
        reminder: counts.reminder.count,
        message: counts.message.count,
    };
    tx.prepare_cached("UPDATE sources SET counts = ?2 WHERE id = ?1")?
        .execute(params![source, serde_json::to_string(&said)?])?;
    Ok(true)
}

/// Moves the server's numbers by what was marked here meanwhile.
pub(crate) fn move_said(tx: &Connection, by: &BTreeMap<(SourceId, Kind), i64>) -> Result<()> {
    for ((source, kind), by) in by {
        let counts: Option<String> = tx
            .prepare_cached("SELECT counts FROM sources WHERE id = ?1")?
            .query_row([source], |r| r.get(0))?;
        let Some(counts) = counts else { continue };
        let mut said: Said = serde_json::from_str(&counts)?;
        let n = said.of(*kind);
        *n = n.saturating_add_signed(*by);
        tx.prepare_cached("UPDATE sources SET counts = ?2 WHERE id = ?1")?
            .execute(params![source, serde_json::to_string(&said)?])?;
    }
    Ok(())
}

//! The numbers: a few counter rows, summed. Refuses to count items.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, wire};

use crate::{Counts, Error, NotifyLevel, NotifySettings, Place, Result, SourceCounts, SourceId, notify, row};

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
pub(crate) fn read(conn: &Connection) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut at: BTreeMap<SourceId, usize> = BTreeMap::new();
    let mut said: BTreeMap<SourceId, Said> = BTreeMap::new();
    let mut ears: BTreeMap<SourceId, Ears> = BTreeMap::new();
    let usual = notify::from_priority(conn)?;
    let mut rows = conn.prepare_cached(
        "SELECT id, name, counts, tell, from_priority, sound FROM sources WHERE going = 0 ORDER BY position, id",
    )?;
    for source in rows.query_map([], |r| {
        Ok((r.get(0)?, r.get(1)?, r.get::<_, Option<String>>(2)?, NotifySettings::of(r, 3)?))
    })? {
        let (source, name, server_counts, notify) = source?;
        ears.insert(source, Ears::of(notify, usual));
        at.insert(source, counts.sources.len());
        if let Some(server_counts) = &server_counts {
            said.insert(source, serde_json::from_str(server_counts)?);
        }
        let provisional = server_counts.is_some();
        counts.sources.push(SourceCounts { source, name, provisional, ..SourceCounts::default() });
    }
    let mut rows = conn.prepare_cached(
        "SELECT source, kind, items, unread, inbox, unread_threads, pinned, snoozed, done,
            follow0, follow1, follow2, follow3, follow4, follow5, follow_unseen,
            heard0, heard1, heard2, heard3, heard4, heard5, heard_unseen
         FROM counters",
    )?;
    let mut counters = rows.query([])?;
    while let Some(r) = counters.next()? {
        let source: SourceId = r.get(0)?;
        let kind = row::kind(r, 1)?;
        let Some(share) = at.get(&source).and_then(|at| counts.sources.get_mut(*at)) else { continue };
        counts.places.inbox += row::count(r, 4)?;
        counts.places.unread += row::count(r, 5)?;
        counts.places.pinned += row::count(r, 6)?;
        counts.places.snoozed += row::count(r, 7)?;
        counts.places.done += row::count(r, 8)?;
        share.items += row::count(r, 2)?;
        if said.contains_key(&source) {
            continue;
        }
        let unread = row::count(r, 3)?;
        let (badge, unseen) =
            ears.get(&source).copied().unwrap_or(Ears { muted: false, least: usual }).hear(r)?;
        share.unread += unread;
        share.badge += badge;
        counts.badge += badge;
        counts.unseen += unseen;
        *heard(&mut counts, kind) += badge;
        add(&mut counts, kind, unread);
    }
    for (source, mut said) in said {
        for kind in Kind::ALL {
            let n = *said.of(kind);
            add(&mut counts, kind, n);
            // The server does not say of which priority they are.
            let badge = if ears.get(&source).is_some_and(|ears| ears.muted) { 0 } else { n };
            counts.badge += badge;
            counts.unseen += badge;
            *heard(&mut counts, kind) += badge;
            if let Some(share) = at.get(&source).and_then(|at| counts.sources.get_mut(*at)) {
                share.unread += n;
                share.badge += badge;
            }
        }
    }
    let (marks, messages) = conn
        .prepare_cached(
            "SELECT
                (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN outbox INDEXED BY outbox_waiting
                    ON outbox.source = sources.id
                    WHERE sources.going = 0 AND act <> 'seen' AND answered IS NULL LIMIT ?1)),
                (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN outgoing INDEXED BY outgoing_waiting
                    ON outgoing.source = sources.id
                    WHERE sources.going = 0 AND refused IS NULL AND posted IS NULL LIMIT ?1))",
        )?
        .query_row([WAITING], |r| Ok((row::count(r, 0)?, row::count(r, 1)?)))?;
    counts.waiting = marks + messages;
    counts.waiting_messages = messages;
    Ok(counts)
}

/// Marks and messages that wait are counted up to this many.
const WAITING: i64 = 10_000;

/// What of a source counts where its threads say nothing else.
#[derive(Debug, Clone, Copy)]
struct Ears {
    muted: bool,
    least: u8,
}

impl Ears {
    fn of(notify: NotifySettings, usual: u8) -> Self {
        Self {
            muted: notify.level == Some(NotifyLevel::Nothing),
            least: notify.from_priority.unwrap_or(usual),
        }
    }

    /// What counts on the badge, and what is unseen, of one row of the counters.
    fn hear(self, r: &rusqlite::Row<'_>) -> Result<(u64, u64)> {
        let (mut badge, mut unseen) = (0, 0);
        for (first, mute) in [(FOLLOW, self.muted), (HEARD, false)] {
            if mute {
                continue;
            }
            badge += row::count(r, first)?;
            for priority in self.least..=5 {
                badge += row::count(r, first + usize::from(priority))?;
            }
            unseen += row::count(r, first + 6)?;
        }
        Ok((badge, unseen))
    }
}

/// Where the columns `follow0` and `heard0` stand in the query.
const FOLLOW: usize = 9;
const HEARD: usize = 16;

fn heard(counts: &mut Counts, kind: Kind) -> &mut u64 {
    match kind {
        Kind::Announcement => &mut counts.badge_by_kind.announcement,
        Kind::Reminder => &mut counts.badge_by_kind.reminder,
        Kind::Message => &mut counts.badge_by_kind.message,
    }
}

fn add(counts: &mut Counts, kind: Kind, unread: u64) {
    counts.total += unread;
    match kind {
        Kind::Announcement => counts.announcement += unread,
        Kind::Reminder => counts.reminder += unread,
        Kind::Message => counts.message += unread,
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
    let sql = format!(
        "SELECT ifnull(sum({column}), 0) FROM counters
         WHERE {condition} AND source IN (SELECT id FROM sources WHERE going = 0)"
    );
    Ok(conn.prepare_cached(&sql)?.query_row([value], |r| row::count(r, 0))?)
}

/// Keeps what the server counts; `false` when the backlog is in and the replica knows better.
pub(crate) fn said(tx: &Connection, source: SourceId, server_counts: &wire::UnreadCounts) -> Result<bool> {
    let complete: Option<bool> = tx
        .prepare_cached("SELECT complete FROM sources WHERE id = ?1")?
        .query_row([source], |r| r.get(0))
        .optional()?;
    if complete.ok_or(Error::NoSource(source))? {
        return Ok(false);
    }
    let said = Said {
        announcement: server_counts.announcement.count,
        reminder: server_counts.reminder.count,
        message: server_counts.message.count,
    };
    tx.prepare_cached("UPDATE sources SET counts = ?2 WHERE id = ?1")?
        .execute(params![source, serde_json::to_string(&said)?])?;
    Ok(true)
}

/// Moves the server's numbers by what was marked here meanwhile.
pub(crate) fn move_said(tx: &Connection, by: &BTreeMap<(SourceId, Kind), i64>) -> Result<()> {
    for ((source, kind), by) in by {
        let server_counts: Option<String> = tx
            .prepare_cached("SELECT counts FROM sources WHERE id = ?1")?
            .query_row([source], |r| r.get(0))?;
        let Some(server_counts) = server_counts else { continue };
        let mut said: Said = serde_json::from_str(&server_counts)?;
        let n = said.of(*kind);
        *n = n.saturating_add_signed(*by);
        tx.prepare_cached("UPDATE sources SET counts = ?2 WHERE id = ?1")?
            .execute(params![source, serde_json::to_string(&said)?])?;
    }
    Ok(())
}

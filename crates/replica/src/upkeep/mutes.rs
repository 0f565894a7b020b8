//! The mute of an origin reaches its threads, and its end leaves them, in portions between which other writes run. A thread
//! that is muted by itself stays as it is.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::flags::{Flags, OriginMute};
use tidings_replica_tables::{columns::limit, mutes, sql, threads};

use crate::{Mute, Result, SourceId, Thread, ThreadId, is_of_origin};

/// The keys between which those of an origin's threads are; a repository may have them anywhere.
pub(crate) fn bounds(origin: &str) -> (String, String) {
    if origin.contains(':') {
        // `$` follows `#`, with which the key goes on.
        (format!("{origin}#"), format!("{origin}$"))
    } else {
        (String::new(), char::MAX.to_string())
    }
}

/// One of the listed threads of an origin whose keys begin with it; `None` if there is none.
pub(crate) fn thread_of(conn: &Connection, source: SourceId, origin: &str) -> Result<Option<Thread>> {
    if !origin.contains(':') {
        return Ok(None);
    }
    let (from, end) = bounds(origin);
    let sql = "SELECT id FROM threads WHERE source = ?1 AND key >= ?2 AND key < ?3 AND place < 3 ORDER BY key LIMIT 1";
    let found = sql::first(conn, sql, params![source, from, end], |r| r.get(0))?;
    Ok(found.map(|id| threads::by_id(conn, &[id])).transpose()?.and_then(|mut found| found.pop()))
}

/// Mutes a portion of an origin's threads, from a key on. Returns the key of the next portion; `None` at the end.
pub(crate) fn cover(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    mute: &Mute,
    (from, most): (&str, usize),
) -> Result<Option<String>> {
    let sql =
        "SELECT id, key FROM threads WHERE source = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4";
    let (_, end) = bounds(&mute.origin);
    let mut keys: Vec<(ThreadId, String)> =
        sql::all(tx, sql, params![mute.source, from, end, limit(most + 1)], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let next = if keys.len() > most { keys.pop().map(|(_, key)| key) } else { None };
    for (id, _) in keys.iter().filter(|(_, key)| is_of_origin(key, &mute.origin)) {
        let before = aggregates.flags(*id)?;
        let own = before.muted && before.origin != OriginMute::Muted;
        if !own {
            aggregates.set_flags(*id, before.muted_with_origin(mute.until))?;
        }
    }
    Ok(next)
}

/// Ends the mutes of a source, its origins and its threads that are over at a time by its server's clock, up to a
/// portion of them. Returns `true` if there may be more.
pub(crate) fn end_due(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    (server_time, most): (Stamp, usize),
) -> Result<bool> {
    for Mute { origin, .. } in mutes::due(tx, source, server_time)? {
        aggregates.refetch |= origin.is_empty();
        if !origin.is_empty() && uncover(tx, aggregates, source, (&origin, most))? {
            return Ok(true);
        }
        mutes::remove(tx, source, &origin)?;
    }
    let due = mutes::to_unmute(tx, source, server_time, most)?;
    for id in &due {
        let before = aggregates.flags(*id)?;
        aggregates.set_flags(*id, Flags { muted: false, until: None, ..before })?;
    }
    Ok(due.len() == most)
}

/// Ends what the mute of an origin did to a portion of its threads; `true` if there may be more.
pub(crate) fn uncover(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    (origin, most): (&str, usize),
) -> Result<bool> {
    let (from, end) = bounds(origin);
    let repository = if origin.contains(':') { "" } else { origin };
    // Like `is_of_origin`: rows that are done leave the index, so that each portion goes on where the last one ended.
    let sql = "SELECT id FROM threads INDEXED BY threads_origin_mute
         WHERE source = ?1 AND origin_mute <> 0 AND key >= ?2 AND key < ?3
             AND (?4 = '' OR (substr(key, instr(key, ':') + 1, length(?4)) = ?4
                 AND substr(key, instr(key, ':') + 1 + length(?4), 1) IN ('#', '!', '@')))
         LIMIT ?5";
    let key = params![source, from, end, repository, limit(most + 1)];
    let threads: Vec<ThreadId> = sql::all(tx, sql, key, |r| r.get(0))?;
    for id in threads.iter().take(most) {
        let before = aggregates.flags(*id)?;
        aggregates.set_flags(*id, before.without_origin())?;
    }
    Ok(threads.len() > most)
}

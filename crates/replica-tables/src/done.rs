//! Threads as Done lists them: with their newest archived item, also while other items of them are in the inbox.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, params};
use tidings_model::{Kind, Stamp};

use super::columns::{count, limit, stamp};
use super::{previews, sql, threads};
use crate::{ArchivedCount, Result, Thread, ThreadId, ThreadPreview};

/// What is archived of a thread.
struct Part {
    newest_at: Stamp,
    newest: ThreadPreview,
    priority: u8,
    total: u64,
}

fn part(r: &Row<'_>) -> rusqlite::Result<(ThreadId, Part)> {
    let newest = previews::read(r, 4)?.unwrap_or_default();
    Ok((r.get(0)?, Part { newest_at: stamp(r, 1)?, newest, priority: r.get(2)?, total: count(r, 3)? }))
}

impl Part {
    /// Makes the thread one of Done, as if it had no other items.
    fn show_in(self, thread: &mut Thread) {
        if thread.kind == Kind::Reminder && !thread.archived {
            (thread.actors, thread.actor_count) = (vec![self.newest.actor.clone()], 1);
        }
        (thread.last_at, thread.woken_at, thread.snoozed_until) = (self.newest_at, None, None);
        (thread.priority, thread.unread_priority) = (self.priority, self.priority);
        (thread.total, thread.unread, thread.unseen) = (self.total, 0, 0);
        thread.archived_in_part = !thread.archived;
        (thread.preview, thread.question, thread.archived) = (self.newest, None, true);
    }
}

/// Makes threads show what is archived of them.
pub fn show_archived(conn: &Connection, all: &mut [Thread]) -> Result<()> {
    // A thread that is archived as a whole does so, unless it is listed by the time at which it came back from a snooze.
    let is_other = |thread: &&Thread| !thread.archived || thread.woken_at.is_some();
    let ids: Vec<ThreadId> = all.iter().filter(is_other).map(|thread| thread.id).collect();
    let sql = format!(
        "SELECT t.id, t.done_at, n.priority, t.archived, {}
         FROM json_each(?1) x CROSS JOIN threads t ON t.id = x.value JOIN items n ON n.id = (
            SELECT id FROM items INDEXED BY items_thread WHERE thread = t.id AND listed_at = t.done_at AND deleted = 0
                AND archived_at IS NOT NULL ORDER BY id DESC LIMIT 1) {}",
        previews::COLUMNS,
        previews::JOIN
    );
    let parts = sql::all(conn, &sql, [serde_json::to_string(&ids)?], part)?;
    let mut parts: HashMap<ThreadId, Part> = parts.into_iter().collect();
    for thread in all {
        if let Some(part) = parts.remove(&thread.id) {
            part.show_in(thread);
        }
    }
    Ok(())
}

/// Of these threads those that are archived in part, as Done lists them.
pub fn archived_in_part(conn: &Connection, ids: &[ThreadId]) -> Result<Vec<Thread>> {
    let sql = "SELECT t.id FROM json_each(?1) x CROSS JOIN threads t ON t.id = x.value
         WHERE t.place < 2 AND t.archived > 0";
    let ids: Vec<ThreadId> = sql::all(conn, sql, [serde_json::to_string(ids)?], |r| r.get(0))?;
    let mut all = threads::by_id(conn, &ids)?;
    show_archived(conn, &mut all)?;
    Ok(all)
}

/// The threads of which something was archived since a time, by the first `most` of the items.
pub fn archived_since(conn: &Connection, since: Stamp, most: usize) -> Result<ArchivedCount> {
    let sql = "SELECT thread FROM items INDEXED BY items_archived WHERE archived_at >= ?1 AND deleted = 0
         ORDER BY archived_at LIMIT ?2";
    let most_and_one = limit(most.saturating_add(1));
    let mut threads: Vec<ThreadId> =
        sql::all(conn, sql, params![since.as_micros(), most_and_one], |r| r.get(0))?;
    let at_least = threads.len() > most;
    threads.truncate(most);
    let threads = threads.into_iter().collect::<HashSet<_>>().len() as u64;
    Ok(ArchivedCount { threads, at_least })
}

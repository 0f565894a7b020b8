//! The table `group_changes`: who joined and left a group, and how it was renamed. A server sends a group as it is. So
//! the difference to the stored group is recorded, with the time at which it was seen.

use rusqlite::{Connection, Row, params};
use tidings_model::{Actor, Stamp};
use tidings_replica_tables::columns::{limit, stamp};
use tidings_replica_tables::sql;

use crate::{Group, GroupChange, GroupNews, Result, SourceId};

/// The most changes of a group that are kept.
const MAX_KEPT: usize = 50;

/// Deletes a portion of the rows of a source.
pub(crate) const DISCARD: &str =
    "DELETE FROM group_changes WHERE id IN (SELECT id FROM group_changes WHERE source = ?1 LIMIT ?2)";

/// Records how a group differs from what was stored of it.
pub(crate) fn record(
    tx: &Connection,
    source: SourceId,
    before: &Group,
    after: &Group,
    now: Stamp,
) -> Result<()> {
    // Of a group that was never shown nothing is known.
    if before.withheld.is_some() || before.members.is_empty() {
        return Ok(());
    }
    let actor = |group: &Group, id: &String| Actor {
        name: group.names.get(id).unwrap_or(id).clone(),
        id: id.clone(),
    };
    let others = |of: &Group, but: &Group| -> Vec<Actor> {
        of.members.iter().filter(|id| !but.members.contains(id)).map(|id| actor(of, id)).collect()
    };
    let mut news: Vec<GroupNews> = Vec::new();
    news.extend(others(after, before).into_iter().map(GroupNews::Joined));
    news.extend(others(before, after).into_iter().map(GroupNews::Left));
    if after.name != before.name && !before.name.is_empty() && !after.name.is_empty() {
        news.push(GroupNews::Renamed(after.name.clone()));
    }
    for one in news.iter().take(MAX_KEPT) {
        let (change, who, name) = match one {
            GroupNews::Joined(actor) => (1, actor.id.as_str(), actor.name.as_str()),
            GroupNews::Left(actor) => (2, actor.id.as_str(), actor.name.as_str()),
            GroupNews::Renamed(name) => (3, "", name.as_str()),
        };
        let sql =
            "INSERT INTO group_changes (source, gid, at, change, who, name) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        sql::run(tx, sql, params![source, after.id, now.as_micros(), change, who, name])?;
    }
    let sql = "DELETE FROM group_changes WHERE source = ?1 AND gid = ?2 AND id <= (
         SELECT id FROM group_changes WHERE source = ?1 AND gid = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)";
    sql::run(tx, sql, params![source, after.id, limit(MAX_KEPT)]).map(drop)
}

/// The changes of a group, oldest first.
pub(crate) fn of(conn: &Connection, source: SourceId, gid: &str) -> Result<Vec<GroupChange>> {
    let sql = "SELECT at, change, who, name FROM group_changes WHERE source = ?1 AND gid = ?2 ORDER BY id";
    sql::all(conn, sql, params![source, gid], change)
}

fn change(r: &Row<'_>) -> rusqlite::Result<GroupChange> {
    let (change, name): (i64, String) = (r.get(1)?, r.get(3)?);
    let news = match change {
        1 => GroupNews::Joined(Actor { id: r.get(2)?, name }),
        2 => GroupNews::Left(Actor { id: r.get(2)?, name }),
        _ => GroupNews::Renamed(name),
    };
    Ok(GroupChange { at: stamp(r, 0)?, news })
}

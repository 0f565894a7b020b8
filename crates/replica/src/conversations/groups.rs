//! The table `groups`: the name and members of groups, as the server last sent them.
//!
//! A group is changed by its server alone, and by its owner, except for leaving; no change waits in the outbox. A
//! group that its server does not know any more was ended: it keeps its name and its messages, and takes no more.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use tidings_model::wire::ActorRef;
use tidings_model::{Actor, Stamp};
use tidings_replica_tables::columns::{json, limit};
use tidings_replica_tables::{sources, sql};

use super::group_changes;
use crate::{Group, Replica, Result, SourceId, Withheld};

impl Replica {
    /// Saves a group's name and members as the server sent them.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn save_group(&self, source: SourceId, group: &Group) -> Result<()> {
        let (now, group) = (self.clock.now(), group.clone());
        self.write(move |tx, aggregates| {
            sources::one(tx, source)?;
            let known = get(tx, source, &group.id)?;
            let members = serde_json::to_string(&Members::of(&group))?;
            let sql =
                "INSERT INTO groups (source, gid, name, members, fetched_at, owner, withheld)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)
                 ON CONFLICT DO UPDATE SET name = ?3, members = ?4, fetched_at = ?5, owner = ?6, withheld = 0";
            sql::run(tx, sql, params![source, group.id, group.name, members, now.as_micros(), group.owner])?;
            if known.as_ref() == Some(&group) {
                return Ok(());
            }
            if let Some(known) = &known {
                group_changes::record(tx, source, known, &group, now)?;
            }
            aggregates.touch_listed(source, &format!("group:{}", group.id))
        })?;
        Ok(())
    }

    /// Records that the server does not show a group any more. The stored name and members stay, and the group is not
    /// requested again before it is stale.
    pub fn group_withheld(&self, source: SourceId, gid: &str, why: Withheld) -> Result<()> {
        let (now, gid) = (self.clock.now(), gid.to_owned());
        self.write(move |tx, aggregates| {
            let is_new = get(tx, source, &gid)?.is_some_and(|group| group.withheld != Some(why));
            let sql = "INSERT INTO groups (source, gid, name, owner, members, withheld, fetched_at)
                     VALUES (?1, ?2, '', '', '[]', ?4, ?3)
                 ON CONFLICT DO UPDATE SET withheld = ?4, fetched_at = ?3";
            sql::run(tx, sql, params![source, gid, now.as_micros(), why.as_row()])?;
            if is_new { aggregates.touch_listed(source, &format!("group:{gid}")) } else { Ok(()) }
        })?;
        Ok(())
    }

    /// The stored name and members of a group; `gid` is without `group:`.
    pub fn group(&self, source: SourceId, gid: &str) -> Result<Option<Group>> {
        self.read(|conn| get(conn, source, gid))
    }

    /// The names of all groups that have one, by source and id.
    pub fn group_names(&self) -> Result<HashMap<(SourceId, String), String>> {
        let sql = "SELECT source, gid, name FROM groups WHERE name <> ''";
        let all = self.read(|conn| sql::all(conn, sql, [], |r| Ok(((r.get(0)?, r.get(1)?), r.get(2)?))))?;
        Ok(all.into_iter().collect())
    }

    /// At most `most` groups with a conversation here that are not stored, or were last requested more than `age`
    /// microseconds ago; the latest conversation first.
    pub fn groups_to_refresh(&self, source: SourceId, age: Option<i64>, most: usize) -> Result<Vec<String>> {
        let since = age.map_or(Stamp::ZERO, |age| self.clock.now().plus_micros(-age));
        // The keys of groups are one range of the index on (source, key).
        let sql = "SELECT substr(t.key, 7) FROM threads t
                LEFT JOIN groups g ON g.source = t.source AND g.gid = substr(t.key, 7)
             WHERE t.source = ?1 AND t.key >= 'group:' AND t.key < 'group;' AND t.place < 3
                 AND ifnull(g.fetched_at < ?2, 1)
             ORDER BY t.last_at DESC LIMIT ?3";
        self.read(|conn| sql::all(conn, sql, [source, since.as_micros(), limit(most)], |r| r.get(0)))
    }
}

fn get(conn: &Connection, source: SourceId, gid: &str) -> Result<Option<Group>> {
    let sql = "SELECT gid, name, members, owner, withheld FROM groups WHERE source = ?1 AND gid = ?2";
    sql::first(conn, sql, params![source, gid], |r| {
        let (members, names) = json::<Members>(r, 2)?.split();
        Ok(Group {
            id: r.get(0)?,
            name: r.get(1)?,
            owner: r.get(3)?,
            members,
            names,
            withheld: Withheld::from_row(r.get(4)?),
        })
    })
}

/// Records that groups changed at the server: they are requested with the next pull.
pub(crate) fn set_changed(tx: &Connection, source: SourceId, gids: &[String]) -> Result<()> {
    let sql = "UPDATE groups SET fetched_at = -1 WHERE source = ?1 AND gid = ?2";
    gids.iter().try_for_each(|gid| sql::run(tx, sql, params![source, gid]).map(drop))
}

/// Members as stored in JSON: each an id, with a name if that differs.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Members(Vec<ActorRef>);

impl Members {
    fn of(group: &Group) -> Self {
        let one = |id: &String| match group.names.get(id) {
            Some(name) => ActorRef::Full { id: id.clone(), name: Some(name.clone()) },
            None => ActorRef::Id(id.clone()),
        };
        Self(group.members.iter().map(one).collect())
    }

    fn split(self) -> (Vec<String>, BTreeMap<String, String>) {
        let (mut members, mut names) = (Vec::new(), BTreeMap::new());
        for one in self.0 {
            members.push(one.id().to_owned());
            if let ActorRef::Full { id, name: Some(name) } = one {
                names.insert(id, name);
            }
        }
        (members, names)
    }
}

/// The most groups of a source whose members are returned.
const MAX_GROUPS: i64 = 200;

/// The members of the groups of a source that were fetched last, with their known names.
pub(crate) fn members(conn: &Connection, source: SourceId) -> Result<Vec<Actor>> {
    let sql = "SELECT members FROM groups WHERE source = ?1 ORDER BY fetched_at DESC LIMIT ?2";
    let mut all = Vec::new();
    for members in sql::all(conn, sql, [source, MAX_GROUPS], |r| json::<Members>(r, 0))? {
        let (ids, names) = members.split();
        all.extend(ids.into_iter().map(|id| Actor { name: names.get(&id).unwrap_or(&id).clone(), id }));
    }
    Ok(all)
}

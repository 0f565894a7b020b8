//! The table `people`: the actors of each source, each with the name that was used last; and who was written to, with the name
//! that the server gave.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use tidings_model::{Actor, Stamp};

use super::sql;
use super::thread_actors::AddedActors;
use crate::{Result, SourceId};

/// Records the actors of items that entered threads of these sources.
pub(crate) fn record<'e>(
    tx: &Connection,
    added: impl Iterator<Item = (SourceId, &'e AddedActors)>,
) -> Result<()> {
    let mut people: BTreeMap<(SourceId, &str), (Stamp, &str)> = BTreeMap::new();
    for (source, actors) in added {
        for (actor, (name, at, _)) in actors {
            let known = people.entry((source, actor)).or_insert((*at, name));
            if *at >= known.0 {
                *known = (*at, name);
            }
        }
    }
    let sql = "INSERT INTO people (source, actor, name, last_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET name = ?3, last_at = ?4 WHERE last_at < ?4";
    people.into_iter().try_for_each(|((source, actor), (at, name))| {
        sql::run(tx, sql, params![source, actor, name, at.as_micros()]).map(drop)
    })
}

/// Records the name that a source's server gives somebody, unless they have written.
pub fn name(tx: &Connection, source: SourceId, person: &Actor, now: Stamp) -> Result<()> {
    let sql =
        "INSERT INTO people (source, actor, name, last_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    sql::run(tx, sql, params![source, person.id, person.name, now.as_micros()]).map(drop)
}

/// Deletes people of a source, at most `?2` rows.
pub const DISCARD: &str = "DELETE FROM people WHERE (source, actor) IN
    (SELECT source, actor FROM people WHERE source = ?1 LIMIT ?2)";

//! The table `people`: the actors of each source, each with the name that was used last.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use tidings_model::{Actor, Stamp};

use super::sql;
use super::thread_actors::AddedActors;
use crate::{Replica, Result, SourceId};

/// The number of the latest people among which a prefix is searched.
const MAX_EXAMINED: i64 = 20_000;

impl Replica {
    /// People whose id, name or a word of the name begins with `prefix`, the latest actor first; at most `most`. A feed is
    /// nobody.
    pub fn people(&self, prefix: &str, most: usize) -> Result<Vec<Actor>> {
        let prefix = prefix.to_lowercase();
        self.read(|conn| {
            let mut rows = conn.prepare_cached(
                "SELECT actor, name FROM people WHERE +source NOT IN (SELECT id FROM sources WHERE protocol = 'feed')
                 ORDER BY last_at DESC LIMIT ?1",
            )?;
            let mut rows = rows.query([MAX_EXAMINED])?;
            let mut found: Vec<Actor> = Vec::new();
            while let Some(r) = rows.next()? {
                let (id, name): (String, String) = (r.get(0)?, r.get(1)?);
                let folded = name.to_lowercase();
                let fits = id.to_lowercase().starts_with(&prefix)
                    || folded.starts_with(&prefix)
                    || folded.split_whitespace().any(|word| word.starts_with(&prefix));
                // The same id in another source is one person here, by the later name.
                if fits && found.iter().all(|known| known.id != id) {
                    found.push(Actor { id, name });
                }
                if found.len() >= most {
                    break;
                }
            }
            Ok(found)
        })
    }
}

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

/// Deletes people of a source, at most `?2` rows.
pub(crate) const DISCARD: &str = "DELETE FROM people WHERE (source, actor) IN
    (SELECT source, actor FROM people WHERE source = ?1 LIMIT ?2)";

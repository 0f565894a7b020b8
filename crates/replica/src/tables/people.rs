//! The table `people`: the actors of all threads, each with the name that was used last.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use tidings_model::{Actor, Stamp};

use super::sql;
use crate::{Replica, Result};

/// The number of the latest people among which a prefix is searched.
const MAX_EXAMINED: i64 = 20_000;

impl Replica {
    /// People whose id, name or a word of the name begins with `prefix`, the latest actor first; at most `most`.
    pub fn people(&self, prefix: &str, most: usize) -> Result<Vec<Actor>> {
        let prefix = prefix.to_lowercase();
        self.read(|conn| {
            let mut rows =
                conn.prepare_cached("SELECT actor, name FROM people ORDER BY last_at DESC LIMIT ?1")?;
            let mut rows = rows.query([MAX_EXAMINED])?;
            let mut found = Vec::new();
            while let Some(r) = rows.next()? {
                let (id, name): (String, String) = (r.get(0)?, r.get(1)?);
                let folded = name.to_lowercase();
                let fits = id.to_lowercase().starts_with(&prefix)
                    || folded.starts_with(&prefix)
                    || folded.split_whitespace().any(|word| word.starts_with(&prefix));
                if fits {
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

/// Records actors: by id, the name, the time of the latest item, and the number of items.
pub(crate) fn record<'e>(
    tx: &Connection,
    actors: impl Iterator<Item = (&'e String, &'e (String, Stamp, i64))>,
) -> Result<()> {
    let mut people: BTreeMap<&str, (Stamp, &str)> = BTreeMap::new();
    for (actor, (name, at, _)) in actors {
        let known = people.entry(actor).or_insert((*at, name));
        if *at >= known.0 {
            *known = (*at, name);
        }
    }
    let sql = "INSERT INTO people (actor, name, last_at) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET name = ?2, last_at = ?3 WHERE last_at < ?3";
    let mut people = people.into_iter();
    people
        .try_for_each(|(actor, (at, name))| sql::run(tx, sql, params![actor, name, at.as_micros()]).map(drop))
}

/// The number of people that one transaction examines.
const PORTION_ROWS: i64 = 500;

/// Deletes those of the next people after `after`, in the order of ids, who act in no thread any more. Returns the
/// last id examined; `None` at the end.
pub(crate) fn forget_inactive(tx: &Connection, after: &str) -> Result<Option<String>> {
    let sql = "SELECT actor FROM people WHERE actor > ?1 ORDER BY actor LIMIT ?2";
    let people: Vec<String> = sql::all(tx, sql, params![after, PORTION_ROWS], |r| r.get(0))?;
    let sql =
        "DELETE FROM people WHERE actor = ?1 AND NOT EXISTS (SELECT 1 FROM thread_actors WHERE actor = ?1)";
    people.iter().try_for_each(|actor| sql::run(tx, sql, [actor]).map(drop))?;
    Ok(people.into_iter().next_back())
}

//! Queries that were kept, in their order. Refuses to understand them.

use rusqlite::{Connection, OptionalExtension, params};

use crate::{Error, Replica, Result};

/// A query that its reader kept under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Row id; never used again after it was removed.
    pub id: i64,
    /// What its reader calls it.
    pub name: String,
    /// As it was typed.
    pub query: String,
}

/// People among whom is looked, those who were there last.
const PEOPLE: i64 = 20_000;

/// Searches that are kept at most.
const MOST: i64 = 100;

impl Replica {
    /// All kept searches in their order.
    pub fn saved_searches(&self) -> Result<Vec<SavedSearch>> {
        self.read(|conn| {
            let mut rows =
                conn.prepare_cached("SELECT id, name, query FROM searches ORDER BY position, id")?;
            let searches =
                rows.query_map([], |r| Ok(SavedSearch { id: r.get(0)?, name: r.get(1)?, query: r.get(2)? }))?;
            Ok(searches.collect::<Result<_, _>>()?)
        })
    }

    /// One kept search.
    pub fn saved_search(&self, id: i64) -> Result<Option<SavedSearch>> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached("SELECT id, name, query FROM searches WHERE id = ?1")?
                .query_row([id], |r| Ok(SavedSearch { id: r.get(0)?, name: r.get(1)?, query: r.get(2)? }))
                .optional()?)
        })
    }

    /// Keeps a search after the others (`id` 0), or changes one; gives its id. At most a hundred are kept.
    pub fn save_search(&self, search: SavedSearch) -> Result<i64> {
        let (id, _) = self.write(move |tx, _| save(tx, &search))?;
        Ok(id)
    }

    /// Keeps searches after the others, all of them or, where there is no room for all, none.
    pub fn add_searches(&self, searches: Vec<SavedSearch>) -> Result<()> {
        self.write(move |tx, _| {
            searches
                .iter()
                .try_for_each(|search| save(tx, &SavedSearch { id: 0, ..search.clone() }).map(drop))
        })?;
        Ok(())
    }

    /// Forgets a kept search.
    pub fn remove_search(&self, id: i64) -> Result<()> {
        self.write(move |tx, _| {
            tx.prepare_cached("DELETE FROM searches WHERE id = ?1")?.execute([id])?;
            Ok(())
        })?;
        Ok(())
    }

    /// Puts the kept searches in this order; those that are not named follow as they were.
    pub fn order_searches(&self, ids: &[i64]) -> Result<()> {
        let ids = ids.to_vec();
        self.write(move |tx, _| {
            let mut order: Vec<i64> = tx
                .prepare_cached("SELECT id FROM searches ORDER BY position, id")?
                .query_map([], |r| r.get(0))?
                .collect::<Result<_, _>>()?;
            order.sort_by_key(|id| ids.iter().position(|named| named == id).unwrap_or(usize::MAX));
            let mut put = tx.prepare_cached("UPDATE searches SET position = ?2 WHERE id = ?1")?;
            for (position, id) in order.iter().enumerate() {
                put.execute(params![id, i64::try_from(position).unwrap_or(i64::MAX)])?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// People whose id or name, or a word of it, begins like this, whoever was there last first.
    pub fn people(&self, like: &str, most: usize) -> Result<Vec<tidings_model::Actor>> {
        let like = like.to_lowercase();
        self.read(|conn| {
            let mut rows =
                conn.prepare_cached("SELECT actor, name FROM people ORDER BY last_at DESC LIMIT ?1")?;
            let mut rows = rows.query([PEOPLE])?;
            let mut found = Vec::new();
            while let Some(r) = rows.next()? {
                let (id, name): (String, String) = (r.get(0)?, r.get(1)?);
                let folded = name.to_lowercase();
                let fits = id.to_lowercase().starts_with(&like)
                    || folded.starts_with(&like)
                    || folded.split_whitespace().any(|word| word.starts_with(&like));
                if fits {
                    found.push(tidings_model::Actor { id, name });
                }
                if found.len() >= most {
                    break;
                }
            }
            Ok(found)
        })
    }
}

fn save(tx: &Connection, search: &SavedSearch) -> Result<i64> {
    if search.id != 0 {
        let changed = tx
            .prepare_cached("UPDATE searches SET name = ?2, query = ?3 WHERE id = ?1")?
            .execute(params![search.id, search.name, search.query])?;
        if changed > 0 {
            return Ok(search.id);
        }
    }
    let kept: i64 = tx.query_row("SELECT count(*) FROM searches", [], |r| r.get(0))?;
    if kept >= MOST {
        return Err(Error::Invalid("a hundred searches are kept already".into()));
    }
    tx.prepare_cached(
        "INSERT INTO searches (position, name, query)
         SELECT ifnull(max(position) + 1, 0), ?1, ?2 FROM searches",
    )?
    .execute(params![search.name, search.query])?;
    Ok(tx.last_insert_rowid())
}

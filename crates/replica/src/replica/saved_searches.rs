//! The table `saved_searches`: queries that the reader saved, in their order, exactly as typed.

use rusqlite::{Connection, params};
use tidings_replica_tables::positions::{in_order, set_positions};
use tidings_replica_tables::sql;

use crate::{Error, Replica, Result};

/// A query that the reader saved under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Row id; not reused after the search is removed. 0 in a new one.
    pub id: i64,
    /// The name that the reader gave it.
    pub name: String,
    /// The text of the query, exactly as typed.
    pub query: String,
}

/// The most saved searches.
const MAX_SEARCHES: i64 = 100;

impl Replica {
    /// All saved searches in their order.
    pub fn saved_searches(&self) -> Result<Vec<SavedSearch>> {
        let sql = "SELECT id, name, query FROM saved_searches ORDER BY position, id";
        self.read(|conn| sql::all(conn, sql, [], row))
    }

    /// One saved search.
    pub fn saved_search(&self, id: i64) -> Result<Option<SavedSearch>> {
        let sql = "SELECT id, name, query FROM saved_searches WHERE id = ?1";
        self.read(|conn| sql::first(conn, sql, [id], row))
    }

    /// Changes a saved search, or adds one at the end (`id` 0, or the id of a removed search). Returns its id.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a hundred searches are saved already.
    pub fn save_search(&self, search: SavedSearch) -> Result<i64> {
        let (id, _) = self.write_durable(move |tx, _| save(tx, &search))?;
        Ok(id)
    }

    /// Adds searches at the end.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is no room for all of them; then none is saved.
    pub fn add_searches(&self, searches: Vec<SavedSearch>) -> Result<()> {
        self.write_durable(move |tx, _| {
            searches
                .iter()
                .try_for_each(|search| save(tx, &SavedSearch { id: 0, ..search.clone() }).map(drop))
        })?;
        Ok(())
    }

    /// Removes a saved search.
    pub fn remove_search(&self, id: i64) -> Result<()> {
        self.write_durable(move |tx, _| {
            sql::run(tx, "DELETE FROM saved_searches WHERE id = ?1", [id]).map(drop)
        })?;
        Ok(())
    }

    /// Sorts the saved searches in this order; others follow in their previous order.
    pub fn order_searches(&self, ids: &[i64]) -> Result<()> {
        let ids = ids.to_vec();
        self.write_durable(move |tx, _| {
            let rows = sql::all(tx, "SELECT id FROM saved_searches ORDER BY position, id", [], |r| r.get(0))?;
            set_positions(tx, "saved_searches", in_order(rows, &ids))
        })?;
        Ok(())
    }
}

fn row(r: &rusqlite::Row<'_>) -> rusqlite::Result<SavedSearch> {
    Ok(SavedSearch { id: r.get(0)?, name: r.get(1)?, query: r.get(2)? })
}

fn save(tx: &Connection, search: &SavedSearch) -> Result<i64> {
    if search.id != 0 {
        let sql = "UPDATE saved_searches SET name = ?2, query = ?3 WHERE id = ?1";
        let changed = sql::run(tx, sql, params![search.id, search.name, search.query])?;
        if changed > 0 {
            return Ok(search.id);
        }
    }
    let saved: i64 = tx.query_row("SELECT count(*) FROM saved_searches", [], |r| r.get(0))?;
    if saved >= MAX_SEARCHES {
        return Err(Error::Invalid("a hundred searches are kept already".into()));
    }
    let sql = "INSERT INTO saved_searches (position, name, query)
         SELECT ifnull(max(position) + 1, 0), ?1, ?2 FROM saved_searches";
    sql::run(tx, sql, params![search.name, search.query])?;
    Ok(tx.last_insert_rowid())
}

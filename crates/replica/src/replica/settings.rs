//! Methods of [`Replica`] for settings by key.

use std::collections::HashMap;

use rusqlite::params;
use serde_json::Value;
use tidings_replica_tables::columns::json;
use tidings_replica_tables::sql;

use crate::Result;
use crate::handle::Replica;

impl Replica {
    /// The value of a setting; `None` if it is not set.
    pub fn setting(&self, key: &str) -> Result<Option<Value>> {
        self.read(|conn| sql::first(conn, "SELECT value FROM settings WHERE key = ?1", [key], |r| json(r, 0)))
    }

    /// Sets a setting; `Null` deletes it.
    pub fn set_setting(&self, key: &str, value: &Value) -> Result<()> {
        let (key, value) = (key.to_owned(), value.clone());
        self.write(move |tx, _| {
            if value.is_null() {
                sql::run(tx, "DELETE FROM settings WHERE key = ?1", [&key])?;
            } else {
                let sql =
                    "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
                sql::run(tx, sql, params![key, serde_json::to_string(&value)?])?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// All settings by key.
    pub fn settings(&self) -> Result<HashMap<String, Value>> {
        let sql = "SELECT key, value FROM settings";
        let all = self.read(|conn| sql::all(conn, sql, [], |r| Ok((r.get(0)?, json(r, 1)?))))?;
        Ok(all.into_iter().collect())
    }
}

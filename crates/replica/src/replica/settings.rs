//! Settings, by key. Refuses to know what they mean.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::Replica;
use crate::{Result, row};

impl Replica {
    /// A setting, as it was set.
    pub fn setting(&self, key: &str) -> Result<Option<Value>> {
        self.database.read(|conn| {
            Ok(conn
                .prepare_cached("SELECT value FROM settings WHERE key = ?1")?
                .query_row([key], |r| row::json(r, 0))
                .optional()?)
        })
    }

    /// Keeps a setting; `Null` forgets it.
    pub fn set_setting(&self, key: &str, value: &Value) -> Result<()> {
        let (key, value) = (key.to_owned(), value.clone());
        self.write(move |tx, _| {
            if value.is_null() {
                tx.prepare_cached("DELETE FROM settings WHERE key = ?1")?.execute([&key])?;
            } else {
                tx.prepare_cached(
                    "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
                )?
                .execute(params![key, serde_json::to_string(&value)?])?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// All settings.
    pub fn settings(&self) -> Result<HashMap<String, Value>> {
        self.database.read(|conn| {
            let mut rows = conn.prepare_cached("SELECT key, value FROM settings")?;
            Ok(rows.query_map([], |r| Ok((r.get(0)?, row::json(r, 1)?)))?.collect::<Result<_, _>>()?)
        })
    }
}

//! The table `settings`: values by key, as JSON. Their meaning is defined by the code that sets them.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use serde_json::Value;

use super::columns::json;
use super::sql;
use crate::{EARLY_WAKE, FROM_PRIORITY, Replica, Result};

/// The least priority for toasts and badge where neither thread, source nor settings set one.
const DEFAULT_FROM_PRIORITY: u8 = 3;

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

/// The least priority for toasts and badge where neither thread nor source sets one.
pub(crate) fn from_priority(conn: &Connection) -> Result<u8> {
    let set = text(conn, FROM_PRIORITY)?.and_then(|text| text.parse::<u8>().ok());
    Ok(set.unwrap_or(DEFAULT_FROM_PRIORITY).clamp(1, 5))
}

/// Whether snoozed items wake when a new item arrives in their thread; true unless the setting is `false`.
pub(crate) fn wakes_early(conn: &Connection) -> Result<bool> {
    Ok(text(conn, EARLY_WAKE)?.is_none_or(|text| text != "false"))
}

/// A setting as JSON text.
fn text(conn: &Connection, key: &str) -> Result<Option<String>> {
    sql::first(conn, "SELECT value FROM settings WHERE key = ?1", [key], |r| r.get(0))
}

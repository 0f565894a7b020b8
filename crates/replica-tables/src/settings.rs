//! The table `settings`: values by key, as JSON. Their meaning is defined by the code that sets them.

use rusqlite::Connection;

use super::sql;
use crate::{DEFAULT_EARLY_WAKE, DEFAULT_FROM_PRIORITY, EARLY_WAKE, FROM_PRIORITY, Result};

/// The least priority for toasts and badge if neither thread nor source sets one.
pub fn from_priority(conn: &Connection) -> Result<u8> {
    let set = text(conn, FROM_PRIORITY)?.and_then(|text| text.parse::<u8>().ok());
    Ok(set.unwrap_or(DEFAULT_FROM_PRIORITY).clamp(1, 5))
}

/// Whether snoozed items wake when a new item arrives in their thread.
pub fn wakes_early(conn: &Connection) -> Result<bool> {
    Ok(text(conn, EARLY_WAKE)?.map_or(DEFAULT_EARLY_WAKE, |text| text != "false"))
}

/// A setting as JSON text.
fn text(conn: &Connection, key: &str) -> Result<Option<String>> {
    sql::first(conn, "SELECT value FROM settings WHERE key = ?1", [key], |r| r.get(0))
}

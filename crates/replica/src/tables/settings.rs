//! The table `settings`: values by key, as JSON. Their meaning is defined by the code that sets them.

use rusqlite::Connection;

use super::sql;
use crate::{EARLY_WAKE, FROM_PRIORITY, Result};

/// The least priority for toasts and badge if neither thread, source nor settings set one.
const DEFAULT_FROM_PRIORITY: u8 = 3;

/// The least priority for toasts and badge if neither thread nor source sets one.
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

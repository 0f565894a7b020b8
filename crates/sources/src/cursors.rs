//! The cursors of sources: what a pull has reached, as the replica keeps it between pulls. Each source has a type of its own,
//! and all are read and written here.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tidings_net::{Error, Result};

/// Reads a stored cursor. Without one, and if it can't be read because another version wrote it, a pull starts from the
/// beginning, which repeats no item.
pub(crate) fn read<C: DeserializeOwned + Default>(stored: Option<&str>) -> C {
    let Some(stored) = stored else { return C::default() };
    serde_json::from_str(stored).unwrap_or_else(|error| {
        // Its text may be private.
        tracing::warn!(
            column = error.column(),
            "a stored cursor can't be read; the source is pulled from the beginning"
        );
        C::default()
    })
}

/// The text of a cursor.
///
/// # Errors
/// [`Error::Malformed`] if it can't be written as JSON.
pub(crate) fn write<C: Serialize>(cursor: &C) -> Result<String> {
    serde_json::to_string(cursor).map_err(|_| Error::Malformed)
}

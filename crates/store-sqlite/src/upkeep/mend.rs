//! Mends the stamps of a file in which a wrong clock left some in the future, and begins a new epoch.

use std::path::Path;

use tidings_model::Clock;
use tidings_sqlite::Database;
use tidings_store::Error;
use tidings_store::future_stamps::is_ahead;

use super::restore::{MendStamps, begin_epoch};
use crate::OPTIONS;
use crate::tables::meta;

/// Mends the stamps of a file. Gives how many stamps were in the future; 0 if the newest one is hardly ahead, and nothing has
/// changed. The caller has the file for itself. This blocks.
///
/// # Errors
/// [`Error::Store`] if the file can't be read or written; nothing has changed then.
pub fn mend_file(file: &Path, clock: &dyn Clock, mend: MendStamps) -> Result<u64, Error> {
    let (db, now) = (Database::open(file, &OPTIONS)?, clock.now());
    if !is_ahead(db.read(meta::get)?.last_stamp, now) {
        return Ok(0);
    }
    db.write_blocking(move |tx| begin_epoch(tx, now, Some(mend)))
}

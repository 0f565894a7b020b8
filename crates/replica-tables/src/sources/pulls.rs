//! How far the pull of a source has come, and what a pull needs of it.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use super::super::columns::stamp;
use super::super::{outgoing, sql};
use super::{LEVEL, one};
use crate::{Error, NotifySettings, Result, SourceId};

/// Makes the next pull start from the beginning; pulled items replace the server's state of all stored ones.
pub fn resync(tx: &Connection, id: SourceId) -> Result<()> {
    one(tx, id)?;
    let sql = "UPDATE sources SET cursor = NULL, epoch = NULL, generation = generation + 1, complete = 0,
            forgotten_before = NULL, swept_to = NULL WHERE id = ?1";
    sql::run(tx, sql, [id])?;
    outgoing::post_again(tx, id)
}

/// The values of a source that a pull needs.
pub struct PullState {
    /// The id of its user, if that is known.
    pub user: Option<String>,
    /// The generation of its history, which its pulled items get.
    pub generation: i64,
    /// The epoch of its last page.
    pub epoch: Option<String>,
    /// Whether the server's state replaces local marks until the next complete pull.
    pub server_wins: bool,
    /// Whether the last pull was complete, with no backlog left.
    pub(crate) complete: bool,
    /// Its notify settings.
    pub notify: NotifySettings,
    /// Whether its server keeps view marks, so that items may be of auto class.
    pub stores_view_marks: bool,
    /// The stamp of the item that changed last, of a service that keeps none.
    pub stamp: Stamp,
    /// The clock of its server minus this machine's, in microseconds.
    pub clock_offset: i64,
}

/// The values of a source that a pull needs.
pub fn pull_state(tx: &Connection, id: SourceId) -> Result<PullState> {
    let sql = format!(
        "SELECT user, generation, epoch, server_wins, complete, {LEVEL}, notify_from_priority, notify_sound,
            protocol = 'tidings', stamp, clock_offset FROM sources WHERE id = ?1"
    );
    sql::first(tx, &sql, [id], |r| {
        Ok(PullState {
            user: r.get(0)?,
            generation: r.get(1)?,
            epoch: r.get(2)?,
            server_wins: r.get(3)?,
            complete: r.get(4)?,
            notify: NotifySettings::of(r, 5)?,
            stores_view_marks: r.get(8)?,
            stamp: stamp(r, 9)?,
            clock_offset: r.get(10)?,
        })
    })?
    .ok_or(Error::NoSource(id))
}

/// Stores the stamp of the item that changed last, of a service that keeps none.
pub fn set_stamp(tx: &Connection, id: SourceId, stamp: Stamp) -> Result<()> {
    sql::run(tx, "UPDATE sources SET stamp = ?2 WHERE id = ?1", params![id, stamp.as_micros()]).map(drop)
}

/// Advances the source's logical clock, after an answer of the server and before operations are sent.
pub fn advance_tick(tx: &Connection, id: SourceId) -> Result<()> {
    sql::run(tx, "UPDATE sources SET tick = tick + 1 WHERE id = ?1", [id]).map(drop)
}

/// Begins a new history of the server, of which nothing was removed yet.
pub fn begin_history(tx: &Connection, id: SourceId, generation: i64) -> Result<()> {
    let sql = "UPDATE sources SET generation = ?2, forgotten_before = NULL, swept_to = NULL WHERE id = ?1";
    sql::run(tx, sql, [id, generation])?;
    outgoing::post_again(tx, id)
}

/// Writes the cursor of a page, before what rules do with its items is queued: they act after what it shows.
pub fn set_cursor(tx: &Connection, id: SourceId, next: &str) -> Result<()> {
    sql::run(tx, "UPDATE sources SET cursor = ?2 WHERE id = ?1", params![id, next]).map(drop)
}

/// Records that a page with a cursor was applied, and whether it was the last one. Without an epoch the stored one stays.
pub fn finish_page(
    tx: &Connection,
    id: SourceId,
    epoch: Option<&str>,
    is_last: bool,
    now: Stamp,
) -> Result<()> {
    let sql = "UPDATE sources SET epoch = ifnull(?2, epoch), complete = ?3, last_pull = ?4,
            server_counts = CASE WHEN ?3 THEN NULL ELSE server_counts END,
            server_wins = server_wins AND NOT ?3 WHERE id = ?1";
    sql::run(tx, sql, params![id, epoch, is_last, now.as_micros()]).map(drop)
}

/// Records that a page without a cursor was applied.
pub fn finish_preview(tx: &Connection, id: SourceId, now: Stamp) -> Result<()> {
    sql::run(tx, "UPDATE sources SET last_pull = ?2 WHERE id = ?1", params![id, now.as_micros()]).map(drop)
}

/// Makes the next pull start from the beginning with the server's state replacing local marks, after the server
/// refused a `read_all`.
pub fn pull_everything_again(tx: &Connection, id: SourceId) -> Result<()> {
    let sql = "UPDATE sources SET cursor = NULL, generation = generation + 1, server_wins = 1 WHERE id = ?1";
    sql::run(tx, sql, [id]).map(drop)
}

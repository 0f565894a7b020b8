//! Work on the replica outside of pulls and marks: waking due items, retention, removing sources, checking.
//! Interrupted work of several transactions is finished at the next start.

pub(crate) mod check;
pub(crate) mod contents;
pub(crate) mod facets;
mod keep_source;
pub(crate) mod mutes;
mod own_items;
mod remove_source;
pub(crate) mod retention;
mod server_retention;
pub(crate) mod wake;
pub(crate) mod woken;

use tidings_replica_tables::sources::{self, Unfinished};

use crate::{Replica, Result};

impl Replica {
    /// Whether work of several transactions is interrupted or running.
    pub(crate) fn is_anything_unfinished(&self) -> Result<bool> {
        for what in [Unfinished::Removal, Unfinished::Discarding, Unfinished::OwnRecheck] {
            if !self.read(|conn| sources::unfinished(conn, what))?.is_empty() {
                return Ok(true);
            }
        }
        Ok(self.is_the_index_unfinished()?
            || self.is_an_answer_unfinished()?
            || self.is_a_mark_unfinished()?)
    }

    /// Finishes interrupted work.
    pub(crate) fn finish(&self) -> Result<()> {
        self.finish_removals()?;
        self.finish_own()?;
        self.finish_keeping()?;
        self.finish_answers()?;
        self.finish_marks()?;
        self.finish_index()
    }
}

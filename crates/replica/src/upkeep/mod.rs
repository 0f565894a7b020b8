//! Work on the replica that no pull and no mark does: waking what is due, retention, removing sources, and checking. What
//! takes several transactions is finished at the next start where it was interrupted.

pub(crate) mod check;
mod keep_source;
mod own_items;
mod remove_source;
pub(crate) mod retention;
mod server_retention;
pub(crate) mod wake;

use crate::tables::sources::{self, Unfinished};
use crate::{Replica, Result};

impl Replica {
    /// Whether something that takes several transactions was interrupted, or is under way.
    pub(crate) fn is_anything_unfinished(&self) -> Result<bool> {
        for what in [Unfinished::Removal, Unfinished::Discarding, Unfinished::OwnRecheck] {
            if !self.read(|conn| sources::unfinished(conn, what))?.is_empty() {
                return Ok(true);
            }
        }
        Ok(self.is_an_answer_unfinished()? || self.is_a_mark_unfinished()?)
    }

    /// Does what is left of it.
    pub(crate) fn finish(&self) -> Result<()> {
        self.finish_removals()?;
        self.finish_own()?;
        self.finish_keeping()?;
        self.finish_answers()?;
        self.finish_marks()
    }
}

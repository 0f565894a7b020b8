//! Takes messages out of Gotify's lists and archives their items, in portions.

use tidings_model::Mark;
use tidings_store::domain::account::UserKey;
use tidings_store::{Error, Messages};

use crate::portions::{Budget, LongWrite};
use crate::read_state::ops;
use crate::tables::gotify::messages;
use crate::write_tx::WriteTx;

/// The long write that archives messages up to a number, the oldest first.
pub(super) struct ArchiveMessages {
    user: UserKey,
    which: Messages,
    through: i64,
    archived: usize,
}

impl ArchiveMessages {
    pub(super) fn new(user: UserKey, which: Messages, through: i64) -> Self {
        Self { user, which, through, archived: 0 }
    }

    /// The number of messages that were archived.
    pub(super) fn count(&self) -> usize {
        self.archived
    }
}

impl LongWrite for ArchiveMessages {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            // Each message is a change of its item and a deleted row.
            let rows = budget.batch_rows().div_ceil(2);
            let batch = messages::oldest(ctx.tx, self.user, self.which, self.through, rows)?;
            for (id, created_at) in &batch {
                ops::mark_at(ctx, self.user, *created_at, (Mark::Archive, None), budget)?;
                messages::delete(ctx, *id)?;
                budget.charge_writes(1);
            }
            self.archived += batch.len();
            if batch.len() < rows || budget.is_spent() {
                return Ok(batch.len() < rows);
            }
        }
    }
}

//! Revokes a token with all that descends from it.

use tidings_store::Error;
use tidings_store::descent::Descendants;

use super::SqliteStore;
use super::portions::{Budget, LongWrite};
use super::tables::tokens;
use super::write_tx::WriteTx;

/// The long write that deletes what a revoked token made, which is valid no more.
struct DeleteDescendants(Descendants);

impl LongWrite for DeleteDescendants {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        while let Some(maker) = self.0.next() {
            let rows = budget.batch_rows();
            let gone = tokens::delete_made_by(ctx, maker, rows)?;
            budget.charge_reads(1);
            budget.charge_writes(gone.len());
            let all = gone.len() < rows;
            self.0.went(gone, all);
            if budget.is_spent() {
                return Ok(self.0.next().is_none());
            }
        }
        Ok(true)
    }
}

impl SqliteStore {
    /// Deletes what a revoked token made, in portions.
    pub(super) async fn delete_descendants(&self, token: String) -> Result<(), Error> {
        self.in_portions(DeleteDescendants(Descendants::of(token))).await.map(drop)
    }
}

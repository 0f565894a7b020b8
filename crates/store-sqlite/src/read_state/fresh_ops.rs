//! Operations on an inbox together with what it is to take before them: a little of it needs no commit of its own.

use tidings_store::Error;

use super::ops::OpsWrite;
use crate::fan_in::FanIn;
use crate::portions::{Budget, LongWrite};
use crate::write_tx::WriteTx;

/// The long write of a fan-in and then of operations.
pub(crate) struct FreshOps {
    fan_in: Option<FanIn>,
    ops: OpsWrite,
    is_done: bool,
}

impl FreshOps {
    pub(crate) fn new(fan_in: Option<FanIn>, ops: OpsWrite) -> Self {
        Self { fan_in, ops, is_done: false }
    }

    /// Whether the operations are applied; else the inbox is to be searched again before them.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    pub(crate) fn into_ops(self) -> OpsWrite {
        self.ops
    }
}

impl LongWrite for FreshOps {
    fn first_units(&self) -> usize {
        self.fan_in.as_ref().map_or(0, LongWrite::first_units).max(self.ops.first_units())
    }

    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        if let Some(fan_in) = &mut self.fan_in {
            if !fan_in.portion(ctx, budget)? {
                return Ok(false);
            }
            let has_more = fan_in.has_more();
            self.fan_in = None;
            if has_more || budget.is_spent() {
                return Ok(has_more);
            }
        }
        self.is_done = self.ops.portion(ctx, budget)?;
        Ok(self.is_done)
    }
}

//! Repairs an inbox with differences, a few rows at a time.

use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::portions::{Budget, LongWrite};
use crate::tables::{conversations, items};
use crate::write_tx::WriteTx;

/// The long write that repairs one inbox: the column `unread` of its items, then its list of conversations.
pub(crate) struct Repair {
    user: UserKey,
    stage: Stage,
}

/// The position of a repair.
enum Stage {
    /// The items created after this time are next.
    Items(Stamp),
    /// The conversations with items after this view are next.
    Conversations(String),
    /// The listed conversations after this view are next; those without items are deleted.
    Listed(String),
    Done,
}

impl Repair {
    pub(crate) fn new(user: UserKey) -> Self {
        Self { user, stage: Stage::Items(Stamp::ZERO) }
    }
}

impl LongWrite for Repair {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.batch_rows();
            self.stage = match &self.stage {
                Stage::Items(after) => match items::repair_unread(ctx, self.user, *after, rows)? {
                    Some(last) => Stage::Items(last),
                    None => Stage::Conversations(String::new()),
                },
                Stage::Conversations(after) => {
                    match conversations::repair_listed(ctx, self.user, after, rows)? {
                        Some(last) => Stage::Conversations(last),
                        None => Stage::Listed(String::new()),
                    }
                }
                Stage::Listed(after) => match conversations::repair_unlisted(ctx, self.user, after, rows)? {
                    Some(last) => Stage::Listed(last),
                    None => Stage::Done,
                },
                Stage::Done => return Ok(true),
            };
            budget.charge_writes(rows);
            if budget.is_spent() {
                return Ok(matches!(self.stage, Stage::Done));
            }
        }
    }
}

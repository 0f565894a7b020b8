//! Repairs an inbox in which something disagrees, a few rows at a time: its unread items, then its list of conversations.

use tidings_model::Stamp;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::sqlite::portions::{Budget, LongWrite};
use crate::store::sqlite::tables::{conversations, items};
use crate::store::sqlite::write_tx::WriteTx;

/// Puts right what disagrees in one inbox, a few rows at a time: its unread marks, then its list of conversations.
pub(crate) struct Repair {
    user: UserKey,
    at: Stage,
}

/// How far a repair got.
enum Stage {
    /// The items after this one are next.
    Items(Stamp),
    /// The conversations after this one are next.
    Conversations(String),
    /// Then what is listed and has no items, after this one.
    Listed(String),
    Done,
}

impl Repair {
    pub(crate) fn new(user: UserKey) -> Self {
        Self { user, at: Stage::Items(Stamp::ZERO) }
    }
}

impl LongWrite for Repair {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.batch_rows();
            self.at = match &self.at {
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
                return Ok(matches!(self.at, Stage::Done));
            }
        }
    }
}

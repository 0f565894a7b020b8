//! Removes an application, with its token, its subscription and its place in Gotify's lists. Its notifications stay.

use crate::fan_in;
use crate::portions::{Budget, LongWrite};
use crate::tables::gotify::{applications, messages};
use crate::tables::{subscriptions, tokens};
use crate::write_tx::WriteTx;
use tidings_model::Code;
use tidings_model::gotify::APPLICATION_TARGET;
use tidings_store::domain::account::{Bearer, UserKey};
use tidings_store::{Bounds, Error, TargetRef};

/// Revokes an application's token, so that nothing is published by it any more. It gives the ids of its token and its
/// target, or `None` if the user has no such application.
pub(super) fn begin(ctx: &mut WriteTx<'_>, by: &Bearer, id: i64) -> Result<Option<(String, String)>, Error> {
    let Some((token, target)) = applications::begin_removal(ctx, by.user, id)? else { return Ok(None) };
    match tokens::revoke(ctx, &token, Some(by)) {
        Ok(()) => Ok(Some((token, target))),
        // It was revoked before.
        Err(Error::Refused(problem)) if problem.code == Code::NotFound => Ok(Some((token, target))),
        Err(e) => Err(e),
    }
}

/// The long write that deletes the messages of an application whose removal has begun, and then the application.
pub(super) struct RemoveApplication {
    user: UserKey,
    id: i64,
    target: TargetRef,
}

impl RemoveApplication {
    pub(super) fn new(user: UserKey, id: i64, target: String) -> Self {
        Self { user, id, target: TargetRef { kind: APPLICATION_TARGET.to_owned(), id: target } }
    }

    fn finish(&self, ctx: &mut WriteTx<'_>) -> Result<(), Error> {
        // A subscription that still has something to bring stays.
        if fan_in::prepare(ctx.tx, self.user, &Bounds::default())?.is_none() {
            subscriptions::unsubscribe(ctx, self.user, &self.target, None)?;
        }
        applications::delete(ctx, self.user, self.id)
    }
}

impl LongWrite for RemoveApplication {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.batch_rows();
            let deleted = messages::delete_of_application(ctx, self.id, rows)?;
            budget.charge_writes(deleted);
            if deleted < rows {
                self.finish(ctx)?;
                return Ok(true);
            }
            if budget.is_spent() {
                return Ok(false);
            }
        }
    }
}

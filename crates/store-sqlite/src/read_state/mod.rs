//! Changes of an inbox's read state: read marks of views, and the operations of clients.

pub(super) mod fresh_ops;
pub(super) mod marks;
pub(super) mod ops;

use async_trait::async_trait;
use tidings_model::wire::Count;
use tidings_model::{Stamp, View};
use tidings_store::{
    AffectedSenders, Applied, Error, Idempotency, InboxStore, Outcome, ReadStateStore, RequestedOp,
    UnreadStore, UserKey, Visit,
};

use self::fresh_ops::FreshOps;
use self::marks::VisitWrite;
use self::ops::OpsWrite;
use crate::SqliteStore;
use crate::in_time::in_time;

#[async_trait]
impl ReadStateStore for SqliteStore {
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, AffectedSenders), Error> {
        let _lock = in_time(self.user_locks.lock(user)).await?;
        let visited = self.in_portions(VisitWrite::new(user, view.clone(), visit)).await?;
        let (mark, unread) = self.view(user, view, cap).await?;
        Ok((mark.unwrap_or(visited.to()), unread, visited.affected))
    }

    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        let _lock = in_time(self.user_locks.lock(user)).await?;
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let ops = self.in_portions(OpsWrite::new(user, ops)).await?;
        self.applied(user, ops, cap, idempotency).await
    }

    async fn apply_fresh(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        let mut found = loop {
            match self.search_fan_in(user).await? {
                // A full disk refuses the operations, but not because of what could be brought in.
                Some(much) if !much.is_little() || self.room.is_full() => {
                    if !self.bring_in(much).await? {
                        break None;
                    }
                }
                little => break little,
            }
        };
        let _lock = in_time(self.user_locks.lock(user)).await?;
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let mut ops = OpsWrite::new(user, ops);
        let ops = loop {
            let write = self.in_portions(FreshOps::new(found, ops)).await?;
            if write.is_done() {
                break write.into_ops();
            }
            (ops, found) = (write.into_ops(), self.search_fan_in(user).await?);
        };
        self.applied(user, ops, cap, idempotency).await
    }
}

impl SqliteStore {
    /// What has come of operations.
    async fn applied(
        &self,
        user: UserKey,
        ops: OpsWrite,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        let applied = ops.applied(self.unread(user, cap).await?);
        // The response is stored after the last portion; until then a repetition continues the work, each operation
        // once.
        match idempotency {
            None => Ok(Outcome::Done(applied)),
            Some(idempotency) => self.write(move |w| w.idempotent(Some(idempotency), |_| Ok(applied))).await,
        }
    }
}

//! Changes of an inbox's read state: read marks of views, and the operations of clients. [`tidings_store::domain::item`] has the
//! rules of items. All of it is written under the lock of the inbox, in portions, and takes stamps of the inbox alone.

mod covered_items;
pub(super) mod items;
mod marks;
mod ops;
mod read_all;
mod rewind;
mod segment;
mod visit;

use std::collections::BTreeSet;

use async_trait::async_trait;
use tidings_model::wire::Count;
use tidings_model::{Kind, Mark, Stamp, View};
use tidings_store::domain::account::UserKey;
pub(super) use tidings_store::item_row::view_key;
use tidings_store::{
    AffectedSenders, Applied, Error, Idempotency, InboxStore, Outcome, ReadStateStore, RequestedOp,
    UnreadStore, Visit,
};

pub(super) use self::segment::conversations_lost_messages;
use super::PostgresStore;
use super::portions::{LongWrite, Portion, Progress, in_portions};
use super::tx::{in_transaction, in_turn};

async fn apply_now(
    store: &PostgresStore,
    user: UserKey,
    ops: Vec<RequestedOp>,
    cap: u64,
    idempotency: Option<Idempotency<Applied>>,
) -> Result<Outcome<Applied>, Error> {
    if let Some(answer) = store.answer_of(idempotency.as_ref()).await? {
        return Ok(Outcome::Replayed(answer));
    }
    let ops::AppliedOps { results, changed, affected, answered } = ops::apply(store, user, ops).await?;
    let unread = store.unread(user, cap).await?;
    let applied = Applied { results, unread, changed, affected, answered };
    if idempotency.is_none() {
        return Ok(Outcome::Done(applied));
    }
    // The response is stored after the last portion; until then a repetition continues the work, each operation once.
    let answer = in_transaction!(store, |tx| {
        let answer = tx.take_key(idempotency.as_ref()).await?;
        if answer.is_none() {
            tx.keep_answer(idempotency.as_ref(), &applied).await?;
        }
        Ok(answer)
    })?;
    Ok(answer.map_or(Outcome::Done(applied), Outcome::Replayed))
}

/// Archives the items that were created at these times, in portions.
pub(super) async fn archive(store: &PostgresStore, user: UserKey, created_at: &[i64]) -> Result<(), Error> {
    let times: Vec<Stamp> = created_at.iter().copied().map(Stamp::from_micros).collect();
    in_portions(store, user, Archiving { times: &times }, BTreeSet::new()).await?;
    Ok(())
}

/// The long write that archives items: those that are left.
#[derive(Clone)]
struct Archiving<'t> {
    times: &'t [Stamp],
}

impl LongWrite for Archiving<'_> {
    async fn portion(&mut self, portion: &mut Portion<'_, '_>) -> Result<Progress, Error> {
        while !self.times.is_empty() {
            if portion.budget.is_spent() {
                return Ok(Progress::More);
            }
            let (batch, left) = self.times.split_at(self.times.len().min(portion.budget.batch_rows()));
            segment::mark_items(portion, batch, Mark::Archive).await?;
            self.times = left;
        }
        Ok(Progress::Done)
    }
}

/// The kind as the database stores it.
pub(super) fn kind_row(kind: Kind) -> i16 {
    match kind {
        Kind::Announcement => 1,
        Kind::Reminder => 2,
        Kind::Message => 3,
    }
}

/// The kind of a view, and its id within that kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ViewKey {
    pub(super) kind: Kind,
    pub(super) view: String,
}

impl ViewKey {
    /// The id of the group whose conversation this is.
    pub(super) fn group(&self) -> Option<&str> {
        if self.kind == Kind::Message { self.view.strip_prefix("group:") } else { None }
    }

    /// The id of the user whose conversation with this one it is.
    pub(super) fn peer(&self) -> Option<&str> {
        if self.kind == Kind::Message { self.view.strip_prefix("user:") } else { None }
    }
}

#[async_trait]
impl ReadStateStore for PostgresStore {
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, AffectedSenders), Error> {
        let visit = async {
            let (to, affected) = visit::visit(self, user, view, &visit).await?;
            let (mark, unread) = self.view(user, view, cap).await?;
            Ok((mark.unwrap_or(to), unread, affected))
        };
        Box::pin(in_turn(&self.user_locks, user, visit)).await
    }

    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        let job = Box::pin(apply_now(self, user, ops, cap, idempotency));
        in_turn(&self.user_locks, user, job).await
    }
}

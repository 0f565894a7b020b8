//! Inboxes.

use async_trait::async_trait;
use rusqlite::Connection;
use tidings_model::wire::{AnnouncementReaders, Count, UnreadCounts};
use tidings_model::{Stamp, View};
use tidings_store::{
    AffectedSenders, Applied, Conversation, ConversationQuery, DeliveryStore, Error, Idempotency, InboxQuery,
    InboxStore, ItemsPage, Outcome, PullPage, ReadStateStore, RequestedOp, UnreadStore, UserKey, Visit,
};

use crate::fan_in::{self, FanIn};
use crate::in_time::in_time;
use crate::inbox::{announcement_readers, conversations, counts, list, pull};
use crate::publishing::questions;
use crate::read_state::fresh_ops::FreshOps;
use crate::read_state::marks;
use crate::read_state::ops::OpsWrite;
use crate::tables::{deliveries, open_questions};
use crate::{SHARED_QUEUE, SqliteStore};

impl SqliteStore {
    /// Searches what an inbox is to take, after questions have ended and deliveries were told; `None` if there is nothing.
    async fn search_fan_in(&self, user: UserKey) -> Result<Option<FanIn>, Error> {
        let bounds = self.bounds;
        let found = loop {
            let now = self.clock.now();
            // A question ends at its very moment, whichever request comes first.
            let look = move |c: &Connection| {
                let is_over = open_questions::next_due(c)?.is_some_and(|due| due <= now);
                let found = fan_in::prepare(c, user, &bounds)?;
                Ok((is_over, (found, deliveries::any_unreported(c, user, now)?)))
            };
            let (is_over, found) = self.read_long(user, look).await?;
            if !is_over {
                break found;
            }
            let budget = self.budget();
            match self.write_long(move |w| questions::expire_due(w, &mut budget())).await {
                Ok(posts) => self.ended.lock().extend(posts),
                Err(e) if e.is_of_disk() => break found,
                Err(e) => return Err(e),
            }
        };
        let (found, any_unreported) = found;
        if any_unreported {
            match self.tell_deliveries(user).await {
                Err(e) if !e.is_of_disk() => return Err(e),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Brings in what was found; true while there may be more.
    async fn bring_in(&self, found: FanIn) -> Result<bool, Error> {
        match self.in_portions(found).await.map(|done| done.has_more()) {
            // Nothing new is stored, but the stored items can be read.
            Err(e) if e.is_of_disk() => Ok(false),
            has_more => has_more,
        }
    }

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

#[async_trait]
impl InboxStore for SqliteStore {
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error> {
        match self.search_fan_in(user).await? {
            Some(found) => self.bring_in(found).await,
            None => Ok(false),
        }
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
        let bounds = self.bounds;
        self.read_long(user, move |c| pull::sync(c, user, since, limit, &bounds)).await
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        self.read_long(user, move |c| pull::changes_after(c, user, since)).await
    }

    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| list::inbox(c, user, &query, now)).await
    }

    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| conversations::page(c, user, &query, now)).await
    }

    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error> {
        let (view, now) = (view.clone(), self.clock.now());
        self.read_long(user, move |c| counts::view(c, user, &view, cap, now)).await
    }

    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
        self.read_long(SHARED_QUEUE, move |c| announcement_readers::count(c, created_at)).await
    }
}

#[async_trait]
impl UnreadStore for SqliteStore {
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| counts::unread(c, user, cap, now)).await
    }
}

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
        let visit_write = marks::VisitWrite::new(user, view.clone(), visit);
        let visited = self.in_portions(visit_write).await?;
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

#[async_trait]
impl DeliveryStore for SqliteStore {
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error> {
        let most = self.short_write_rows();
        while !self.write(move |w| deliveries::advance(w, user, to, most)).await? {}
        Ok(())
    }

    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error> {
        let (now, most) = (self.clock.now(), self.short_write_rows());
        if !self.read(move |c| deliveries::any_unreported(c, sender, now)).await? {
            return Ok(false);
        }
        while self.write(move |w| deliveries::tell(w, sender, most)).await? >= most {}
        Ok(true)
    }
}

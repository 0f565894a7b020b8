//! The part of the store's interface that live channels use: what changed, and whom it concerns.

use async_trait::async_trait;
use tidings_model::Stamp;

use crate::Error;
use crate::{Changes, Recipients, UserKey};

/// What the live channel asks, and what other processes on the same data change.
#[async_trait]
pub trait LiveStore: Send + Sync {
    /// Those of the users in `among` who may be recipients. If an exact answer would cost too much, users who are
    /// not recipients may be included; no recipient is left out.
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error>;
    /// Whether other processes may serve the same data.
    fn is_shared(&self) -> bool {
        false
    }
    /// Completes when another process says that it changed something, or when that can't be heard at present.
    async fn others_changed(&self) {
        std::future::pending::<()>().await;
    }
    /// What changed since a position, and the inboxes of `known` that have a newer stamp than the known one. Work is
    /// bounded by the number of users in `known` and a page of publications.
    async fn changes_since(&self, since: Stamp, known: &[(UserKey, Stamp)]) -> Result<Changes, Error> {
        let _ = known;
        Ok(Changes { upto: since, is_complete: true, ..Changes::default() })
    }
    /// A stamp that is not older than any that was assigned by a write of this process that has ended. It costs less than
    /// [`UpkeepStore::meta`](super::UpkeepStore::meta); writes of other processes may have newer ones.
    async fn newest_stamp(&self) -> Result<Stamp, Error>;
    /// The stamp up to which all publications are visible; one that is published from now on has a later one.
    async fn published_through(&self) -> Result<Stamp, Error> {
        self.newest_stamp().await
    }
    /// A stamp that no earlier change of an inbox has passed, and that every later one passes.
    async fn inbox_stamp(&self, user: UserKey) -> Result<Stamp, Error> {
        let _ = user;
        self.newest_stamp().await
    }
    /// The newest stamp that a pull of this user may have given, also one by another process.
    async fn position(&self, user: UserKey) -> Result<Stamp, Error>;
}

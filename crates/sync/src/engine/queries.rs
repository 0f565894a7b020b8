//! Requests to a source's server outside of the pull, for callers that wait for the answer: the readers of a message,
//! the members of a group, a new group.

use std::sync::Arc;

use tidings_model::MsgId;
use tidings_model::group::Readers;
use tidings_replica::SourceId;

use super::{Engine, Shared, is_pulled};
use crate::blocking::with_replica;
use crate::{GroupAnswer, NewGroup, Result, pull::groups, source};

impl Engine {
    /// Requests the readers and non-readers of a group message, and stores them. `None` if the source is not pulled
    /// or its server does not have this list.
    ///
    /// # Errors
    /// [`Error::Slow`](crate::Error::Slow) after 5 s, else the error of the request.
    pub async fn read_by(&self, id: SourceId, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        groups::read_by(&self.inner.shared.replica, id, &*source, gid, msgid).await
    }

    /// Requests the members of a group, and stores them. Does nothing for a source that is not pulled.
    ///
    /// # Errors
    /// [`Error::Slow`](crate::Error::Slow) after 5 s, else the error of the request.
    pub async fn refresh_members(&self, id: SourceId, gid: &str) -> Result<()> {
        let Some(source) = self.client(id).await? else { return Ok(()) };
        groups::refresh_members(&self.inner.shared.replica, id, &*source, gid).await
    }

    /// Creates a group at a source, and stores it. A retry passes the same idempotency `key`, so that no second group
    /// is created if the first answer was lost. `None` if the source is not pulled or has no groups.
    ///
    /// # Errors
    /// [`Error::Slow`](crate::Error::Slow) after 10 s, else the error of the request.
    pub async fn make_group(&self, id: SourceId, new: &NewGroup, key: &str) -> Result<Option<GroupAnswer>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        groups::make_group(&self.inner.shared.replica, id, &*source, new, key).await
    }

    /// The client of a source; `None` while the source is not pulled.
    async fn client(&self, id: SourceId) -> Result<Option<Arc<dyn source::Source>>> {
        let Shared { replica, tokens, clock, .. } = self.inner.shared.clone();
        let (row, token) = with_replica(&replica, move |r| {
            let row = r.source(id)?;
            let token = is_pulled(&row).then(|| tokens.token(&row));
            Ok((row, token))
        })
        .await?;
        let Some(token) = token else { return Ok(None) };
        source::open(&row, token?, clock).map(Some)
    }
}

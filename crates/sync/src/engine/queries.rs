//! Requests to a source's server outside of the pull, for callers that wait for the answer. They ask for the readers of
//! a message, for the members of a group, for people, or for the details that an opened thread lacks. They create a group,
//! change a publication of the user, or publish on a topic.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::group::Readers;
use tidings_model::wire::AnnouncementReaders;
use tidings_model::{Actor, MsgId};
use tidings_replica::{SourceId, ThreadId};
use tidings_sources::{
    ChangeAnswer, GroupAnswer, GroupChange, NewGroup, Publication, PublishedChange, Source,
};

use super::{Engine, Shared, is_pulled};
use crate::blocking::with_replica;
use crate::pull::publishing::publish_once;
use crate::pull::{groups, published, threads};
use crate::tokens::valid_token;
use crate::{Result, waits};

/// The longest wait for people: somebody is typing a name.
const PEOPLE_TIMEOUT: Duration = Duration::from_secs(5);

impl Engine {
    /// Requests the people at a source whose id or name begins like this. `None` if the source is not pulled or its
    /// server does not say it.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 5 s, else the error of the request.
    pub async fn people(&self, id: SourceId, typed: &str) -> Result<Option<Vec<Actor>>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        let asked = tokio::time::timeout(PEOPLE_TIMEOUT, source.people(typed)).await;
        Ok(asked.map_err(|_| tidings_net::Error::Slow)??)
    }

    /// Requests the readers and non-readers of a group message, and stores them. `None` if the source is not pulled
    /// or its server does not have this list.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 5 s, else the error of the request.
    pub async fn read_by(&self, id: SourceId, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        groups::read_by(&self.inner.shared.replica, id, &*source, gid, msgid).await
    }

    /// Requests the members of a group, and stores them. Does nothing for a source that is not pulled.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 5 s, else the error of the request.
    pub async fn refresh_members(&self, id: SourceId, gid: &str) -> Result<()> {
        let Some(source) = self.client(id).await? else { return Ok(()) };
        groups::refresh_members(&self.inner.shared.replica, id, &*source, gid).await
    }

    /// Creates a group at a source, and stores it. A retry passes the same idempotency `key`, so that no second group
    /// is created if the first answer was lost. `None` if the source is not pulled or has no groups.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 10 s, else the error of the request.
    pub async fn make_group(&self, id: SourceId, new: &NewGroup, key: &str) -> Result<Option<GroupAnswer>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        groups::make_group(&self.inner.shared.replica, id, &*source, new, key).await
    }

    /// Changes a group at a source, and stores it as it is then. `None` if the source is not pulled or has no groups.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 10 s, else the error of the request.
    pub async fn change_group(
        &self,
        id: SourceId,
        gid: &str,
        change: &GroupChange,
    ) -> Result<Option<ChangeAnswer>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        groups::change_group(&self.inner.shared.replica, id, &*source, gid, change).await
    }

    /// Edits what the user published at a source, or takes it back, and pulls it. `None` if the source is not pulled or
    /// cannot do that.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 10 s, else the error of the request.
    pub async fn change_published(
        &self,
        id: SourceId,
        msgid: &MsgId,
        change: &PublishedChange,
    ) -> Result<Option<ChangeAnswer>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        let answer = published::change(&*source, msgid, change).await?;
        if answer == Some(ChangeAnswer::Done)
            && let Err(error) = self.pull_one(id).await
        {
            tracing::debug!(%error, "what was changed comes with the next pull");
        }
        Ok(answer)
    }

    /// How many users have read an announcement that the user published. `None` if the source is not pulled or does not
    /// report it.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 5 s, else the error of the request.
    pub async fn announcement_readers(
        &self,
        id: SourceId,
        msgid: &MsgId,
    ) -> Result<Option<AnnouncementReaders>> {
        let Some(source) = self.client(id).await? else { return Ok(None) };
        Ok(published::readers(&*source, msgid).await?)
    }

    /// Asks a service for the unknown parts of a thread that a reader opened. These are details that its newest item
    /// lacks, such as the latest comment, and its subscription. Does nothing for a source that is not pulled, or can do
    /// neither.
    ///
    /// # Errors
    /// [`Slow`](tidings_net::Error::Slow) after 15 s, else the error of a request.
    pub async fn look_up(&self, id: SourceId, thread: ThreadId) -> Result<()> {
        let row = with_replica(&self.inner.shared.replica, move |r| r.source(id)).await?;
        let able = tidings_sources::protocol(&row.protocol).map(|known| known.abilities).unwrap_or_default();
        if !able.follow && !able.details {
            return Ok(());
        }
        let Some(source) = self.client(id).await? else { return Ok(()) };
        threads::look_up(&self.inner.shared.replica, id, &*source, thread).await
    }

    /// Publishes a notification on a topic of a source, once, and pulls it. `false` if the source is not pulled.
    ///
    /// # Errors
    /// Those of [`publish_once`].
    pub async fn publish(&self, id: SourceId, publication: &Publication) -> Result<bool> {
        let Some(source) = self.client(id).await? else { return Ok(false) };
        publish_once(&self.inner.shared.replica, id, &*source, publication).await?;
        if let Err(error) = self.pull_one(id).await {
            tracing::debug!(%error, "what was published comes with the next pull");
        }
        Ok(true)
    }

    /// The client of a source; `None` while the source is not pulled.
    ///
    /// # Errors
    /// [`Waiting`](tidings_net::Error::Waiting) while its server asks to be left alone.
    async fn client(&self, id: SourceId) -> Result<Option<Arc<dyn Source>>> {
        let Shared { replica, tokens, clock, bounds, .. } = self.inner.shared.clone();
        waits::check(&replica, id).await?;
        let row = with_replica(&replica, move |r| r.source(id)).await?;
        if !is_pulled(&row) {
            return Ok(None);
        }
        let (token, _) = valid_token(&replica, &tokens, &row, &clock).await?;
        Ok(Some(tidings_sources::open_within(&row, token, clock, bounds)?))
    }
}

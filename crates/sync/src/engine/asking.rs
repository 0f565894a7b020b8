//! What is asked of a server beside the pull, while somebody waits for the answer. Refuses to ask a source that is not
//! pulled.

use std::sync::Arc;

use tidings_model::MsgId;
use tidings_model::group::Readers;
use tidings_replica::SourceId;

use super::{Engine, Shared, pulled};
use crate::disk::on_disk;
use crate::{GroupAnswer, NewGroup, Result, source, talk};

impl Engine {
    /// Who has read a message of a group and who has not, as its server says now; none where it does not tell. The
    /// answer is kept, so that what is known without the server is as good as it can be. An error within 5 s where the
    /// server can't be asked.
    pub async fn read_by(&self, id: SourceId, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let Some(source) = self.to_ask(id).await? else { return Ok(None) };
        talk::read_by(&self.inner.shared.replica, id, &*source, gid, msgid).await
    }

    /// Asks who is in a group, and keeps the answer. An error within 5 s where the server can't be asked.
    pub async fn ask_members(&self, id: SourceId, gid: &str) -> Result<()> {
        let Some(source) = self.to_ask(id).await? else { return Ok(()) };
        talk::members(&self.inner.shared.replica, id, &*source, gid).await
    }

    /// Makes a group at a source, and keeps it. Whoever asks again gives the same `key`, so that there is one group
    /// whatever became of the first answer. None where the source is not pulled or has no groups, an error within 10 s
    /// where its server can't be asked.
    pub async fn make_group(&self, id: SourceId, new: &NewGroup, key: &str) -> Result<Option<GroupAnswer>> {
        let Some(source) = self.to_ask(id).await? else { return Ok(None) };
        talk::make_group(&self.inner.shared.replica, id, &*source, new, key).await
    }

    /// The server behind a source, for a question beside the pull; none while the source is not pulled.
    async fn to_ask(&self, id: SourceId) -> Result<Option<Arc<dyn source::Source>>> {
        let Shared { replica, tokens, clock, .. } = self.inner.shared.clone();
        let (row, token) = on_disk(&replica, move |r| {
            let row = r.source(id)?;
            let token = pulled(&row).then(|| tokens.token(&row));
            Ok((row, token))
        })
        .await?;
        let Some(token) = token else { return Ok(None) };
        source::open(&row, token?, clock).map(Some)
    }
}

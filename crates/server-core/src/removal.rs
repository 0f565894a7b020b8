//! Finishes the removal of users: recalls what they wrote, if that is asked for, and deletes the rest, also after a crash.
//!
//! The removal itself is one short transaction. The user is hidden, and its tokens are valid no more. Its id is kept in
//! `former_users`, so that nobody else gets it and nothing is sent in its name. Over PostgreSQL the answer waits for
//! the time that tokens are remembered. Conversations with others are closed at a stamp of the other's inbox, which a
//! pull names (`closed`). What nobody else has or gets is deleted, with its files. An ended group keeps its row, which
//! takes the id, and upkeep ends its memberships. Every process looks every few seconds for what another one left undone.

use std::time::Duration;

use tidings_model::Code;
use tidings_store::trace::of_call;
use tidings_store::{Editor, Error, Store, WrittenContent};

use crate::domain::limits;
use crate::files;
use crate::server::Server;

/// How long a process waits for another one that does the same work, before it looks again.
pub const RETRY: Duration = Duration::from_secs(5);
/// Publications that are read to be recalled at a time.
const RECALL_PAGE: usize = 100;

/// How often a process looks again, before it goes on with the rest of its upkeep.
pub const TRIES: u32 = 24;

/// Whether the removal of a user has begun and is not finished.
pub async fn is_pending(store: &dyn Store) -> bool {
    match store.removal_pending().await {
        Ok(pending) => pending,
        Err(e) => {
            tracing::warn!(error = %e, "could not look for users who were removed");
            false
        }
    }
}

impl Server {
    /// Removes a user; their tokens and open streams end at once, and their id is given to nobody else. Returns after all
    /// their data was deleted, which may take long.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.remove_user("ann", tidings_store::WrittenContent::Keep).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        self.begin_removal(id, written).await?;
        while self.store.removal_pending().await? {
            recall_all(self).await?;
            while self.store.prune_removed(limits::SHORT_WRITE_ROWS).await? {}
            if self.store.removal_pending().await? {
                // A server on the same database does it.
                tokio::time::sleep(RETRY).await;
            }
        }
        files::delete_expired(&*self.store, &self.files, false).await
    }
}

/// Recalls what removed users wrote, if that is asked for.
pub async fn recall(server: &Server) {
    if let Err(e) = recall_all(server).await {
        tracing::warn!(error = %e, "could not recall what a removed user wrote");
    }
}

/// Recalls all that is to be recalled of removed users. Recalling something twice does nothing, so several processes may.
async fn recall_all(server: &Server) -> Result<(), Error> {
    let store = &*server.store;
    while let Some((user, page)) = of_call(store, "to recall", store.to_recall(RECALL_PAGE)).await? {
        // Any publication, of any publisher.
        let by = Editor { user, id: String::new(), is_admin: true, application: None };
        for msgid in &page.msgids {
            match server.recall(msgid, &by).await {
                // Retention has removed it meanwhile.
                Err(Error::Refused(problem)) if problem.code == Code::NotFound => {}
                recalled => recalled?,
            }
        }
        store.recalled(user, page.through, !page.more).await?;
    }
    Ok(())
}

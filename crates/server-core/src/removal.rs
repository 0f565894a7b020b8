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
use tidings_store::{Editor, Error, Store};

use crate::live::Hub;

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

/// Recalls what removed users wrote, if that is asked for.
pub async fn recall(store: &dyn Store, hub: &Hub) {
    if let Err(e) = recall_all(store, hub).await {
        tracing::warn!(error = %e, "could not recall what a removed user wrote");
    }
}

/// Recalls all that is to be recalled of removed users. Recalling something twice does nothing, so several processes may.
pub(crate) async fn recall_all(store: &dyn Store, hub: &Hub) -> Result<(), Error> {
    while let Some((user, page)) = of_call(store, "to recall", store.to_recall(RECALL_PAGE)).await? {
        // Any publication, of any publisher.
        let by = Editor { user, id: String::new(), is_admin: true, application: None };
        for msgid in &page.msgids {
            match store.recall(msgid, &by).await {
                Ok(Some(post)) => hub.published(&[post]),
                Ok(None) => {}
                // Retention has removed it meanwhile.
                Err(Error::Refused(problem)) if problem.code == Code::NotFound => {}
                Err(e) => return Err(e),
            }
        }
        store.recalled(user, page.through, !page.more).await?;
    }
    Ok(())
}

//! Compares counters of a few inboxes with a recount, and puts right what differs.

use std::sync::atomic::Ordering;

use tidings_server_core::server::Server;
use tidings_store::UserKey;
use tidings_store::trace::of_call;

/// Inboxes recounted in one step.
const USERS_PER_RECOUNT: usize = 20;
/// Seconds; an inbox without a change for this long is not recounted.
const ACTIVE_WINDOW_SECS: i64 = 7 * 24 * 3_600;

/// Compares the cached counts of a few active users with a recount and logs the differences.
pub(super) async fn recount_cached(server: &Server) {
    let recount = server.store.reconcile_cache(USERS_PER_RECOUNT);
    match of_call(&*server.store, "recount cache", recount).await {
        Ok(differences) => {
            for difference in differences {
                tracing::error!(%difference, "a cached count was wrong and was deleted");
            }
        }
        Err(e) => tracing::warn!(error = %e, "could not recount what is cached"),
    }
}

/// Recounts the next few inboxes and logs the differences; gives the user after whom to continue.
pub(super) async fn recount(server: &Server, after: UserKey) -> UserKey {
    let active_since = server.clock.now().plus_secs(-ACTIVE_WINDOW_SECS);
    let recount = server.store.reconcile(after, active_since, USERS_PER_RECOUNT);
    match of_call(&*server.store, "recount", recount).await {
        Ok((differences, next)) => {
            for difference in differences {
                server.repairs.fetch_add(1, Ordering::Relaxed);
                tracing::error!(%difference, "a counter was wrong and was put right");
            }
            next.unwrap_or(UserKey(0))
        }
        Err(e) => {
            tracing::warn!(error = %e, "could not recount");
            after
        }
    }
}

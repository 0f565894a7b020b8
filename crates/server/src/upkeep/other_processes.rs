//! Follows what other processes do to the same data, so that those who listen in this one hear of it.
//!
//! Each process reads what was created since the last look, and the newest stamps of the inboxes of its listeners.
//! It does so once a second and whenever another process hints that something changed. Hints are at most one in 20
//! ms. A thousand publications are named at a time; beyond that everybody who listens looks for themselves. Once a
//! second each process looks whether a token was revoked.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tidings_model::Stamp;
use tidings_server_core::server::Server;
use tidings_store::{Error, UserKey};
use tokio::time::{sleep, timeout};

/// A lost hint of another process delays what it was about by this time.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The rest after a look, as a multiple of the time that it took, so that many hints take a fifth of a connection at most.
const REST_PER_COST: u32 = 4;

/// Follows the other processes; returns at once if there can be none.
pub(super) async fn follow(server: &Server) {
    if !server.store.is_shared() {
        return std::future::pending().await;
    }
    let mut seen = Seen::default();
    loop {
        let started = Instant::now();
        if let Err(e) = seen.look(server).await {
            tracing::warn!(error = %e, "could not read what other processes did");
        }
        sleep(started.elapsed() * REST_PER_COST).await;
        let _waited = timeout(POLL_INTERVAL, server.store.others_changed()).await;
    }
}

/// What those who listen have heard of.
#[derive(Default)]
struct Seen {
    upto: Stamp,
    inboxes: HashMap<UserKey, Stamp>,
}

impl Seen {
    /// Reads the new changes and passes them on.
    async fn look(&mut self, server: &Server) -> Result<(), Error> {
        let online = server.hub.online();
        let known: Vec<_> = online
            .iter()
            .map(|user| (*user, self.inboxes.get(user).copied().unwrap_or(Stamp::ZERO)))
            .collect();
        let changes = server.store.changes_since(self.upto, &known).await?;
        if changes.is_complete {
            server.hub.published_by_others(&changes.posts, changes.upto);
        } else {
            server.hub.lost_sight(changes.upto);
        }
        server.hub.inboxes_changed(&changes.inboxes);
        self.upto = changes.upto;
        // Those who went are forgotten.
        self.inboxes = known.into_iter().collect();
        self.inboxes.extend(changes.inboxes.iter().map(|inbox| (inbox.user, inbox.stamp)));
        Ok(())
    }
}

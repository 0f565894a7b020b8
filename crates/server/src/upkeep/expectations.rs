//! Looks at topics that expect a publication every so often. Servers on one database take turns by a lock: what one has
//! looked at is not due for the others.

use std::time::Duration;

use tidings_server_core::server::Server;
use tidings_store::Error;
use tidings_store::domain::expectation::{LOOK_INTERVAL, Watch};
use tidings_store::trace::of_call;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::readiness::Readiness;

/// Topics that are looked at in one transaction.
const PORTION: usize = 64;
/// The pause after each, in which others write.
const PAUSE: Duration = Duration::from_millis(20);
/// Portions after which the next look begins, so that looks are never too far apart.
const MAX_PORTIONS: usize = 500;

/// Looks at intervals, for as long as the server runs.
pub(super) async fn watch(server: &Server, readiness: &Readiness) {
    let mut tick = interval(LOOK_INTERVAL.min(server.config.upkeep_interval));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !readiness.allows_upkeep(&*server.store).await {
            continue;
        }
        if let Err(e) = look(server).await {
            tracing::warn!(error = %e, "could not look at what topics expect");
        }
    }
}

async fn look(server: &Server) -> Result<(), Error> {
    let store = &*server.store;
    let owner = match &server.config.standalone_owner {
        Some(id) => store.user(id).await?.map(|user| user.key),
        None => None,
    };
    let retain_secs = server.config.retain.and_then(|time| i64::try_from(time.as_secs()).ok());
    let watch = Watch { lang: server.config.lang, owner, retain_secs, portion: PORTION };
    for _ in 0..MAX_PORTIONS {
        let watched = of_call(store, "watch expectations", store.watch_expectations(watch)).await?;
        server.hub.published(&watched.posts);
        if !watched.more {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
    Ok(())
}

//! Whether this server does upkeep: of those that share their data, one that is not ready leaves it to the others.

use std::sync::atomic::{AtomicBool, Ordering};

use tidings_store::Store;

/// The state that the log had last.
#[derive(Default)]
pub(super) struct Readiness {
    is_held_off: AtomicBool,
}

impl Readiness {
    /// False if the data is shared and this server is not ready: its clock is wrong, the tables are newer than it, or
    /// the database takes no changes. It then takes no lease, delivers and deletes nothing, and its look keeps the store from
    /// handing out stamps. It says so in the log once.
    pub(super) async fn allows_upkeep(&self, store: &dyn Store) -> bool {
        if !store.is_shared() {
            return true;
        }
        let ready = store.ready().await;
        let told = self.is_held_off.swap(ready.is_err(), Ordering::Relaxed);
        if let (Err(error), false) = (&ready, told) {
            tracing::warn!(%error, "this server is not ready, so it leaves upkeep to the others");
        } else if ready.is_ok() && told {
            tracing::info!("this server is ready, so it does upkeep again");
        }
        ready.is_ok()
    }
}

//! The replica as asynchronous code uses it. Refuses to block the runtime's threads.

use tidings_replica::Replica;

use crate::{Error, Result};

/// Runs a job on the replica where blocking is allowed. Once begun, it ends, also when nobody waits for it any more.
pub(crate) async fn on_disk<T, F>(replica: &Replica, job: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&Replica) -> tidings_replica::Result<T> + Send + 'static,
{
    let replica = replica.clone();
    let done = tokio::task::spawn_blocking(move || job(&replica)).await;
    Ok(done.map_err(|error| Error::from_task(&error))??)
}

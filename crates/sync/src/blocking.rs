//! Runs blocking calls of the replica from asynchronous code.

use tidings_replica::Replica;

use crate::Result;

/// Runs a job on the replica in tokio's pool for blocking work. A started job runs to its end even if the future is
/// dropped.
pub(crate) async fn with_replica<T, F>(replica: &Replica, job: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&Replica) -> tidings_replica::Result<T> + Send + 'static,
{
    let replica = replica.clone();
    let done = tokio::task::spawn_blocking(move || job(&replica)).await;
    Ok(done.map_err(|error| tidings_net::Error::from_task(&error))??)
}

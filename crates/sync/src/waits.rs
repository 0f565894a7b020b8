//! Keeps to the waits that servers ask for: they are stored with the source, and every request of a pull waits for them.
//!
//! Until then no process sends a request to the service: no pull, no mark, no file, also after a restart; at most a day
//! ahead. The interval that a service wants between pulls, and the wait after it could not answer, bind the timer, also
//! after a restart, but not a person.

use tidings_net::Error as NetError;
use tidings_net::waits::{MAX_WAIT, RequestedWait};
use tidings_replica::{Replica, SourceId, Waits};

use crate::blocking::with_replica;
use crate::{Error, Result};

/// What an answer may ask for is what is stored.
const _: () = assert!(MAX_WAIT.as_secs() == Waits::MAX.as_secs());

/// Fails while the server of a source asks to be left alone.
///
/// # Errors
/// [`NetError::Waiting`].
pub(crate) async fn check(replica: &Replica, id: SourceId) -> Result<()> {
    match with_replica(replica, move |r| r.waits(id)).await?.requests {
        Some(until) => Err(NetError::Waiting { until }.into()),
        None => Ok(()),
    }
}

/// Runs requests to the server of a source unless it asks to be left alone, and stores the wait that the answers ask
/// for.
///
/// # Errors
/// [`NetError::Waiting`] without a request, else the error of the requests.
pub(crate) async fn keep_to<T, E: Into<Error>>(
    replica: &Replica,
    id: SourceId,
    requests: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    check(replica, id).await?;
    let asked = RequestedWait::default();
    let result = asked.record(requests).await.map_err(E::into);
    let wait = result.as_ref().err().and_then(Error::retry_after).max(asked.get());
    if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
        match with_replica(replica, move |r| r.postpone_requests(id, wait)).await {
            Ok(until) => tracing::info!(source = id, %until, "the server asks to be left alone"),
            // The wait still holds in this process.
            Err(error) => {
                tracing::warn!(source = id, %error, "a wait that the server asks for was not stored");
            }
        }
    }
    result
}

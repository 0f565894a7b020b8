//! The connection of the cache, which all requests of a process share: kept open by one task, and watched by a circuit
//! breaker.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, FromRedisValue, Pipeline, ProtocolVersion};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::RedisAddress;
use super::breaker::{Breaker, Transition};
use super::connection::{Pauses, open};

/// A connection that opens itself again. Dropping it ends that.
pub(super) struct SharedConnection {
    shared: Arc<Shared>,
    _end: DropGuard,
}

struct Shared {
    address: RedisAddress,
    /// `None` while there is none.
    current: Mutex<Option<MultiplexedConnection>>,
    breaker: Mutex<Breaker>,
    /// The connection is there and does not answer.
    hangs: Notify,
}

impl SharedConnection {
    /// Begins to connect.
    pub(super) fn start(address: RedisAddress) -> Self {
        let shared = Arc::new(Shared {
            address,
            current: Mutex::default(),
            breaker: Mutex::default(),
            hangs: Notify::new(),
        });
        let end = CancellationToken::new();
        let (kept, ended) = (Arc::clone(&shared), end.clone());
        tokio::spawn(async move { ended.run_until_cancelled(kept.keep()).await });
        Self { shared, _end: end.drop_guard() }
    }

    /// Sends commands; `None` if they are not all answered within this time, or are not sent at all because Redis
    /// does not answer at present.
    pub(super) async fn ask<T: FromRedisValue>(&self, commands: &Pipeline, within: Duration) -> Option<T> {
        let shared = &*self.shared;
        let mut connection = shared.current.lock().clone()?;
        if !shared.breaker.lock().admits(Instant::now()) {
            return None;
        }
        let asked = timeout(within, commands.query_async::<T>(&mut connection)).await;
        let answer = asked.ok().and_then(Result::ok);
        let transition = {
            let mut breaker = shared.breaker.lock();
            if answer.is_some() { breaker.succeeded() } else { breaker.failed(Instant::now()) }
        };
        shared.note(transition);
        answer
    }

    /// Whether requests are kept from Redis, which is not there or fails.
    pub(super) fn is_open(&self) -> bool {
        self.shared.breaker.lock().is_open() || self.shared.current.lock().is_none()
    }
}

impl Shared {
    fn note(&self, transition: Transition) {
        match transition {
            Transition::Nothing => {}
            Transition::Opened => {
                tracing::warn!(cache = %self.address, "the cache fails: unread counts are counted in the database");
            }
            Transition::StaysOpen => self.hangs.notify_one(),
            Transition::Closed => tracing::info!(cache = %self.address, "the cache is in use again"),
        }
    }

    /// Keeps a connection open.
    async fn keep(&self) {
        let (mut pauses, mut was_told) = (Pauses::new(), false);
        loop {
            match open(&self.address, ProtocolVersion::RESP2, AsyncConnectionConfig::new()).await {
                Ok((connection, driver)) => {
                    if std::mem::take(&mut was_told) {
                        tracing::info!(cache = %self.address, "the cache is connected again");
                    }
                    pauses.reset();
                    *self.current.lock() = Some(connection);
                    tokio::select! {
                        () = driver => {}
                        () = self.hangs.notified() => {}
                    }
                    *self.current.lock() = None;
                }
                Err(why) if !std::mem::replace(&mut was_told, true) => {
                    tracing::warn!(
                        cache = %self.address, %why,
                        "the cache can't be connected to: unread counts are counted in the database until it is back"
                    );
                }
                Err(_) => {}
            }
            sleep(pauses.next()).await;
        }
    }
}

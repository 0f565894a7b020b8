//! Hints between the processes of a database: LISTEN and NOTIFY, on a connection beside the pools, or a bus
//! ([`super::redis::bus`]). A hint says only that something changed. What it was is read from the tables
//! ([`super::changes`]), which a process also asks once a second, so that a lost hint costs time and no data. A process
//! notifies after its commits and for many of them together: a NOTIFY inside a transaction would take a lock of the
//! whole cluster at its commit.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::poll_fn;
use tidings_store::domain::account::random_name;
use tidings_store::{Error, traces};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, Connection, NoTls};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::address::{Address, Protection};
use super::redis::RedisAddress;
use super::redis::bus::Bus;
use super::signals::{MERGE_TIME, Signals};
use super::tls::Tls;

/// How long opening the connection or sending a hint may take until the connection counts as lost.
const SEND_TIME: Duration = Duration::from_secs(5);
/// The pause after the connection was lost.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// The hints of one process. Dropping it ends their connection.
#[derive(Debug)]
pub(super) struct Hints {
    signals: Arc<Signals>,
    _end: DropGuard,
}

impl Hints {
    /// Begins to listen and to hint: over the bus, if there is one, else by the database. Without a bus nothing is sent
    /// or heard behind a pooler that shares connections by transaction, which does not pass it on.
    pub(super) fn start(address: &Address, instance: &str, bus: Option<&RedisAddress>) -> Self {
        let (signals, end) = (Arc::<Signals>::default(), CancellationToken::new());
        if let Some(bus) = bus {
            let bus = Bus::new(bus.clone(), instance, random_name(), Arc::clone(&signals));
            let ended = end.clone();
            tokio::spawn(async move { ended.run_until_cancelled(bus.run()).await });
        } else if address.prepares {
            let exchange = Exchange {
                address: address.clone(),
                channel: format!("tidings_{instance}"),
                name: random_name(),
                signals: Arc::clone(&signals),
            };
            let ended = end.clone();
            tokio::spawn(async move { ended.run_until_cancelled(exchange.run()).await });
        }
        Self { signals, _end: end.drop_guard() }
    }

    /// Sends the other processes a hint that this one has changed something, a moment later.
    pub(super) fn changed(&self) {
        self.signals.own.notify_one();
    }

    /// Completes when another process has changed something.
    pub(super) async fn others_changed(&self) {
        self.signals.others.notified().await;
    }
}

/// One end of the channel.
struct Exchange {
    address: Address,
    channel: String,
    /// Random: by it a process knows its own hints.
    name: String,
    signals: Arc<Signals>,
}

impl Exchange {
    /// Listens and notifies; after the connection was lost, over a new one.
    async fn run(self) {
        loop {
            let Err(e) = self.until_lost().await;
            tracing::debug!(error = %e, "hints of other processes are not heard at present");
            self.signals.others.notify_one();
            sleep(RECONNECT_DELAY).await;
        }
    }

    async fn until_lost(&self) -> Result<std::convert::Infallible, Error> {
        let late = |_| Error::unavailable("the database does not answer");
        let (client, reader) = timeout(SEND_TIME, self.open()).await.map_err(late)??;
        // Aborted with this future, so that the connection ends.
        let _reader = tokio_util::task::AbortOnDropHandle::new(reader);
        let listen = format!("SET synchronous_commit = off; LISTEN {}", self.channel);
        timeout(SEND_TIME, client.batch_execute(&listen)).await.map_err(late)??;
        // What was hinted before is not known.
        self.signals.others.notify_one();
        let notify = format!("NOTIFY {}, '{}'", self.channel, self.name);
        loop {
            tokio::select! {
                () = self.signals.own.notified() => {}
                () = closed(&client) => return Err(Error::unavailable("the connection was lost")),
            }
            sleep(MERGE_TIME).await;
            let send = timeout(SEND_TIME, client.batch_execute(&notify));
            traces::of_hint("postgresql", send).await.map_err(late)??;
        }
    }

    async fn open(&self) -> Result<(Client, JoinHandle<()>), Error> {
        Ok(match &self.address.protection {
            Protection::Plain => {
                let (client, connection) = self.address.config.connect(NoTls).await?;
                (client, self.read(connection))
            }
            Protection::Verified(roots) => {
                let tls = Tls::trusting(roots.as_deref())?;
                let (client, connection) = self.address.config.connect(tls).await?;
                (client, self.read(connection))
            }
        })
    }

    /// Moves the connection along, and passes on what others hint.
    fn read<S, T>(&self, mut connection: Connection<S, T>) -> JoinHandle<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (signals, own) = (Arc::clone(&self.signals), self.name.clone());
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notification(hint) = message
                    && hint.payload() != own
                {
                    signals.others.notify_one();
                }
            }
        })
    }
}

/// Completes when the connection of a client has ended.
async fn closed(client: &Client) {
    while !client.is_closed() {
        sleep(Duration::from_millis(500)).await;
    }
}

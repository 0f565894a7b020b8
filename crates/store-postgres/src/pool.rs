//! The connections of a store: those that everything shares, and two that post.
//!
//! A connection on which something was given up is closed, and so are those that are idle then, because a network may
//! have forgotten them all. The database ends a transaction that says nothing for a second. So a process which stops
//! while it holds the log holds the others no longer than that.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Pool, PoolConfig, PoolError, RecyclingMethod, Runtime,
    TimeoutType, Timeouts,
};
use tidings_store::Error;
use tidings_store::room::Room;
use tokio_postgres::{Client, NoTls};

use super::PostgresStore;
use super::address::{Address, Protection};
use super::origin;
use super::session::Session;
use super::tls::Tls;

/// How long a call waits for a connection that is free.
const POOL_WAIT: Duration = Duration::from_secs(2);

/// How long opening a connection may take, to the end of its first statement.
const OPEN_WAIT: Duration = Duration::from_secs(4);

/// Connections that post: one, and one for others while that one is held up.
pub(super) const POSTING_CONNECTIONS: usize = 2;

/// The pools of a store.
#[derive(Clone)]
pub(super) struct Pools {
    shared: Pool,
    posting: Pool,
    prepares: bool,
    /// Notes what statements say of the room on the disk.
    room: Arc<Room>,
    /// How new connections are encrypted; `None` for not at all.
    tls: Option<Tls>,
}

impl Pools {
    /// Pools of which nothing is open yet.
    pub(super) fn new(
        address: &Address,
        connections: usize,
        lossless: bool,
        room: Arc<Room>,
    ) -> Result<Self, Error> {
        let tls = match &address.protection {
            Protection::Plain => None,
            Protection::Verified(roots) => Some(Tls::trusting(roots.as_deref())?),
        };
        Ok(Self {
            shared: pool(address, tls.clone(), connections, lossless)?,
            posting: pool(address, tls.clone(), POSTING_CONNECTIONS, lossless)?,
            prepares: address.prepares,
            room,
            tls,
        })
    }
}

impl Pools {
    /// A connection of one of the pools.
    async fn take(&self, pool: &Pool) -> Result<Session, Error> {
        match pool.get().await {
            Ok(client) => Ok(Session::new(client, self.prepares, Arc::clone(&self.room))),
            Err(PoolError::Backend(e)) => match Error::from(e) {
                Error::Interrupted(why) => Err(Error::Unavailable(why)),
                e => Err(e),
            },
            Err(PoolError::Timeout(TimeoutType::Wait)) => {
                Err(Error::unavailable("no connection to the database is free"))
            }
            Err(PoolError::Timeout(_)) => Err(Error::unavailable("the database does not answer")),
            Err(_) => Err(Error::unavailable("the database can't be connected to")),
        }
    }

    /// Closes the connections that nobody uses.
    fn close_idle(&self) {
        for pool in [&self.shared, &self.posting] {
            pool.retain(|_, _| false);
        }
    }
}

fn pool(address: &Address, tls: Option<Tls>, connections: usize, lossless: bool) -> Result<Pool, Error> {
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match tls {
        None => Manager::from_config(address.config.clone(), NoTls, recycling),
        Some(tls) => Manager::from_config(address.config.clone(), tls, recycling),
    };
    let timeouts = Timeouts { wait: Some(POOL_WAIT), create: Some(OPEN_WAIT), recycle: Some(POOL_WAIT) };
    // Each new connection may lead to another server than the one before.
    let check_origin = Hook::async_fn(move |client, _| {
        Box::pin(async move { origin::bind(client, lossless).await.map_err(HookError::Backend) })
    });
    Pool::builder(manager)
        .config(PoolConfig { timeouts, ..PoolConfig::new(connections) })
        .runtime(Runtime::Tokio1)
        .post_create(check_origin)
        .build()
        .map_err(|_| tidings_store::failure::broken("the pool of connections has no runtime"))
}

/// Opens a connection beside the pools.
pub(super) async fn open(address: &Address) -> Result<Client, Error> {
    let open = async {
        match &address.protection {
            Protection::Plain => {
                let (client, connection) = address.config.connect(NoTls).await?;
                // It ends with the client.
                tokio::spawn(connection);
                Ok::<Client, Error>(client)
            }
            Protection::Verified(roots) => {
                let (client, connection) = address.config.connect(Tls::trusting(roots.as_deref())?).await?;
                tokio::spawn(connection);
                Ok(client)
            }
        }
    };
    tokio::time::timeout(OPEN_WAIT, open)
        .await
        .unwrap_or_else(|_| Err(Error::unavailable("it does not answer")))
}

impl PostgresStore {
    /// To be called if a connection did not answer in time. It may be dead without having been closed, for example
    /// because a firewall forgot it. Then so are those beside it: they are replaced, so that not each of them costs a
    /// call.
    pub(super) fn distrust_connections(&self) {
        self.pools.close_idle();
    }

    /// Reads the certificates to trust again, for connections from now on.
    ///
    /// # Errors
    /// `invalid` if there are none: then those before are trusted further on.
    pub(super) async fn reload_trust(&self) -> Result<(), Error> {
        let Some(tls) = self.pools.tls.clone() else { return Ok(()) };
        tokio::task::spawn_blocking(move || tls.reload())
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)?
    }

    /// A connection of the shared pool, outside of a transaction.
    pub(super) async fn session(&self) -> Result<Session, Error> {
        self.pools.take(&self.pools.shared).await
    }

    /// One of the connections that post.
    pub(super) async fn posting_session(&self) -> Result<Session, Error> {
        self.pools.take(&self.pools.posting).await
    }
}

//! The store in PostgreSQL, for several processes. The rules of operations and of unread items are in [`tidings_store::domain`];
//! which transaction hands out which stamps is in [`tx`].

mod accounts;
mod address;
mod answers;
mod bulk;
mod catalog;
mod changes;
mod clock;
mod counted;
mod fan_in;
mod gotify;
mod groups;
mod hints;
mod inbox;
mod names;
mod origin;
mod partitions;
mod pool;
mod portions;
mod publishing;
mod read_state;
mod readiness;
mod redis;
mod schema;
mod session;
mod signals;
mod snapshot;
mod store_address;
mod subscriptions;
#[cfg(test)]
mod tests;
mod tls;
mod topics;
mod tx;
mod upkeep;
mod users;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::time::Duration;

use parking_lot::Mutex;
use tidings_model::Clock;
use tidings_store::domain::draft::Post;
use tidings_store::room::Room;
use tidings_store::user_locks::UserLocks;
use tidings_store::{Bounds, Error, Store};
use tokio::sync::Notify;

use self::address::Address;
pub use self::bulk::Bulk;
use self::catalog::CatalogCache;
use self::clock::DatabaseClock;
use self::hints::Hints;
use self::pool::Pools;
use self::publishing::queue::PostQueue;
pub use self::redis::RedisAddress;
use self::redis::unread_cache::UnreadCache;
use self::session::Columns;
pub use self::store_address::StoreAddress;

/// How a process uses a database.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// Connections that it holds at most, besides two that post.
    pub connections: usize,
    /// Whether a standby is promoted only with everything that was acknowledged, so that its timeline continues the epoch.
    /// Else clients pull from the beginning after a promotion.
    pub lossless_failover: bool,
    /// A Redis over which the processes hint to each other, instead of the database.
    pub bus: Option<RedisAddress>,
    /// A Redis that keeps the unread counts of those who ask for them.
    pub cache: Option<RedisAddress>,
    /// How long a reader waits for the cache before the database is asked.
    pub cache_timeout: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        let cache_timeout = Duration::from_millis(20);
        Self { connections: 16, lossless_failover: false, bus: None, cache: None, cache_timeout }
    }
}

/// The server's data in a PostgreSQL database, which other processes may use at the same time. Clones share everything.
#[derive(Clone)]
pub struct PostgresStore {
    pools: Pools,
    /// The database's.
    clock: Arc<DatabaseClock>,
    /// This machine's, which has to agree with it.
    own_clock: Arc<dyn Clock>,
    /// Whether the last look at both, or at the tables, found that this process may hand out no stamps.
    withholds_stamps: Arc<AtomicBool>,
    catalog: Arc<CatalogCache>,
    /// The newest stamp that a write of this process has handed out or seen, microseconds.
    newest_stamp: Arc<AtomicI64>,
    /// The newest stamp of the log among them, by which it is known that the clock has not jumped.
    newest_created: Arc<AtomicI64>,
    posts: Arc<PostQueue>,
    /// Long writes of one user wait for each other in this process, not on connections.
    user_locks: Arc<UserLocks>,
    /// Those who schedule publications, likewise.
    schedule_turns: Arc<UserLocks>,
    /// How much one search, page or portion takes.
    bounds: Bounds,
    /// A signal that users have pulled group messages that are to be counted.
    deliveries: Arc<Notify>,
    /// The hints to and from the other processes of the database.
    hints: Arc<Hints>,
    /// `None` if every count is made in the database.
    unread_cache: Option<Arc<UnreadCache>>,
    /// Whether the database's disk has room for what is written.
    room: Arc<Room>,
    /// Questions that readers in this process ended because their time was over, and for which no hint was sent yet.
    ended: Arc<Mutex<Vec<Post>>>,
    /// The address without a secret.
    shown: Arc<str>,
    /// What names this database if several share something.
    instance: Arc<str>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("address", &self.shown).finish_non_exhaustive()
    }
}

/// Each part of it is implemented where its SQL is.
impl Store for PostgresStore {}

impl PostgresStore {
    /// Connects to `postgres://user:password@host:port/name`. Its tables are created or brought up to date. `clock` is this
    /// machine's: [`UpkeepStore::ready`](tidings_store::UpkeepStore::ready) compares it with the database's, by which
    /// everything goes.
    ///
    /// Hosts other than this machine are spoken to by TLS, and their certificate and name are verified.
    /// `sslmode=verify-full` asks for that everywhere, `sslmode=disable` for no TLS, `sslrootcert` names a file with
    /// the certificates to trust instead of those of the system. `prepare=false` is for a pooler that shares
    /// connections by transaction and does not know of prepared statements.
    ///
    /// # Errors
    /// `invalid` for a malformed address, [`Error::Store`] if the tables are of a newer version or can't be created.
    pub async fn connect(url: &str, clock: Arc<dyn Clock>, options: PostgresOptions) -> Result<Self, Error> {
        Self::at(&Address::parse(url)?, clock, options).await
    }

    /// Like [`PostgresStore::connect`], with the clock in the place of the database's, so that a test moves it.
    ///
    /// # Errors
    /// Those of [`PostgresStore::connect`].
    #[cfg(any(test, feature = "conformance"))]
    pub async fn connect_under(
        url: &str,
        clock: Arc<dyn Clock>,
        options: PostgresOptions,
    ) -> Result<Self, Error> {
        let replaced = |of_database: DatabaseClock| of_database.replaced_by(Some(Arc::clone(&clock)));
        Self::open(&Address::parse(url)?, Arc::clone(&clock), options, replaced).await
    }

    async fn at(address: &Address, clock: Arc<dyn Clock>, options: PostgresOptions) -> Result<Self, Error> {
        Self::open(address, clock, options, |clock| clock).await
    }

    async fn open(
        address: &Address,
        own_clock: Arc<dyn Clock>,
        options: PostgresOptions,
        as_used: impl FnOnce(DatabaseClock) -> DatabaseClock,
    ) -> Result<Self, Error> {
        let client = pool::open(address).await?;
        let now = client.query_typed(clock::NOW, &[]).await?;
        let now = now.first().ok_or_else(|| tidings_store::failure::broken("it has no time"))?;
        let clock = Arc::new(as_used(DatabaseClock::at(now.at(0)?)));
        schema::migrate(&client, clock.now()).await?;
        origin::bind(&client, options.lossless_failover).await?;
        let row = client.query_typed("SELECT instance, last, epoch FROM meta, log", &[]).await?;
        let row = row.first().ok_or_else(|| tidings_store::failure::broken("it holds no server"))?;
        let instance: &str = row.at(0)?;
        let room = Arc::new(Room::on("the database's disk"));
        let (bus, epoch) = (options.bus.as_ref(), row.at(2)?);
        let timeout = options.cache_timeout;
        let cache = options.cache.map(|redis| Arc::new(UnreadCache::start(redis, timeout, instance, epoch)));
        Ok(Self {
            pools: Pools::new(address, options.connections, options.lossless_failover, Arc::clone(&room))?,
            clock,
            own_clock,
            withholds_stamps: Arc::default(),
            catalog: Arc::default(),
            newest_stamp: Arc::new(AtomicI64::new(row.at(1)?)),
            newest_created: Arc::new(AtomicI64::new(row.at(1)?)),
            posts: Arc::default(),
            user_locks: Arc::default(),
            schedule_turns: Arc::default(),
            bounds: Bounds::default(),
            hints: Arc::new(Hints::start(address, instance, bus)),
            unread_cache: cache,
            room,
            ended: Arc::default(),
            deliveries: Arc::default(),
            shown: Arc::from(address.shown()),
            instance: Arc::from(instance),
        })
    }

    /// A random name that the database itself keeps: what is shared with others, as keys in Redis, carries it.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// The same store with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }
}

//! The configuration of a server.

mod mail;
mod proxy_header;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tidings_model::{Code, Lang};
use tidings_store::{Bounds, Error};
use tidings_store_postgres::RedisAddress;
use tidings_store_postgres::StoreAddress;

pub use self::mail::MailConfig;
pub use self::proxy_header::ProxyHeader;
use crate::access::AccessBounds;
use crate::domain::origin::Origin;
use crate::files::FileLimits;
use crate::live::HintBounds;
use crate::traces::ContinueTrace;

/// The rate limit of each access token and each address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// The size of the bucket: requests that may come at once.
    pub burst: u32,
    /// Requests per second by which the bucket refills.
    pub per_second: u32,
}

/// Configuration of a server.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The folder of the server's files.
    pub data_dir: PathBuf,
    /// The database.
    pub store: StoreAddress,
    /// Whether a standby of the database is promoted only with everything that was acknowledged. Else every client pulls
    /// from the beginning after a promotion. It has no meaning for SQLite.
    pub lossless_failover: bool,
    /// A Redis over which several servers on one PostgreSQL database send each other hints of changes; without it the
    /// database itself carries the hints.
    pub bus: Option<RedisAddress>,
    /// A Redis that keeps the unread counts of users who ask for them often; only if the data is in PostgreSQL.
    pub cache: Option<RedisAddress>,
    /// Whether programs of the same user on this machine publish to topics by PUT and POST without a token.
    pub open_publish: bool,
    /// Accepted names in Host headers, besides loopback names and the address of the listener.
    pub allow_hosts: Vec<String>,
    /// Origins whose web pages may use the server, with a token.
    pub allow_origins: Vec<Origin>,
    /// Standalone mode: the id of a user who is subscribed to every topic on its first publication.
    pub standalone_owner: Option<String>,
    /// The language of the notifications that the server itself publishes.
    pub lang: Lang,
    /// Notifications older than this are removed; `None` keeps them forever.
    pub retain: Option<Duration>,
    /// Whether the clock is trusted whatever it says; otherwise nothing is deleted by age in the first day of running
    /// after it jumped ahead ([`tidings_model::AgeHold`]).
    pub retain_now: bool,
    /// Whether receipts that are too old are archived in the folder `receipts` of the data folder before they are deleted.
    pub archive_receipts: bool,
    /// The rate limit of requests from other machines; `None` for no limit.
    pub rate: Option<RateLimit>,
    /// Whether the rate limit applies to requests from this machine too.
    pub rate_local: bool,
    /// Addresses of proxies that are trusted to name their clients. A request from such an address counts as local only if
    /// its header says so.
    pub trust_proxy: Vec<IpAddr>,
    /// The header in which those proxies name their client. No other is read for its address: a proxy may pass on what its
    /// client wrote there.
    pub proxy_header: ProxyHeader,
    /// The address under which clients reach the server, such as `https://push.example.org`, for addresses of uploaded
    /// files; `None` for the address of the request that uploads one.
    pub public_url: Option<String>,
    /// The limits of uploaded files.
    pub files: FileLimits,
    /// A folder of uploaded files that several servers on one database share. It has to be there. `None` for one in the data
    /// folder.
    pub files_folder: Option<PathBuf>,
    /// How mail is taken, if there is a listener for it.
    pub mail: MailConfig,
    /// Timeout for a whole upload.
    pub upload_timeout: Duration,
    /// The interval of upkeep, which recounts a few recently changed inboxes and removes a portion of expired data.
    pub upkeep_interval: Duration,
    /// A connection is closed when nothing of a response can be sent for this long.
    pub send_timeout: Duration,
    /// Timeout for a whole request body.
    pub body_timeout: Duration,
    /// Timeout for each part of a request body.
    pub body_part_timeout: Duration,
    /// How long a request waits for memory for its body or response before it gets `unavailable`.
    pub memory_timeout: Duration,
    /// The most simultaneous connections; fewer if the limit on open files is low.
    pub connections: usize,
    /// The most simultaneous heads of more than 8 KiB; a connection with one more is closed.
    pub large_heads: usize,
    /// The interval at which an idle live channel sends a comment, and undelivered receipts again.
    pub keep_alive_interval: Duration,
    /// How long a server that was asked to end goes on with everything but its answer to `/api/v1/health/ready`. A load
    /// balancer then sends nothing to it any more when it closes its port.
    pub drain: Duration,
    /// How much one search, page or portion of the store takes. Tests make them small.
    pub bounds: Bounds,
    /// How much a commit, the log and the caches of the database take, if it is a file. Tests make them small.
    pub file_bounds: tidings_sqlite::Bounds,
    /// How much is kept of tokens and topics that were looked up. Tests make it little.
    pub access_bounds: AccessBounds,
    /// How much is kept until hints are sent. Tests make it little.
    pub hint_bounds: HintBounds,
    /// What continues the traces of callers, if the program has a subscriber for [`traces::TARGET`](crate::traces::TARGET).
    pub continue_trace: Option<ContinueTrace>,
}

impl ServerConfig {
    /// The default configuration: only loopback names are accepted, and publishing needs a token.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            store: StoreAddress::default(),
            lossless_failover: false,
            bus: None,
            cache: None,
            open_publish: false,
            allow_hosts: Vec::new(),
            allow_origins: Vec::new(),
            standalone_owner: None,
            lang: Lang::default(),
            retain: None,
            retain_now: false,
            archive_receipts: false,
            rate: Some(RateLimit { burst: 600, per_second: 60 }),
            rate_local: false,
            trust_proxy: Vec::new(),
            proxy_header: ProxyHeader::default(),
            public_url: None,
            files: FileLimits::default(),
            files_folder: None,
            mail: MailConfig::default(),
            upload_timeout: Duration::from_secs(600),
            upkeep_interval: Duration::from_secs(600),
            send_timeout: Duration::from_secs(8),
            body_timeout: Duration::from_secs(60),
            body_part_timeout: Duration::from_secs(10),
            memory_timeout: Duration::from_secs(10),
            connections: 16_384,
            large_heads: 512,
            keep_alive_interval: Duration::from_secs(20),
            drain: Duration::ZERO,
            bounds: Bounds::default(),
            file_bounds: tidings_sqlite::Bounds::default(),
            access_bounds: AccessBounds::default(),
            hint_bounds: HintBounds::default(),
            continue_trace: None,
        }
    }

    /// Whether its parts fit together.
    ///
    /// # Errors
    /// `invalid` if a Redis is named for data that is not in PostgreSQL.
    pub fn check(&self) -> Result<(), Error> {
        let redis = [("bus", &self.bus), ("cache", &self.cache)];
        match redis.into_iter().find(|(_, address)| address.is_some()) {
            Some((name, _)) if self.store.is_local() => Err(Error::refused(
                Code::Invalid,
                format!(
                    "a {name} in Redis is for servers on a PostgreSQL database: name that as the store \
                     (postgres://…), or leave the {name} out"
                ),
            )),
            _ => Ok(()),
        }
    }
}

//! The server as a program holds it: opened on a data folder, with its administration. [`serve`](crate::serve())
//! listens.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tidings_model::wire::Scope;
use tidings_model::{Catalog, Clock, Code, Notification, Stamp, check_id};
use tidings_sqlite::{DataDir, Replacement};

use crate::domain::account::{self, FreshToken, NewToken, Token, User};
use crate::domain::draft::check_name;
use crate::domain::limits;
use crate::endpoint::EndpointToken;
use crate::error::Error;
use crate::http::auth::TokenCache;
use crate::live::Hub;
use crate::store::sqlite::{SqliteStore, ready};
use crate::store::{Difference, ListQuery, Outcome, Store};
use crate::upkeep::Restarts;

/// How many requests an access token or an address may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests at once: the size of the bucket.
    pub burst: u32,
    /// Requests per second with which the bucket fills again.
    pub per_second: u32,
}

/// Configuration of a server.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The folder of its files.
    pub data_dir: PathBuf,
    /// Whether programs of the same user on this machine publish to topics by PUT and POST without a token.
    pub open_publish: bool,
    /// Accepted names in Host headers, besides the loopback ones and the address of the listener.
    pub allow_hosts: Vec<String>,
    /// Standalone mode: the user who is subscribed to every topic that is published to.
    pub standalone_owner: Option<String>,
    /// Notifications older than this are removed; without it none are.
    pub retain: Option<Duration>,
    /// The rate limit for requests from other machines; without it there is none.
    pub rate: Option<RateLimit>,
    /// Whether the rate limit holds for requests of this machine too.
    pub rate_local: bool,
    /// Proxies whose forwarding headers are believed. What comes from such an address is never a program of this machine
    /// unless the proxy says so.
    pub trust_proxy: Vec<IpAddr>,
    /// How often a few inboxes that changed lately are recounted, and a portion of what is too old is removed.
    pub upkeep: Duration,
    /// A connection closes when its client takes nothing of a response for so long.
    pub patience: Duration,
    /// How long a request body may take.
    pub body: Duration,
    /// How long a request body may pause.
    pub stall: Duration,
    /// How long a request waits for memory for its body or response before it gets `unavailable`.
    pub queue: Duration,
    /// Connections at the same time, at most; fewer where the system allows few open files.
    pub connections: usize,
    /// Heads of more than 8 KiB that may be under way at the same time; a connection with one more ends.
    pub large_heads: usize,
    /// How often a silent live channel sends a comment, and undelivered receipts again.
    pub alive: Duration,
}

impl ServerConfig {
    /// A server in this folder that answers to loopback names and wants a token for everything.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            open_publish: false,
            allow_hosts: Vec::new(),
            standalone_owner: None,
            retain: None,
            rate: Some(RateLimit { burst: 600, per_second: 60 }),
            rate_local: false,
            trust_proxy: Vec::new(),
            upkeep: Duration::from_secs(600),
            patience: Duration::from_secs(8),
            body: Duration::from_secs(60),
            stall: Duration::from_secs(10),
            queue: Duration::from_secs(10),
            connections: 8_192,
            large_heads: 512,
            alive: Duration::from_secs(20),
        }
    }
}

/// An open server. Clones share everything.
#[derive(Clone)]
pub struct Server {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) hub: Hub,
    pub(crate) token_cache: Arc<TokenCache>,
    /// Wakes the delivery of what was scheduled.
    pub(crate) scheduled: Arc<tokio::sync::Notify>,
    /// Wakes the deletion of what removed users left.
    pub(crate) removed: Arc<tokio::sync::Notify>,
    /// By which it proves to programs of its user that it is theirs.
    pub(crate) endpoint: EndpointToken,
    /// Tasks that ended and were started again.
    pub(crate) restarts: Arc<Restarts>,
    /// How many wrong numbers recounts have put right.
    pub(crate) repairs: Arc<AtomicU64>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The file in the data folder that holds everything.
const FILE: &str = "server.db";

impl Server {
    /// Opens the server of a data folder, making what is missing. Another process may have it open, and serve it.
    ///
    /// # Errors
    /// [`Error::Store`] where the file is damaged or newer than this program, [`Error::Io`] where the folder can't be
    /// made.
    pub async fn open(config: ServerConfig, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let (dir, at) = (config.data_dir.clone(), Arc::clone(&clock));
        let store = tokio::task::spawn_blocking(move || {
            make_private(&dir)?;
            SqliteStore::open(&dir.join(FILE), at)
        })
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)??;
        Ok(Self::with_store(Arc::new(store), config, clock))
    }

    /// A server on a store that is already open.
    pub fn with_store(store: Arc<dyn Store>, config: ServerConfig, clock: Arc<dyn Clock>) -> Self {
        let token_cache = Arc::new(TokenCache::new(Arc::clone(&store)));
        let (scheduled, removed) = (Arc::default(), Arc::default());
        let (restarts, repairs) = (Arc::default(), Arc::default());
        let endpoint = EndpointToken::default();
        let hub = Hub::default();
        let config = Arc::new(config);
        Self { store, config, clock, hub, token_cache, scheduled, removed, endpoint, restarts, repairs }
    }

    /// The same server with another configuration, to be served again at another address. Nothing that was open on
    /// the first is known to the second.
    #[must_use]
    pub fn with_config(&self, config: ServerConfig) -> Self {
        let again = Self::with_store(Arc::clone(&self.store), config, Arc::clone(&self.clock));
        Self { endpoint: self.endpoint.clone(), ..again }
    }

    /// Its configuration.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Adds a user.
    ///
    /// # Errors
    /// `conflict` where the id is taken, `invalid` where it is none.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let ann = server.create_user("ann", "Ann").await?;
    /// assert_eq!(ann.id, "ann");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_user(&self, id: &str, name: &str) -> Result<User, Error> {
        check_id(id).map_err(|e| Error::invalid("id", e.to_string()))?;
        check_name("name", name)?;
        let name = if name.is_empty() { id } else { name };
        match self.store.add_user(id, name, None).await? {
            Outcome::Done(user) => Ok(user),
            Outcome::Replayed(_) => Err(Error::refused(Code::Conflict, "the user is there already")),
        }
    }

    /// All users, by id.
    ///
    /// # Errors
    /// [`Error::Store`] where the file can't be read.
    pub async fn users(&self) -> Result<Vec<User>, Error> {
        let (mut users, mut page) = (Vec::<User>::new(), ListQuery::first(limits::LISTED));
        loop {
            let more: Vec<User> = self.store.users(page.clone()).await?.values()?;
            let Some(last) = more.last() else { return Ok(users) };
            page = page.after(&last.id);
            users.extend(more);
        }
    }

    /// Removes a user; its tokens and open streams end at once. Answers when what it had is deleted, which may be much.
    ///
    /// # Errors
    /// `not_found` where there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.remove_user("ann").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn remove_user(&self, id: &str) -> Result<(), Error> {
        self.begin_removal(id).await?;
        while self.store.prune(None, limits::PORTION).await? {}
        Ok(())
    }

    /// The same for a server that runs: most of what the user had is left to upkeep.
    pub(crate) async fn begin_removal(&self, id: &str) -> Result<(), Error> {
        self.store.remove_user(id).await?;
        self.token_cache.invalidate();
        self.removed.notify_one();
        Ok(())
    }

    /// Makes a token for a user. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// `not_found` where there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// use tidings_model::wire::Scope;
    /// let fresh = server.create_token("ann", "backup script", &[Scope::Publish]).await?;
    /// println!("{}", fresh.token);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_token(&self, user: &str, label: &str, scopes: &[Scope]) -> Result<FreshToken, Error> {
        self.make_token(user, account::random_name(), label, scopes).await
    }

    /// The same under an id that was chosen.
    pub(crate) async fn make_token(
        &self,
        user: &str,
        id: String,
        label: &str,
        scopes: &[Scope],
    ) -> Result<FreshToken, Error> {
        let token = account::mint();
        let new =
            NewToken { id, hash: account::hash(&token), label: label.to_owned(), scopes: scopes.to_vec() };
        match self.store.add_token(user, new, None).await? {
            Outcome::Done(about) => Ok(FreshToken { token, about }),
            Outcome::Replayed(_) => Err(Error::refused(Code::Conflict, "the token is there already")),
        }
    }

    /// The tokens of one user, or of all, the oldest first.
    ///
    /// # Errors
    /// `not_found` where there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// for token in server.tokens(Some("ann")).await? {
    ///     println!("{} {}", token.id, token.label);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn tokens(&self, user: Option<&str>) -> Result<Vec<Token>, Error> {
        let key = match user {
            Some(id) => Some(self.store.user(id).await?.ok_or_else(|| Error::not_found("user"))?.key),
            None => None,
        };
        let (mut tokens, mut page) = (Vec::<Token>::new(), ListQuery::first(limits::LISTED));
        loop {
            let more: Vec<Token> = self.store.tokens(key, page.clone()).await?.values()?;
            let Some(last) = more.last() else { return Ok(tokens) };
            page = page.after(&last.id);
            tokens.extend(more);
        }
    }

    /// Revokes a token by its id; its open streams end at once.
    ///
    /// # Errors
    /// `not_found` where there is no such token.
    pub async fn revoke_token(&self, id: &str) -> Result<(), Error> {
        self.store.revoke(id, None).await?;
        self.token_cache.invalidate();
        Ok(())
    }

    /// Makes sure of a user and gives it a new token: what a program that embeds the server, or a first start, needs.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// use tidings_model::wire::Scope;
    /// let token = server.owner("me", "Me", "this computer", &[Scope::Inbox]).await?.token;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn owner(
        &self,
        id: &str,
        name: &str,
        label: &str,
        scopes: &[Scope],
    ) -> Result<FreshToken, Error> {
        self.ensure_user(id, name).await?;
        self.create_token(id, label, scopes).await
    }

    /// Adds a user where it is missing.
    pub(crate) async fn ensure_user(&self, id: &str, name: &str) -> Result<(), Error> {
        if self.store.user(id).await?.is_none() {
            self.create_user(id, name).await?;
        }
        Ok(())
    }

    /// On the first start, when there is no user at all: makes `admin` with a token for everything. None later on.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(admin) = server.first_start().await? {
    ///     println!("token of admin: {}", admin.token);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn first_start(&self) -> Result<Option<FreshToken>, Error> {
        if self.store.meta().await?.users > 0 {
            return Ok(None);
        }
        self.owner("admin", "admin", "first start", &[Scope::Admin]).await.map(Some)
    }

    /// Recounts every counter and verifies the database. Answers what disagrees.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// for difference in server.check().await? {
    ///     eprintln!("{difference}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check(&self) -> Result<Vec<Difference>, Error> {
        self.store.check().await
    }

    /// The catalog in force.
    pub async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        self.store.catalog().await
    }

    /// Everything in everybody's inbox that was not deleted, user by user, in the order of its last change, in batches;
    /// stops when `each` says `false`. Like any read of an inbox it first brings in what is waiting.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.export(&mut |user, items| {
    ///     println!("{}: {} items", user.id, items.len());
    ///     true
    /// }).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn export(&self, each: &mut dyn FnMut(&User, Vec<Notification>) -> bool) -> Result<(), Error> {
        let mut users = ListQuery::first(limits::LISTED);
        loop {
            let page: Vec<User> = self.store.users(users.clone()).await?.values()?;
            let Some(last) = page.last() else { return Ok(()) };
            users = users.after(&last.id);
            for user in page {
                if !self.export_one(&user, each).await? {
                    return Ok(());
                }
            }
        }
    }

    /// The inbox of one user; false where `each` said so.
    async fn export_one(
        &self,
        user: &User,
        each: &mut dyn FnMut(&User, Vec<Notification>) -> bool,
    ) -> Result<bool, Error> {
        // Whoever was removed meanwhile has no inbox.
        let Some(User { key, .. }) = self.store.user(&user.id).await? else { return Ok(true) };
        while self.store.fan_in(key).await? {}
        let mut since = Stamp::ZERO;
        loop {
            let page = self.store.sync(key, since, limits::SYNC_DEFAULT).await?;
            let mut items = page.items()?;
            items.retain(|item| !item.deleted);
            if !items.is_empty() && !each(user, items) {
                return Ok(false);
            }
            if !page.more {
                return Ok(true);
            }
            since = page.next;
        }
    }

    /// Copies the whole server to one file, while it stays in use.
    ///
    /// # Errors
    /// [`Error::Store`] where the file can't be written.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.backup(std::path::Path::new("/backups/server.db")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn backup(&self, to: &Path) -> Result<(), Error> {
        self.store.backup(to).await
    }

    /// Bytes that [`Server::compact`] would give back, about.
    pub async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        self.store.reclaimable_bytes().await
    }

    /// Writes what is stored anew without what it does not need; takes as much room again for as long as it lasts.
    pub async fn compact(&self) -> Result<(), Error> {
        self.store.compact().await
    }

    /// Puts a backup in the place of the server of a data folder that nobody serves, in one step, with a new epoch in
    /// it, so that every replica pulls from the beginning. What was there before stays beside it as `server.db.before`.
    ///
    /// # Errors
    /// Whatever is not a backup of a server is refused, and nothing has changed.
    pub async fn restore(data_dir: &Path, from: &Path, clock: Arc<dyn Clock>) -> Result<(), Error> {
        let (dir, from) = (data_dir.to_owned(), from.to_owned());
        tokio::task::spawn_blocking(move || {
            let _lock = DataDir::lock(&dir, "server")?;
            let replacement = Replacement::begin(&dir.join(FILE))?;
            replacement.copy_in(&from)?;
            ready(&replacement.file(), &clock)?;
            Ok(Replacement::put_in_place(&[replacement])?)
        })
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)?
    }

    /// The first half of a restore, for who puts other files in place with it: `from`, which is used up, is checked and
    /// begins a new epoch. The caller holds the lock `server` of the folder. Blocks.
    pub fn prepare_restore(
        data_dir: &Path,
        from: &Path,
        clock: &Arc<dyn Clock>,
    ) -> Result<Replacement, Error> {
        let replacement = Replacement::begin(&data_dir.join(FILE))?;
        replacement.move_in(from)?;
        ready(&replacement.file(), clock)?;
        Ok(replacement)
    }
}

/// Makes the folder for its owner alone.
fn make_private(dir: &Path) -> Result<(), Error> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(dir)?)
}

//! An open server with its configuration and its administration. Listening is in [`serve`](crate::serve()).

mod program_tokens;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tidings_model::wire::Scope;
use tidings_model::{Catalog, Clock, Code, Notification, Stamp, check_id};
use tidings_sqlite::{DataDir, Replacement};

use crate::access::{self, AccessCache};
use crate::clock_watch::ClockWatch;
use crate::config::ServerConfig;
use crate::domain::account::{self, FreshToken, NewToken, Token, User, WrittenContent};
use crate::domain::draft::check_name;
use crate::domain::limits;
use crate::endpoint::EndpointToken;
use crate::error::Error;
use crate::export::UserExport;
use crate::files::{self, FileFolder};
use crate::live::Hub;
use crate::removal;
use crate::store::mend_clock::{FutureStamps, is_ahead};
use crate::store::postgres::{PostgresOptions, PostgresStore};
use crate::store::sqlite::{SqliteStore, prepare_copy};
use crate::store::{DATABASE_FILE, Difference, ListQuery, Outcome, Store};
use crate::task_failures::TaskFailures;

/// An open server. Clones share its state.
#[derive(Clone)]
pub struct Server {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Whether the clock is trusted to delete by age.
    clock_watch: Arc<ClockWatch>,
    pub(crate) hub: Hub,
    pub(crate) files: Arc<FileFolder>,
    pub(crate) access: Arc<AccessCache>,
    /// Wakes the delivery of scheduled publications.
    pub(crate) schedule_changed: Arc<tokio::sync::Notify>,
    /// Wakes the deletion of removed users' data.
    pub(crate) user_removed: Arc<tokio::sync::Notify>,
    /// The token of `endpoint.json`, with which the server proves its identity to programs of its user.
    pub(crate) endpoint: EndpointToken,
    /// How often each task ended by a fault.
    pub(crate) task_failures: Arc<TaskFailures>,
    /// Number of differences that recounts have repaired.
    pub(crate) repairs: Arc<AtomicU64>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Names that are tried for the first user of a server all of whose users were removed.
const MAX_FIRST_USERS: usize = 1_000;

impl Server {
    /// Opens the server of a data folder, and creates what is missing. Another process may have it open at the same
    /// time, and serve it. If the data is in PostgreSQL, any number of processes may serve it, each with a folder of
    /// its own.
    ///
    /// # Errors
    /// [`Error::Store`] if the database is damaged or of a newer version, [`Error::Unavailable`] if it does not
    /// answer, [`Error::Io`] if the folder can't be created, `invalid` as of [`ServerConfig::check`].
    pub async fn open(config: ServerConfig, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        config.check()?;
        let folders = config.clone();
        tokio::task::spawn_blocking(move || prepare_folders(&folders))
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        let store: Arc<dyn Store> = if let Some(url) = config.store.postgres() {
            let lossless_failover = config.lossless_failover;
            let (bus, cache) = (config.bus.clone(), config.cache.clone());
            let options = PostgresOptions { lossless_failover, bus, cache, ..PostgresOptions::default() };
            Arc::new(PostgresStore::connect(url, Arc::clone(&clock), options).await?)
        } else {
            let (file, at) = (config.data_dir.join(DATABASE_FILE), Arc::clone(&clock));
            let open = tokio::task::spawn_blocking(move || SqliteStore::open(&file, at));
            Arc::new(open.await.map_err(|_| tidings_sqlite::Error::Panicked)??)
        };
        let clock = store.clock();
        let watch = ClockWatch::begin(&*store, &*clock, config.retain_now).await?;
        Ok(Self::with_store(store, config, clock, Arc::new(watch)))
    }

    /// A server on an open store.
    fn with_store(
        store: Arc<dyn Store>,
        config: ServerConfig,
        clock: Arc<dyn Clock>,
        clock_watch: Arc<ClockWatch>,
    ) -> Self {
        let access = Arc::new(AccessCache::new(Arc::clone(&store)));
        let (schedule_changed, user_removed) = (Arc::default(), Arc::default());
        let (task_failures, repairs) = (Arc::default(), Arc::default());
        let endpoint = EndpointToken::default();
        let hub = Hub::default();
        let files = Arc::new(folder_of(&config));
        let config = Arc::new(config);
        Self {
            store,
            config,
            clock,
            clock_watch,
            hub,
            files,
            access,
            schedule_changed,
            user_removed,
            endpoint,
            task_failures,
            repairs,
        }
    }

    /// The same server with another configuration, to be served at another address. It has no open channels and an
    /// empty token cache.
    #[must_use]
    pub fn with_config(&self, config: ServerConfig) -> Self {
        let again = {
            let watch = Arc::clone(&self.clock_watch);
            Self::with_store(Arc::clone(&self.store), config, Arc::clone(&self.clock), watch)
        };
        Self { endpoint: self.endpoint.clone(), files: Arc::clone(&self.files), ..again }
    }

    /// The server's configuration.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Adds a user. An empty name stands for the id.
    ///
    /// # Errors
    /// `conflict` if the id is taken, `invalid` if the id or the name is not valid.
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
        self.clock_watch.keep(&*self.store).await;
        match self.store.add_user(id, name, None).await? {
            Outcome::Done(user) => Ok(user),
            Outcome::Replayed(_) => Err(Error::refused(Code::Conflict, "the user is there already")),
        }
    }

    /// All users, by id.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn users(&self) -> Result<Vec<User>, Error> {
        let (mut users, mut page) = (Vec::<User>::new(), ListQuery::first(limits::PAGE_ELEMENTS));
        loop {
            let more: Vec<User> = self.store.users(page.clone()).await?.values()?;
            let Some(last) = more.last() else { return Ok(users) };
            page = page.after(&last.id);
            users.extend(more);
        }
    }

    /// Gives a user another name, which what they publish from now on carries. An empty name stands for the id.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the name is not valid.
    pub async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error> {
        check_name("name", name)?;
        let user = self.store.rename_user(id, if name.is_empty() { id } else { name }).await?;
        self.access_changed().await;
        Ok(user)
    }

    /// Removes a user; their tokens and open streams end at once, and their id is given to nobody else. Returns after all
    /// their data was deleted, which may take long.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.remove_user("ann", tidings_server::WrittenContent::Keep).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        self.begin_removal(id, written).await?;
        while self.store.removal_pending().await? {
            removal::recall_all(&*self.store, &self.hub).await?;
            while self.store.prune_removed(limits::SHORT_WRITE_ROWS).await? {}
            if self.store.removal_pending().await? {
                // A server on the same database does it.
                tokio::time::sleep(removal::RETRY).await;
            }
        }
        files::delete_expired(&*self.store, &self.files, false).await
    }

    /// Removes a user of a running server; upkeep deletes most of their data later.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `forbidden` for the one for whom a program runs this server.
    pub async fn begin_removal(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        if self.config.standalone_owner.as_deref() == Some(id) {
            let why = "it is the user for whom the app runs this server; nothing was removed";
            return Err(Error::refused(Code::Forbidden, why));
        }
        self.store.remove_user(id, written).await?;
        self.user_removed.notify_one();
        self.access_changed().await;
        Ok(())
    }

    /// Whether rows of removed users are still to be deleted.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn has_removals(&self) -> Result<bool, Error> {
        self.store.removal_pending().await
    }

    /// Forgets what is cached of users, tokens and topics, and waits until every other server on the same database has.
    pub(crate) async fn access_changed(&self) {
        self.access.invalidate();
        if self.store.is_shared() {
            access::forgotten_everywhere().await;
        }
    }

    /// Exports all that is stored of a user, as JSON lines.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    pub async fn export_user(&self, id: &str) -> Result<UserExport, Error> {
        UserExport::begin(Arc::clone(&self.store), id).await
    }

    /// Creates a token for a user. Its text is only in the result.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
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

    /// Creates a token with this id.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    pub(crate) async fn make_token(
        &self,
        user: &str,
        id: String,
        label: &str,
        scopes: &[Scope],
    ) -> Result<FreshToken, Error> {
        let token = account::mint();
        let (label, scopes) = (label.to_owned(), scopes.to_vec());
        let new = NewToken { id, hash: account::hash(&token), label, scopes, made_by: None };
        match self.store.add_token(user, new, None).await? {
            Outcome::Done(about) => Ok(FreshToken { token, about }),
            Outcome::Replayed(_) => Err(Error::refused(Code::Conflict, "the token is there already")),
        }
    }

    /// The tokens of one user, or of all users, the oldest first.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
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
        let (mut tokens, mut page) = (Vec::<Token>::new(), ListQuery::first(limits::PAGE_ELEMENTS));
        loop {
            let more: Vec<Token> = self.store.tokens(key, page.clone()).await?.values()?;
            let Some(last) = more.last() else { return Ok(tokens) };
            page = page.after(&last.id);
            tokens.extend(more);
        }
    }

    /// Revokes a token by its id, with the tokens that descend from it; their open streams end at once.
    ///
    /// # Errors
    /// `not_found` if there is no such token.
    pub async fn revoke_token(&self, id: &str) -> Result<(), Error> {
        let revoked = self.store.revoke(id, None).await;
        self.access.invalidate();
        revoked
    }

    /// Creates a user if missing, and a new token for them, as a program that embeds the server does.
    ///
    /// # Errors
    /// `invalid` if the id or the name is not valid, [`Error::Store`] if the database can't be written.
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

    /// Creates a user if missing.
    pub(crate) async fn ensure_user(&self, id: &str, name: &str) -> Result<(), Error> {
        if self.store.user(id).await?.is_none() {
            self.create_user(id, name).await?;
        }
        Ok(())
    }

    /// Creates the user `admin` with a token of scope `admin` if the server has no users; otherwise `None`.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read or written.
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
        for n in 1..=MAX_FIRST_USERS {
            let id = if n == 1 { "admin".to_owned() } else { format!("admin-{n}") };
            match self.create_user(&id, &id).await {
                // If several servers start on an empty database, one of them makes it. If all users were removed, the
                // id of the first one is not given away again.
                Err(Error::Refused(problem)) if problem.code == Code::Conflict => {
                    if self.store.meta().await?.users > 0 {
                        return Ok(None);
                    }
                }
                Err(e) => return Err(e),
                Ok(admin) => {
                    return self.create_token(&admin.id, "first start", &[Scope::Admin]).await.map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Looks at the clock. False if nothing may be deleted by age now.
    pub(crate) async fn may_delete_by_age(&self) -> bool {
        let is_trusted = self.config.retain_now;
        self.clock_watch.allows_deletion(&*self.store, &*self.clock, is_trusted).await
    }

    /// The time of running for which nothing is deleted by age, because the clock jumped ahead; zero for none.
    pub async fn age_hold(&self) -> Duration {
        self.clock_watch.left().await
    }

    /// The same as the server that runs on this data has stored it. It knows whether the clock jumped or nothing was
    /// published for long ([`is_served`](crate::store::served::is_served)).
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn stored_age_hold(&self) -> Result<Duration, Error> {
        self.store.age_hold().await
    }

    /// How far the newest stamp is ahead of the clock, if that is more than an hour. A wrong clock left it, and later
    /// ones follow it until it is mended ([`mend_clock`](crate::store::mend_clock::mend_clock)).
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn stamps_ahead(&self) -> Result<Option<Duration>, Error> {
        let (newest, now) = (self.store.latest_stamp().await?, self.clock.now());
        let ahead = u64::try_from(newest.as_micros().saturating_sub(now.as_micros())).unwrap_or_default();
        Ok(is_ahead(newest, now).then(|| Duration::from_micros(ahead)))
    }

    /// Stores a hold on deletion by age that the start found, and says so in the log.
    pub(crate) async fn begin_age_hold(&self) {
        self.clock_watch.keep_and_tell(&*self.store).await;
    }

    /// Recounts every counter and verifies the database; gives the differences.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
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

    /// The current catalog.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        self.store.catalog().await
    }

    /// Passes the items of every inbox to `each`, without tombstones: user by user, in stamp order, in batches. It
    /// stops when `each` returns `false`. Runs fan-in of each inbox first.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read or written.
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
        let mut users = ListQuery::first(limits::PAGE_ELEMENTS);
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

    /// Exports the inbox of one user; false if `each` returned false.
    async fn export_one(
        &self,
        user: &User,
        each: &mut dyn FnMut(&User, Vec<Notification>) -> bool,
    ) -> Result<bool, Error> {
        // A user who was removed meanwhile has no inbox.
        let Some(User { key, .. }) = self.store.user(&user.id).await? else { return Ok(true) };
        while self.store.fan_in(key).await? {}
        let mut since = Stamp::ZERO;
        loop {
            let page = self.store.sync(key, since, limits::DEFAULT_SYNC_LIMIT).await?;
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

    /// Copies the server's database to one file while it stays in use. Uploaded files are not in it: their notifications
    /// are, and their addresses lead nowhere after a restore elsewhere.
    ///
    /// # Errors
    /// [`Error::Store`] if the file can't be written.
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

    /// Estimated bytes that [`Server::compact`] would free.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        self.store.reclaimable_bytes().await
    }

    /// Rewrites the database without unused space; needs as much free disk space as the data takes.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be written, [`Error::DiskFull`] if the disk has no room.
    pub async fn compact(&self) -> Result<(), Error> {
        self.store.compact().await
    }

    /// Replaces the database of a data folder by a backup, in one step and with a new epoch, so that every replica
    /// pulls from the beginning. No process may serve the folder. The replaced database is kept as `server.db.before`.
    ///
    /// # Errors
    /// [`Error::DataDir`] if a process serves the folder, [`Error::Store`] if `from` is not a backup of a server.
    /// The folder is then unchanged.
    pub async fn restore(
        data_dir: &Path,
        from: &Path,
        clock: Arc<dyn Clock>,
        future: FutureStamps,
    ) -> Result<(), Error> {
        let (dir, from) = (data_dir.to_owned(), from.to_owned());
        tokio::task::spawn_blocking(move || {
            let _lock = DataDir::lock(&dir, "server")?;
            let replacement = Replacement::begin(&dir.join(DATABASE_FILE))?;
            replacement.copy_in(&from)?;
            prepare_copy(&replacement.file(), &clock, future)?;
            Ok(Replacement::put_in_place(&[replacement])?)
        })
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)?
    }

    /// The first half of a restore, for callers that replace other files with it: `from` is moved in, checked, and
    /// given a new epoch. The caller has the lock `server` of the folder. Blocks.
    ///
    /// # Errors
    /// [`Error::Store`] if `from` is not a backup of a server.
    pub fn prepare_restore(
        data_dir: &Path,
        from: &Path,
        clock: &Arc<dyn Clock>,
        future: FutureStamps,
    ) -> Result<Replacement, Error> {
        let replacement = Replacement::begin(&data_dir.join(DATABASE_FILE))?;
        replacement.move_in(from)?;
        prepare_copy(&replacement.file(), clock, future)?;
        Ok(replacement)
    }
}

/// The folder of uploaded files.
fn folder_of(config: &ServerConfig) -> FileFolder {
    match &config.files_folder {
        Some(shared) => FileFolder::shared(shared),
        None => FileFolder::new(&config.data_dir),
    }
}

/// Creates the data folder, and refuses a shared folder of files that can't be used.
fn prepare_folders(config: &ServerConfig) -> Result<(), Error> {
    make_private(&config.data_dir)?;
    let Some(shared) = &config.files_folder else { return Ok(()) };
    FileFolder::shared(shared).prepare().map_err(|error| {
        Error::refused(
            Code::Invalid,
            format!("the folder of uploaded files {} can't be used: {error}", shared.display()),
        )
    })
}

/// Creates the folder, accessible only to its owner.
pub(crate) fn make_private(dir: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

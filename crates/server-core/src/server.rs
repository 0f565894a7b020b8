//! An open server with its configuration and its administration.

mod export;
#[cfg(test)]
mod files_of_strangers;
mod maintenance;
mod program_tokens;
mod tokens;
mod users;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tidings_model::{Catalog, Clock, Code};
use tidings_store::{DATABASE_FILE, Error, Store};
use tidings_store_postgres::{PostgresOptions, PostgresStore};
use tidings_store_sqlite::SqliteStore;

use crate::access::AccessCache;
use crate::clock_watch::ClockWatch;
use crate::config::ServerConfig;
use crate::endpoint::EndpointToken;
use crate::files::FileFolder;
use crate::live::Hub;
use crate::task_failures::TaskFailures;

/// An open server. Clones share its state.
#[derive(Clone)]
pub struct Server {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The configuration.
    pub config: Arc<ServerConfig>,
    /// The clock, by which the store hands out its stamps.
    pub clock: Arc<dyn Clock>,
    /// Whether the clock is trusted to delete by age.
    clock_watch: Arc<ClockWatch>,
    /// The live channels, the listeners to topics and the waits for answers.
    pub hub: Hub,
    /// The folder of uploaded files.
    pub files: Arc<FileFolder>,
    /// The tokens and settings of topics that were looked up recently.
    pub access: Arc<AccessCache>,
    /// Wakes the delivery of scheduled publications.
    pub schedule_changed: Arc<tokio::sync::Notify>,
    /// Wakes the deletion of removed users' data.
    pub user_removed: Arc<tokio::sync::Notify>,
    /// The token of `endpoint.json`, with which the server proves its identity to programs of its user.
    pub endpoint: EndpointToken,
    /// How often each task ended by a fault.
    pub task_failures: Arc<TaskFailures>,
    /// Number of differences that recounts have repaired.
    pub repairs: Arc<AtomicU64>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Server {
    /// Opens the server of a data folder, and creates what is missing. Another process may have it open at the same
    /// time, and serve it. If the data is in PostgreSQL, any number of processes may serve it, each with a folder of
    /// its own.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Store`] if the database is of a newer version, [`Error::Unavailable`] if it does not
    /// answer, [`Error::Io`] if the folder can't be created, `invalid` as of [`ServerConfig::check`].
    pub async fn open(config: ServerConfig, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        config.check()?;
        let folders = config.clone();
        tokio::task::spawn_blocking(move || prepare_folders(&folders))
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        let bounds = config.bounds;
        let store: Arc<dyn Store> = if let Some(url) = config.store.postgres() {
            let lossless_failover = config.lossless_failover;
            let (bus, cache) = (config.bus.clone(), config.cache.clone());
            let options = PostgresOptions { lossless_failover, bus, cache, ..PostgresOptions::default() };
            Arc::new(PostgresStore::connect(url, Arc::clone(&clock), options).await?.with_bounds(bounds))
        } else {
            let (file, at) = (config.data_dir.join(DATABASE_FILE), Arc::clone(&clock));
            let of_file = config.file_bounds;
            let open = tokio::task::spawn_blocking(move || SqliteStore::open_within(&file, at, of_file));
            Arc::new(open.await.map_err(|_| tidings_sqlite::Error::Panicked)??.with_bounds(bounds))
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
        Self {
            access: Arc::new(AccessCache::new(Arc::clone(&store), config.access_bounds)),
            files: Arc::new(folder_of(&config)),
            hub: Hub::with_bounds(config.hint_bounds),
            store,
            config: Arc::new(config),
            clock,
            clock_watch,
            schedule_changed: Arc::default(),
            user_removed: Arc::default(),
            endpoint: EndpointToken::default(),
            task_failures: Arc::default(),
            repairs: Arc::default(),
        }
    }

    /// The same server with another configuration, to be served at another address. It has no open channels and an
    /// empty token cache.
    #[must_use]
    pub fn with_config(&self, config: ServerConfig) -> Self {
        let watch = Arc::clone(&self.clock_watch);
        let again = Self::with_store(Arc::clone(&self.store), config, Arc::clone(&self.clock), watch);
        Self { endpoint: self.endpoint.clone(), files: Arc::clone(&self.files), ..again }
    }

    /// The server's configuration.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// The current catalog.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        self.store.catalog().await
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
    tidings_sqlite::create_folder(&config.data_dir)?;
    let Some(shared) = &config.files_folder else { return Ok(()) };
    FileFolder::shared(shared).prepare().map_err(|error| {
        Error::refused(
            Code::Invalid,
            format!("the folder of uploaded files {} can't be used: {error}", shared.display()),
        )
    })
}

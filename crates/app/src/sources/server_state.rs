//! Whether this computer's own server runs, where it answers, and what this session wrote to `endpoint.json`.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use tokio::sync::watch;

use super::own_server::OwnServer;
use crate::app::lock;
use crate::storage::home::Endpoint;

/// Where programs on this computer publish to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Publishing {
    /// The own server is starting.
    Starting,
    /// It does not run.
    Nowhere,
    /// Its address.
    At(String),
}

/// The own server as the app knows it.
pub(crate) struct ServerState {
    /// None where the app runs without one.
    server: OnceLock<Arc<dyn OwnServer>>,
    publishing: watch::Sender<Publishing>,
    endpoint: Mutex<Option<Endpoint>>,
    /// Why it does not run, in the reader's language.
    trouble: Mutex<Option<String>>,
}

impl Default for ServerState {
    fn default() -> Self {
        Self {
            server: OnceLock::new(),
            publishing: watch::Sender::new(Publishing::Starting),
            endpoint: Mutex::default(),
            trouble: Mutex::default(),
        }
    }
}

impl ServerState {
    /// The server that the app runs; once.
    pub(crate) fn set_server(&self, server: Arc<dyn OwnServer>) {
        let _ = self.server.set(server);
    }

    /// The server, where the app runs one.
    pub(crate) fn server(&self) -> Option<&Arc<dyn OwnServer>> {
        self.server.get()
    }

    /// Where it answers, as that changes.
    pub(crate) fn publishing(&self) -> watch::Receiver<Publishing> {
        self.publishing.subscribe()
    }

    /// The address that it answers at.
    pub(crate) fn url(&self) -> Option<String> {
        match &*self.publishing.borrow() {
            Publishing::At(url) => Some(url.clone()),
            Publishing::Starting | Publishing::Nowhere => None,
        }
    }

    /// Whether it answers at the origin of an address; asked by who does not hold the state.
    pub(crate) fn answers(&self) -> impl Fn(&url::Url) -> bool + Send + Sync + use<> {
        let publishing = self.publishing.subscribe();
        move |at| {
            let Publishing::At(url) = &*publishing.borrow() else { return false };
            url.parse::<url::Url>().is_ok_and(|url| url.origin() == at.origin())
        }
    }

    /// It answers there from now on, or nowhere.
    pub(crate) fn set_publishing(&self, at: Publishing) {
        self.publishing.send_replace(at);
    }

    /// The start is over: a server that is still starting does not run.
    pub(crate) fn start_ended(&self) {
        self.publishing.send_if_modified(|now| {
            let is_starting = *now == Publishing::Starting;
            if is_starting {
                *now = Publishing::Nowhere;
            }
            is_starting
        });
    }

    /// Why it does not run.
    pub(crate) fn trouble(&self) -> Option<String> {
        lock(&self.trouble).clone()
    }

    /// Sets why it does not run; none where it does.
    pub(crate) fn set_trouble(&self, why: Option<String>) {
        *lock(&self.trouble) = why;
    }

    /// Remembers what this session wrote to `endpoint.json`.
    pub(crate) fn set_endpoint(&self, endpoint: Endpoint) {
        *lock(&self.endpoint) = Some(endpoint);
    }

    /// Removes `endpoint.json` where it still holds what this session wrote: nobody is sent to whoever takes the port.
    pub(crate) fn withdraw_endpoint(&self, path: &Path) {
        if let Some(endpoint) = lock(&self.endpoint).take() {
            endpoint.withdraw(path);
        }
    }
}

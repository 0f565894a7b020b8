//! The state of this computer's own server: whether it runs, its address, and the `endpoint.json` of this session.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tidings_home::Endpoint;
use tidings_ports::OwnServer;
use tokio::sync::watch;

/// The address at which programs on this computer can publish.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum PublishAddress {
    /// The own server is starting.
    #[default]
    Starting,
    /// The own server does not run.
    Unavailable,
    /// The own server's address.
    At(String),
}

/// The state of the own server.
#[derive(Default)]
pub(crate) struct ServerState {
    /// The server; unset if the app runs without one.
    server: OnceLock<Arc<dyn OwnServer>>,
    publishing: watch::Sender<PublishAddress>,
    endpoint: Mutex<Option<Endpoint>>,
    /// The reason why it does not run, in English.
    trouble: Mutex<Option<String>>,
}

impl ServerState {
    /// Sets the server that the app runs. Only the first call has an effect.
    pub(crate) fn set_server(&self, server: Arc<dyn OwnServer>) {
        let _ = self.server.set(server);
    }

    /// The server, if the app runs one.
    pub(crate) fn server(&self) -> Option<&Arc<dyn OwnServer>> {
        self.server.get()
    }

    /// A receiver of the publishing address and its changes.
    pub(crate) fn publishing(&self) -> watch::Receiver<PublishAddress> {
        self.publishing.subscribe()
    }

    /// The address of the running server.
    pub(crate) fn url(&self) -> Option<String> {
        match &*self.publishing.borrow() {
            PublishAddress::At(url) => Some(url.clone()),
            PublishAddress::Starting | PublishAddress::Unavailable => None,
        }
    }

    /// A predicate: whether the own server answers at the origin of an address.
    pub(crate) fn serves_origin(&self) -> impl Fn(&url::Url) -> bool + Send + Sync + use<> {
        let publishing = self.publishing.subscribe();
        move |at| {
            let PublishAddress::At(url) = &*publishing.borrow() else { return false };
            url.parse::<url::Url>().is_ok_and(|url| url.origin() == at.origin())
        }
    }

    /// Sets the publishing address.
    pub(crate) fn set_publishing(&self, at: PublishAddress) {
        self.publishing.send_replace(at);
    }

    /// Handles that the start has ended: a server that is still starting is taken as not running.
    pub(crate) fn start_ended(&self) {
        self.publishing.send_if_modified(|now| {
            let is_starting = *now == PublishAddress::Starting;
            if is_starting {
                *now = PublishAddress::Unavailable;
            }
            is_starting
        });
    }

    /// The reason why the server does not run.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    /// Sets the reason why the server does not run; `None` if it runs.
    pub(crate) fn set_trouble(&self, why: Option<String>) {
        *self.trouble.lock() = why;
    }

    /// Remembers the `endpoint.json` of this session.
    pub(crate) fn set_endpoint(&self, endpoint: Endpoint) {
        *self.endpoint.lock() = Some(endpoint);
    }

    /// Removes `endpoint.json` if it is still this session's, so that no client sends the token to another program.
    pub(crate) fn withdraw_endpoint(&self, path: &Path) {
        if let Some(endpoint) = self.endpoint.lock().take() {
            endpoint.withdraw(path);
        }
    }
}

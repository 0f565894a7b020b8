//! The parameters of the engine, and what its runners share.

use std::sync::Arc;

use tidings_model::Clock;
use tidings_replica::{Replica, SourceId};
use tidings_sources::Bounds;
use tokio::sync::{mpsc, watch};

use crate::backoff::BackoffConfig;
use crate::{EngineEvent, SourceStatus, SourceStatuses, Tokens, Uploads, Wakes};

/// The parameters of [`Engine::start`](super::Engine::start).
pub struct EngineConfig {
    /// The replica to pull into; its table of sources decides which sources are pulled.
    pub replica: Replica,
    /// Gives each source its token.
    pub tokens: Arc<dyn Tokens>,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// Yields an element each time open connections may be dead, after a sleep or on another network; a program
    /// passes [`wake::system`](crate::wake::system).
    pub wakes: Wakes,
    /// The waits between tries and between pulls.
    pub backoff: BackoffConfig,
    /// Receives an event for each page that changed something. A full channel slows the pulls down; a closed one is
    /// ignored.
    pub events: Option<mpsc::Sender<EngineEvent>>,
    /// How much one step of a pull takes.
    pub bounds: Bounds,
}

impl EngineConfig {
    /// What the runners share, and the wakes of the machine.
    pub(super) fn into_shared(self) -> (Shared, Wakes) {
        let Self { replica, tokens, clock, wakes, backoff, events, bounds } = self;
        let (statuses, uploads) = (Arc::new(watch::Sender::new(SourceStatuses::new())), Arc::default());
        (Shared { replica, tokens, clock, backoff, events, bounds, statuses, uploads }, wakes)
    }
}

/// The values that all runners share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) replica: Replica,
    pub(crate) tokens: Arc<dyn Tokens>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) backoff: BackoffConfig,
    pub(crate) events: Option<mpsc::Sender<EngineEvent>>,
    pub(crate) bounds: Bounds,
    pub(crate) statuses: Arc<watch::Sender<SourceStatuses>>,
    pub(crate) uploads: Arc<watch::Sender<Uploads>>,
}

impl Shared {
    /// Publishes the status of a source if it changed.
    pub(crate) fn set_status(&self, id: SourceId, status: SourceStatus) {
        self.statuses.send_if_modified(|statuses| statuses.insert(id, status) != Some(status));
    }
}

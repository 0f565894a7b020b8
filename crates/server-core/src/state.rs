//! The state that handlers of HTTP and connections that bring mail share.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::response::Response;
use tidings_model::{Catalog, Problem};
use tidings_store::domain::account::{Bearer, UserKey};
use tidings_store::{Editor, Error};
use tokio_util::sync::CancellationToken;

use crate::budgets::LoadLimits;
use crate::rate_limit::Limiter;
use crate::reader_counts::ReaderCounts;
use crate::request_metrics::RequestMetrics;
use crate::server::Server;

/// Makes the response to a request for a path that is refused, in the form that those who use this path know.
pub type Refusal = fn(path: &str, problem: Problem) -> Response;

/// The state that all handlers share. Each request passes through many layers, all of which have it.
#[derive(Clone)]
pub struct AppState(Arc<SharedState>);

impl Deref for AppState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.0
    }
}

/// A handler takes the state as an argument.
impl<S: Send + Sync> FromRequestParts<S> for AppState
where
    Self: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self::from_ref(state))
    }
}

/// What [`AppState`] shares.
pub struct SharedState {
    /// The server.
    pub server: Server,
    /// The address of the listener.
    pub address: SocketAddr,
    /// Cancelled when the server was asked to end; it still serves then.
    pub draining: CancellationToken,
    /// Cancelled when the server stops; streams end then.
    pub stop: CancellationToken,
    /// In standalone mode, the user who is subscribed to every topic.
    pub owner: Option<UserKey>,
    /// The rate limits.
    pub limiter: Arc<Limiter>,
    /// The counters of requests.
    pub metrics: Arc<RequestMetrics>,
    /// The bounds on what requests take at a time.
    pub load_limits: Arc<LoadLimits>,
    /// How many have read announcements.
    pub reader_counts: Arc<ReaderCounts>,
    /// Makes the responses to what is refused before any handler.
    pub refusal: Refusal,
}

impl AppState {
    /// The state of a server that listens at an address.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn new(
        server: &Server,
        address: SocketAddr,
        draining: CancellationToken,
        stop: CancellationToken,
        refusal: Refusal,
    ) -> Result<Self, Error> {
        let owner = match &server.config.standalone_owner {
            Some(id) => server.store.user(id).await?.map(|u| u.key),
            None => None,
        };
        Ok(Self(Arc::new(SharedState {
            server: server.clone(),
            address,
            draining,
            stop,
            owner,
            limiter: Arc::new(Limiter::new(server.config.rate)),
            metrics: Arc::default(),
            load_limits: Arc::new(LoadLimits::new(server.config.memory_timeout)),
            reader_counts: Arc::default(),
            refusal,
        })))
    }

    /// The store of the server.
    pub fn store(&self) -> &dyn tidings_store::Store {
        &*self.server.store
    }

    /// The current catalog.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        self.store().catalog().await
    }

    /// Who changes notifications with a token. One without any scope is that of an application, and changes its messages.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn editor(&self, bearer: &Bearer) -> Result<Editor, Error> {
        if !bearer.scopes.is_empty() {
            return Ok(Editor::of(bearer, None));
        }
        let application = self.store().application_of_token(bearer.user, &bearer.token).await?;
        // No target is empty.
        Ok(Editor::of(bearer, Some(application.map(|application| application.target).unwrap_or_default())))
    }

    /// The current time.
    pub fn now(&self) -> tidings_model::Stamp {
        self.server.clock.now()
    }
}

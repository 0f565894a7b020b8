//! The HTTP interface: routing, authentication, limits, and the handlers that call the store.

mod answers;
mod api;
pub(crate) mod auth;
mod files;
mod gotify;
mod hooks;
mod input;
mod limits;
pub(crate) mod marks;
mod metrics;
mod middleware;
mod ntfy;
mod openapi;
mod public_url;
mod reader_counts;
mod refusal;
mod response;
mod streams;
mod topics;

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tidings_model::Catalog;
use tidings_store::domain::account::{Bearer, UserKey};
use tidings_store::{Editor, Error};
use tokio_util::sync::CancellationToken;
use tower::ServiceBuilder;

pub(crate) use self::gotify::clean_path;
use self::limits::budgets::LoadLimits;
pub(crate) use self::limits::budgets::{Principal, Reservation, SMALL_BODY_BYTES};
pub(crate) use self::limits::rate_limit::BucketKey;
use self::limits::rate_limit::Limiter;
use self::metrics::RequestMetrics;
use self::middleware::{cors, exchange, guards};
use self::ntfy::SharedPages;
pub(crate) use self::ntfy::mail;
use self::openapi::docs;
use self::reader_counts::ReaderCounts;
use self::response::error;
use crate::server::Server;

/// The state that all handlers share. Each request passes through many layers, all of which have it.
#[derive(Clone)]
pub(crate) struct AppState(Arc<SharedState>);

impl Deref for AppState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.0
    }
}

/// What [`AppState`] shares.
pub(crate) struct SharedState {
    pub(crate) server: Server,
    /// The address of the listener.
    pub(crate) address: SocketAddr,
    /// Cancelled when the server was asked to end; it still serves then.
    pub(crate) draining: CancellationToken,
    /// Cancelled when the server stops; streams end then.
    pub(crate) stop: CancellationToken,
    /// In standalone mode, the user who is subscribed to every topic.
    pub(crate) owner: Option<UserKey>,
    pub(crate) limiter: Arc<Limiter>,
    pub(crate) metrics: Arc<RequestMetrics>,
    pub(crate) load_limits: Arc<LoadLimits>,
    /// The pages that streams of topics share.
    pub(crate) topic_pages: Arc<SharedPages>,
    pub(crate) client_uses: Arc<gotify::ClientUses>,
    pub(crate) reader_counts: Arc<ReaderCounts>,
}

impl AppState {
    /// The state of a server that listens at an address.
    pub(crate) async fn new(
        server: &Server,
        address: SocketAddr,
        draining: CancellationToken,
        stop: CancellationToken,
    ) -> Result<Self, Error> {
        let owner = match &server.config.standalone_owner {
            Some(id) => server.store.user(id).await?.map(|u| u.key),
            None => None,
        };
        let limiter = Arc::new(Limiter::new(server.config.rate));
        let load_limits = Arc::new(LoadLimits::new(server.config.memory_timeout));
        let (server, metrics) = (server.clone(), Arc::default());
        let (topic_pages, client_uses, reader_counts) = (Arc::default(), Arc::default(), Arc::default());
        Ok(Self(Arc::new(SharedState {
            server,
            address,
            draining,
            stop,
            owner,
            limiter,
            metrics,
            load_limits,
            topic_pages,
            client_uses,
            reader_counts,
        })))
    }

    pub(crate) fn store(&self) -> &dyn tidings_store::Store {
        &*self.server.store
    }

    pub(crate) async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        self.store().catalog().await
    }

    /// Who changes notifications with a token. One without any scope is that of an application, and changes its messages.
    pub(crate) async fn editor(&self, bearer: &Bearer) -> Result<Editor, Error> {
        if !bearer.scopes.is_empty() {
            return Ok(Editor::of(bearer, None));
        }
        let application = self.store().application_of_token(bearer.user, &bearer.token).await?;
        // No target is empty.
        Ok(Editor::of(bearer, Some(application.map(|application| application.target).unwrap_or_default())))
    }

    pub(crate) fn now(&self) -> tidings_model::Stamp {
        self.server.clock.now()
    }
}

/// The router of all paths, with all layers. Its requests go through [`clean_path`] first: a layer of the router would run
/// after a path was chosen.
pub(crate) fn router(app: AppState) -> Router {
    // One layer, of which the first part is the outermost: each layer of a router boxes every request anew.
    let cors = cors::layer(&app.server.config.allow_origins);
    let layers = ServiceBuilder::new()
        .layer(from_fn_with_state(app.clone(), middleware::surround))
        .option_layer(cors.map(|cors| (cors, from_fn_with_state(app.clone(), guards::rate_limit))));
    Router::new()
        .merge(api::router().layer(from_fn_with_state(app.clone(), exchange::reserve_response)))
        .merge(docs::routes())
        .merge(metrics::routes())
        .merge(gotify::routes())
        .merge(ntfy::routes())
        .merge(hooks::routes())
        .merge(files::routes())
        .fallback(error::no_such_path)
        .method_not_allowed_fallback(error::no_such_method)
        .layer(layers)
        .with_state(app)
}

//! The HTTP interface: the API, and its doors for programs of others, behind one router.

mod answers;
mod api;
mod metrics;
mod openapi;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tidings_doors::{gotify, hooks, ntfy};
use tidings_server_core::http::middleware::{cors, exchange, guards, surround};
use tidings_server_core::http::response::error::no_such_path;
use tidings_server_core::state::AppState;
use tower::ServiceBuilder;

use self::openapi::docs;

/// The router of all paths, with all layers. Its requests go through [`gotify::clean_path`] first: a layer of the router
/// would run after a path was chosen.
pub(crate) fn router(app: AppState) -> Router {
    // One layer, of which the first part is the outermost: each layer of a router boxes every request anew.
    let cors = cors::layer(&app.server.config.allow_origins);
    let layers = ServiceBuilder::new()
        .layer(from_fn_with_state(app.clone(), surround))
        .option_layer(cors.map(|cors| (cors, from_fn_with_state(app.clone(), guards::rate_limit))));
    Router::new()
        .merge(api::router().layer(from_fn_with_state(app.clone(), exchange::reserve_response)))
        .merge(docs::routes())
        .merge(metrics::routes())
        .merge(gotify::routes(&app))
        .merge(ntfy::routes(&app))
        .merge(hooks::routes())
        .fallback(no_such_path)
        .method_not_allowed_fallback(ntfy::no_such_method)
        .layer(layers)
        .with_state(app)
}

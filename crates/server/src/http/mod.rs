//! The wire: every path, in front of the store. Refuses to decide who may read what beyond the token's scopes, and to
//! answer anything but the protocol.

mod accounts;
pub(crate) mod auth;
mod events;
mod groups;
mod guards;
mod inbox;
mod input;
mod ntfy;
mod once;
mod problem;
mod publish;
mod subscriptions;
mod system;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, post, put};
use tidings_model::Catalog;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::server::Server;

/// What every handler has.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) server: Server,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// Done when the server stops: streams end.
    pub(crate) stop: CancellationToken,
    /// In standalone mode, the user whom every publication on a topic reaches.
    pub(crate) owner: Option<UserKey>,
    pub(crate) limiter: Arc<guards::Limiter>,
}

impl App {
    pub(crate) fn store(&self) -> &dyn crate::store::Store {
        &*self.server.store
    }

    pub(crate) async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        self.store().catalog().await
    }

    pub(crate) fn now(&self) -> tidings_model::Stamp {
        self.server.clock.now()
    }
}

/// Every path of the server.
pub(crate) async fn router(
    server: &Server,
    address: SocketAddr,
    stop: CancellationToken,
) -> Result<Router, Error> {
    let owner = match &server.config.standalone_owner {
        Some(id) => server.store.user(id).await?.map(|u| u.key),
        None => None,
    };
    let limiter = Arc::new(guards::Limiter::new(server.config.rate));
    let app = App { server: server.clone(), address, stop, owner, limiter };
    let router = Router::new()
        .nest("/api/v1", api())
        .merge(ntfy::routes())
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(from_fn_with_state(app.clone(), guards::rate))
        .layer(from_fn_with_state(app.clone(), guards::same_machine_or_name))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn(guards::request_id))
        .with_state(app);
    Ok(router)
}

fn api() -> Router<App> {
    Router::new()
        .route("/health", get(system::health))
        .route("/info", get(system::info))
        .route("/me", get(accounts::me))
        .route("/users", post(accounts::add_user).get(accounts::users))
        .route("/users/{id}", delete(accounts::remove_user))
        .route("/users/{id}/tokens", post(accounts::add_token))
        .route("/tokens", get(accounts::tokens))
        .route("/tokens/{id}", delete(accounts::revoke))
        .route("/catalog", get(system::catalog).put(system::set_catalog))
        .route("/announcements", post(publish::announcements))
        .route("/reminders", post(publish::reminders))
        .route("/messages", post(publish::messages))
        .route("/groups", post(groups::add))
        .route("/groups/{gid}", get(groups::group))
        .route("/groups/{gid}/members/{uid}", put(groups::join).delete(groups::leave))
        .route("/groups/{gid}/messages", post(groups::post))
        .route("/groups/{gid}/messages/{msgid}/receipts", get(groups::readers))
        .route("/receipts", get(groups::receipts))
        .route("/receipts/ack", post(groups::ack_receipts))
        .route(
            "/subscriptions",
            get(subscriptions::list).put(subscriptions::subscribe).delete(subscriptions::unsubscribe),
        )
        .route("/follows", get(subscriptions::follows))
        .route(
            "/follows/{user}",
            get(subscriptions::followed).put(subscriptions::follow).delete(subscriptions::unfollow),
        )
        .route("/preferences", get(subscriptions::preferences).patch(subscriptions::set_preferences))
        .route("/sync", get(inbox::sync))
        .route("/inbox", get(inbox::list))
        .route("/inbox/ops", post(inbox::ops))
        .route("/unread", get(inbox::unread))
        .route("/conversations", get(inbox::conversations))
        .route("/conversations/{id}/messages", get(inbox::messages))
        .route("/conversations/{id}/read", put(inbox::read_through))
        .route("/views/{code}/{id}", get(inbox::view).put(inbox::visit))
        .route("/events", get(events::events))
}

//! The endpoints through which ntfy's clients publish and subscribe, at the root of the same port. The server's own
//! paths are not topics.

mod account;
mod actions;
mod auth;
mod delay;
mod draft;
mod error;
mod fields;
mod files;
pub(crate) mod mail;
mod message;
mod paths;
mod publish;
mod push;
mod subscribe;
mod templates;
mod upload;

use axum::Router;
use axum::routing::{any, get, put};
use tidings_server_core::http::health::health;
use tidings_server_core::http::response::error::no_such_path;
use tidings_server_core::state::AppState;
use tidings_store::domain::topic::{self, InvalidTopic};

pub(crate) use self::error::NtfyError;
pub(crate) use self::paths::is_path;
pub use self::paths::no_such_method;

/// An error if the name is not a valid topic, or is reserved.
fn check_topic(name: &str) -> Result<(), NtfyError> {
    topic::check_topic(name).map_err(|e| match e {
        InvalidTopic::Malformed => error::TOPIC_INVALID,
        InvalidTopic::Reserved => error::TOPIC_DISALLOWED,
    })
}

/// The routes of ntfy's clients, and that of uploaded files, which has ntfy's errors. All streams of one router share the
/// pages that they read.
pub fn routes(app: &AppState) -> Router<AppState> {
    Router::new()
        .merge(subscribe::routes(app))
        .route("/", put(publish::publish_json).post(publish::publish_json))
        .route("/v1/health", get(health))
        .route("/api/{*rest}", any(no_such_path))
        .route("/{topic}", get(push::discover).put(publish::publish_text).post(publish::publish_text))
        .route(push::MATRIX_PATH, get(push::discover_matrix).post(push::notify_matrix))
        .route("/v1/account", get(account::account))
        .route("/v1/config", get(account::config))
        .route("/v1/stats", get(account::stats))
        .route("/v1/{*rest}", any(account::not_found))
        .route("/{topic}/auth", get(account::topic_auth))
        .route(
            "/{topic}/{sequence}",
            put(publish::publish_text).post(publish::publish_text).delete(publish::delete),
        )
        .route("/{topic}/{sequence}/clear", put(publish::clear).get(publish::clear))
        .route("/{topic}/{sequence}/read", put(publish::clear).get(publish::clear))
        .route("/{topic}/publish", get(publish::publish_get))
        .route("/{topic}/send", get(publish::publish_get))
        .route("/{topic}/trigger", get(publish::publish_get))
        .route("/file/{name}", get(files::serve))
}

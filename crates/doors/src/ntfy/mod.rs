//! The endpoints through which ntfy's clients publish and subscribe, at the root of the same port. The server's own
//! paths are not topics.

mod account;
mod actions;
mod auth;
mod delay;
mod draft;
mod error;
mod fields;
pub(crate) mod mail;
mod message;
pub(in crate::http) mod paths;
mod publish;
mod push;
mod subscribe;
mod templates;
mod upload;

use axum::Router;
use axum::routing::{any, get, put};
use tidings_store::domain::topic::{self, InvalidTopic};

pub(super) use self::error::{NOT_FOUND, NtfyError};
pub(super) use self::subscribe::SharedPages;
use crate::http::AppState;

/// An error if the name is not a valid topic, or is reserved.
fn check_topic(name: &str) -> Result<(), NtfyError> {
    topic::check_topic(name).map_err(|e| match e {
        InvalidTopic::Malformed => error::TOPIC_INVALID,
        InvalidTopic::Reserved => error::TOPIC_DISALLOWED,
    })
}

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/", put(publish::publish_json).post(publish::publish_json))
        .route("/v1/health", get(crate::http::api::system::health))
        .route("/api/{*rest}", any(crate::http::response::error::no_such_path))
        .route("/{topic}", get(push::discover).put(publish::publish_text).post(publish::publish_text))
        .route(push::MATRIX_PATH, get(push::discover_matrix).post(push::notify_matrix))
        .route("/v1/account", get(account::account))
        .route("/v1/config", get(account::config))
        .route("/v1/stats", get(account::stats))
        .route("/v1/{*rest}", any(account::not_found))
        .route("/{topic}/auth", get(account::topic_auth))
        .route("/{topic}/json", get(subscribe::json))
        .route("/{topic}/sse", get(subscribe::sse))
        .route("/{topic}/raw", get(subscribe::raw))
        .route("/{topic}/ws", get(subscribe::ws))
        .route(
            "/{topic}/{sequence}",
            put(publish::publish_text).post(publish::publish_text).delete(publish::delete),
        )
        .route("/{topic}/{sequence}/clear", put(publish::clear).get(publish::clear))
        .route("/{topic}/{sequence}/read", put(publish::clear).get(publish::clear))
        .route("/{topic}/publish", get(publish::publish_get))
        .route("/{topic}/send", get(publish::publish_get))
        .route("/{topic}/trigger", get(publish::publish_get))
}

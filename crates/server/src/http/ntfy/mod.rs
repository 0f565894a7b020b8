//! The endpoints through which ntfy clients publish, at the root of the same port. The server's own paths are not
//! topics.

mod actions;
mod delay;
mod draft;
mod error;
mod fields;
mod publish;
mod response;

use axum::Router;
use axum::routing::{any, get, put};

use crate::http::AppState;

/// Names that can't be topics.
const RESERVED_TOPICS: &[&str] = &[
    "api",
    "message",
    "application",
    "client",
    "plugin",
    "user",
    "stream",
    "version",
    "health",
    "current",
    "v1",
    "docs",
    "metrics",
    "file",
    "static",
    "hooks",
];

/// Whether a text is a valid name of a topic or a sequence: `[-_A-Za-z0-9]{1,64}`.
fn is_valid_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// An error where the name is not a valid topic, or is reserved.
fn check_topic(name: &str) -> Result<(), error::NtfyError> {
    if !is_valid_name(name) {
        return Err(error::TOPIC_INVALID);
    }
    if RESERVED_TOPICS.contains(&name) {
        return Err(error::TOPIC_DISALLOWED);
    }
    Ok(())
}

/// Whether a path is a single reserved name.
pub(super) fn is_reserved(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|name| RESERVED_TOPICS.contains(&name))
}

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/", put(publish::publish_json).post(publish::publish_json))
        .route("/v1/health", get(crate::http::api::system::health))
        .route("/api/{*rest}", any(crate::http::response::error::no_such_path))
        .route("/{topic}", put(publish::publish_text).post(publish::publish_text))
        .route("/{topic}/publish", get(publish::publish_get))
        .route("/{topic}/send", get(publish::publish_get))
        .route("/{topic}/trigger", get(publish::publish_get))
}

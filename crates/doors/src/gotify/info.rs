//! What the server is: `/version` and `/health`, which need no token, and `/plugin`.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use tidings_server_core::http::response::error::json as json_response;
use tidings_server_core::state::AppState;

use super::auth::{ClientAuth, Id};
use super::error::{GotifyError, NO_PLUGIN};

/// The version of Gotify whose API this is: clients decide by it what they may ask.
const GOTIFY_VERSION: &str = "2.9.1";

/// `GET /version`.
pub(super) async fn version() -> Response {
    let commit = concat!("tidings-", env!("CARGO_PKG_VERSION"));
    let version = json!({"version": GOTIFY_VERSION, "commit": commit, "buildDate": "unknown"});
    json_response(StatusCode::OK, &version)
}

/// `GET /health`: whether the database can be read.
pub(super) async fn health(app: AppState) -> Response {
    let (status, health, database) = match app.store().meta().await {
        Ok(_) => (StatusCode::OK, "green", "green"),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "orange", "red"),
    };
    json_response(status, &json!({"health": health, "database": database}))
}

/// `GET /plugin`: there are none here.
pub(super) async fn plugins(_: ClientAuth) -> Response {
    json_response(StatusCode::OK, &json!([]))
}

/// Everything of a plugin.
pub(super) async fn no_plugin(_: ClientAuth, _: Id) -> GotifyError {
    NO_PLUGIN
}

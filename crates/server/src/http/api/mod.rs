//! The endpoints of API v1. Each module has the handlers of one capability and the endpoints' descriptions.

mod accounts;
mod conversations;
mod events;
mod export;
mod groups;
mod inbox;
mod messages;
mod notifications;
mod parameters;
mod publish;
mod receipts;
mod subscriptions;
mod system;
mod topics;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;
use tidings_server_core::http::response::error;
use tidings_server_core::state::AppState;

use crate::http::openapi::endpoint::{Endpoint, openapi};

const INBOX: &[&str] = &["inbox", "admin"];
const PUBLISH: &[&str] = &["publish", "admin"];
const INBOX_OR_PUBLISH: &[&str] = &["inbox", "publish", "admin"];
const ADMIN: &[&str] = &["admin"];
const ANY_SCOPE: &[&str] = &["any scope"];

fn endpoints() -> Vec<Endpoint> {
    [
        system::endpoints(),
        accounts::endpoints(),
        publish::endpoints(),
        messages::endpoints(),
        notifications::endpoints(),
        subscriptions::endpoints(),
        inbox::endpoints(),
        conversations::endpoints(),
        events::endpoints(),
        groups::endpoints(),
        receipts::endpoints(),
        topics::endpoints(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The router of all endpoints, under `/api/v1`.
pub(crate) fn router() -> Router<AppState> {
    let routes = endpoints().into_iter().fold(Router::new(), |router, e| router.route(e.path, e.route));
    Router::new().nest("/api/v1", routes)
}

/// The OpenAPI document, built on first use.
pub(crate) fn document() -> Arc<Value> {
    static DOCUMENT: OnceLock<Arc<Value>> = OnceLock::new();
    Arc::clone(DOCUMENT.get_or_init(|| Arc::new(openapi(&endpoints()))))
}

/// The response with the OpenAPI document; its text is serialized once.
pub(super) async fn reference() -> Response {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let text = TEXT.get_or_init(|| Bytes::from(serde_json::to_vec(&*document()).unwrap_or_default()));
    error::json_bytes(StatusCode::OK, text.clone())
}

//! Every path of API v1, once: what serves it and how it is described. Refuses a path that is in one of the two only.

mod accounts;
mod grouping;
mod parameters;
mod publishing;
mod reading;
mod subscribing;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

use super::reference::{Endpoint, openapi};
use super::{AppState, problem};

const INBOX: &[&str] = &["inbox", "admin"];
const PUBLISH: &[&str] = &["publish", "admin"];
const EITHER: &[&str] = &["inbox", "publish", "admin"];
const ADMIN: &[&str] = &["admin"];
const ANY: &[&str] = &["any scope"];

fn endpoints() -> Vec<Endpoint> {
    let mut all = accounts::endpoints();
    all.extend(publishing::endpoints());
    all.extend(subscribing::endpoints());
    all.extend(reading::endpoints());
    all.extend(grouping::endpoints());
    all
}

/// Serves every path.
pub(crate) fn router() -> Router<AppState> {
    let routes = endpoints().into_iter().fold(Router::new(), |router, e| router.route(e.path, e.route));
    Router::new().nest("/api/v1", routes)
}

/// The reference, made once.
pub(crate) fn document() -> Arc<Value> {
    static DOCUMENT: OnceLock<Arc<Value>> = OnceLock::new();
    Arc::clone(DOCUMENT.get_or_init(|| Arc::new(openapi(&endpoints()))))
}

/// The reference as it is sent: all who ask share one text.
async fn reference() -> Response {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let text = TEXT.get_or_init(|| Bytes::from(serde_json::to_vec(&*document()).unwrap_or_default()));
    problem::json_bytes(StatusCode::OK, text.clone())
}

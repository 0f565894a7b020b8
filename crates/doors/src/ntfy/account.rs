//! The requests that ntfy's apps send before they subscribe: whether a token may read, who it is, and what the server
//! can do.

use axum::extract::{FromRequestParts, Request};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server_core::domain::limits;
use tidings_server_core::files::FileLimits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{PathParams, Query};
use tidings_server_core::http::response::error::json as json_response;
use tidings_server_core::state::AppState;

use super::auth::{authorize_any, authorize_reader};
use super::error::{NOT_FOUND, NtfyError, TOPIC_INVALID};
use super::message;
use super::subscribe::topic_names;

/// What clients read as a limit if there is none.
const UNLIMITED: i32 = i32::MAX;

/// `GET /<topics>/auth`: whether the token may read the topics.
pub(super) async fn topic_auth(app: AppState, request: Request) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let params = PathParams::from_request_parts(&mut parts, &app).await.map_err(|_| TOPIC_INVALID)?;
    let topics = topic_names(params.text("topic").map_err(|_| TOPIC_INVALID)?)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    authorize_reader(&app, &parts, &query, &topics).await?;
    Ok(json_response(StatusCode::OK, &json!({"success": true})))
}

/// `GET /v1/account`: the user of the token, whatever its scopes.
pub(super) async fn account(app: AppState, request: Request) -> Result<Response, NtfyError> {
    let auth = with_token(&app, request).await?;
    let files = &app.server.config.files;
    let stored_bytes = app.store().file_usage(Some(auth.bearer.user)).await?.bytes;
    let account = json!({
        "username": auth.id(),
        "role": if auth.bearer.has_scope(Scope::Admin) { "admin" } else { "user" },
        "limits": quotas(files),
        "stats": usage(files, stored_bytes),
    });
    Ok(json_response(StatusCode::OK, &account))
}

/// The quotas of an account, each of which ntfy's clients require. Messages have none; 0 stands for what is not offered.
fn quotas(files: &FileLimits) -> Value {
    json!({
        "basis": "ip",
        "message_length": limits::TEXT_BYTES,
        "messages": UNLIMITED,
        "messages_expiry_duration": message::EXPIRY_SECS,
        "emails": 0,
        "calls": 0,
        "reservations": 0,
        "attachment_total_size": files.user_bytes,
        "attachment_file_size": files.file_bytes,
        "attachment_expiry_duration": files.keep.as_secs(),
        "attachment_bandwidth": UNLIMITED,
    })
}

/// What of the quotas is used and left; only files are counted.
fn usage(files: &FileLimits, stored_bytes: u64) -> Value {
    json!({
        "messages": 0,
        "messages_remaining": UNLIMITED,
        "emails": 0,
        "emails_remaining": 0,
        "calls": 0,
        "calls_remaining": 0,
        "reservations": 0,
        "reservations_remaining": 0,
        "attachment_total_size": stored_bytes,
        "attachment_total_size_remaining": files.user_bytes.saturating_sub(stored_bytes),
    })
}

/// Any other path under `/v1`, in the form that ntfy's clients read.
pub(super) async fn not_found() -> NtfyError {
    NOT_FOUND
}

/// `GET /v1/stats`: publications on topics since the start, for everybody with a token.
pub(super) async fn stats(app: AppState, request: Request) -> Result<Response, NtfyError> {
    with_token(&app, request).await?;
    let messages = app.server.hub.topics.published_count();
    Ok(json_response(StatusCode::OK, &json!({"messages": messages, "messages_rate": 0})))
}

/// The token of a request, of any scope.
async fn with_token(app: &AppState, request: Request) -> Result<AuthContext, NtfyError> {
    let (parts, _) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    authorize_any(app, &parts, &query).await
}

/// `GET /v1/config`: what ntfy's web app may offer.
pub(super) async fn config() -> Response {
    let config = json!({
        "base_url": "",
        "app_root": "/",
        "enable_login": true,
        "require_login": true,
        "enable_signup": false,
        "enable_payments": false,
        "enable_reservations": false,
        "enable_emails": false,
        "enable_calls": false,
        "enable_web_push": false,
        "billing_contact": "",
        "web_push_public_key": "",
        "disallowed_topics": tidings_store::domain::topic::RESERVED_TOPICS,
    });
    json_response(StatusCode::OK, &config)
}

//! What ntfy's apps ask a server before they subscribe: whether a token may read, who it is, and what the server can do.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use tidings_model::wire::Scope;

use super::auth::{authenticate, authorize_reader, has_credentials};
use super::error::{NtfyError, TOPIC_INVALID};
use crate::domain::limits;
use crate::http::AppState;
use crate::http::input::{PathParams, Query};
use crate::http::response::error::json as json_response;

/// `GET /<topic>/auth`: whether the token may read the topic.
pub(super) async fn topic_auth(State(app): State<AppState>, request: Request) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let params = PathParams::from_request_parts(&mut parts, &app).await.map_err(|_| TOPIC_INVALID)?;
    super::check_topic(params.text("topic").map_err(|_| TOPIC_INVALID)?)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    authorize_reader(&app, &parts, &query).await?;
    Ok(json_response(StatusCode::OK, &json!({"success": true})))
}

/// `GET /v1/account`: the user of the token, or nobody.
pub(super) async fn account(State(app): State<AppState>, request: Request) -> Result<Response, NtfyError> {
    let (parts, _) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let (username, role) = if has_credentials(&parts, &query) {
        let auth = authenticate(&app, &parts, &query).await?;
        (auth.id().to_owned(), if auth.bearer.has_scope(Scope::Admin) { "admin" } else { "user" })
    } else {
        ("*".to_owned(), "anonymous")
    };
    let limits = json!({"basis": "ip", "message_length": limits::TEXT_BYTES});
    Ok(json_response(StatusCode::OK, &json!({"username": username, "role": role, "limits": limits})))
}

/// `GET /v1/stats`: publications on topics since the start.
pub(super) async fn stats(State(app): State<AppState>) -> Response {
    let messages = app.server.hub.topics.published_count();
    json_response(StatusCode::OK, &json!({"messages": messages, "messages_rate": 0}))
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
        "disallowed_topics": super::RESERVED_TOPICS,
    });
    json_response(StatusCode::OK, &config)
}

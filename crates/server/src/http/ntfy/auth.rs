//! Credentials of ntfy's tools: Bearer, Basic with the token as password or as user name, or `?auth=`. As with ntfy,
//! missing ones are 403 and unknown ones 401.

use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem};
use tidings_store::domain::account::Bearer;

use super::error::NtfyError;
use crate::http::AppState;
use crate::http::auth::{AuthContext, credentials_token, is_own_local_program};
use crate::http::input::Query;
use crate::http::middleware::guards;
use crate::http::topics::require_reader;

/// The token, from the `Authorization` header or ntfy's query parameters, as Bearer or Basic.
fn request_token(headers: &HeaderMap, query: &Query) -> Option<String> {
    let from_query = || {
        let encoded = query.pairs().find(|(n, _)| *n == "auth" || *n == "authorization").map(|(_, v)| v)?;
        if encoded.starts_with("Bearer ") || encoded.starts_with("Basic ") {
            return Some(encoded.to_owned());
        }
        let bytes =
            [URL_SAFE_NO_PAD.decode(encoded), URL_SAFE.decode(encoded), STANDARD_NO_PAD.decode(encoded)]
                .into_iter()
                .find_map(Result::ok)?;
        String::from_utf8(bytes).ok()
    };
    let text = match headers.get(header::AUTHORIZATION) {
        Some(value) => value.to_str().ok()?.to_owned(),
        None => from_query()?,
    };
    credentials_token(&text)
}

/// The token's user, which needs `publish` or `inbox`; `None` for a program of the server's user on this machine, if
/// `allow_anonymous` and `open_publish` permit it.
pub(super) async fn authorize(
    app: &AppState,
    parts: &Parts,
    query: &Query,
    allow_anonymous: bool,
) -> Result<Option<Bearer>, NtfyError> {
    if !has_credentials(parts, query) {
        if allow_anonymous && app.server.config.open_publish && is_own_local_program(parts).await? {
            return Ok(None);
        }
        // As with ntfy: missing credentials are 403, unknown credentials are 401.
        return Err(forbidden().into());
    }
    let AuthContext { bearer, .. } = authenticate(app, parts, query).await?;
    if !(bearer.has_scope(Scope::Publish) || bearer.has_scope(Scope::Inbox)) {
        return Err(forbidden().into());
    }
    Ok(Some(bearer))
}

/// The token's user, which needs `inbox`, and to be among the readers of these topics that name them. A reader of a
/// topic needs a token, also on the same machine.
pub(super) async fn authorize_reader(
    app: &AppState,
    parts: &Parts,
    query: &Query,
    topics: &[Arc<str>],
) -> Result<AuthContext, NtfyError> {
    let auth = authorize_any(app, parts, query).await?;
    auth.require_scope(Scope::Inbox)?;
    let topics: Vec<String> = topics.iter().map(ToString::to_string).collect();
    require_reader(app, &auth.bearer, &topics).await?;
    Ok(auth)
}

/// The token's user, whatever its scopes. There has to be a token, also on the same machine.
pub(super) async fn authorize_any(
    app: &AppState,
    parts: &Parts,
    query: &Query,
) -> Result<AuthContext, NtfyError> {
    if !has_credentials(parts, query) {
        return Err(forbidden().into());
    }
    authenticate(app, parts, query).await
}

/// The token of a request with credentials.
pub(super) async fn authenticate(
    app: &AppState,
    parts: &Parts,
    query: &Query,
) -> Result<AuthContext, NtfyError> {
    let unauthorized = || Problem::new(Code::Unauthorized, "unauthorized");
    let token = request_token(&parts.headers, query).ok_or_else(unauthorized)?;
    let bearer = app.server.access.bearer(&token).await?.ok_or_else(unauthorized)?;
    guards::rate_limit_token(&app.limiter, &bearer.token, parts)?;
    Ok(AuthContext { bearer, token })
}

/// Whether a request has credentials, valid or not.
pub(super) fn has_credentials(parts: &Parts, query: &Query) -> bool {
    parts.headers.contains_key(header::AUTHORIZATION)
        || query.pairs().any(|(n, _)| n == "auth" || n == "authorization")
}

fn forbidden() -> Problem {
    Problem::new(Code::Forbidden, "forbidden")
}

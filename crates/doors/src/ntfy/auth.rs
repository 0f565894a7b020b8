//! Credentials of ntfy's tools: Bearer, Basic with the token as password or as user name, or `?auth=`. As with ntfy,
//! missing ones are 403 and unknown ones 401.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem};
use tidings_server_core::http::auth::{AuthContext, credentials_token, is_own_local_program};
use tidings_server_core::http::input::Query;
use tidings_server_core::http::middleware::guards;
use tidings_server_core::http::topics::require_reader;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::Bearer;

use super::error::NtfyError;

/// The credentials of a request, Bearer or Basic: of the `Authorization` header, or else of ntfy's query parameters, which
/// may be unreadable. As with ntfy, a header of another scheme is passed by: Web Push signs with `vapid` in it.
fn credentials<'r>(headers: &'r HeaderMap, query: &'r Query) -> Option<Cow<'r, str>> {
    let in_header = headers.get(header::AUTHORIZATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let in_query = || query.pairs().find(|(n, _)| *n == "auth" || *n == "authorization").map(|(_, v)| v);
    in_header.filter(|text| is_known_scheme(text)).or_else(|| in_query().map(decoded))
}

fn is_known_scheme(credentials: &str) -> bool {
    let scheme = credentials.split(' ').next().unwrap_or_default();
    ["basic", "bearer"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Credentials of a query, which are in base64 or, as in a push key, as they are. Unreadable ones are empty.
fn decoded(encoded: &str) -> Cow<'_, str> {
    if encoded.starts_with("Bearer ") || encoded.starts_with("Basic ") {
        return encoded.into();
    }
    let engines = [URL_SAFE_NO_PAD, URL_SAFE, STANDARD_NO_PAD];
    let bytes = engines.iter().find_map(|engine| engine.decode(encoded).ok());
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default().into()
}

/// The token's user, which needs `publish` or `inbox`; `None` for a program of the server's user on this machine, if
/// `allow_anonymous` and `open_publish` permit it.
pub(super) async fn authorize(
    app: &AppState,
    parts: &Parts,
    query: &Query,
    allow_anonymous: bool,
) -> Result<Option<Bearer>, NtfyError> {
    if credentials(&parts.headers, query).is_none() {
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
    if credentials(&parts.headers, query).is_none() {
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
    let given = credentials(&parts.headers, query);
    let token = given.and_then(|given| credentials_token(&given)).ok_or_else(unauthorized)?;
    let bearer = app.server.access.bearer(&token).await?.ok_or_else(unauthorized)?;
    guards::rate_limit_token(&app.limiter, &bearer.token, parts)?;
    Ok(AuthContext { bearer, token })
}

fn forbidden() -> Problem {
    Problem::new(Code::Forbidden, "forbidden")
}

//! Credentials of webhooks: `?token=`, Bearer, or Basic with the token as password or as user name. A program of the
//! server's user on this machine needs none if `open_publish` is set.

use axum::http::header;
use axum::http::request::Parts;
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem};
use tidings_server_core::http::auth::{AuthContext, credentials_token, is_own_local_program};
use tidings_server_core::http::input::Query;
use tidings_server_core::http::middleware::guards;
use tidings_server_core::http::response::error::ApiError;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::Bearer;

/// The token's user, which needs `publish`; `None` for a program that needs no token.
///
/// # Errors
/// `unauthorized` without a known token, `forbidden` for one of another scope.
pub(super) async fn authorize(
    app: &AppState,
    parts: &Parts,
    query: &Query,
) -> Result<Option<Bearer>, ApiError> {
    let in_header = parts.headers.get(header::AUTHORIZATION);
    let in_query = query.text("token")?;
    if in_header.is_none() && in_query.is_none() {
        if app.server.config.open_publish && is_own_local_program(parts).await? {
            return Ok(None);
        }
        return Err(unauthorized("send a token: ?token=tdg_…, or as Bearer or the password of Basic"));
    }
    let token = match in_header {
        Some(value) => value.to_str().ok().and_then(credentials_token),
        None => in_query.map(str::to_owned),
    };
    let unknown = || unauthorized("this token is not known, or was revoked");
    let token = token.ok_or_else(unknown)?;
    let bearer = app.server.access.bearer(&token).await?.ok_or_else(unknown)?;
    guards::rate_limit_token(&app.limiter, &bearer.token, parts)?;
    let auth = AuthContext { bearer, token };
    auth.require_scope(Scope::Publish)?;
    Ok(Some(auth.bearer))
}

fn unauthorized(detail: &str) -> ApiError {
    Problem::new(Code::Unauthorized, detail).into()
}

//! Credentials of Gotify's clients: `?token=`, `X-Gotify-Key`, Bearer, or Basic with the token as password. What Gotify
//! calls a client is a token with `inbox`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use tidings_model::wire::Scope;
use tidings_server_core::http::auth::{AuthContext, credentials_token};
use tidings_server_core::http::input::{PathParams, Query};
use tidings_server_core::http::middleware::guards;
use tidings_server_core::http::response::idempotency::{IdempotencyKey, KeyRejection};

use super::error::{GotifyError, INVALID_ID, UNAUTHORIZED};
use super::{GotifyState, uses};

/// The token of a request: of the query, of the header of Gotify's own, or of the credentials.
fn request_token(headers: &HeaderMap, query: &Query) -> Option<String> {
    let given = |token: &str| (!token.is_empty()).then(|| token.to_owned());
    let in_query = query.pairs().find(|(name, _)| *name == "token").and_then(|(_, token)| given(token));
    let header = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    in_query
        .or_else(|| given(header("x-gotify-key")?))
        .or_else(|| credentials_token(header(header::AUTHORIZATION.as_str())?))
}

/// A request with any known token.
pub(super) struct AnyAuth(pub(super) AuthContext);

impl FromRequestParts<GotifyState> for AnyAuth {
    type Rejection = GotifyError;

    async fn from_request_parts(parts: &mut Parts, app: &GotifyState) -> Result<Self, GotifyError> {
        let query = Query::parse(parts.uri.query().unwrap_or(""));
        let token = request_token(&parts.headers, &query).ok_or(UNAUTHORIZED)?;
        let bearer = app.server.access.bearer(&token).await?.ok_or(UNAUTHORIZED)?;
        guards::rate_limit_token(&app.limiter, &bearer.token, parts)?;
        uses::note(app, &bearer);
        let auth = AuthContext { bearer, token };
        // What reads the body finds here whose share of the budget it takes.
        parts.extensions.insert(auth.clone());
        Ok(Self(auth))
    }
}

/// A request with a token that reads. As with Gotify, a token that only publishes is answered as one that is not known.
pub(super) struct ClientAuth(pub(super) AuthContext);

impl FromRequestParts<GotifyState> for ClientAuth {
    type Rejection = GotifyError;

    async fn from_request_parts(parts: &mut Parts, app: &GotifyState) -> Result<Self, GotifyError> {
        let AnyAuth(auth) = AnyAuth::from_request_parts(parts, app).await?;
        if auth.bearer.has_scope(Scope::Inbox) { Ok(Self(auth)) } else { Err(UNAUTHORIZED) }
    }
}

impl ClientAuth {
    /// Whether the token administers the server.
    pub(super) fn is_admin(&self) -> bool {
        self.0.bearer.has_scope(Scope::Admin)
    }
}

/// The `Idempotency-Key` of a request whose token was checked before. A repeated request ends with the stored response.
pub(super) struct Key(pub(super) IdempotencyKey);

impl FromRequestParts<GotifyState> for Key {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &GotifyState) -> Result<Self, Response> {
        match IdempotencyKey::from_request_parts(parts, &app.app).await {
            Ok(key) => Ok(Self(key)),
            Err(KeyRejection::Replay(response)) => Err(response),
            Err(KeyRejection::Error(refusal)) => Err(GotifyError::from(refusal).into_response()),
        }
    }
}

/// The number in the path.
pub(super) struct Id(pub(super) i64);

impl FromRequestParts<GotifyState> for Id {
    type Rejection = GotifyError;

    async fn from_request_parts(parts: &mut Parts, app: &GotifyState) -> Result<Self, GotifyError> {
        let params = PathParams::from_request_parts(parts, app).await.map_err(|_| INVALID_ID)?;
        let id: u64 = params.text("id").ok().and_then(|text| text.parse().ok()).ok_or(INVALID_ID)?;
        // No id is that large.
        Ok(Self(i64::try_from(id).unwrap_or(i64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_wherever_gotifys_clients_put_it() {
        let token = |name: &'static str, value: &'static str, query: &str| {
            let name = header::HeaderName::from_static(name);
            let headers = HeaderMap::from_iter([(name, header::HeaderValue::from_static(value))]);
            request_token(&headers, &Query::parse(query))
        };
        for (name, value, query) in [
            ("accept", "*/*", "token=tdg_a"),
            ("x-gotify-key", "tdg_a", "limit=1&token="),
            ("authorization", "Bearer tdg_a", ""),
            ("authorization", "bearer tdg_a", ""),
            ("authorization", "Basic YW55Ym9keTp0ZGdfYQ==", ""),
            ("x-gotify-key", "tdg_b", "token=tdg_a"),
        ] {
            assert_eq!(token(name, value, query).as_deref(), Some("tdg_a"), "{name}: {value} ?{query}");
        }
        assert_eq!(token("authorization", "Digest tdg_a", ""), None);
        assert_eq!(token("accept", "*/*", ""), None);
    }
}

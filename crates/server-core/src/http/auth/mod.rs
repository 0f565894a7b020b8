//! Authenticates requests and checks the scopes of their tokens.

pub mod client_address;

use std::fmt;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem, check_id};
use tidings_store::Error;
use tidings_store::domain::account::{Bearer, UserKey};

use crate::access::login_token;
use crate::budgets::Principal;
use crate::http::input::Query;
use crate::http::middleware::guards;
use crate::http::response::error::ApiError;
use crate::peer_user::{PeerConnection, PeerUser};
use crate::state::AppState;

/// The authenticated user and token of a request.
#[derive(Clone)]
pub struct AuthContext {
    /// The user and the scopes of the token.
    pub bearer: Bearer,
    /// The text of the token.
    pub token: String,
}

impl fmt::Debug for AuthContext {
    /// Without the text of the token, which is for no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthContext").field("bearer", &self.bearer).finish_non_exhaustive()
    }
}

/// The token of an `Authorization: Bearer` header.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The token in credentials of any scheme that clients of other servers use: Bearer, or Basic with the token as the
/// password, or as the user name.
pub fn credentials_token(credentials: &str) -> Option<String> {
    let (scheme, rest) = credentials.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    Some(login_token(name, password).to_owned())
}

/// Whose share of the budgets a request uses: the user's if it was authenticated before; otherwise
/// [`Principal::Anonymous`].
pub fn principal_of(extensions: &Extensions) -> Principal {
    extensions.get::<AuthContext>().map_or(Principal::Anonymous, |auth| Principal::User(auth.bearer.user))
}

fn unauthorized(detail: &str) -> ApiError {
    ApiError::new(Code::Unauthorized, detail)
}

impl FromRequestParts<AppState> for AuthContext {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(auth) = parts.extensions.get::<Self>() {
            return Ok(auth.clone());
        }
        let token = bearer_token(&parts.headers)
            .ok_or_else(|| unauthorized("send a token as `Authorization: Bearer tdg_…`"))?;
        let bearer = app
            .server
            .access
            .bearer(token)
            .await?
            .ok_or_else(|| unauthorized("this token is not known, or was revoked"))?;
        guards::rate_limit_token(&app.limiter, &bearer.token, parts)?;
        let auth = Self { bearer, token: token.to_owned() };
        parts.extensions.insert(auth.clone());
        Ok(auth)
    }
}

impl AuthContext {
    /// The id of the user.
    pub fn id(&self) -> &str {
        &self.bearer.id
    }

    /// An error with `forbidden` unless the token has the scope.
    pub fn require_scope(&self, scope: Scope) -> Result<(), Problem> {
        self.require_any_scope(&[scope])
    }

    /// An error with `forbidden` unless the token has one of the scopes.
    pub fn require_any_scope(&self, scopes: &[Scope]) -> Result<(), Problem> {
        if scopes.iter().any(|s| self.bearer.has_scope(*s)) {
            return Ok(());
        }
        let names: Vec<&str> = scopes.iter().map(|s| s.as_str()).collect();
        Err(Problem::new(
            Code::Forbidden,
            format!("this needs a token with the scope {}", names.join(" or ")),
        ))
    }

    /// The user whose inbox a request is about: the token's own user with `inbox`, or the one in the `user` parameter
    /// with `admin`.
    pub async fn inbox_of(&self, app: &AppState, query: &Query) -> Result<UserKey, ApiError> {
        self.require_scope(Scope::Inbox)?;
        self.acting_as(app, query, Scope::Admin).await
    }

    /// The user whose subscriptions, follows or preferences a request is about: the token's own user, or the one in the
    /// `user` parameter with `publish`.
    pub async fn subscriptions_of(&self, app: &AppState, query: &Query) -> Result<UserKey, ApiError> {
        self.require_any_scope(&[Scope::Inbox, Scope::Publish])?;
        self.acting_as(app, query, Scope::Publish).await
    }

    async fn acting_as(
        &self,
        app: &AppState,
        query: &Query,
        scope_for_others: Scope,
    ) -> Result<UserKey, ApiError> {
        match query.text("user")? {
            None => Ok(self.bearer.user),
            Some(id) if id == self.bearer.id => Ok(self.bearer.user),
            Some(id) => {
                self.require_scope(scope_for_others)?;
                check_id(id).map_err(|e| Problem::invalid("user", e.to_string()))?;
                let user = app.store().user(id).await?;
                Ok(user.ok_or_else(|| Error::not_found("user"))?.key)
            }
        }
    }
}

/// Whether a request was made, and not forwarded, by a program on this machine that runs as the server's own user.
///
/// # Errors
/// `unavailable` if the user could not be read this time.
pub async fn is_own_local_program(parts: &Parts) -> Result<bool, Problem> {
    let local = parts.extensions.get::<client_address::ClientAddress>().is_some_and(|caller| caller.local)
        && parts.extensions.get::<guards::ForeignPage>().is_none();
    match parts.extensions.get::<PeerConnection>() {
        Some(connection) if local => match connection.user().await {
            PeerUser::Unreadable => {
                let why = "the system can't tell now whose program this is; try again, or send a token";
                Err(Problem::new(Code::Unavailable, why))
            }
            user => Ok(user.is_ours()),
        },
        _ => Ok(false),
    }
}

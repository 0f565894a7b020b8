//! Authenticates requests and checks the scopes of their tokens. Tokens are cached for a quarter of a second at most,
//! because another process may revoke them.

pub(crate) mod client_address;
pub(crate) mod peer_user;
pub(crate) mod proxy_header;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem, check_id};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use self::peer_user::PeerUser;
use crate::domain::account::{self, Bearer, UserKey};
use crate::error::Error;
use crate::http::AppState;
use crate::http::input::Query;
use crate::http::middleware::guards;
use crate::http::response::error::ApiError;
use crate::store::Store;

/// A cached token is looked up again after this, because another process may have revoked it.
pub(crate) const TOKEN_CACHE_TTL: Duration = Duration::from_millis(250);
/// Tokens in the cache, at most; a full cache is cleared.
const MAX_CACHED_TOKENS: usize = 10_000;
/// Tokens that are looked up at the same time.
const LOOKUP_CONCURRENCY: usize = 4;
/// How long a token is looked up, the wait for a turn included.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(9);

/// A cache of tokens that were looked up recently.
pub(crate) struct TokenCache {
    store: Arc<dyn Store>,
    generation: AtomicU64,
    generation_changed: watch::Sender<u64>,
    cached: Mutex<HashMap<[u8; 32], CachedToken>>,
    /// Requests with the same token wait here while the first of them looks it up.
    lookups: Semaphore,
}

struct CachedToken {
    bearer: Bearer,
    generation: u64,
    cached_at: Instant,
}

impl TokenCache {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            generation: AtomicU64::new(0),
            generation_changed: watch::Sender::new(0),
            cached: Mutex::default(),
            lookups: Semaphore::new(LOOKUP_CONCURRENCY),
        }
    }

    /// Invalidates the whole cache after a change of users or tokens; open streams check their tokens again.
    pub(crate) fn invalidate(&self) {
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        self.generation_changed.send_replace(generation);
    }

    /// Changes whenever the cache is invalidated.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.generation_changed.subscribe()
    }

    /// The user and scopes of a token's text; `None` where the token is not known.
    pub(crate) async fn bearer(&self, token: &str) -> Result<Option<Bearer>, Error> {
        if !token.starts_with(account::TOKEN_PREFIX) || token.len() > 256 {
            return Ok(None);
        }
        let hash = account::hash(token);
        let generation = self.generation.load(Ordering::Acquire);
        if let Some(bearer) = self.cached(&hash, generation) {
            return Ok(Some(bearer));
        }
        let look_up = async {
            let _turn = self.lookups.acquire().await;
            match self.cached(&hash, generation) {
                Some(bearer) => Ok(Some(bearer)),
                None => self.look_up(hash, generation).await,
            }
        };
        // Where the store does not answer, those who wait for their turn do not wait for all those before them.
        timeout(LOOKUP_TIMEOUT, look_up)
            .await
            .unwrap_or_else(|_| Err(Error::unavailable("the store takes too long")))
    }

    /// The user and scopes of a token that was looked up a moment ago, since the cache was invalidated last.
    fn cached(&self, hash: &[u8; 32], generation: u64) -> Option<Bearer> {
        let cached = self.cached.lock();
        let token = cached.get(hash)?;
        let is_current = token.generation == generation && token.cached_at.elapsed() < TOKEN_CACHE_TTL;
        is_current.then(|| token.bearer.clone())
    }

    /// Looks a token up in the store, and caches the result.
    async fn look_up(&self, hash: [u8; 32], generation: u64) -> Result<Option<Bearer>, Error> {
        // From its beginning on: what is removed meanwhile may not be seen by it.
        let cached_at = Instant::now();
        let found = self.store.bearer(hash).await?;
        let mut cached = self.cached.lock();
        match &found {
            Some(bearer) => {
                if cached.len() >= MAX_CACHED_TOKENS {
                    cached.clear();
                }
                cached.insert(hash, CachedToken { bearer: bearer.clone(), generation, cached_at });
            }
            None => {
                cached.remove(&hash);
            }
        }
        Ok(found)
    }

    /// Whether the token still has the same user and scopes.
    pub(crate) async fn is_still_valid(&self, bearer: &Bearer, token: &str) -> bool {
        match self.bearer(token).await {
            Ok(found) => found.as_ref() == Some(bearer),
            // An error of the store does not mean that the token was revoked.
            Err(_) => true,
        }
    }
}

/// The authenticated user and token of a request.
#[derive(Debug, Clone)]
pub(crate) struct AuthContext {
    pub(crate) bearer: Bearer,
    /// The text of the token.
    pub(crate) token: String,
}

/// The token of an `Authorization: Bearer` header.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The token in credentials of any scheme that clients of other servers use: Bearer, or Basic with the token as the
/// password, or as the user name.
pub(crate) fn credentials_token(credentials: &str) -> Option<String> {
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

/// The token in a name and a password: the password, or the name where only that is a token.
pub(crate) fn login_token<'a>(name: &'a str, password: &'a str) -> &'a str {
    // The one credential in an address, as in `ntfy://TOKEN@host/topic`, is its user name; programs then send an empty
    // password or, like Apprise, `None`.
    let is_token = |text: &str| text.starts_with(account::TOKEN_PREFIX);
    if is_token(name) && !is_token(password) { name } else { password }
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
            .token_cache
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
    pub(crate) fn id(&self) -> &str {
        &self.bearer.id
    }

    /// An error with `forbidden` unless the token has the scope.
    pub(crate) fn require_scope(&self, scope: Scope) -> Result<(), Problem> {
        self.require_any_scope(&[scope])
    }

    /// An error with `forbidden` unless the token has one of the scopes.
    pub(crate) fn require_any_scope(&self, scopes: &[Scope]) -> Result<(), Problem> {
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
    pub(crate) async fn inbox_of(&self, app: &AppState, query: &Query) -> Result<UserKey, ApiError> {
        self.require_scope(Scope::Inbox)?;
        self.acting_as(app, query, Scope::Admin).await
    }

    /// The user whose subscriptions, follows or preferences a request is about: the token's own user, or the one in the
    /// `user` parameter with `publish`.
    pub(crate) async fn subscriptions_of(&self, app: &AppState, query: &Query) -> Result<UserKey, ApiError> {
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
/// `unavailable` where the user could not be read this time.
pub(crate) async fn is_own_local_program(parts: &Parts) -> Result<bool, Problem> {
    let local = parts.extensions.get::<client_address::ClientAddress>().is_some_and(|caller| caller.local)
        && parts.extensions.get::<guards::ForeignPage>().is_none();
    match parts.extensions.get::<peer_user::PeerConnection>() {
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

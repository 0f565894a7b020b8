//! The `Idempotency-Key` header: a request with a key that its token sent before gets the stored response. Only
//! responses of success are stored.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use tidings_model::Problem;
use tidings_model::wire::Scope;
use tidings_store::domain::account::{self, NewToken};
use tidings_store::{Error, Idempotency, Outcome, StoredResponse};

use crate::domain::limits;
use crate::http::auth::AuthContext;
use crate::http::response::error::{ApiError, json, json_bytes};
use crate::state::AppState;

/// The key of an authenticated request, if it has one. Extracting it from a repeated request ends with the stored
/// response.
pub struct IdempotencyKey {
    auth: AuthContext,
    key: Option<String>,
}

/// The reason why a handler is not run: an error, or the response to a repeated request.
pub enum KeyRejection {
    /// The request has no valid token, or its key is malformed.
    Error(ApiError),
    /// The request is repeated; this is the stored response.
    Replay(Response),
}

impl IntoResponse for KeyRejection {
    fn into_response(self) -> Response {
        match self {
            Self::Error(refusal) => refusal.into_response(),
            Self::Replay(response) => response,
        }
    }
}

impl From<ApiError> for KeyRejection {
    fn from(refusal: ApiError) -> Self {
        Self::Error(refusal)
    }
}

/// The header's value, checked for its length.
fn parse_key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    value.to_str().ok().filter(|k| (1..=limits::KEY_BYTES).contains(&k.len())).map(Some).ok_or_else(|| {
        let detail = format!("must be 1 to {} printable ASCII characters", limits::KEY_BYTES);
        Problem::invalid("Idempotency-Key", detail)
    })
}

/// The key of a request to ntfy's API or of a webhook, with its owner. Such a request may have no token, and its response always has status
/// 200.
pub struct AnonymousKey {
    owner: String,
    key: String,
}

/// The key of a request that may have no token. The key is unique within its `owner`.
///
/// # Errors
/// `invalid` for a malformed key, or if a key is sent and `owner` is `None`.
pub fn anonymous_key(headers: &HeaderMap, owner: Option<String>) -> Result<Option<AnonymousKey>, Problem> {
    let Some(key) = parse_key(headers)? else { return Ok(None) };
    let owner = owner.ok_or_else(|| {
        let detail = "needs a token: without one it could not be told from the same key of another program";
        Problem::invalid("Idempotency-Key", format!("Idempotency-Key {detail}"))
    })?;
    Ok(Some(AnonymousKey { owner, key: key.to_owned() }))
}

impl AnonymousKey {
    /// The key of a repeated delivery, unique within its `owner`.
    pub fn new(owner: String, key: String) -> Self {
        Self { owner, key }
    }

    /// The stored response of an earlier request with this key.
    pub async fn stored_response(&self, app: &AppState) -> Result<Option<StoredResponse>, Error> {
        app.store().stored_response(&self.owner, &self.key).await
    }

    /// What the store needs to recognize a repetition and to store the response, which `to_body` makes.
    pub fn idempotency<T, V: Serialize>(
        self,
        to_body: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Idempotency<T> {
        Idempotency {
            token: self.owner,
            key: self.key,
            answer: Box::new(move |done| StoredResponse {
                status: 200,
                body: serde_json::to_vec(&to_body(done)).unwrap_or_default(),
                token_salt: String::new(),
            }),
        }
    }
}

impl FromRequestParts<AppState> for IdempotencyKey {
    type Rejection = KeyRejection;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, KeyRejection> {
        let auth = AuthContext::from_request_parts(parts, app).await?;
        let Some(key) = parse_key(&parts.headers).map_err(ApiError::from)? else {
            return Ok(Self { auth, key: None });
        };
        let this = Self { auth, key: Some(key.to_owned()) };
        let stored =
            app.store().stored_response(&this.auth.bearer.token, key).await.map_err(ApiError::from)?;
        match stored {
            Some(answer) => Err(KeyRejection::Replay(this.replay(answer))),
            None => Ok(this),
        }
    }
}

impl IdempotencyKey {
    /// What the store needs to recognize a repetition and to store the response, which `to_body` makes; `None` without
    /// a key.
    pub fn idempotency<T, V: Serialize>(
        &self,
        status: StatusCode,
        to_body: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Option<Idempotency<T>> {
        self.idempotency_with_token(status, String::new(), to_body)
    }

    /// Like [`IdempotencyKey::idempotency`], for a response with a token that was derived with this salt.
    pub fn idempotency_with_token<T, V: Serialize>(
        &self,
        status: StatusCode,
        token_salt: String,
        to_body: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Option<Idempotency<T>> {
        let key = self.key.clone()?;
        Some(Idempotency {
            token: self.auth.bearer.token.clone(),
            key,
            answer: Box::new(move |done| StoredResponse {
                status: status.as_u16(),
                body: serde_json::to_vec(&to_body(done)).unwrap_or_default(),
                token_salt: token_salt.clone(),
            }),
        })
    }

    /// A token that this request makes, with its text, and the salt from which a repetition derives the same text.
    pub fn new_token(&self, label: String, scopes: Vec<Scope>) -> (NewToken, String, String) {
        let salt = account::mint();
        let text = self.derive(&salt);
        let (id, hash) = (account::random_name(), account::hash(&text));
        let made_by = Some(self.auth.bearer.token.clone());
        (NewToken { id, hash, label, scopes, made_by }, text, salt)
    }

    /// The text of a token derived from the request's token, the key and a salt; a repetition derives the same text.
    fn derive(&self, salt: &str) -> String {
        account::derive(&self.auth.token, self.key.as_deref().unwrap_or(""), salt)
    }

    /// The response to what was done now, or the stored response of the first request.
    pub fn respond<T, V: Serialize>(
        &self,
        outcome: Result<Outcome<T>, Error>,
        status: StatusCode,
        to_body: impl FnOnce(&T) -> V,
    ) -> Result<Response, ApiError> {
        match outcome? {
            Outcome::Done(done) => Ok(json(status, &to_body(&done))),
            Outcome::Replayed(answer) => Ok(self.replay(answer)),
        }
    }

    fn replay(&self, answer: StoredResponse) -> Response {
        let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
        if status == StatusCode::NO_CONTENT {
            return status.into_response();
        }
        if answer.token_salt.is_empty() {
            return json_bytes(status, answer.body);
        }
        match serde_json::from_slice::<Value>(&answer.body) {
            Ok(Value::Object(mut map)) => {
                map.insert("token".to_owned(), self.derive(&answer.token_salt).into());
                json(status, &map)
            }
            _ => json_bytes(status, answer.body),
        }
    }
}

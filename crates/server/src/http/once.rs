//! `Idempotency-Key`: the same key from the same token gets its first answer. Refuses to keep anything but success.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use tidings_model::Problem;

use super::App;
use super::auth::Who;
use super::problem::{Refusal, json, json_bytes};
use crate::domain::{account, limits};
use crate::error::Error;
use crate::store::{Answer, Did, Once};

/// The key of a request, if it has one. A request that was answered before gets that answer at once.
pub(crate) struct Key {
    who: Who,
    key: Option<String>,
}

/// Why a handler is not run.
pub(crate) enum Instead {
    Refused(Refusal),
    Answered(Response),
}

impl IntoResponse for Instead {
    fn into_response(self) -> Response {
        match self {
            Self::Refused(refusal) => refusal.into_response(),
            Self::Answered(response) => response,
        }
    }
}

impl From<Refusal> for Instead {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The key of a request's headers.
fn key_of(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    value.to_str().ok().filter(|k| (1..=limits::KEY).contains(&k.len())).map(Some).ok_or_else(|| {
        let detail = format!("must be 1 to {} printable ASCII characters", limits::KEY);
        Problem::invalid("Idempotency-Key", detail)
    })
}

/// The key of a request whose answer is a plain 200, and whose it is.
pub(crate) struct PlainKey {
    whose: String,
    key: String,
}

/// The key of a request that may come without a token. It counts for whomever `whose` names; a key of nobody in
/// particular is refused.
pub(crate) fn plain_key(headers: &HeaderMap, whose: Option<String>) -> Result<Option<PlainKey>, Problem> {
    let Some(key) = key_of(headers)? else { return Ok(None) };
    let whose = whose.ok_or_else(|| {
        let detail = "needs a token: without one it could not be told from the same key of another program";
        Problem::invalid("Idempotency-Key", format!("Idempotency-Key {detail}"))
    })?;
    Ok(Some(PlainKey { whose, key: key.to_owned() }))
}

impl PlainKey {
    /// How the store keeps the answer.
    pub(crate) fn keep<T, V: Serialize>(self, view: impl FnOnce(&T) -> V + Send + 'static) -> Once<T> {
        Once {
            token: self.whose,
            key: self.key,
            answer: Box::new(move |done| Answer {
                status: 200,
                body: serde_json::to_vec(&view(done)).unwrap_or_default(),
                seal: String::new(),
            }),
        }
    }
}

impl FromRequestParts<App> for Key {
    type Rejection = Instead;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Instead> {
        let who = Who::from_request_parts(parts, app).await?;
        let Some(key) = key_of(&parts.headers).map_err(Refusal::from)? else {
            return Ok(Self { who, key: None });
        };
        let this = Self { who, key: Some(key.to_owned()) };
        let before = app.store().answered(&this.who.bearer.token, key).await.map_err(Refusal::from)?;
        match before {
            Some(answer) => Err(Instead::Answered(this.again(answer))),
            None => Ok(this),
        }
    }
}

impl Key {
    /// How the store keeps the answer: JSON that is made of what was done.
    pub(crate) fn once<T, V: Serialize>(
        &self,
        status: StatusCode,
        view: impl FnOnce(&T) -> V + Send + 'static,
    ) -> Option<Once<T>> {
        self.sealed(status, String::new(), view)
    }

    /// The same, for an answer with a token that was derived with this salt.
    pub(crate) fn sealed<T, V: Serialize>(
        &self,
        status: StatusCode,
        seal: String,
        view: impl FnOnce(&T) -> V + Send + 'static,
    ) -> Option<Once<T>> {
        let key = self.key.clone()?;
        Some(Once {
            token: self.who.bearer.token.clone(),
            key,
            answer: Box::new(move |done| Answer {
                status: status.as_u16(),
                body: serde_json::to_vec(&view(done)).unwrap_or_default(),
                seal,
            }),
        })
    }

    /// The text of a token that the same request with the same key gets again.
    pub(crate) fn derive(&self, salt: &str) -> String {
        account::derive(&self.who.token, self.key.as_deref().unwrap_or(""), salt)
    }

    /// What was done now, or what was answered before.
    pub(crate) fn answer<T, V: Serialize>(
        &self,
        did: Result<Did<T>, Error>,
        status: StatusCode,
        view: impl FnOnce(&T) -> V,
    ) -> Result<Response, Refusal> {
        match did? {
            Did::Now(done) => Ok(json(status, &view(&done))),
            Did::Before(answer) => Ok(self.again(answer)),
        }
    }

    fn again(&self, answer: Answer) -> Response {
        let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
        if status == StatusCode::NO_CONTENT {
            return status.into_response();
        }
        if answer.seal.is_empty() {
            return json_bytes(status, answer.body);
        }
        match serde_json::from_slice::<Value>(&answer.body) {
            Ok(Value::Object(mut map)) => {
                map.insert("token".to_owned(), self.derive(&answer.seal).into());
                json(status, &map)
            }
            _ => json_bytes(status, answer.body),
        }
    }
}

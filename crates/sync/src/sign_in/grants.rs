//! Requests to the endpoints of OAuth 2.0 (RFC 6749): a form goes there, and a token or one of a few errors comes back.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tidings_model::Clock;
use tidings_net::{Error as NetError, http};
use tidings_sources::Service;
use tidings_sources::json::read;
use url::form_urlencoded::Serializer;

use super::Error;
use crate::tokens::{Grant, GrantedTo, Renewal};

/// The longest token or code that is taken, in bytes.
pub(super) const MAX_SECRET_BYTES: usize = 8 << 10;

/// The longest life of a token that is believed, in seconds.
const MAX_LIFE_SECONDS: i64 = 10 * 365 * 86_400;

/// An answer of a token endpoint: a token, or an error, which some services give with the status of a success.
#[derive(Deserialize)]
pub(super) struct TokenAnswer {
    access_token: Option<String>,
    refresh_token: Option<String>,
    expires_in: Option<i64>,
    pub(super) error: Option<String>,
    /// The new interval of a device that has to slow down, in seconds, as GitHub gives it.
    pub(super) interval: Option<u64>,
}

impl TokenAnswer {
    /// The token, with what renews it for a client: the refresh token of this answer, else `known`. `None` for an
    /// answer that has no token.
    pub(super) fn grant(self, client_id: &str, known: Option<&str>, clock: &Arc<dyn Clock>) -> Option<Grant> {
        let fits = |token: &String| !token.is_empty() && token.len() <= MAX_SECRET_BYTES;
        let token = self.access_token.filter(fits)?;
        let obtained_at = clock.now();
        let expires_in =
            self.expires_in.filter(|seconds| *seconds > 0).map(|seconds| seconds.min(MAX_LIFE_SECONDS));
        let expires_at = expires_in.map(|seconds| obtained_at.plus_secs(seconds));
        let refresh_token = self.refresh_token.filter(fits).or_else(|| known.map(str::to_owned));
        let renewal = refresh_token.map(|refresh_token| Renewal {
            refresh_token,
            client_id: client_id.to_owned(),
            obtained_at,
            expires_at,
        });
        let client = Some(GrantedTo { id: client_id.to_owned(), secret: None });
        Some(Grant { token, renewal, client })
    }
}

/// A refusal, as OAuth words it.
#[derive(Deserialize)]
struct Refusal {
    #[serde(rename = "error")]
    _error: String,
}

/// Sends a form and reads the JSON of the answer, also of a refusal.
///
/// # Errors
/// The status if the answer is none of OAuth, [`NetError::Malformed`] for a success that is not what is expected.
pub(super) async fn post<T: DeserializeOwned>(
    service: &Service,
    path: &str,
    form: &[(&str, &str)],
) -> Result<T, NetError> {
    let body = Serializer::new(String::new()).extend_pairs(form).finish();
    let request = service.request(Method::POST, path)?.header(ACCEPT, "application/json");
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body);
    let answer = service.ask(request).await?;
    let status = answer.status();
    let failed = (!status.is_success()).then(|| http::status_error(&answer, service.clock().now()));
    // An answer that asks to wait, or that has failed, says nothing about the sign-in.
    if let Some(error @ NetError::Unavailable { .. }) = failed {
        return Err(error);
    }
    let body = http::body(answer).await?;
    match failed {
        Some(error) if read::<Refusal>(&body).is_err() => Err(error),
        Some(error) => read(&body).map_err(|_| error),
        None => read(&body),
    }
}

/// What an error code of OAuth means, if it ends the sign-in. Unknown ones are refusals of the request.
pub(super) fn refusal(code: &str) -> Error {
    match code {
        "access_denied" => Error::Denied,
        "expired_token" | "token_expired" => Error::Expired,
        "invalid_client"
        | "unauthorized_client"
        | "incorrect_client_credentials"
        | "device_flow_disabled"
        | "invalid_scope"
        | "Not Found" => Error::ClientId,
        "unsupported_grant_type" | "unsupported_response_type" => Error::NotOffered,
        _ => Error::Service(NetError::Refused(StatusCode::BAD_REQUEST.as_u16())),
    }
}

/// A sign-in at a server without one: its status says that there is nothing at the path, or only for who is signed in.
pub(super) fn not_offered(error: NetError) -> Error {
    match error {
        NetError::Refused(404..=406) | NetError::Resync | NetError::SignIn | NetError::Forbidden => {
            Error::NotOffered
        }
        error => Error::Service(error),
    }
}

/// Whether a question may be asked again: the network or the service was not there.
pub(super) fn is_passing(error: &NetError) -> bool {
    matches!(
        error,
        NetError::Offline
            | NetError::NameNotFound
            | NetError::Unreachable
            | NetError::Slow
            | NetError::Unavailable { .. }
    )
}

/// The time after a failure before the same is asked again.
pub(super) fn wait_after(error: &NetError, interval: Duration) -> Duration {
    error.retry_after().unwrap_or_default().max(interval.saturating_mul(2))
}

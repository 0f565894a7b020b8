//! The OAuth 2.0 device authorization grant (RFC 8628). The reader enters a code on a page of the service. Meanwhile
//! the service is asked whether that was done, no more often than it wants.

use std::time::Duration;

use serde::Deserialize;
use tidings_net::Error as NetError;
use tidings_sources::{DeviceGrant, Service};
use url::Url;

use super::grants::{self, MAX_SECRET_BYTES, TokenAnswer, is_passing, not_offered, refusal, wait_after};
use super::{Error, MAX_SIGN_IN_TIME, NewSignIn, Prompt, Result, Sleep};
use crate::tokens::Grant;

/// The time between two questions if the service gives none, and what is added each time it wants fewer (RFC 8628,
/// sections 3.2 and 3.5).
const INTERVAL: Duration = Duration::from_secs(5);
/// The least time between two questions.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// The most time between two questions.
const MAX_INTERVAL: Duration = Duration::from_secs(300);
/// The longest code that is shown, in characters.
const MAX_CODE_CHARS: usize = 64;

/// The answer to the request for a code, or a refusal.
#[derive(Deserialize)]
struct DeviceAnswer {
    device_code: Option<String>,
    user_code: Option<String>,
    verification_uri: Option<Url>,
    expires_in: Option<u64>,
    interval: Option<u64>,
    error: Option<String>,
}

/// A code that was shown and not entered yet.
pub(super) struct PendingCode {
    service: Service,
    token_path: &'static str,
    client_id: String,
    device_code: String,
    interval: Duration,
    /// The time that the code is valid.
    valid: Duration,
    sleep: Sleep,
}

/// Asks for a code.
pub(super) async fn begin(
    grant: &DeviceGrant,
    url: &str,
    client_id: &str,
    new: &NewSignIn<'_>,
) -> Result<(Prompt, super::PendingSignIn)> {
    let source = url.parse::<Url>().map_err(|_| NetError::Address(url.to_owned()))?;
    let service = Service::new((grant.site)(&source).as_str(), new.clock.clone())?;
    let rights = &grant.rights;
    let scopes = rights.more.filter(|_| new.more).map_or(rights.scopes, |more| more.scopes);
    let form = [("client_id", client_id), ("scope", scopes)];
    let answer: DeviceAnswer = grants::post(&service, grant.code_path, &form).await.map_err(not_offered)?;
    if let Some(error) = &answer.error {
        return Err(refusal(error));
    }
    let is_code = |code: &String| {
        !code.is_empty()
            && code.chars().count() <= MAX_CODE_CHARS
            && code.chars().all(|one| one.is_ascii_graphic())
    };
    let (Some(device_code), Some(code), Some(page)) =
        (answer.device_code, answer.user_code.filter(is_code), answer.verification_uri)
    else {
        return Err(NetError::Malformed.into());
    };
    if device_code.is_empty() || device_code.len() > MAX_SECRET_BYTES {
        return Err(NetError::Malformed.into());
    }
    // A server that sends on to the page of another service could have the reader agree there to what it asks for
    // itself.
    if page.origin() != service.base().origin() {
        return Err(NetError::RedirectRefused.into());
    }
    let seconds = |seconds: Option<u64>, usual: Duration| seconds.map_or(usual, Duration::from_secs);
    let waiting = PendingCode {
        token_path: grant.token_path,
        client_id: client_id.to_owned(),
        device_code,
        interval: seconds(answer.interval, INTERVAL).clamp(MIN_INTERVAL, MAX_INTERVAL),
        valid: seconds(answer.expires_in, MAX_SIGN_IN_TIME).min(MAX_SIGN_IN_TIME),
        sleep: new.sleep.clone(),
        service,
    };
    Ok((Prompt::Code { code, url: page }, super::PendingSignIn::Device(waiting)))
}

impl PendingCode {
    /// Asks for the token until there is one, or a reason why there is none.
    pub(super) async fn finish(self) -> Result<Grant> {
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", self.device_code.as_str()),
            ("client_id", self.client_id.as_str()),
        ];
        let (mut interval, mut wait, mut waited) = (self.interval, self.interval, Duration::ZERO);
        loop {
            waited = waited.saturating_add(wait);
            if waited > self.valid {
                return Err(Error::Expired);
            }
            (self.sleep)(wait).await;
            wait = interval;
            let answer: TokenAnswer = match grants::post(&self.service, self.token_path, &form).await {
                Ok(answer) => answer,
                Err(error) if is_passing(&error) => {
                    wait = wait_after(&error, interval);
                    continue;
                }
                Err(error) => return Err(not_offered(error)),
            };
            match answer.error.as_deref() {
                Some("authorization_pending") => {}
                Some("slow_down") => {
                    let wanted = answer.interval.map_or(Duration::ZERO, Duration::from_secs);
                    interval = wanted.max(interval + INTERVAL).min(MAX_INTERVAL);
                    wait = interval;
                }
                // The code is used up, or too old, as some services say it.
                Some("invalid_grant" | "incorrect_device_code") => return Err(Error::Expired),
                Some(error) => return Err(refusal(error)),
                None => {
                    let grant = answer.grant(&self.client_id, None, self.service.clock());
                    return grant.ok_or(Error::Service(NetError::Malformed));
                }
            }
        }
    }
}

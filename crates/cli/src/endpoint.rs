//! The running server of a data folder, named by `endpoint.json`. It must prove that it wrote that file before any
//! request is sent to it, because another program may use its port after it has ended.

use std::time::Duration;

use serde_json::Value;
use tidings_home::{Endpoint, Home};
use tidings_server::endpoint::{challenge, proves};
use url::Url;

use crate::error::{Error, Result};

/// The timeout of the proof.
const PROOF_TIMEOUT: Duration = Duration::from_secs(5);

/// The running server of a data folder, after it has proved itself.
pub(crate) async fn find(home: &Home) -> Result<Endpoint> {
    let endpoint = Endpoint::read(&home.endpoint()).ok_or_else(|| {
        Error::failed(
            "no server runs on this machine: start one with `tidings serve`, or name another one with TIDINGS_SERVER",
        )
    })?;
    if proves_itself(&endpoint).await {
        return Ok(endpoint);
    }
    Err(Error::failed(format!(
        "the server of this data folder does not answer at {}: nothing was sent; start it again, or name another one \
         with TIDINGS_SERVER",
        endpoint.url
    )))
}

/// Whether the running server of the data folder answers at this origin.
pub(crate) async fn runs_at(home: &Home, at: &Url) -> bool {
    let Some(endpoint) = Endpoint::read(&home.endpoint()) else { return false };
    let is_same_origin = endpoint.url.parse::<Url>().is_ok_and(|url| url.origin() == at.origin());
    is_same_origin && proves_itself(&endpoint).await
}

async fn proves_itself(endpoint: &Endpoint) -> bool {
    let challenge = challenge();
    let answer = tokio::time::timeout(PROOF_TIMEOUT, ask(&endpoint.url, &challenge)).await;
    let proof = answer.ok().flatten();
    proof.is_some_and(|proof| proves(&endpoint.token, &challenge, &proof))
}

async fn ask(server: &str, challenge: &str) -> Option<String> {
    let url: Url = format!("{}/api/v1/health", server.trim_end_matches('/')).parse().ok()?;
    let request = tidings_net::http::client_for(&url).ok()?.get(url).query(&[("challenge", challenge)]);
    let body = tidings_net::http::body(request.send().await.ok()?).await.ok()?;
    let answer: Value = serde_json::from_slice(&body).ok()?;
    answer.get("proof").and_then(Value::as_str).map(str::to_owned)
}

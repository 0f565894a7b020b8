//! The HTTP client with which the benchmarks call the API of the server they measure.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::Result;

/// Timeout of one request, from sending it to the end of its response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(600);
/// Times that a request is sent while its work is not done; the first fan-in of the largest inbox takes minutes.
const MAX_REPETITIONS: u32 = 100;

/// A client of one server. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
}

impl Client {
    /// A client of the server at this address, with connections of its own.
    pub(crate) fn new(url: &str) -> Result<Self> {
        let http =
            reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(REQUEST_TIMEOUT).build()?;
        Ok(Self { http, url: url.to_owned() })
    }

    /// A request for a path under `/api/v1`.
    pub(crate) fn request(&self, token: &str, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}/api/v1{path}", self.url)).bearer_auth(token)
    }

    /// Sends one request and parses its JSON response. No body is sent if `body` is null; an empty response is null.
    /// A status other than success is an error.
    pub(crate) async fn call(&self, token: &str, method: Method, path: &str, body: &Value) -> Result<Value> {
        // Long work ends after ten seconds; repeated, as every client does, it goes on where it was.
        for _ in 0..MAX_REPETITIONS {
            let request = self.request(token, method.clone(), path);
            let answer = if body.is_null() { request } else { request.json(body) }.send().await?;
            if answer.status() != StatusCode::SERVICE_UNAVAILABLE {
                let text = expect_success(path, answer).await?;
                return Ok(serde_json::from_str(&text).unwrap_or_default());
            }
        }
        Err(format!("{path}: not available").into())
    }
}

/// The text of a response; an error with the status and the text if the status is not success.
pub(crate) async fn expect_success(path: &str, answer: reqwest::Response) -> Result<String> {
    let status = answer.status();
    let text = answer.text().await?;
    if !status.is_success() {
        return Err(format!("{path}: {status} {text}").into());
    }
    Ok(text)
}

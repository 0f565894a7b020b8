//! The server that a command sends requests to: the one in `TIDINGS_SERVER`, else the running server of the data folder.

use std::sync::atomic::AtomicU64;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use tidings_home::Home;
use tidings_model::web_url::web_url;
use url::Url;

use crate::{
    endpoint,
    error::{Error, Result},
    inbox,
};

/// A server, with the token for it.
#[derive(PartialEq, Eq)]
pub(crate) struct Server {
    url: Url,
    token: Option<String>,
}

impl Server {
    /// Finds the server of a command.
    pub(crate) async fn find(home: &Home) -> Result<Self> {
        let (address, token) = match (env_value("TIDINGS_SERVER"), env_value("TIDINGS_TOKEN")) {
            (Some(address), token) => {
                inbox::prepare_requests(home);
                (address, token)
            }
            (None, token) => {
                let endpoint = endpoint::find(home).await?;
                (endpoint.url, token.or(Some(endpoint.token)))
            }
        };
        Ok(Self { url: parse_address(&address)?, token })
    }

    /// The same server with another token.
    pub(crate) fn with_token(self, token: String) -> Self {
        Self { token: Some(token), ..self }
    }

    /// Whether the address of a source is this server's.
    pub(crate) fn is_at(&self, address: Option<&str>) -> bool {
        let own_address = self.url.as_str().trim_end_matches('/');
        address.is_some_and(|address| address.trim_end_matches('/') == own_address)
    }

    /// Sends a request under `/api/v1/`; returns null if the answer has no body.
    pub(crate) async fn api(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let request = self.request(method, &format!("api/v1/{path}"))?;
        self.send(body.into_iter().fold(request, RequestBuilder::json)).await
    }

    /// A request to a path, with the token.
    pub(crate) fn request(&self, method: Method, path: &str) -> Result<RequestBuilder> {
        let url = self.url.join(path).map_err(|_| Error::failed("the address of the server is not valid"))?;
        let request = tidings_net::http::client_for(&self.url)?.request(method, url);
        Ok(self.token.iter().fold(request, RequestBuilder::bearer_auth))
    }

    /// Sends a request; returns the JSON of its answer.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Value> {
        self.read(tidings_net::http::ask(request).await).await
    }

    /// Sends a request with a long body, of which `taken` counts the bytes that were taken.
    pub(crate) async fn upload(&self, request: RequestBuilder, taken: &AtomicU64) -> Result<Value> {
        self.read(tidings_net::http::ask_with_body(request, taken).await).await
    }

    async fn read(&self, answer: tidings_net::Result<Response>) -> Result<Value> {
        let answer = answer.map_err(|error| {
            let problem = match error {
                tidings_net::Error::Slow => "took too long",
                tidings_net::Error::RedirectRefused => "redirects to another address, which is not followed",
                _ => "does not answer",
            };
            Error::failed(format!("the server at {} {problem}", self.url))
        })?;
        let status = answer.status();
        let body = tidings_net::http::body(answer).await?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
        }
        // The server's message: `detail` of a problem, or `error` of the ntfy API.
        let message =
            ["detail", "error"].into_iter().find_map(|field| answer.get(field).and_then(Value::as_str));
        let detail = message.map_or_else(String::new, |message| format!(": {message}"));
        Err(Error::Refused { status: status.as_u16(), detail })
    }
}

/// The value of an environment variable; `None` if it is empty.
pub(crate) fn env_value(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn parse_address(address: &str) -> Result<Url> {
    let mut url = web_url(address)
        .ok_or_else(|| Error::failed(format!("`{address}` is not an address of a server")))?;
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

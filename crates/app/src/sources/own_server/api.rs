//! Asks this computer's own server over its API, with the token of the app's own source, which is its owner's.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_model::Problem;
use tidings_net::http::{ask, body, loopback_client};

use super::Server;
use crate::error::{Error, Result};

/// The longest wait for an answer of the own server.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// What is asked of the own server.
#[derive(Debug)]
pub(crate) enum Request {
    Get,
    Post(Value),
    Put(Value),
    Delete,
}

/// The own server's API, as its owner.
pub(crate) struct OwnApi {
    base: String,
    token: String,
    /// The owner's id, if it is known.
    pub(crate) owner: Option<String>,
    unanswered: &'static str,
}

impl Server {
    /// The API of the running own server.
    ///
    /// # Errors
    /// A sentence if it does not run, or its owner is not there yet.
    pub(crate) async fn own_api(&self) -> Result<OwnApi> {
        let table = self.context.settings_strings();
        let url = self.state.url().ok_or_else(|| Error::invalid(table.no_server))?;
        let tokens = self.tokens.store().clone();
        let found = self.context.disk(move |replica| {
            let own = replica.sources()?.into_iter().find(|source| source.own);
            Ok(own.and_then(|source| Some((tokens.get(&source)?, source.user))))
        });
        let (token, owner) = found.await?.ok_or_else(|| Error::invalid(table.no_server))?;
        Ok(OwnApi { base: format!("{url}/api/v1"), token, owner, unanswered: table.own_unanswered })
    }
}

impl OwnApi {
    /// Asks at a path below `/api/v1`. The inner error is the server's refusal.
    ///
    /// # Errors
    /// A sentence if no answer came, or one that is none of the API.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        path: &str,
    ) -> Result<Result<T, Problem>> {
        let answer = self.send(request, path).await.map_err(|error| {
            tracing::warn!(%error, path, "the own server did not answer");
            Error::invalid(self.unanswered)
        })?;
        let (done, bytes) = answer;
        let parsed = if done { read(&bytes).map(Ok) } else { read(&bytes).map(Err) };
        parsed.map_err(|error| {
            tracing::warn!(%error, path, "the own server's answer can't be read");
            Error::invalid(self.unanswered)
        })
    }

    /// Whether it succeeded, and the body of the answer.
    async fn send(&self, request: Request, path: &str) -> tidings_net::Result<(bool, Vec<u8>)> {
        let (client, url) = (loopback_client(ANSWER_TIMEOUT)?, format!("{}/{path}", self.base));
        let request = match request {
            Request::Get => client.get(url),
            Request::Post(value) => client.post(url).json(&value),
            Request::Put(value) => client.put(url).json(&value),
            Request::Delete => client.delete(url),
        };
        let answer = ask(request.bearer_auth(&self.token)).await?;
        Ok((answer.status().is_success(), body(answer).await?.to_vec()))
    }
}

/// The JSON of an answer; an answer without a body is null.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(if bytes.is_empty() { b"null" } else { bytes })
}

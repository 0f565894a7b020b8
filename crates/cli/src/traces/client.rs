//! Sends requests to a collector by the program's own HTTP client, on its runtime.

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;
use url::Url;

/// The longest answer that is read, in bytes: it says how many spans were refused, and why.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// A client of one collector.
#[derive(Debug)]
pub(super) struct CollectorClient {
    pub(super) address: Url,
    pub(super) runtime: Handle,
    /// The timeout of a request with its answer.
    pub(super) answer_time: Duration,
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let mut request = reqwest::Request::try_from(request)?;
        *request.timeout_mut() = Some(self.answer_time);
        // The shared one, which is another one after the certificates were read again.
        let client = tidings_net::http::client_for(&self.address).map_err(|error| error.to_string())?;
        // Who calls this is a thread outside of the runtime, which connections and timers need.
        self.runtime.spawn(async move { exchange(&client, request).await }).await?
    }
}

async fn exchange(client: &reqwest::Client, request: reqwest::Request) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request).await?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err("the answer is too long".into());
        }
        body.extend_from_slice(&chunk);
    }
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = answer.status();
    // It has the time that the collector wants to be left alone.
    *response.headers_mut() = std::mem::take(answer.headers_mut());
    Ok(response)
}

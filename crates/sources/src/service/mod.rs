//! Requests to a service with a JSON API: its base address, the credential, conditional requests and links to pages.

pub(crate) mod elements;
pub(crate) mod events;
pub mod json;
pub(crate) mod lines;
pub(crate) mod outline;
mod room;
pub(crate) mod websocket;

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    LINK,
};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tidings_model::Clock;
use tidings_model::web_url::web_url;
use tidings_net::http::{self, Body};
use tidings_net::waits::RequestedWait;
use tidings_net::{Error, Result, egress};
use url::Url;

use self::json::parse;
pub use self::room::Room;
pub(crate) use self::room::room;
use crate::bounds::Bounds;

/// The largest answer of a service, in bytes, unpacked.
pub const MAX_SERVICE_ANSWER_BYTES: usize = 20 << 20;

/// A service behind a base address. Prints no credential.
pub struct Service {
    base: Url,
    credential: Option<(HeaderName, HeaderValue)>,
    clock: Arc<dyn Clock>,
    bounds: Bounds,
}

/// What a service said of the state of a document, to ask for it only if it changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

/// An answer that was read whole.
pub struct Answer {
    /// The headers.
    pub headers: HeaderMap,
    /// The body, unpacked.
    pub body: Bytes,
    /// The room of a large answer, until what it becomes is no longer held.
    pub(crate) room: Option<Room>,
}

impl Service {
    /// A service at an http or https address, whose path gets one slash at its end.
    ///
    /// # Errors
    /// [`Error::Address`] if `url` is not such an address.
    pub fn new(url: &str, clock: Arc<dyn Clock>) -> Result<Self> {
        let mut base = web_url(url).ok_or_else(|| Error::Address(url.to_owned()))?;
        base.set_path(&format!("{}/", base.path().trim_end_matches('/')));
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self { base, credential: None, clock, bounds: Bounds::default() })
    }

    /// Sets the bounds of pulls from it.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// The bounds of pulls from it.
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Sends a header with every request; it goes to the origin of the base address only.
    ///
    /// # Errors
    /// [`Error::SignIn`] if the value can't be a header.
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Result<Self> {
        let mut value = HeaderValue::from_str(value).map_err(|_| Error::SignIn)?;
        value.set_sensitive(true);
        self.credential = Some((name, value));
        Ok(self)
    }

    /// The base address.
    pub fn base(&self) -> &Url {
        &self.base
    }

    /// The clock by which the times that an answer asks to wait for are read.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// A request to a path below the base address, or to an address that the service named.
    ///
    /// # Errors
    /// [`Error::RedirectRefused`] for an address of another origin, which would get the credential.
    pub fn request(&self, method: Method, path: &str) -> Result<RequestBuilder> {
        let url = self.base.join(path).map_err(|_| Error::Address(path.to_owned()))?;
        if url.origin() != self.base.origin() {
            return Err(Error::RedirectRefused);
        }
        let request = http::client_for(&url)?.request(method, url);
        Ok(match &self.credential {
            Some((name, value)) => request.header(name, value.clone()),
            None => request,
        })
    }

    /// A GET of a path.
    ///
    /// # Errors
    /// Those of [`Service::request`].
    pub fn get(&self, path: &str) -> Result<RequestBuilder> {
        self.request(Method::GET, path)
    }

    /// Sends a request and returns its answer, not read yet.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a page in answer to something else than a GET. A network that asks for a sign-in gives
    /// it for everything, and the service did not get the request.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response> {
        let (client, request) = request.build_split();
        let request = request.map_err(|error| Error::from_transport(&error))?;
        let is_get = request.method() == Method::GET;
        let answer = self.ask(RequestBuilder::from_parts(client, request)).await?;
        if !answer.status().is_success() {
            return Err(http::status_error(&answer, self.clock.now()));
        }
        if !is_get && is_html(answer.headers()) {
            return Err(Error::Malformed);
        }
        Ok(answer)
    }

    /// Sends a request and returns its answer, whatever its status. A wait that the answer asks for is kept to.
    ///
    /// # Errors
    /// The error of the request.
    pub async fn ask(&self, request: RequestBuilder) -> Result<Response> {
        let answer = http::ask(request).await?;
        egress::record_address(&self.base, answer.remote_addr());
        RequestedWait::note(answer.status(), answer.headers(), self.clock.now());
        Ok(answer)
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// Those of [`Service::send`], and [`Error::AnswerTooLarge`] above [`MAX_SERVICE_ANSWER_BYTES`].
    pub async fn answer(&self, request: RequestBuilder) -> Result<Answer> {
        let again = repetition(&request);
        if let Some(answer) = self.read(self.send(request).await?, None).await? {
            return Ok(answer);
        }
        let again = again.ok_or(Error::AnswerTooLarge)?;
        let room = room().await;
        self.read(self.send(again).await?, room).await?.ok_or(Error::AnswerTooLarge)
    }

    /// Sends a request and parses its answer.
    ///
    /// # Errors
    /// Those of [`Service::answer`], and [`Error::Malformed`].
    pub async fn json<T: DeserializeOwned + Send + 'static>(&self, request: RequestBuilder) -> Result<T> {
        parse(self.answer(request).await?.body).await
    }

    /// Sends a request that asks for a document only if it changed; `None` if it did not. `validators` become those of
    /// the answer. Those of one address say nothing of another, such as the next page.
    ///
    /// # Errors
    /// Those of [`Service::answer`].
    pub async fn if_changed(
        &self,
        mut request: RequestBuilder,
        validators: &mut Validators,
    ) -> Result<Option<Answer>> {
        for (name, value) in
            [(IF_NONE_MATCH, &validators.etag), (IF_MODIFIED_SINCE, &validators.last_modified)]
        {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let again = repetition(&request);
        let Some(answer) = self.unless_unchanged(request).await? else { return Ok(None) };
        let answer = if let Some(answer) = self.read(answer, None).await? {
            answer
        } else {
            let again = again.ok_or(Error::AnswerTooLarge)?;
            let room = room().await;
            let Some(answer) = self.unless_unchanged(again).await? else { return Ok(None) };
            self.read(answer, room).await?.ok_or(Error::AnswerTooLarge)?
        };
        let text = |name| answer.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        *validators = Validators { etag: text(ETAG), last_modified: text(LAST_MODIFIED) };
        Ok(Some(answer))
    }

    /// The answer, not read yet; `None` if it says that nothing changed.
    async fn unless_unchanged(&self, request: RequestBuilder) -> Result<Option<Response>> {
        let answer = self.ask(request).await?;
        match answer.status() {
            StatusCode::NOT_MODIFIED => Ok(None),
            status if status.is_success() => Ok(Some(answer)),
            _ => Err(http::status_error(&answer, self.clock.now())),
        }
    }

    /// Reads a whole answer of a service, at most [`MAX_SERVICE_ANSWER_BYTES`]; `None` for a large one without room, of which
    /// nothing is kept while it waits.
    async fn read(&self, answer: Response, mut room: Option<Room>) -> Result<Option<Answer>> {
        let large = self.bounds.large_answer_bytes;
        let headers = answer.headers().clone();
        let announced =
            answer.content_length().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
        let (mut body, mut buffer) = (Body::of(answer), BytesMut::new());
        while let Some(chunk) = body.chunk().await? {
            let bytes = buffer.len() + chunk.len();
            if bytes > MAX_SERVICE_ANSWER_BYTES {
                return Err(Error::AnswerTooLarge);
            }
            if bytes > large && room.is_none() {
                room = room::if_free();
                if room.is_none() {
                    return Ok(None);
                }
            }
            if bytes > large && buffer.len() <= large {
                // A large buffer does not grow by copies of itself.
                buffer.reserve(announced.min(MAX_SERVICE_ANSWER_BYTES).saturating_sub(buffer.len()));
            }
            buffer.extend_from_slice(&chunk);
        }
        let room = room.filter(|_| buffer.len() > large);
        Ok(Some(Answer { headers, body: buffer.freeze(), room }))
    }
}

impl Answer {
    /// Parses the body.
    ///
    /// # Errors
    /// [`Error::Malformed`]; [`Error::AnswerTooLarge`] for more values than are accepted.
    pub async fn json<T: DeserializeOwned + Send + 'static>(self) -> Result<T> {
        parse(self.body).await
    }

    /// The time to wait before the next pull that nobody asks for, as `X-Poll-Interval` gives it.
    pub fn poll_interval(&self) -> Option<Duration> {
        let seconds = self.headers.get("x-poll-interval")?.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// The address of the next page, as the header `Link` gives it (RFC 8288).
    pub fn next_page(&self) -> Option<String> {
        let links = self.headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
        links.flat_map(|value| value.split(',')).find_map(|link| {
            let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
            let is_next = parameters.split(';').any(|one| matches!(one.trim(), "rel=\"next\"" | "rel=next"));
            is_next.then(|| target.to_owned())
        })
    }
}

fn is_html(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"))
}

/// The same request once more; `None` for one that changes something.
fn repetition(request: &RequestBuilder) -> Option<RequestBuilder> {
    let is_get = request.try_clone()?.build().is_ok_and(|request| request.method() == Method::GET);
    request.try_clone().filter(|_| is_get)
}

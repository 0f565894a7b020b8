//! Sends requests, follows redirects and proxies, and says what an answer's status means.

use std::error::Error as _;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, TryStreamExt};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Method, Request, Response, StatusCode};
use tidings_model::Stamp;

use super::super::{proxy, waits};
use super::STALL_TIMEOUT;
use super::body::Body;
use crate::certificate_fault::{CertificateFault, certificate_fault};
use crate::{Error, Result};

/// The most of the page of a 400 that is read, in bytes; nginx's has 250.
const MAX_PAGE_BYTES: usize = 4 << 10;
/// The most redirects that one request follows.
const MAX_REDIRECTS: usize = 5;

/// Sends a request and turns every status except a success into an [`Error`]. `now` resolves the times until which
/// a server asks to be left alone.
pub async fn send(request: reqwest::RequestBuilder, now: Stamp) -> Result<Response> {
    let answer = ask(request).await?;
    if answer.status().is_success() { Ok(answer) } else { Err(status_error(&answer, now)) }
}

/// Sends a request and returns the answer, whatever its status. A GET follows redirects within its origin, so that no
/// token leaves it and https does not become http; other methods follow none.
///
/// # Errors
/// [`Error::RedirectRefused`] for a redirect that is not followed, else the error of the transport.
pub async fn ask(request: reqwest::RequestBuilder) -> Result<Response> {
    let (client, request) = request.build_split();
    let mut request = request.map_err(|error| Error::from_transport(&error))?;
    for _ in 0..=MAX_REDIRECTS {
        let again = if request.method() == Method::GET { request.try_clone() } else { None };
        let answer = admitted(execute(&client, request).await?).await?;
        if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(answer);
        }
        let mut next = again.ok_or(Error::RedirectRefused)?;
        let to = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let to = to.and_then(|to| answer.url().join(to).ok()).ok_or(Error::RedirectRefused)?;
        if to.origin() != next.url().origin() {
            return Err(Error::RedirectRefused);
        }
        *next.url_mut() = to;
        request = next;
    }
    Err(Error::RedirectRefused)
}

/// Sends a request. If the proxy for its address can't be reached, the request goes by the next one that the desktop
/// names. If the server ended the connection before the request was on it, the request goes once more. What the server
/// had to say, such as that it wants a certificate, may not have been read.
async fn execute(client: &Client, mut request: Request) -> Result<Response> {
    proxy::prepare(request.url()).await;
    let mut was_ended = false;
    loop {
        let (url, again) = (request.url().clone(), request.try_clone());
        let place = proxy::place_with_next(&url);
        let answer = tokio::time::timeout(STALL_TIMEOUT, client.execute(request)).await;
        let error = match answer.map_err(|_| Error::Slow)? {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let refused = || Error::from_transport(&error);
        request = again.ok_or_else(refused)?;
        if certificate_fault(&error).is_some() {
            return Err(refused());
        } else if error.is_connect() {
            // Nothing was sent, since there was no connection.
            proxy::turn_from(&url, place.ok_or_else(refused)?);
        } else if was_ended || !never_sent(&error) {
            return Err(refused());
        } else {
            was_ended = true;
        }
    }
}

/// Whether a connection ended before the request was on it.
fn never_sent(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            return error.is_canceled() || error.is_closed();
        }
        cause = error.source();
    }
    false
}

/// A body that is read as it is sent, and the number of its bytes that were taken so far, for [`ask_with_body`].
pub fn counted_body(
    content: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
) -> (reqwest::Body, Arc<AtomicU64>) {
    let taken = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&taken);
    let counted = content.inspect_ok(move |chunk| {
        count.fetch_add(chunk.len() as u64, Ordering::Relaxed);
    });
    (reqwest::Body::wrap_stream(counted), taken)
}

/// Sends a request with a long body, of which `taken` counts the bytes that were taken, and returns the answer, whatever
/// its status. It may take as long as it goes on: it is given up when nothing was taken, and no answer came, for 60 s.
///
/// # Errors
/// [`Error::RedirectRefused`] for a redirect, else the error of the transport.
pub async fn ask_with_body(request: reqwest::RequestBuilder, taken: &AtomicU64) -> Result<Response> {
    let (client, request) = request.build_split();
    let request = request.map_err(|error| Error::from_transport(&error))?;
    proxy::prepare(request.url()).await;
    let mut answering = pin!(client.execute(request));
    let mut before = taken.load(Ordering::Relaxed);
    let answer = loop {
        if let Ok(answer) = tokio::time::timeout(STALL_TIMEOUT, &mut answering).await {
            break answer.map_err(|error| Error::from_transport(&error))?;
        }
        let by_now = taken.load(Ordering::Relaxed);
        if by_now == before {
            return Err(Error::Slow);
        }
        before = by_now;
    };
    if answer.status().is_redirection() { Err(Error::RedirectRefused) } else { admitted(answer).await }
}

/// An answer of the service itself. A client without the certificate that nginx asks for gets a page of nginx's own, in
/// place of an alert: <https://nginx.org/en/docs/http/ngx_http_ssl_module.html#errors>.
///
/// # Errors
/// [`Error::Certificate`] for that page, [`Error::Refused`] for another page with a 400.
async fn admitted(answer: Response) -> Result<Response> {
    let is_page =
        answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if answer.status() != StatusCode::BAD_REQUEST || answer.url().scheme() != "https" || !is_page {
        return Ok(answer);
    }
    let (mut body, mut page) = (Body::of(answer), BytesMut::new());
    while page.len() < MAX_PAGE_BYTES
        && let Some(chunk) = body.chunk().await?
    {
        page.extend_from_slice(&chunk);
    }
    let names_certificate = String::from_utf8_lossy(&page).contains("SSL certificate");
    Err(if names_certificate { CertificateFault::ClientWanted.into() } else { Error::Refused(400) })
}

/// Does as [`ask_with_body`], and turns every status except a success into an [`Error`].
pub async fn upload(request: reqwest::RequestBuilder, taken: &AtomicU64, now: Stamp) -> Result<Response> {
    let answer = ask_with_body(request, taken).await?;
    if answer.status().is_success() { Ok(answer) } else { Err(status_error(&answer, now)) }
}

/// The error of an answer whose status is not a success.
pub fn status_error(answer: &Response, now: Stamp) -> Error {
    Error::from_answer(answer.status(), waits::asked_by(answer.status(), answer.headers(), now))
}

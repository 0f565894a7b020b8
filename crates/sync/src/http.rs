//! The HTTP clients that all sources share. Refuses to send a request for this very machine through a proxy.

use std::{
    sync::{Mutex, Once, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use reqwest::{Client, ClientBuilder, Response, header::RETRY_AFTER};
use tidings_model::Stamp;
use url::{Host, Url};

use crate::{Error, Result};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may stand still.
pub(crate) const STALL: Duration = Duration::from_secs(60);
/// The largest answer that is taken into memory, in bytes.
const LARGEST_ANSWER: usize = 512 << 20;

static NEAR: Mutex<Option<Client>> = Mutex::new(None);
static FAR: Mutex<Option<Client>> = Mutex::new(None);

/// Installs the one TLS provider of the process; doing it again changes nothing.
pub fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Somebody else having installed one is just as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// The client for an address: one for this machine, one for all the others.
pub fn client_for(url: &Url) -> Result<Client> {
    let near = is_loopback(url);
    let slot = if near { &NEAR } else { &FAR };
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = slot.as_ref() {
        return Ok(client.clone());
    }
    install_tls();
    let builder = Client::builder()
        .user_agent(concat!("tidings/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .tcp_keepalive(Duration::from_secs(30));
    // The loopback needs no certificates, and works where a machine has none.
    let builder = if near { builder.no_proxy().tls_certs_only([]) } else { builder };
    let client = ClientBuilder::build(builder).map_err(|error| Error::Setup(error.to_string()))?;
    *slot = Some(client.clone());
    Ok(client)
}

/// A client for an address that goes nowhere by itself: whoever asks decides about each step.
pub(crate) fn client_that_stays(url: &Url) -> Result<Client> {
    let near = is_loopback(url);
    install_tls();
    let builder = Client::builder()
        .user_agent(concat!("tidings/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none());
    let builder = if near { builder.no_proxy().tls_certs_only([]) } else { builder };
    builder.build().map_err(|error| Error::Setup(error.to_string()))
}

/// Forgets every open connection: after a sleep or on another network they may be dead without knowing it.
pub(crate) fn renew() {
    for slot in [&NEAR, &FAR] {
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Sends a request and turns everything but a success into an [`Error`]; `now` reads an HTTP date in `Retry-After`.
pub(crate) async fn send(request: reqwest::RequestBuilder, now: Stamp) -> Result<Response> {
    let answer = ask(request).await?;
    if answer.status().is_success() { Ok(answer) } else { Err(no(&answer, now)) }
}

/// Sends a request; whatever comes back is an answer.
pub(crate) async fn ask(request: reqwest::RequestBuilder) -> Result<Response> {
    let answer = tokio::time::timeout(STALL, request.send()).await.map_err(|_| Error::Slow)?;
    answer.map_err(|error| Error::from_transport(&error))
}

/// What an answer that is not a success says.
pub(crate) fn no(answer: &Response, now: Stamp) -> Error {
    let retry_after = answer.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok());
    Error::from_answer(answer.status(), retry_after.and_then(|text| parse_retry_after(text, now)))
}

/// The whole body, as long as it keeps coming.
pub async fn body(mut answer: Response) -> Result<Bytes> {
    let expected = answer.content_length().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let mut body = BytesMut::with_capacity(expected.min(16 << 20));
    loop {
        let chunk = tokio::time::timeout(STALL, answer.chunk()).await.map_err(|_| Error::Slow)?;
        match chunk {
            Ok(Some(chunk)) if body.len() + chunk.len() <= LARGEST_ANSWER => body.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(Error::Garbled),
            Ok(None) => return Ok(body.freeze()),
            Err(error) if error.is_timeout() => return Err(Error::Slow),
            // Cut off in the middle: the next try asks for the same again.
            Err(_) => return Err(Error::Unreachable),
        }
    }
}

/// `Retry-After` in seconds or as an HTTP date; at most an hour, whatever a server says.
fn parse_retry_after(text: &str, now: Stamp) -> Option<Duration> {
    const LONGEST: Duration = Duration::from_secs(3600);
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(LONGEST));
    }
    let at = httpdate(text)?;
    let micros = u64::try_from(at.as_micros().saturating_sub(now.as_micros())).unwrap_or(0);
    Some(Duration::from_micros(micros).min(LONGEST))
}

/// An HTTP date such as `Fri, 20 Nov 2026 06:14:00 GMT`.
fn httpdate(text: &str) -> Option<Stamp> {
    chrono::DateTime::parse_from_rfc2822(text).ok().map(|t| Stamp::from(t.to_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_never_more_than_an_hour() {
        let now: Stamp = "2026-11-20T06:14:00Z".parse().unwrap();
        assert_eq!(parse_retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 06:14:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 06:13:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("999999999", now), Some(Duration::from_secs(3600)));
        assert_eq!(parse_retry_after("soon", now), None);
    }

    #[test]
    fn only_this_machine_is_near() {
        for near in ["http://127.0.0.1:7878", "http://localhost", "http://[::1]:80", "http://a.localhost"] {
            assert!(is_loopback(&near.parse().unwrap()), "{near}");
        }
        for far in ["http://example.org", "http://192.168.1.2", "https://localhost.example.org"] {
            assert!(!is_loopback(&far.parse().unwrap()), "{far}");
        }
    }
}

//! Builds HTTP clients, sends requests and reads answers, within the limits of time and size below. Redirects are
//! followed within the origin of the request; requests to this machine use no proxy. No other module builds a client.

use std::{
    io,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc, Once,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, TryStreamExt};
use parking_lot::Mutex;
use reqwest::{
    Client, ClientBuilder, Method, Response,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{LOCATION, RETRY_AFTER},
};
use tidings_model::Stamp;
use tokio::time::Instant;
use url::{Host, Url};

use crate::{Error, Result};

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout between two chunks of an answer.
pub(crate) const STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// The timeout of a whole answer.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(120);
/// The largest answer that is read into memory, in bytes. A page ends at 4 MiB; one element may exceed that by 512
/// KiB.
pub(crate) const MAX_ANSWER_BYTES: usize = 8 << 20;
/// The most redirects that one request follows.
const MAX_REDIRECTS: usize = 5;

static LOOPBACK_CLIENT: Mutex<Option<Client>> = Mutex::new(None);
static REMOTE_CLIENT: Mutex<Option<Client>> = Mutex::new(None);

/// Installs the TLS provider of the process; repeated calls have no effect.
fn install_tls() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // An error means that a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// The shared client for an address: one client for this machine, one for all others.
///
/// # Errors
/// [`Error::Setup`] if the client can't be built, for example without certificates.
pub fn client_for(url: &Url) -> Result<Client> {
    let loopback = is_loopback(url);
    let slot = if loopback { &LOOPBACK_CLIENT } else { &REMOTE_CLIENT };
    let mut slot = slot.lock();
    if let Some(client) = slot.as_ref() {
        return Ok(client.clone());
    }
    let client = build(if loopback { Route::Loopback } else { Route::Remote })?;
    *slot = Some(client.clone());
    Ok(client)
}

/// The target of a client, which decides on its proxy and certificates.
#[derive(Debug, Clone)]
pub(crate) enum Route<'a> {
    /// This machine: no proxy, no certificates.
    Loopback,
    /// Any other server: the system's proxy, if there is one.
    Remote,
    /// Checked addresses: no proxy, which would resolve the name again; every name resolves to `addresses`.
    Checked { url: &'a Url, addresses: Vec<SocketAddr> },
}

/// A resolver that answers every name with the checked addresses.
struct FixedResolver(Vec<SocketAddr>);

impl Resolve for FixedResolver {
    fn resolve(&self, _name: Name) -> Resolving {
        let found = self.0.clone();
        Box::pin(async move { Ok(Box::new(found.into_iter()) as Addrs) })
    }
}

/// A separate client for this machine. `total` is the timeout of each request including its answer.
///
/// # Errors
/// [`Error::Setup`] if the client can't be built.
pub fn loopback_client(total: Duration) -> Result<Client> {
    finish(builder(Route::Loopback).timeout(total))
}

/// Builds a client.
pub(crate) fn build(route: Route<'_>) -> Result<Client> {
    finish(builder(route))
}

fn finish(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| Error::Setup(error.to_string()))
}

/// A builder without redirects, which [`ask`] follows, and without a `Referer`.
fn builder(route: Route<'_>) -> ClientBuilder {
    install_tls();
    let builder = Client::builder()
        .user_agent(concat!("tidings/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false);
    match route {
        Route::Remote => builder,
        Route::Loopback => builder.no_proxy().tls_certs_only([]),
        Route::Checked { url, addresses } => {
            let builder = builder.no_proxy().dns_resolver(Arc::new(FixedResolver(addresses)));
            // Plain HTTP needs no certificates, and works where a machine has none.
            if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder }
        }
    }
}

/// Drops all shared clients with their connections, and the recorded addresses: after a sleep or on another network
/// they may be outdated.
pub(crate) fn reset_clients() {
    for slot in [&LOOPBACK_CLIENT, &REMOTE_CLIENT] {
        *slot.lock() = None;
    }
    crate::egress::clear_addresses();
}

/// Whether an address names this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Sends a request and turns every status except a success into an [`Error`]. `now` resolves an HTTP date in
/// `Retry-After`.
pub(crate) async fn send(request: reqwest::RequestBuilder, now: Stamp) -> Result<Response> {
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
        let answer =
            tokio::time::timeout(STALL_TIMEOUT, client.execute(request)).await.map_err(|_| Error::Slow)?;
        let answer = answer.map_err(|error| Error::from_transport(&error))?;
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
    let mut answering = pin!(request.send());
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
    if answer.status().is_redirection() { Err(Error::RedirectRefused) } else { Ok(answer) }
}

/// Does as [`ask_with_body`], and turns every status except a success into an [`Error`].
pub(crate) async fn upload(
    request: reqwest::RequestBuilder,
    taken: &AtomicU64,
    now: Stamp,
) -> Result<Response> {
    let answer = ask_with_body(request, taken).await?;
    if answer.status().is_success() { Ok(answer) } else { Err(status_error(&answer, now)) }
}

/// The error of an answer whose status is not a success.
pub(crate) fn status_error(answer: &Response, now: Stamp) -> Error {
    let retry_after = answer.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok());
    Error::from_answer(answer.status(), retry_after.and_then(|text| parse_retry_after(text, now)))
}

/// Reads the whole body: at most 8 MiB, within two minutes, with at most 60 s between two chunks.
///
/// # Errors
/// [`Error::AnswerTooLarge`], [`Error::AnswerTooSlow`], [`Error::Slow`], or [`Error::Unreachable`] if it was cut off.
pub async fn body(answer: Response) -> Result<Bytes> {
    let mut body = Body::of(answer);
    let expected = body.answer.content_length().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    if expected > MAX_ANSWER_BYTES {
        return Err(Error::AnswerTooLarge);
    }
    let mut buffer = BytesMut::with_capacity(expected.min(1 << 20));
    while let Some(chunk) = body.chunk().await? {
        if buffer.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(Error::AnswerTooLarge);
        }
        buffer.extend_from_slice(&chunk);
    }
    Ok(buffer.freeze())
}

/// A body read in chunks: each within [`STALL_TIMEOUT`], all of them within [`TOTAL_TIMEOUT`].
pub(crate) struct Body {
    answer: Response,
    stall: Duration,
    until: Instant,
    started: bool,
}

impl Body {
    pub(crate) fn of(answer: Response) -> Self {
        Self::within(answer, STALL_TIMEOUT, TOTAL_TIMEOUT)
    }

    fn within(answer: Response, stall: Duration, total: Duration) -> Self {
        Self { answer, stall, until: Instant::now() + total, started: false }
    }

    /// The next chunk; `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>> {
        let until = self.until.min(Instant::now() + self.stall);
        match tokio::time::timeout_at(until, self.answer.chunk()).await {
            Ok(Ok(chunk)) => {
                self.started = true;
                Ok(chunk)
            }
            // The answer keeps arriving, but too slowly for its size.
            Err(_) if self.started && until == self.until => Err(Error::AnswerTooSlow),
            Err(_) => Err(Error::Slow),
            Ok(Err(error)) if error.is_timeout() => Err(Error::Slow),
            // The connection was cut off within the answer; a retry asks for the same again.
            Ok(Err(_)) => Err(Error::Unreachable),
        }
    }
}

/// Parses `Retry-After` in seconds or as an HTTP date; at most an hour.
fn parse_retry_after(text: &str, now: Stamp) -> Option<Duration> {
    const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER));
    }
    let at = httpdate(text)?;
    let micros = u64::try_from(at.as_micros().saturating_sub(now.as_micros())).unwrap_or(0);
    Some(Duration::from_micros(micros).min(MAX_RETRY_AFTER))
}

/// Parses an HTTP date such as `Fri, 20 Nov 2026 06:14:00 GMT`.
fn httpdate(text: &str) -> Option<Stamp> {
    chrono::DateTime::parse_from_rfc2822(text).ok().map(|t| Stamp::from(t.to_utc()))
}

#[cfg(test)]
mod tests {
    use tidings_testkit::scripted::{ScriptedServer, response};

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

    /// Answers with a head, and then one byte every few milliseconds until the client disconnects.
    async fn dripping() -> String {
        let server = ScriptedServer::start().await;
        let url = server.url();
        server.serve(|mut exchange| async move {
            let _ = exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n").await;
            while exchange.send(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        url
    }

    #[tokio::test]
    async fn an_answer_that_drips_is_given_up_though_it_never_stands_still() {
        let url: Url = dripping().await.parse().unwrap();
        let answer = ask(client_for(&url).unwrap().get(url)).await.unwrap();
        let mut body = Body::within(answer, Duration::from_secs(30), Duration::from_millis(300));
        let ended = loop {
            match body.chunk().await {
                Ok(Some(_)) => {}
                ended => break ended,
            }
        };
        assert!(matches!(ended, Err(Error::AnswerTooSlow)), "{ended:?}");
    }

    /// Every Rust source below a folder, except tests.
    fn sources(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_none_or(|name| name != "tests" && name != "target") {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn clients_are_built_in_one_place() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut found = Vec::new();
        for folder in ["crates", "src-tauri/src"] {
            sources(&root.join(folder), &mut found);
        }
        let builds = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            text.contains("reqwest")
                && ["Client::builder(", "Client::new("].iter().any(|new| text.contains(new))
        };
        let built: Vec<_> = found.into_iter().filter(builds).collect();
        assert!(matches!(&*built, [one] if one.ends_with("crates/sync/src/net/http.rs")), "{built:?}");
    }

    #[tokio::test]
    async fn no_client_follows_a_redirect_by_itself() {
        let addresses = vec!["127.0.0.1:9".parse().unwrap()];
        let url = "http://127.0.0.1/".parse().unwrap();
        for client in [
            loopback_client(Duration::from_secs(60)),
            build(Route::Loopback),
            build(Route::Remote),
            build(Route::Checked { url: &url, addresses }),
        ] {
            let server = ScriptedServer::start().await;
            let url = server.url();
            let requests =
                server.always(response("302 Found", "location: http://127.0.0.1:9/elsewhere\r\n", ""));
            let answer = client.unwrap().get(url).send().await.unwrap();
            assert_eq!(answer.status(), 302);
            assert!(!requests.lock().unwrap()[0].to_lowercase().contains("referer:"));
        }
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

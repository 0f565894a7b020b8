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
    Client, ClientBuilder, Method, Request, Response, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{CONTENT_TYPE, LOCATION},
};
use tidings_model::Stamp;
use tokio::time::Instant;
use url::Url;

use super::hosts::is_loopback;
use super::proxy;
use super::trust::{self, Trust};
use super::waits;
use crate::certificate_fault::{CertificateFault, certificate_fault};
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
/// The most of the page of a 400 that is read, in bytes; nginx's has 250.
const MAX_PAGE_BYTES: usize = 4 << 10;
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

/// The shared client for an address: one client for this machine, one for all others, and one for each origin that has
/// certificates of its own.
///
/// # Errors
/// [`Error::Setup`] if the client can't be built, for example without certificates; [`Error::Certificate`] if the key of
/// the origin's client certificate can't be read.
pub fn client_for(url: &Url) -> Result<Client> {
    if let Some(client) = trust::client(url, |trust| finish(with_identity(url, trust)?)) {
        return client;
    }
    let loopback = is_loopback(url);
    let slot = if loopback { &LOOPBACK_CLIENT } else { &REMOTE_CLIENT };
    let mut slot = slot.lock();
    if let Some(client) = slot.as_ref() {
        return Ok(client.clone());
    }
    let client = build(route_to(url))?;
    *slot = Some(client.clone());
    Ok(client)
}

fn route_to(url: &Url) -> Route<'_> {
    if is_loopback(url) { Route::Loopback } else { Route::Remote }
}

/// The target of a client, which decides on its proxy and on the authorities that it trusts.
#[derive(Debug, Clone)]
pub(crate) enum Route<'a> {
    /// This machine: no proxy, and no authorities but those that were added for the origin.
    Loopback,
    /// Any other server: the proxy that was chosen, if any, of HTTP or SOCKS.
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
    finish(builder(Route::Loopback, None)?.timeout(total))
}

/// A separate client for a connection on which another protocol follows HTTP/1.1.
///
/// # Errors
/// Those of [`client_for`].
pub(crate) fn upgrade_client(url: &Url) -> Result<Client> {
    let builder = match trust::of(url) {
        Some(trust) => with_identity(url, &trust)?,
        None => builder(route_to(url), None)?,
    };
    finish(builder.http1_only())
}

/// Builds a client. One for checked addresses trusts the authorities of its origin and shows it no certificate, since
/// content may not speak in the reader's name.
pub(crate) fn build(route: Route<'_>) -> Result<Client> {
    let trust = match &route {
        Route::Checked { url, .. } => trust::of(url),
        Route::Loopback | Route::Remote => None,
    };
    finish(builder(route, trust.as_deref())?)
}

/// A builder for an origin with certificates of its own: it trusts its authorities, and is shown its certificate.
fn with_identity(url: &Url, trust: &Trust) -> Result<ClientBuilder> {
    let builder = builder(route_to(url), Some(trust))?;
    Ok(match trust.identity()? {
        Some(identity) => builder.identity(identity),
        None => builder,
    })
}

fn finish(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| Error::Setup(error.to_string()))
}

/// A builder without redirects, which [`ask`] follows, and without a `Referer`. Answers may come packed, and what reads
/// them counts their unpacked bytes; files of publishers are saved as they were sent.
fn builder(route: Route<'_>, trust: Option<&Trust>) -> Result<ClientBuilder> {
    install_tls();
    let roots = trust.map(Trust::roots).transpose()?.unwrap_or_default();
    let builder = Client::builder()
        .user_agent(concat!("tidings/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Duration::from_secs(30))
        .http2_adaptive_window(true)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false);
    Ok(match route {
        Route::Remote => proxy::apply(builder).tls_certs_merge(roots),
        Route::Loopback => builder.no_proxy().tls_certs_only(roots),
        Route::Checked { url, addresses } => {
            let builder = builder.no_proxy().no_gzip().no_deflate();
            let builder = builder.dns_resolver(Arc::new(FixedResolver(addresses)));
            // Plain HTTP needs no certificates, and works even if a machine has none.
            if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder.tls_certs_merge(roots) }
        }
    })
}

/// Drops all shared clients with their connections, and the desktop's answers about proxies.
pub(super) fn reset_clients() {
    for slot in [&LOOPBACK_CLIENT, &REMOTE_CLIENT] {
        *slot.lock() = None;
    }
    trust::reset_clients();
    proxy::forget_answers();
}

/// Sends a request and turns every status except a success into an [`Error`]. `now` resolves the times until which
/// a server asks to be left alone.
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
/// names.
async fn execute(client: &Client, mut request: Request) -> Result<Response> {
    proxy::prepare(request.url()).await;
    loop {
        let url = request.url().clone();
        let again = proxy::place_with_next(&url).and_then(|place| Some((place, request.try_clone()?)));
        let answer = tokio::time::timeout(STALL_TIMEOUT, client.execute(request)).await;
        match (answer.map_err(|_| Error::Slow)?, again) {
            // Nothing was sent, since there was no connection.
            (Err(error), Some((place, next)))
                if error.is_connect() && certificate_fault(&error).is_none() =>
            {
                proxy::turn_from(&url, place);
                request = next;
            }
            (answer, _) => return answer.map_err(|error| Error::from_transport(&error)),
        }
    }
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
    Error::from_answer(answer.status(), waits::asked_by(answer.status(), answer.headers(), now))
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

#[cfg(test)]
mod tests {
    use tidings_testkit::scripted::{ScriptedServer, response};

    use super::*;

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
}

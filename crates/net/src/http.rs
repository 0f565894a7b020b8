//! Builds HTTP clients, sends requests and reads answers, within the limits of time and size below. Redirects are
//! followed within the origin of the request; requests to this machine use no proxy. No other module builds a client.

mod body;
mod exchange;

use std::{
    net::SocketAddr,
    sync::{Arc, Once},
    time::Duration,
};

use parking_lot::Mutex;
use reqwest::{
    Client, ClientBuilder,
    dns::{Addrs, Name, Resolve, Resolving},
};
use url::Url;

pub use self::body::{Body, MAX_ANSWER_BYTES, body, body_within};
pub use self::exchange::{ask, ask_with_body, counted_body, send, status_error, upload};
use super::hosts::is_loopback;
use super::proxy;
use super::trust::{self, Trust};
use crate::{Error, Result};

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout between two chunks of an answer.
pub(crate) const STALL_TIMEOUT: Duration = Duration::from_secs(60);

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
pub fn upgrade_client(url: &Url) -> Result<Client> {
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

/// Drops all shared clients with their connections, the authorities of this system that they had read, and the desktop's
/// answers about proxies.
pub fn reset_clients() {
    for slot in [&LOOPBACK_CLIENT, &REMOTE_CLIENT] {
        *slot.lock() = None;
    }
    trust::reset_clients();
    proxy::forget_answers();
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
        assert!(matches!(&*built, [one] if one.ends_with("crates/net/src/http.rs")), "{built:?}");
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

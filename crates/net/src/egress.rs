//! Egress policy against server-side request forgery. Links, pictures and buttons of a notification may connect to
//! public addresses. They may connect to an address of this machine or its networks only if the notification's source
//! is at that address. A name is resolved once, and the connection uses the addresses that were checked.
//!
//! The name of a source does not prove its address: its owner can let it resolve to `127.0.0.1` at any time. An IP
//! address that the reader typed is a proof, and so is the address from which the source's last page came.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use parking_lot::{Mutex, MutexGuard};
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::hosts::{is_loopback, is_named_private, is_public};
use super::proxy;
use crate::http::{Route, STALL_TIMEOUT, build, client_for};
use crate::{Error, Result};

/// A client that connects only to the checked addresses of `url` and follows no redirect. `home` is the address of
/// the source that sent the content.
///
/// No proxy is used, because it would resolve the name again without a check. The exception is the source's own
/// origin, if no other machine can answer there.
///
/// ```no_run
/// # async fn ask(url: url::Url, source: url::Url) -> tidings_net::Result<()> {
/// let client = tidings_net::egress::client(&url, Some(&source)).await?;
/// let answer = tidings_net::http::ask(client.get(url)).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Private`] if content of this source may not connect there; [`Error::NameNotFound`], [`Error::Offline`] or [`Error::Slow`] if the
/// name can't be resolved.
pub async fn client(url: &Url, home: Option<&Url>) -> Result<Client> {
    client_with_resolver(&SystemResolver, url, home).await
}

/// Like [`client`], with another resolver than the system's.
///
/// # Errors
/// Those of [`client`].
pub async fn client_with_resolver(resolver: &dyn Resolve, url: &Url, home: Option<&Url>) -> Result<Client> {
    if home.is_some_and(|home| home.origin() == url.origin()) && is_proven(url) {
        return client_for(url);
    }
    let addresses = allowed(resolver, url, home).await?;
    build(Route::Checked { url, addresses })
}

/// Whether an address is on this machine or its networks: by its name, or by what the name resolves to now.
pub async fn is_private(url: &Url) -> bool {
    if is_named_private(url) {
        return true;
    }
    let found = resolve(&SystemResolver, url).await.unwrap_or_default();
    found.iter().any(|address| !is_public(address.ip()))
}

/// The system's resolver.
struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Whether only the server itself can answer at an address, whatever its name resolves to. That is so with HTTPS,
/// because the server must present its certificate, and for IP addresses and this machine.
fn is_proven(url: &Url) -> bool {
    url.scheme() == "https" || !matches!(url.host(), Some(Host::Domain(_))) || is_loopback(url)
}

/// The addresses of a host that content from `home` may connect to.
async fn allowed(resolver: &dyn Resolve, url: &Url, home: Option<&Url>) -> Result<Vec<SocketAddr>> {
    select(resolve(resolver, url).await?, home)
}

/// The addresses of a host that content from `home` may connect to. For a name with public and private addresses
/// these are the public ones.
fn select(addresses: Vec<SocketAddr>, home: Option<&Url>) -> Result<Vec<SocketAddr>> {
    let (public, private): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| is_public(address.ip()));
    if !public.is_empty() {
        return Ok(public);
    }
    let source_ip = home.and_then(known_address).ok_or(Error::Private)?;
    let allowed: Vec<_> =
        private.into_iter().filter(|address| is_same_machine(source_ip, address.ip())).collect();
    if allowed.is_empty() { Err(Error::Private) } else { Ok(allowed) }
}

/// The proven address of a source; `None` if it has none.
fn known_address(home: &Url) -> Option<IpAddr> {
    match home.host()? {
        Host::Ipv4(ip) => Some(ip.into()),
        Host::Ipv6(ip) => Some(ip.into()),
        Host::Domain(_) if is_loopback(home) => Some(Ipv4Addr::LOCALHOST.into()),
        Host::Domain(_) => recorded_address(home),
    }
}

/// The address from which the last page of each origin came.
static ADDRESSES: Mutex<BTreeMap<String, IpAddr>> = Mutex::new(BTreeMap::new());

fn recorded() -> MutexGuard<'static, BTreeMap<String, IpAddr>> {
    ADDRESSES.lock()
}

/// The address from which the last page of a source came; `None` if none was recorded.
pub fn recorded_address(source: &Url) -> Option<IpAddr> {
    recorded().get(&source.origin().ascii_serialization()).copied()
}

/// Records the address from which a page of a source came. A proxy's address is not recorded.
pub fn record_address(source: &Url, address: Option<SocketAddr>) {
    if let Some(address) = address
        && (is_loopback(source) || !proxy::is_proxied(source))
    {
        recorded().insert(source.origin().ascii_serialization(), address.ip());
    }
}

/// Clears the recorded addresses: on another network the same address belongs to another machine.
pub(super) fn clear_addresses() {
    recorded().clear();
}

async fn resolve(resolver: &dyn Resolve, url: &Url) -> Result<Vec<SocketAddr>> {
    let port = url.port_or_known_default().ok_or(Error::RedirectRefused)?;
    match url.host().ok_or(Error::RedirectRefused)? {
        Host::Ipv4(ip) => Ok(vec![(ip, port).into()]),
        Host::Ipv6(ip) => Ok(vec![(ip, port).into()]),
        Host::Domain(name) => {
            let name = name.parse().map_err(|_| Error::RedirectRefused)?;
            let found = tokio::time::timeout(STALL_TIMEOUT, resolver.resolve(name)).await;
            let found = found.map_err(|_| Error::Slow)?.map_err(|_| Error::of_name())?;
            let found: Vec<SocketAddr> = found.map(|address| (address.ip(), port).into()).collect();
            if found.is_empty() { Err(Error::of_name()) } else { Ok(found) }
        }
    }
}

/// Whether two private addresses are of the same machine. All loopback addresses are.
fn is_same_machine(a: IpAddr, b: IpAddr) -> bool {
    let (a, b) = (a.to_canonical(), b.to_canonical());
    a == b || (a.is_loopback() && b.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn content_reaches_private_addresses_only_where_its_source_is() {
        let url = |text: &str| text.parse::<Url>().unwrap();
        let may =
            async |to: &str, home: &str| allowed(&SystemResolver, &url(to), Some(&url(home))).await.is_ok();
        for (to, home) in [
            ("http://127.0.0.1:8123/", "https://93.184.216.34/"),
            ("http://localhost:8123/", "https://93.184.216.34/"),
            ("http://a.localhost/", "http://192.168.1.2/"),
            ("http://2130706433/", "http://192.168.1.2/"),
            ("http://0x7f.1/", "http://192.168.1.2/"),
            ("http://[::ffff:127.0.0.1]/", "http://192.168.1.2/"),
            ("http://192.168.1.3/", "http://192.168.1.2/"),
            ("http://192.168.1.3/", "http://127.0.0.1:7878/"),
            ("http://0.0.0.0:7878/", "http://127.0.0.1:7878/"),
            ("http://169.254.169.254/latest", "http://127.0.0.1:7878/"),
        ] {
            assert!(!may(to, home).await, "{to} from {home}");
        }
        for (to, home) in [
            ("http://127.0.0.1:8123/", "http://127.0.0.1:7878/"),
            ("http://[::1]:8123/", "http://localhost:7878/"),
            ("http://192.168.1.2:8123/", "http://192.168.1.2/"),
            ("https://1.1.1.1/", "http://127.0.0.1:7878/"),
        ] {
            assert!(may(to, home).await, "{to} from {home}");
        }
        assert!(matches!(
            allowed(&SystemResolver, &url("http://127.0.0.1/"), None).await,
            Err(Error::Private)
        ));
    }

    #[test]
    fn what_a_name_resolves_to_is_no_proof_of_where_its_source_is() {
        let url = |text: &str| text.parse::<Url>().unwrap();
        let all =
            |addresses: &[&str]| addresses.iter().map(|address| address.parse().unwrap()).collect::<Vec<_>>();
        let evil = url("http://evil.example:8123/");
        for answer in [&["127.0.0.1:8123"][..], &["192.168.1.1:80"], &["[::1]:80", "10.0.0.1:80"]] {
            assert!(matches!(select(all(answer), Some(&evil)), Err(Error::Private)), "{answer:?}");
        }
        // The source is pulled from a public address, and its name also has a loopback address.
        record_address(&evil, Some("93.184.216.34:8123".parse().unwrap()));
        assert!(matches!(select(all(&["127.0.0.1:80"]), Some(&evil)), Err(Error::Private)));
        let both = select(all(&["127.0.0.1:8123", "93.184.216.34:8123"]), Some(&evil)).unwrap();
        assert_eq!(both, all(&["93.184.216.34:8123"]));

        // A server of the local network with a name: only the address from which its pages come is allowed.
        let lan = url("http://near.example:7878/");
        assert!(matches!(select(all(&["192.168.1.2:7878"]), Some(&lan)), Err(Error::Private)));
        record_address(&lan, Some("192.168.1.2:7878".parse().unwrap()));
        let selected = select(all(&["192.168.1.2:8123", "192.168.1.3:8123"]), Some(&lan)).unwrap();
        assert_eq!(selected, all(&["192.168.1.2:8123"]));
        assert!(matches!(select(all(&["127.0.0.1:8123"]), Some(&lan)), Err(Error::Private)));
    }

    #[test]
    fn the_own_origin_goes_unchecked_only_where_nobody_else_can_answer() {
        for (address, proven) in [
            ("https://evil.example/", true),
            ("http://127.0.0.1:7878/", true),
            ("http://[::1]:7878/", true),
            ("http://localhost:7878/", true),
            ("http://evil.example:8123/", false),
            ("http://nas.local/", false),
        ] {
            assert_eq!(is_proven(&address.parse().unwrap()), proven, "{address}");
        }
    }

    /// Resolves every name to the loopback address.
    struct LoopbackResolver;

    impl Resolve for LoopbackResolver {
        fn resolve(&self, _name: Name) -> Resolving {
            let addresses: Vec<SocketAddr> = vec![(Ipv4Addr::LOCALHOST, 0).into()];
            Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
        }
    }

    #[tokio::test]
    async fn a_plain_name_is_checked_also_where_it_is_the_source_itself() {
        let own: Url = "http://evil.example:8124/".parse().unwrap();
        let refused = client_with_resolver(&LoopbackResolver, &own, Some(&own)).await.map(drop);
        assert!(matches!(refused, Err(Error::Private)), "{refused:?}");
        let own: Url = "https://evil.example:8124/".parse().unwrap();
        assert!(
            client_with_resolver(&LoopbackResolver, &own, Some(&own)).await.is_ok(),
            "its certificate is its proof"
        );
    }
}

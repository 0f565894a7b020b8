//! Where content may call out to: addresses of the internet, and no address of this machine or its networks unless its
//! source is at that address itself. A name is resolved once, and the connection goes to the addresses that were checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::http::{Route, STALL, build, client_for};
use crate::{Error, Result};

/// A client that connects to this address only, and follows no redirect. `home` is the address of the source that the
/// content came from. Fails with [`Error::Private`] where content from there may not call.
///
/// A proxy would resolve the name again, where nothing checks it: none is used, except for the source's own origin.
pub async fn client(url: &Url, home: Option<&Url>) -> Result<Client> {
    client_by(&System, url, home).await
}

/// The same, where `names` says which addresses a name has.
pub async fn client_by(names: &dyn Resolve, url: &Url, home: Option<&Url>) -> Result<Client> {
    if home.is_some_and(|home| home.origin() == url.origin()) {
        return client_for(url);
    }
    let addresses = allowed(names, url, home).await?;
    build(Route::Checked { url, addresses })
}

/// The system's own names.
struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// The addresses of a host that content from `home` may connect to.
async fn allowed(names: &dyn Resolve, url: &Url, home: Option<&Url>) -> Result<Vec<SocketAddr>> {
    let (public, private): (Vec<SocketAddr>, Vec<SocketAddr>) =
        resolve(names, url).await?.into_iter().partition(|address| is_public(address.ip()));
    if private.is_empty() || !public.is_empty() {
        // A name with addresses of both kinds gets its public ones.
        return Ok(public);
    }
    let Some(home) = home else { return Err(Error::Private) };
    let home: Vec<IpAddr> =
        resolve(names, home).await.unwrap_or_default().iter().map(SocketAddr::ip).collect();
    let same = |ip: IpAddr| home.iter().any(|one| is_same_machine(*one, ip));
    let allowed: Vec<SocketAddr> = private.into_iter().filter(|address| same(address.ip())).collect();
    if allowed.is_empty() { Err(Error::Private) } else { Ok(allowed) }
}

async fn resolve(names: &dyn Resolve, url: &Url) -> Result<Vec<SocketAddr>> {
    let port = url.port_or_known_default().ok_or(Error::Elsewhere)?;
    match url.host().ok_or(Error::Elsewhere)? {
        Host::Ipv4(ip) => Ok(vec![(ip, port).into()]),
        Host::Ipv6(ip) => Ok(vec![(ip, port).into()]),
        Host::Domain(name) => {
            let name = name.parse().map_err(|_| Error::Elsewhere)?;
            let found = tokio::time::timeout(STALL, names.resolve(name)).await;
            let found = found.map_err(|_| Error::Slow)?.map_err(|_| Error::Offline)?;
            let found: Vec<SocketAddr> = found.map(|address| (address.ip(), port).into()).collect();
            if found.is_empty() { Err(Error::Offline) } else { Ok(found) }
        }
    }
}

/// Whether two addresses that are not public are the same machine: all of the loopback is this one.
fn is_same_machine(one: IpAddr, other: IpAddr) -> bool {
    let (one, other) = (one.to_canonical(), other.to_canonical());
    one == other || (one.is_loopback() && other.is_loopback())
}

/// Whether an address is on the internet: neither this machine, nor a network behind a router, nor reserved.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    // This network and class E; shared by a provider (CGNAT); protocol assignments; 6to4 relays; benchmarks.
    let reserved = a == 0
        || a >= 240
        || (a == 100 && (64..=127).contains(&b))
        || (a == 192 && matches!((b, c), (0, 0) | (88, 99)))
        || (a == 198 && matches!(b, 18 | 19));
    !(reserved
        || ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation())
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match ip.segments() {
        // An IPv4 address inside: mapped, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => v4(high, low),
        // Teredo and ORCHID, documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // The only range that was given out for the internet. Loopback, unspecified, link-local, ULA, site-local,
        // multicast, discard and local NAT64 are outside it.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_of_the_internet_is_known_in_every_spelling() {
        for private in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "10.1.1.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0.0.0.0",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "2001:0:4136:e378::1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "192.1.2.3",
            "8.8.8.8",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2001:4860:4860::8888",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[tokio::test]
    async fn content_reaches_private_addresses_only_where_its_source_is() {
        let url = |text: &str| text.parse::<Url>().unwrap();
        let may = async |to: &str, home: &str| allowed(&System, &url(to), Some(&url(home))).await.is_ok();
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
        assert!(matches!(allowed(&System, &url("http://127.0.0.1/"), None).await, Err(Error::Private)));
    }
}

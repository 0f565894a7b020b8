//! What the host of an address says without being asked: whether it is this machine, or of a network of its own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Whether an address names this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Whether an address is on this machine or its networks, as far as its name shows. Nothing is asked.
///
/// ```
/// use tidings_net::hosts::is_named_private;
///
/// for private in ["http://192.168.1.2/", "http://localhost/", "http://nas/", "http://nas.local/feed", "http://[::1]/"] {
///     assert!(is_named_private(&private.parse().unwrap()), "{private}");
/// }
/// assert!(!is_named_private(&"https://blog.example.org/".parse().unwrap()));
/// ```
pub fn is_named_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => !is_public(ip.into()),
        Some(Host::Ipv6(ip)) => !is_public(ip.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            !name.contains('.') || PRIVATE_DOMAINS.iter().any(|domain| name.ends_with(domain))
        }
        None => true,
    }
}

/// The ends of names that are never of the public internet.
const PRIVATE_DOMAINS: [&str; 7] =
    [".localhost", ".local", ".internal", ".lan", ".intranet", ".home.arpa", ".localdomain"];

/// Whether an address is globally routable: neither loopback nor private nor reserved.
///
/// ```
/// use tidings_net::hosts::is_public;
///
/// assert!(is_public([1, 1, 1, 1].into()));
/// assert!(!is_public([192, 168, 1, 1].into()));
/// ```
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
        // The only range that is assigned to the public internet. Loopback, unspecified, link-local, ULA, site-local,
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

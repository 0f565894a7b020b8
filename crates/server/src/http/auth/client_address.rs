//! The client address of a request: that of the connection, or the one in a trusted proxy's forwarding headers.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};

/// The origin of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// The address that the rate limit counts; `None` where the connection's address is not known.
    pub(crate) address: Option<IpAddr>,
    /// Whether a program on this machine made the request itself, and no proxy forwarded it for another client.
    pub(crate) local: bool,
    /// Whether it has forwarding headers that do not come from a trusted proxy.
    pub(crate) via_untrusted_proxy: bool,
}

/// The address at the other end of the connection; `None` where the request has no [`ConnectInfo`].
fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())
}

/// Whether the other end of the connection is a proxy whose forwarding headers are trusted.
pub(crate) fn is_trusted_proxy(extensions: &Extensions, trusted: &[IpAddr]) -> bool {
    peer(extensions).is_some_and(|peer| trusted.iter().any(|proxy| proxy.to_canonical() == peer))
}

impl ClientAddress {
    /// Forwarding headers count only from the `trusted` addresses. A request of a trusted proxy without such headers is
    /// not local either, because it was forwarded all the same.
    pub(crate) fn of(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpAddr]) -> Self {
        let Some(peer) = peer(extensions) else {
            return Self { address: None, local: false, via_untrusted_proxy: false };
        };
        let forwarded = headers.keys().any(|name| is_forwarding(name.as_str()));
        if !is_trusted_proxy(extensions, trusted) {
            let local = peer.is_loopback() && !forwarded;
            return Self { address: Some(peer), local, via_untrusted_proxy: forwarded };
        }
        let forwarded_ips = forwarded_addresses(headers, trusted);
        let local =
            !forwarded_ips.is_empty() && forwarded_ips.iter().all(|ip| ip.is_some_and(|ip| ip.is_loopback()));
        // Where the headers disagree, an address that is not a loopback one takes precedence.
        let known = || forwarded_ips.iter().flatten();
        let address = known().find(|ip| !ip.is_loopback()).or_else(|| known().next()).copied();
        Self { address: Some(address.unwrap_or(peer)), local, via_untrusted_proxy: false }
    }
}

/// Whether a header of this name is set by proxies that forward a request.
fn is_forwarding(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
    ];
    name.starts_with("x-forwarded") || NAMES.contains(&name)
}

/// The client's address according to each forwarding header that is present; `None` for a value that is not an address.
fn forwarded_addresses(headers: &HeaderMap, trusted: &[IpAddr]) -> Vec<Option<IpAddr>> {
    let values = |name: &str| -> Vec<&str> {
        headers.get_all(name).iter().flat_map(|value| value.to_str().unwrap_or("?").split(',')).collect()
    };
    let hops = |hops: Vec<Option<IpAddr>>| nearest_untrusted(&hops, trusted);
    let for_parameter = |element: &str| {
        let pair = element.split(';').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case("for").then_some(value)
        });
        pair.and_then(address)
    };
    [
        hops(values("x-forwarded-for").into_iter().map(address).collect()),
        hops(values("forwarded").into_iter().map(for_parameter).collect()),
        hops(values("x-real-ip").into_iter().map(address).collect()),
    ]
    .concat()
}

/// The last address that is not a trusted proxy's, because the client may have written those before it; the first one
/// where all are proxies. Empty where the header is missing.
fn nearest_untrusted(hops: &[Option<IpAddr>], trusted: &[IpAddr]) -> Vec<Option<IpAddr>> {
    let is_proxy = |ip: &IpAddr| trusted.iter().any(|proxy| proxy.to_canonical() == *ip);
    let last = hops.iter().rev().find(|hop| !hop.is_some_and(|ip| is_proxy(&ip)));
    last.or_else(|| hops.first()).copied().into_iter().collect()
}

/// An address in the notation of forwarding headers: also quoted, in brackets or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let unbracketed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let ip = unbracketed.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    ip.map(|ip: IpAddr| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn caller(peer: &str, headers: &[(&'static str, &'static str)], trusted: &[&str]) -> ClientAddress {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 40_000)));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let trusted: Vec<IpAddr> = trusted.iter().map(|ip| ip.parse().unwrap()).collect();
        ClientAddress::of(&extensions, &map, &trusted)
    }

    #[test]
    fn a_request_that_was_passed_on_is_not_local() {
        assert!(caller("127.0.0.1", &[], &[]).local);
        assert!(caller("::ffff:127.0.0.1", &[], &[]).local);
        assert!(!caller("192.0.2.1", &[], &[]).local);
        for header in ["x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip", "via"] {
            let passed_on = caller("127.0.0.1", &[(header, "127.0.0.1")], &[]);
            assert!(!passed_on.local && passed_on.via_untrusted_proxy, "{header}");
            assert_eq!(passed_on.address, Some("127.0.0.1".parse().unwrap()), "what it says is not believed");
        }
    }

    #[test]
    fn a_trusted_proxy_is_believed_and_without_a_word_nothing_of_it_is_local() {
        let resolve = |headers| {
            let caller = caller("127.0.0.1", headers, &["127.0.0.1", "10.0.0.2"]);
            (caller.local, caller.address.unwrap().to_string())
        };
        let far = (false, "203.0.113.5".to_owned());
        assert_eq!(resolve(&[]), (false, "127.0.0.1".to_owned()));
        assert_eq!(resolve(&[("x-forwarded-for", "127.0.0.1")]), (true, "127.0.0.1".to_owned()));
        assert_eq!(resolve(&[("x-forwarded-for", "203.0.113.5")]), far);
        assert_eq!(resolve(&[("x-forwarded-for", "127.0.0.1, 203.0.113.5, 10.0.0.2")]), far);
        assert_eq!(resolve(&[("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "203.0.113.5")]), far);
        assert_eq!(
            resolve(&[("forwarded", "for=127.0.0.1;by=x, for=\"203.0.113.5:4711\";proto=https")]),
            far
        );
        assert_eq!(resolve(&[("forwarded", "for=\"[2001:db8::1]:80\"")]), (false, "2001:db8::1".to_owned()));
        assert_eq!(resolve(&[("x-real-ip", "203.0.113.5"), ("x-forwarded-for", "127.0.0.1")]), far);
        assert_eq!(resolve(&[("x-forwarded-for", "unknown")]), (false, "127.0.0.1".to_owned()));
    }
}

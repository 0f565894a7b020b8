//! The client address of a request: that of the connection, or the one that a trusted proxy names in its header.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, HeaderName};

use crate::config::ProxyHeader;
use crate::config::ServerConfig;

/// The origin of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress {
    /// The address that the rate limit counts; `None` if the connection's address is not known.
    pub address: Option<IpAddr>,
    /// Whether a program on this machine made the request itself, and no proxy forwarded it for another client.
    pub local: bool,
    /// Whether it has forwarding headers that do not come from a trusted proxy.
    pub(crate) via_untrusted_proxy: bool,
}

/// The address at the other end of the connection; `None` if the request has no [`ConnectInfo`].
fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())
}

/// Whether the other end of the connection is a proxy whose forwarding headers are trusted.
pub(crate) fn is_trusted_proxy(extensions: &Extensions, trusted: &[IpAddr]) -> bool {
    peer(extensions).is_some_and(|peer| trusted.iter().any(|proxy| proxy.to_canonical() == peer))
}

impl ClientAddress {
    /// Forwarding headers count only from the proxies that the configuration trusts, and of those only the one header
    /// that it names. A proxy may pass on what its client wrote in the others. A request of a trusted proxy without it
    /// is not local either, because it was forwarded all the same.
    pub fn of(extensions: &Extensions, headers: &HeaderMap, config: &ServerConfig) -> Self {
        let Some(peer) = peer(extensions) else {
            return Self { address: None, local: false, via_untrusted_proxy: false };
        };
        let trusted = &config.trust_proxy;
        if !is_trusted_proxy(extensions, trusted) {
            let forwarded = headers.keys().any(|name| is_forwarding(name, &config.proxy_header));
            let local = peer.is_loopback() && !forwarded;
            return Self { address: Some(peer), local, via_untrusted_proxy: forwarded };
        }
        let client = nearest_untrusted(&hops(headers, &config.proxy_header), trusted);
        let local = client.is_some_and(|ip| ip.is_loopback()) && !is_doubted(headers, trusted);
        Self { address: Some(client.unwrap_or(peer)), local, via_untrusted_proxy: false }
    }
}

/// Whether a header of this name is set by proxies that forward a request.
fn is_forwarding(name: &HeaderName, proxy_header: &ProxyHeader) -> bool {
    const NAMES: [&str; 7] = [
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
    ];
    let name = name.as_str();
    name.starts_with("x-forwarded") || NAMES.contains(&name) || name == proxy_header.as_str()
}

/// Whether any usual header names a client that is not this machine. What is not read for an address can still deny
/// that a request is local. The proxy may write another header than the configured one.
fn is_doubted(headers: &HeaderMap, trusted: &[IpAddr]) -> bool {
    ProxyHeader::usual().iter().any(|header| {
        let hops = hops(headers, header);
        !hops.is_empty() && !nearest_untrusted(&hops, trusted).is_some_and(|ip| ip.is_loopback())
    })
}

/// The addresses in the header, in its order; `None` for a value that is not an address.
fn hops(headers: &HeaderMap, header: &ProxyHeader) -> Vec<Option<IpAddr>> {
    let values = headers.get_all(header.as_str()).iter();
    let values = values.flat_map(|value| value.to_str().unwrap_or("?").split(','));
    if header.is_forwarded() { values.map(for_parameter).collect() } else { values.map(address).collect() }
}

/// The address of the parameter `for` of an element of `Forwarded`.
fn for_parameter(element: &str) -> Option<IpAddr> {
    let value = element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value)
    });
    value.and_then(address)
}

/// The last address that is not a trusted proxy's, because the client may have written those before it; the first one
/// if all are proxies. `None` if the header is missing, or has no address in that place.
fn nearest_untrusted(hops: &[Option<IpAddr>], trusted: &[IpAddr]) -> Option<IpAddr> {
    let is_proxy = |ip: &IpAddr| trusted.iter().any(|proxy| proxy.to_canonical() == *ip);
    let last = hops.iter().rev().find(|hop| !hop.is_some_and(|ip| is_proxy(&ip)));
    last.or_else(|| hops.first()).copied().flatten()
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
    use axum::http::HeaderValue;

    use super::*;

    fn caller(
        peer: &str,
        headers: &[(&'static str, &'static str)],
        trusted: &[&str],
        proxy_header: &str,
    ) -> ClientAddress {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 40_000)));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let mut config = ServerConfig::new("unused");
        config.trust_proxy = trusted.iter().map(|ip| ip.parse().unwrap()).collect();
        config.proxy_header = proxy_header.parse().unwrap();
        ClientAddress::of(&extensions, &map, &config)
    }

    #[test]
    fn a_request_that_was_passed_on_is_not_local() {
        let caller = |peer, headers: &[_]| caller(peer, headers, &[], "X-Of-Our-Proxy");
        assert!(caller("127.0.0.1", &[]).local);
        assert!(caller("::ffff:127.0.0.1", &[]).local);
        assert!(!caller("192.0.2.1", &[]).local);
        for header in
            ["x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip", "via", "x-of-our-proxy"]
        {
            let passed_on = caller("127.0.0.1", &[(header, "127.0.0.1")]);
            assert!(!passed_on.local && passed_on.via_untrusted_proxy, "{header}");
            assert_eq!(passed_on.address, Some("127.0.0.1".parse().unwrap()), "what it says is not believed");
        }
    }

    #[test]
    fn a_trusted_proxy_is_believed_in_its_own_header_alone_and_without_it_nothing_is_local() {
        let resolve = |header, headers: &[_]| {
            let caller = caller("127.0.0.1", headers, &["127.0.0.1", "10.0.0.2"], header);
            (caller.local, caller.address.unwrap().to_string())
        };
        let (far, here) = ((false, "203.0.113.5".to_owned()), (true, "127.0.0.1".to_owned()));
        let unknown = (false, "127.0.0.1".to_owned());
        let usual = |headers: &[_]| resolve("X-Forwarded-For", headers);
        assert_eq!(usual(&[]), unknown);
        assert_eq!(usual(&[("x-forwarded-for", "127.0.0.1")]), here);
        assert_eq!(usual(&[("x-forwarded-for", "203.0.113.5")]), far);
        assert_eq!(usual(&[("x-forwarded-for", "127.0.0.1, 203.0.113.5, 10.0.0.2")]), far);
        assert_eq!(usual(&[("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "203.0.113.5")]), far);
        assert_eq!(usual(&[("x-forwarded-for", "unknown")]), unknown);
        for other in ["x-real-ip", "x-client-ip", "cf-connecting-ip"] {
            assert_eq!(usual(&[(other, "127.0.0.1")]), unknown, "{other}");
            assert_eq!(usual(&[(other, "127.0.0.1"), ("x-forwarded-for", "203.0.113.5")]), far, "{other}");
            let other_is_named = resolve(other, &[(other, "203.0.113.5"), ("x-forwarded-for", "127.0.0.1")]);
            assert_eq!(other_is_named, far, "{other}");
        }
        assert_eq!(usual(&[("forwarded", "for=127.0.0.1")]), unknown);
        let doubted = [("x-forwarded-for", "127.0.0.1"), ("x-real-ip", "203.0.113.5")];
        assert_eq!(usual(&doubted), unknown, "another header can only deny that a request is local");
        let rfc = |headers: &[_]| resolve("Forwarded", headers);
        let far_element = "for=127.0.0.1;by=x, for=\"203.0.113.5:4711\";proto=https";
        assert_eq!(rfc(&[("forwarded", far_element)]), far);
        assert_eq!(rfc(&[("forwarded", "for=\"[2001:db8::1]:80\"")]), (false, "2001:db8::1".to_owned()));
        assert_eq!(rfc(&[("x-forwarded-for", "127.0.0.1")]), unknown);
    }
}

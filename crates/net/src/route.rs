//! The addresses that this machine would use for connections to the internet. Sends no packet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// This machine's own addresses for connections to the internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Route {
    /// By IPv4; `None` without a route.
    pub v4: Option<IpAddr>,
    /// By IPv6; `None` without a route.
    pub v6: Option<IpAddr>,
}

impl Route {
    /// Whether there is a network at all.
    pub const fn is_some(self) -> bool {
        self.v4.is_some() || self.v6.is_some()
    }
}

/// The present route. Connecting a datagram socket chooses a route and sends nothing; the destination addresses are
/// reserved for documentation.
pub fn current() -> Route {
    Route {
        v4: source((Ipv4Addr::UNSPECIFIED, 0).into(), (Ipv4Addr::new(192, 0, 2, 1), 9).into()),
        v6: source(
            (Ipv6Addr::UNSPECIFIED, 0).into(),
            (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9).into(),
        ),
    }
}

fn source(from: SocketAddr, to: SocketAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

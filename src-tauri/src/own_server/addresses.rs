//! The host names and IP addresses of this computer on its networks.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// What the interfaces of networks of containers and virtual machines are called.
const INTERNAL_PREFIXES: [&str; 9] =
    ["docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "podman", "cni", "lxc"];

/// The host name, also in its `.local` form, and the IP addresses.
pub(super) fn names() -> Vec<String> {
    let mut names = host_names();
    names.extend(ips().into_iter().map(|ip| ip.to_string()));
    names
}

/// The URLs at which other devices reach a port of this computer, the likeliest first.
pub(super) fn reachable(port: u16) -> Vec<String> {
    let by_address = ips().into_iter().filter(IpAddr::is_ipv4).map(|ip| format!("http://{ip}:{port}"));
    let by_name = host_names().into_iter().filter(|name| name.contains('.'));
    by_address.chain(by_name.map(|name| format!("http://{name}:{port}"))).collect()
}

/// The host name in its `.local` form, under which the server is announced in the network.
pub(super) fn announced_name() -> String {
    host_names().pop().unwrap_or_else(|| "tidings.local".to_owned())
}

fn host_names() -> Vec<String> {
    let name = gethostname::gethostname().to_string_lossy().to_lowercase();
    if name.is_empty() || name == "localhost" {
        return Vec::new();
    }
    let announced = format!("{}.local", name.split('.').next().unwrap_or(&name));
    if announced == name { vec![name] } else { vec![name, announced] }
}

/// The addresses of this computer's networks: first the one from which it reaches others, last those of networks that
/// exist within it alone.
fn ips() -> Vec<IpAddr> {
    let mut interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    interfaces.retain(|interface| !interface.is_loopback() && !interface.is_link_local());
    let outward = outward_ip();
    interfaces.sort_unstable_by_key(|interface| {
        (Some(interface.ip()) != outward, is_internal(&interface.name), interface.ip())
    });
    let mut ips: Vec<IpAddr> = interfaces.iter().map(if_addrs::Interface::ip).collect();
    ips.dedup();
    ips
}

/// The address from which other networks are reached. A datagram socket gets a destination, and sends nothing.
fn outward_ip() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address that documentation has (RFC 5737).
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Whether an interface is of a network of containers or virtual machines, by its name.
fn is_internal(name: &str) -> bool {
    INTERNAL_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_others_can_reach_comes_first() {
        let Some(outward) = outward_ip().filter(|ip| ips().contains(ip)) else { return };
        assert_eq!(ips().first(), Some(&outward));
        assert!(is_internal("docker0") && is_internal("br-1f2e") && !is_internal("enp3s0"));
    }

    #[test]
    fn nobody_is_sent_to_their_own_computer() {
        for at in reachable(7878) {
            assert!(at.ends_with(":7878") && !at.contains("127.0.0.1") && !at.contains("localhost"), "{at}");
        }
    }
}

//! The host names and IP addresses of this computer on its networks.

use std::net::IpAddr;

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

fn ips() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let mut ips: Vec<IpAddr> = interfaces
        .iter()
        .filter(|interface| !interface.is_loopback() && !interface.is_link_local())
        .map(if_addrs::Interface::ip)
        .collect();
    ips.sort_unstable();
    ips.dedup();
    ips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_their_own_computer() {
        for at in reachable(7878) {
            assert!(at.ends_with(":7878") && !at.contains("127.0.0.1") && !at.contains("localhost"), "{at}");
        }
    }
}

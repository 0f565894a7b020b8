//! Ports for programs that cannot report which one they took.

/// A free port on the loopback. It lies outside the range from which the system assigns ephemeral ports, so that no
/// connection takes it before the program does. No other test gets it until this process ends, not even while the program
/// is started again.
pub fn free() -> u16 {
    const PORTS: std::ops::Range<u16> = 15_000..32_000;
    let random_port = || {
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), ());
        PORTS.start + u16::try_from(random % u64::from(PORTS.end - PORTS.start)).expect("below 2^16")
    };
    let free = |port: &u16| is_ours(*port) && std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(random_port).take(1_000).find(free).expect("the loopback has a free port")
}

/// Takes a name for a port, which all processes of the machine share, until this one ends.
#[cfg(target_os = "linux")]
fn is_ours(port: u16) -> bool {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener};
    use std::sync::Mutex;

    static TAKEN: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());
    let name = SocketAddr::from_abstract_name(format!("tidings-tests/{port}")).expect("a short name");
    let taken = UnixListener::bind_addr(&name);
    taken.map(|taken| TAKEN.lock().expect("no test panics here").push(taken)).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn is_ours(_: u16) -> bool {
    true
}

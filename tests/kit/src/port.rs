//! Ports for programs that cannot report which one they took.

/// A free port on the loopback. It lies outside the range from which the system assigns ephemeral ports, so that no
/// connection takes it before the program does.
pub fn free() -> u16 {
    const PORTS: std::ops::Range<u16> = 15_000..32_000;
    let random_port = || {
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), ());
        PORTS.start + u16::try_from(random % u64::from(PORTS.end - PORTS.start)).expect("below 2^16")
    };
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(random_port).take(1_000).find(free).expect("the loopback has a free port")
}

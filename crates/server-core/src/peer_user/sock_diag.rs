//! Asks the kernel for one TCP socket (`sock_diag(7)`). It finds it by its addresses, whereas the table in `/proc/net` is
//! written out of all sockets of the machine, which takes ten milliseconds and more.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};

/// `SOCK_DIAG_BY_FAMILY`, of `linux/sock_diag.h`.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`, of `linux/netlink.h`.
const REQUEST: u16 = 1;
/// `IPPROTO_TCP`.
const TCP: u8 = 6;
/// The bytes of a request: `struct nlmsghdr` and `struct inet_diag_req_v2`, of `linux/inet_diag.h`.
const REQUEST_BYTES: u32 = 16 + 56;
/// Where an answer has the state, the user and the inode: after `struct nlmsghdr`, in `struct inet_diag_msg`.
const STATE: usize = 16 + 1;
const UID: usize = 16 + 64;
const INODE: usize = 16 + 68;

/// What the kernel knows of a socket.
pub(super) struct Socket {
    /// As in `/proc/net/tcp`: 1 is an established connection.
    pub(super) state: u8,
    pub(super) uid: u32,
    /// 0 if no process has it open any more.
    pub(super) inode: u32,
}

/// The socket at `local` that is connected to `remote`; `None` if there is none, or if the kernel does not answer here.
pub(super) fn find(local: SocketAddr, remote: SocketAddr) -> Option<Socket> {
    socket_of(&ask(&request(local, remote)).ok()?)
}

/// The socket that an answer describes; `None` for an answer of another kind, such as an error.
fn socket_of(answer: &[u8]) -> Option<Socket> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    if kind != BY_FAMILY {
        return None;
    }
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    Some(Socket { state: *answer.get(STATE)?, uid: word(UID)?, inode: word(INODE)? })
}

/// Sends a request, of which the answer is there at once.
fn ask(request: &[u8]) -> io::Result<Vec<u8>> {
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, Some(SOCK_DIAG))?;
    sendto(&socket, request, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = vec![0; 512];
    let (read, _) = recv(&socket, answer.as_mut_slice(), RecvFlags::DONTWAIT)?;
    answer.truncate(read);
    Ok(answer)
}

/// A request for the one socket with these addresses.
fn request(local: SocketAddr, remote: SocketAddr) -> Vec<u8> {
    let family = if local.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let mut bytes = Vec::with_capacity(128);
    bytes.extend(REQUEST_BYTES.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    // The number of the request, and the sender's, which the kernel fills in.
    bytes.extend([0; 8]);
    // No extensions, and any state.
    bytes.extend([u8::try_from(family.as_raw()).unwrap_or_default(), TCP, 0, 0]);
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(local.port().to_be_bytes());
    bytes.extend(remote.port().to_be_bytes());
    for address in [local.ip(), remote.ip()] {
        match address {
            IpAddr::V4(v4) => {
                bytes.extend(v4.octets());
                bytes.extend([0; 12]);
            }
            IpAddr::V6(v6) => bytes.extend(v6.octets()),
        }
    }
    // On any interface, and whichever cookie it has.
    bytes.extend([0; 4]);
    bytes.extend([u8::MAX; 8]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_another_kind_or_one_that_is_cut_off_is_no_socket() {
        let read = |kind: u16, length: usize| {
            let mut answer = vec![0_u8; 4];
            answer.extend(kind.to_ne_bytes());
            answer.resize(STATE, 0);
            answer.push(1);
            answer.resize(UID, 0);
            answer.extend([1001_u32.to_ne_bytes(), 42_u32.to_ne_bytes()].concat());
            answer.truncate(length);
            socket_of(&answer).map(|socket| (socket.state, socket.uid, socket.inode))
        };
        let whole = INODE + 4;
        assert_eq!(read(BY_FAMILY, whole), Some((1, 1001, 42)));
        // `NLMSG_ERROR`, of `linux/netlink.h`.
        assert_eq!(read(2, whole), None);
        for length in [0, 5, STATE, UID, whole - 1] {
            assert_eq!(read(BY_FAMILY, length), None, "{length}");
        }
    }
}

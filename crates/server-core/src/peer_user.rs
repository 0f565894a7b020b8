//! Finds the system user who runs the program at the other end of a loopback connection. The kernel is asked for its
//! socket. If it finds none or does not answer, its table of sockets is read.

#[cfg(target_os = "linux")]
mod sock_diag;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex, OnceCell};

/// The system user at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerUser {
    /// The user with this id.
    Uid(u32),
    /// No user: the socket was closed before it was looked up.
    Gone,
    /// The table could not be read this time, for example because no more files can be opened.
    Unreadable,
    /// The system does not provide it: it is not Linux, `/proc` is missing, or its table does not show this server.
    Unsupported,
}

impl PeerUser {
    /// Whether it counts as the user of this process. `root` does too: system scripts publish to a user's desktop.
    /// If the system does not provide the user, every loopback connection counts.
    pub(crate) fn is_ours(self) -> bool {
        match self {
            Self::Uid(uid) => uid == 0 || own_uid() == Some(uid),
            Self::Gone | Self::Unreadable => false,
            Self::Unsupported => true,
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have no such id")]
fn own_uid() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn own_uid() -> Option<u32> {
    None
}

/// One accepted connection. Its user is looked up on first use and kept; a failed reading is repeated at the next use.
#[derive(Clone)]
pub struct PeerConnection {
    peer: SocketAddr,
    local: SocketAddr,
    user: Arc<OnceCell<PeerUser>>,
    table: Arc<SocketTable>,
}

impl PeerConnection {
    /// A connection from `peer` to `local`, whose user `table` looks up.
    pub fn new(peer: SocketAddr, local: SocketAddr, table: &Arc<SocketTable>) -> Self {
        Self {
            peer: canonical(peer),
            local: canonical(local),
            user: Arc::default(),
            table: Arc::clone(table),
        }
    }

    /// The system user at the other end.
    pub async fn user(&self) -> PeerUser {
        let known = self.user.get_or_try_init(|| async {
            match self.table.user(self.peer, self.local).await {
                PeerUser::Unreadable => Err(PeerUser::Unreadable),
                user => Ok(user),
            }
        });
        known.await.map_or_else(|unreadable| unreadable, |user| *user)
    }
}

/// The user ids of connected client sockets, by the client's and the server's address.
type UidsByConnection = HashMap<(SocketAddr, SocketAddr), u32>;

/// What the kernel knows of TCP sockets. One reading of its table answers all lookups that wait for it, so that many simultaneous
/// connections cost two readings at most.
pub struct SocketTable {
    /// The folder of the tables, `/proc/net`.
    proc_net: PathBuf,
    state: Mutex<TableState>,
}

#[derive(Default)]
struct TableState {
    /// The time at which the last reading began, and its result.
    last_read: Option<(Instant, ReadResult)>,
    /// Whether a reading has shown the server's listening socket, which means that the table is complete here.
    listener_seen: bool,
}

impl TableState {
    /// The result of a reading, given what earlier ones have shown.
    fn update(&mut self, read: io::Result<Option<ParsedTable>>) -> ReadResult {
        match read {
            Ok(Some(parsed)) if parsed.has_listener || self.listener_seen => {
                self.listener_seen = true;
                ReadResult::Known(parsed.users)
            }
            Ok(_) if !self.listener_seen => ReadResult::Unsupported,
            // A table that has shown the server once is supported; a reading without it has failed.
            Ok(_) => ReadResult::Failed,
            Err(error) => {
                // Logged once, until a reading succeeds again.
                if !matches!(self.last_read, Some((_, ReadResult::Failed))) {
                    tracing::warn!(%error, "the socket table can't be read: nobody publishes without a token");
                }
                ReadResult::Failed
            }
        }
    }
}

/// The result of one reading of the table.
enum ReadResult {
    /// The client sockets of all users.
    Known(UidsByConnection),
    /// There is no such table, or it does not show the listening socket, so that it is not complete.
    Unsupported,
    /// The table could not be read this time.
    Failed,
}

impl Default for SocketTable {
    fn default() -> Self {
        Self::of("/proc/net".into())
    }
}

impl SocketTable {
    fn of(proc_net: PathBuf) -> Self {
        Self { proc_net, state: Mutex::default() }
    }

    async fn user(&self, peer: SocketAddr, local: SocketAddr) -> PeerUser {
        #[cfg(target_os = "linux")]
        if let Some(socket) = sock_diag::find(peer, local)
            && socket.inode != 0
            && CONNECTED_STATES.contains(&socket.state)
        {
            return PeerUser::Uid(socket.uid);
        }
        let requested_at = Instant::now();
        let mut state = self.state.lock().await;
        if state.last_read.as_ref().is_none_or(|(read_started, _)| *read_started < requested_at) {
            let (read_started, proc_net) = (Instant::now(), self.proc_net.clone());
            let read = tokio::task::spawn_blocking(move || read_tables(&proc_net, local.port())).await;
            let result = state.update(read.unwrap_or_else(|panicked| Err(io::Error::other(panicked))));
            state.last_read = Some((read_started, result));
        }
        match state.last_read.as_ref().map(|(_, result)| result) {
            Some(ReadResult::Known(users)) => {
                users.get(&(peer, local)).map_or(PeerUser::Gone, |uid| PeerUser::Uid(*uid))
            }
            Some(ReadResult::Unsupported) => PeerUser::Unsupported,
            Some(ReadResult::Failed) | None => PeerUser::Unreadable,
        }
    }
}

/// Reads the client sockets of connections to a port; `None` if the system has no such table or denies reading it.
///
/// # Errors
/// Any other error while reading; a later reading may succeed.
#[cfg(target_os = "linux")]
fn read_tables(proc_net: &std::path::Path, port: u16) -> io::Result<Option<ParsedTable>> {
    use std::io::{BufRead, BufReader, ErrorKind, Read};

    /// The longest line that is read, in bytes; lines of this table are shorter.
    const MAX_LINE_BYTES: u64 = 1_024;
    let mut parsed = None;
    for name in ["tcp", "tcp6"] {
        let file = match std::fs::File::open(proc_net.join(name)) {
            Ok(file) => file,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => continue,
            Err(e) => return Err(e),
        };
        let parsed = parsed.get_or_insert_with(ParsedTable::default);
        let mut table = BufReader::with_capacity(64 * 1_024, file);
        let mut line = String::new();
        while table.by_ref().take(MAX_LINE_BYTES).read_line(&mut line)? > 0 {
            parsed.parse_line(&line, port);
            line.clear();
        }
    }
    Ok(parsed)
}

#[cfg(not(target_os = "linux"))]
fn read_tables(_folder: &std::path::Path, _port: u16) -> io::Result<Option<ParsedTable>> {
    Ok(None)
}

/// The states of a connected client socket: established, or closing on either side.
const CONNECTED_STATES: [u8; 4] = [1, 4, 5, 8];
const LISTEN_STATE: u8 = 10;

/// The sockets parsed so far.
#[derive(Default)]
struct ParsedTable {
    has_listener: bool,
    users: UidsByConnection,
}

impl ParsedTable {
    /// Parses one line: `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
    fn parse_line(&mut self, line: &str, port: u16) {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (Some(local), Some(remote), Some(state)) = (fields.next(), fields.next(), fields.next()) else {
            return;
        };
        let Ok(state) = u8::from_str_radix(state, 16) else { return };
        let (Some(uid), Some(inode)) = (fields.nth(3), fields.nth(1)) else { return };
        let (Some(local), Some(remote)) = (address(local), address(remote)) else { return };
        if state == LISTEN_STATE {
            self.has_listener |= local.port() == port;
            return;
        }
        // A socket that no process has open any more has inode 0, and its user is written as 0, whichever user it was.
        if remote.port() != port || inode == "0" || !CONNECTED_STATES.contains(&state) {
            return;
        }
        if let Ok(uid) = uid.parse() {
            self.users.insert((local, remote), uid);
        }
    }
}

/// An address as `0100007F:1F90`: 32-bit words in the byte order of the machine, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let word = u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    let ip = match ip.len() {
        8 => IpAddr::from(word(0)?),
        32 => {
            let bytes = [word(0)?, word(1)?, word(2)?, word(3)?].concat();
            IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?)
        }
        _ => return None,
    };
    Some(canonical(SocketAddr::new(ip, port)))
}

fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(all(test, target_os = "linux", target_endian = "little"))]
#[path = "peer_user_tests.rs"]
mod tests;

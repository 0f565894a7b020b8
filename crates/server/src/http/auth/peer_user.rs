//! Finds the system user who runs the program at the other end of a loopback connection, in the kernel's table of
//! sockets.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex, OnceCell};

/// The system user at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerUser {
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
pub(crate) struct PeerConnection {
    peer: SocketAddr,
    local: SocketAddr,
    user: Arc<OnceCell<PeerUser>>,
    table: Arc<SocketTable>,
}

impl PeerConnection {
    pub(crate) fn new(peer: SocketAddr, local: SocketAddr, table: &Arc<SocketTable>) -> Self {
        Self {
            peer: canonical(peer),
            local: canonical(local),
            user: Arc::default(),
            table: Arc::clone(table),
        }
    }

    /// The system user at the other end.
    pub(crate) async fn user(&self) -> PeerUser {
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

/// The kernel's table of TCP sockets. One reading answers all lookups that wait for it, so that many simultaneous
/// connections cost two readings at most.
pub(crate) struct SocketTable {
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

/// The sockets parsed so far.
#[derive(Default)]
struct ParsedTable {
    has_listener: bool,
    users: UidsByConnection,
}

impl ParsedTable {
    /// Parses one line: `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
    fn parse_line(&mut self, line: &str, port: u16) {
        /// The states of a connected client socket: established, or closing on either side.
        const CONNECTED_STATES: [&str; 4] = ["01", "04", "05", "08"];
        const LISTEN_STATE: &str = "0A";
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (Some(local), Some(remote), Some(state)) = (fields.next(), fields.next(), fields.next()) else {
            return;
        };
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
mod tests {
    use super::*;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1EC6 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 35213 1 0000000000000000
   1: 0100007F:C350 0100007F:1EC6 01 00000000:00000000 00:00000000 00000000  1001        0 35300 1 0000000000000000
   2: 0100007F:1EC6 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 35301 1 0000000000000000
   3: 0100007F:C351 0100007F:1EC6 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0000000000000000
   4: 0100007F:C352 0100007F:1EC6 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000
   5: 0100007F:C353 0100007F:1EC6 02 00000000:00000000 00:00000000 00000000  1002        0 35302 1 0000000000000000
   6: 0000000000000000FFFF00000100007F:C354 0000000000000000FFFF00000100007F:1EC6 01 00000000:00000000 00:00000000 00000000  1003        0 35303 1 0
   7: 0100007F:C355 0100007F:1EC7 01 00000000:00000000 00:00000000 00000000  1004        0 35304 1 0000000000000000
   8: nonsense
";

    #[test]
    fn the_table_says_whose_client_end_it_is_and_nothing_of_what_was_closed() {
        let mut found = ParsedTable::default();
        TABLE.lines().for_each(|line| found.parse_line(line, 7878));
        assert!(found.has_listener);
        let at = |port: u16| (([127, 0, 0, 1], port).into(), ([127, 0, 0, 1], 7878).into());
        let expected = HashMap::from([(at(50_000), 1001), (at(50_004), 1003)]);
        assert_eq!(found.users, expected, "a closed socket is nobody's, least of all root's");
        assert_eq!(address("00000000000000000000000001000000:0050"), Some("[::1]:80".parse().unwrap()));
    }

    #[tokio::test]
    async fn one_reading_answers_all_who_wait_for_it_and_a_closed_end_is_gone() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server_address = listener.local_addr().unwrap();
        let client = tokio::net::TcpStream::connect(server_address).await.unwrap();
        let (_server, peer) = listener.accept().await.unwrap();
        let table = Arc::new(SocketTable::default());
        let open = PeerConnection::new(peer, server_address, &table);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid));
        drop(client);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid), "it was looked up once");
        let closed = PeerConnection::new(peer, server_address, &table);
        assert_eq!(closed.user().await, PeerUser::Gone);
        assert!(!PeerUser::Gone.is_ours());
    }

    /// A folder with a table that shows a server on port 7878 and the sockets connected to it.
    fn proc_net() -> io::Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join("tcp"), TABLE)?;
        Ok(dir)
    }

    /// A connection of the user 1001 in that table.
    fn of_1001(table: &Arc<SocketTable>) -> PeerConnection {
        PeerConnection::new(([127, 0, 0, 1], 50_000).into(), ([127, 0, 0, 1], 7_878).into(), table)
    }

    #[tokio::test]
    async fn a_table_that_can_not_be_read_makes_nobody_ours_and_is_read_again() {
        let dir = proc_net().unwrap();
        let table = Arc::new(SocketTable::of(dir.path().to_owned()));
        let connection = of_1001(&table);
        // A directory can be opened and not read, which gives an error as when no more files can be opened.
        let tcp6 = dir.path().join("tcp6");
        std::fs::create_dir(&tcp6).unwrap();
        assert_eq!(connection.user().await, PeerUser::Unreadable);
        assert!(!PeerUser::Unreadable.is_ours());
        std::fs::remove_dir(&tcp6).unwrap();
        assert_eq!(connection.user().await, PeerUser::Uid(1001));
        std::fs::create_dir(&tcp6).unwrap();
        assert_eq!(connection.user().await, PeerUser::Uid(1001), "it is known");
        assert_eq!(of_1001(&table).user().await, PeerUser::Unreadable);
    }

    #[tokio::test]
    async fn a_table_that_has_shown_the_server_is_believed_for_good() {
        let dir = proc_net().unwrap();
        let table = Arc::new(SocketTable::of(dir.path().to_owned()));
        assert_eq!(of_1001(&table).user().await, PeerUser::Uid(1001));
        // The server has stopped listening; requests accepted before are still answered.
        let closed = TABLE.lines().filter(|line| !line.contains(" 0A ")).collect::<Vec<_>>().join("\n");
        std::fs::write(dir.path().join("tcp"), closed).unwrap();
        assert_eq!(of_1001(&table).user().await, PeerUser::Uid(1001));
        std::fs::remove_file(dir.path().join("tcp")).unwrap();
        assert_eq!(of_1001(&table).user().await, PeerUser::Unreadable);
        let unsupported = Arc::new(SocketTable::of(dir.path().to_owned()));
        assert_eq!(
            of_1001(&unsupported).user().await,
            PeerUser::Unsupported,
            "a system without such a table"
        );
    }
}

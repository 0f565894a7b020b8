//! Which user of this machine runs the program at the other end of a loopback connection, read from the system's table
//! of sockets.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex, OnceCell};

/// Who holds the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerUser {
    /// The user with this id.
    Uid(u32),
    /// Nobody any more: the socket was closed before it was looked up.
    Gone,
    /// The system could not say it this time: it has no file left to open, for example.
    Unreadable,
    /// The system does not tell: it is not Linux, `/proc` is missing, or its table does not show this server.
    Unsupported,
}

impl PeerUser {
    /// Whether it counts as the user of this process. `root` does too: system scripts publish to a user's desktop.
    /// Where the system does not tell, the loopback alone has to do.
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

/// One accepted connection. Its user is looked up once, when somebody first asks; what could not be read is looked up
/// again.
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

    /// Who is at the other end.
    pub(crate) async fn user(&self) -> PeerUser {
        let known = self.user.get_or_try_init(|| async {
            match self.table.user(self.peer, self.local).await {
                PeerUser::Unreadable => Err(PeerUser::Unreadable),
                user => Ok(user),
            }
        });
        known.await.map_or_else(|unread| unread, |user| *user)
    }
}

/// The open client ends of connections to a server, by the client's and the server's address.
type Users = HashMap<(SocketAddr, SocketAddr), u32>;

/// The system's table of TCP sockets. One reading of it answers everybody who waits for one, so that many connections
/// at once cost no more than two readings.
pub(crate) struct SocketTable {
    /// Where the system shows it.
    folder: PathBuf,
    last: Mutex<TableState>,
}

#[derive(Default)]
struct TableState {
    /// When the last reading began, and what it found.
    reading: Option<(Instant, Snapshot)>,
    /// A reading has shown the server: the table shows everything here.
    shown: bool,
}

impl TableState {
    /// What a reading says that found so much, after those before it.
    fn take(&mut self, read: io::Result<Option<ParsedTable>>) -> Snapshot {
        match read {
            Ok(Some(found)) if found.listens || self.shown => {
                self.shown = true;
                Snapshot::Known(found.users)
            }
            Ok(_) if !self.shown => Snapshot::Unsupported,
            // What has shown the server once shows it for as long as it serves.
            Ok(_) => Snapshot::Failed,
            Err(error) => {
                // Said once, until it can be read again.
                if !matches!(self.reading, Some((_, Snapshot::Failed))) {
                    tracing::warn!(%error, "whose programs ask can't be read: nobody publishes without a token");
                }
                Snapshot::Failed
            }
        }
    }
}

/// What one reading of the table says.
enum Snapshot {
    /// Everybody's client ends.
    Known(Users),
    /// Nothing: there is no such table, or it does not show who listens, so that it does not show everything.
    Unsupported,
    /// It could not be read this time.
    Failed,
}

impl Default for SocketTable {
    fn default() -> Self {
        Self::of("/proc/net".into())
    }
}

impl SocketTable {
    fn of(folder: PathBuf) -> Self {
        Self { folder, last: Mutex::default() }
    }

    async fn user(&self, peer: SocketAddr, local: SocketAddr) -> PeerUser {
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if last.reading.as_ref().is_none_or(|(begun, _)| *begun < asked) {
            let (begun, folder) = (Instant::now(), self.folder.clone());
            let read = tokio::task::spawn_blocking(move || read(&folder, local.port())).await;
            let reading = last.take(read.unwrap_or_else(|panicked| Err(io::Error::other(panicked))));
            last.reading = Some((begun, reading));
        }
        match last.reading.as_ref().map(|(_, reading)| reading) {
            Some(Snapshot::Known(users)) => {
                users.get(&(peer, local)).map_or(PeerUser::Gone, |uid| PeerUser::Uid(*uid))
            }
            Some(Snapshot::Unsupported) => PeerUser::Unsupported,
            Some(Snapshot::Failed) | None => PeerUser::Unreadable,
        }
    }
}

/// Reads the client ends of connections to a port; none where the system has no such table, or shows it to nobody.
///
/// # Errors
/// Whatever else keeps it from being read to its end: it may be read another time.
#[cfg(target_os = "linux")]
fn read(folder: &std::path::Path, port: u16) -> io::Result<Option<ParsedTable>> {
    use std::io::{BufRead, BufReader, ErrorKind, Read};

    /// A longer line is not one of this table's, in bytes.
    const LINE: u64 = 1_024;
    let mut found = None;
    for name in ["tcp", "tcp6"] {
        let file = match std::fs::File::open(folder.join(name)) {
            Ok(file) => file,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => continue,
            Err(e) => return Err(e),
        };
        let found = found.get_or_insert_with(ParsedTable::default);
        let mut table = BufReader::with_capacity(64 * 1_024, file);
        let mut line = String::new();
        while table.by_ref().take(LINE).read_line(&mut line)? > 0 {
            found.take(&line, port);
            line.clear();
        }
    }
    Ok(found)
}

#[cfg(not(target_os = "linux"))]
fn read(_folder: &std::path::Path, _port: u16) -> io::Result<Option<ParsedTable>> {
    Ok(None)
}

/// What a reading of the table found so far.
#[derive(Default)]
struct ParsedTable {
    listens: bool,
    users: Users,
}

impl ParsedTable {
    /// Takes one line: `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
    fn take(&mut self, line: &str, port: u16) {
        /// States of a client end that is connected: established, closing on either side.
        const CONNECTED: [&str; 4] = ["01", "04", "05", "08"];
        const LISTENING: &str = "0A";
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (Some(local), Some(remote), Some(state)) = (fields.next(), fields.next(), fields.next()) else {
            return;
        };
        let (Some(uid), Some(inode)) = (fields.nth(3), fields.nth(1)) else { return };
        let (Some(local), Some(remote)) = (address(local), address(remote)) else { return };
        if state == LISTENING {
            self.listens |= local.port() == port;
            return;
        }
        // A socket that no process holds any more has no inode, and its user is written as 0, whoever it was.
        if remote.port() != port || inode == "0" || !CONNECTED.contains(&state) {
            return;
        }
        if let Ok(uid) = uid.parse() {
            self.users.insert((local, remote), uid);
        }
    }
}

/// `0100007F:1F90`: 32-bit words as they lie in memory, then the port.
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
        TABLE.lines().for_each(|line| found.take(line, 7878));
        assert!(found.listens);
        let at = |port: u16| (([127, 0, 0, 1], port).into(), ([127, 0, 0, 1], 7878).into());
        let expected = HashMap::from([(at(50_000), 1001), (at(50_004), 1003)]);
        assert_eq!(found.users, expected, "a closed socket is nobody's, least of all root's");
        assert_eq!(address("00000000000000000000000001000000:0050"), Some("[::1]:80".parse().unwrap()));
    }

    #[tokio::test]
    async fn one_reading_answers_all_who_wait_for_it_and_a_closed_end_is_gone() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap();
        let client = tokio::net::TcpStream::connect(here).await.unwrap();
        let (_server, peer) = listener.accept().await.unwrap();
        let table = Arc::new(SocketTable::default());
        let open = PeerConnection::new(peer, here, &table);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid));
        drop(client);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid), "it was looked up once");
        let closed = PeerConnection::new(peer, here, &table);
        assert_eq!(closed.user().await, PeerUser::Gone);
        assert!(!PeerUser::Gone.is_ours());
    }

    /// Where the system shows a server on port 7878 and the ends of those who are connected to it.
    fn folder() -> io::Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join("tcp"), TABLE)?;
        Ok(dir)
    }

    /// A connection of the user 1001, as that folder shows it.
    fn of_1001(table: &Arc<SocketTable>) -> PeerConnection {
        PeerConnection::new(([127, 0, 0, 1], 50_000).into(), ([127, 0, 0, 1], 7_878).into(), table)
    }

    #[tokio::test]
    async fn a_table_that_can_not_be_read_makes_nobody_ours_and_is_read_again() {
        let dir = folder().unwrap();
        let table = Arc::new(SocketTable::of(dir.path().to_owned()));
        let connection = of_1001(&table);
        // As with no file left to open: it is there, and nothing can be read from it.
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
        let dir = folder().unwrap();
        let table = Arc::new(SocketTable::of(dir.path().to_owned()));
        assert_eq!(of_1001(&table).user().await, PeerUser::Uid(1001));
        // The server stops: it listens no more, and what it was asked before is answered.
        let closed = TABLE.lines().filter(|line| !line.contains(" 0A ")).collect::<Vec<_>>().join("\n");
        std::fs::write(dir.path().join("tcp"), closed).unwrap();
        assert_eq!(of_1001(&table).user().await, PeerUser::Uid(1001));
        std::fs::remove_file(dir.path().join("tcp")).unwrap();
        assert_eq!(of_1001(&table).user().await, PeerUser::Unreadable);
        let never = Arc::new(SocketTable::of(dir.path().to_owned()));
        assert_eq!(of_1001(&never).user().await, PeerUser::Unsupported, "a system without such a table");
    }
}

//! Which user of this machine holds the other end of a loopback connection, as far as the system tells.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
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
    /// The system does not tell: it is not Linux, `/proc` is missing, or its table does not show this server.
    Untold,
}

impl PeerUser {
    /// Whether it counts as the user of this process. `root` does too: system scripts publish to a user's desktop.
    /// Where the system does not tell, the loopback alone has to do.
    pub(crate) fn is_ours(self) -> bool {
        match self {
            Self::Uid(uid) => uid == 0 || own_uid() == Some(uid),
            Self::Gone => false,
            Self::Untold => true,
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

/// One accepted connection. Its user is looked up once, when somebody first asks.
#[derive(Clone)]
pub(crate) struct Connection {
    peer: SocketAddr,
    local: SocketAddr,
    user: Arc<OnceCell<PeerUser>>,
    table: Arc<Table>,
}

impl Connection {
    pub(crate) fn new(peer: SocketAddr, local: SocketAddr, table: &Arc<Table>) -> Self {
        Self {
            peer: canonical(peer),
            local: canonical(local),
            user: Arc::default(),
            table: Arc::clone(table),
        }
    }

    /// Who is at the other end.
    pub(crate) async fn user(&self) -> PeerUser {
        *self.user.get_or_init(|| self.table.user(self.peer, self.local)).await
    }
}

/// The system's table of TCP sockets. One reading of it answers everybody who waits for one, so that many connections
/// at once cost no more than two readings.
#[derive(Default)]
pub(crate) struct Table(Mutex<Option<Reading>>);

struct Reading {
    begun: Instant,
    /// By the client's and the server's address; none where the system does not tell.
    users: Option<HashMap<(SocketAddr, SocketAddr), u32>>,
}

impl Table {
    async fn user(&self, peer: SocketAddr, local: SocketAddr) -> PeerUser {
        let asked = Instant::now();
        let mut last = self.0.lock().await;
        if last.as_ref().is_none_or(|reading| reading.begun < asked) {
            let begun = Instant::now();
            let users = tokio::task::spawn_blocking(move || read(local.port())).await.ok().flatten();
            *last = Some(Reading { begun, users });
        }
        match last.as_ref().and_then(|reading| reading.users.as_ref()) {
            None => PeerUser::Untold,
            Some(users) => users.get(&(peer, local)).map_or(PeerUser::Gone, |uid| PeerUser::Uid(*uid)),
        }
    }
}

/// The open client ends of connections to a port; none where the table can't be read or does not show who listens
/// there, so that it does not show everything.
#[cfg(target_os = "linux")]
fn read(port: u16) -> Option<HashMap<(SocketAddr, SocketAddr), u32>> {
    use std::io::{BufRead, BufReader, Read};

    /// A longer line is not one of this table's, in bytes.
    const LINE: u64 = 1_024;
    let mut found = Found::default();
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let Ok(file) = std::fs::File::open(path) else { continue };
        let mut table = BufReader::with_capacity(64 * 1_024, file);
        let mut line = String::new();
        while table.by_ref().take(LINE).read_line(&mut line).ok()? > 0 {
            found.take(&line, port);
            line.clear();
        }
    }
    found.listens.then_some(found.users)
}

#[cfg(not(target_os = "linux"))]
fn read(_port: u16) -> Option<HashMap<(SocketAddr, SocketAddr), u32>> {
    None
}

/// What a reading of the table found so far.
#[derive(Default)]
struct Found {
    listens: bool,
    users: HashMap<(SocketAddr, SocketAddr), u32>,
}

impl Found {
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
        let mut found = Found::default();
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
        let table = Arc::new(Table::default());
        let open = Connection::new(peer, here, &table);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid));
        drop(client);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid), "it was looked up once");
        let closed = Connection::new(peer, here, &table);
        assert_eq!(closed.user().await, PeerUser::Gone);
        assert!(!PeerUser::Gone.is_ours());
    }
}

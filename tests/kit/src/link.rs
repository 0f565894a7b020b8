//! The network between a program and a server, which can be broken: a port of the loopback that leads to a socket.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the program to the server.
    There,
    /// From the server to the program.
    Back,
}

/// What the network does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It works.
    None,
    /// Every connection is closed, and each new one at once.
    Cut,
    /// Nothing is passed on; connections stay open, and what waits is passed on afterwards.
    Frozen,
    /// What goes this way is lost; connections that lost something are closed afterwards.
    Drops(Way),
    /// What goes to the server takes this long.
    Slow(Duration),
}

/// A network. Connections end with this value.
#[derive(Debug)]
pub struct Link {
    port: u16,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct State {
    fault: watch::Sender<Fault>,
    /// Changes when the connections that exist lose their other end without a sign.
    forgotten: watch::Sender<u32>,
    /// What is lost once, with its connection, when it goes this way.
    lose: Mutex<Option<(Way, Vec<u8>)>>,
}

impl Link {
    /// A network that works and leads to the socket with this path.
    pub async fn to(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(State {
            fault: watch::Sender::new(Fault::None),
            forgotten: watch::Sender::new(0),
            lose: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, socket.to_owned(), Arc::clone(&state)));
        Self { port, state, accepting }
    }

    /// The port of the loopback where it begins.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on it has this fault alone.
    pub fn set(&self, fault: Fault) {
        self.state.fault.send_replace(fault);
    }

    /// Forgets the connections that exist, as a firewall does: bytes that are sent on them are neither delivered nor
    /// refused. New ones work.
    pub fn forget_connections(&self) {
        self.state.forgotten.send_modify(|n| *n += 1);
    }

    /// Loses what is sent next that holds these bytes, and closes its connection.
    pub fn lose_next(&self, way: Way, bytes: &[u8]) {
        *self.state.lose.lock().unwrap() = Some((way, bytes.to_owned()));
    }

    /// Whether what [`Link::lose_next`] named was lost.
    pub fn has_lost_it(&self) -> bool {
        self.state.lose.lock().unwrap().is_none()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.accepting.abort();
        self.set(Fault::Cut);
    }
}

async fn accept(listener: TcpListener, socket: PathBuf, state: Arc<State>) {
    while let Ok((program, _)) = listener.accept().await {
        let (socket, state) = (socket.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            let mut fault = state.fault.subscribe();
            tokio::select! {
                // Whatever else happens, a connection that is cut ends.
                biased;
                _ = fault.wait_for(|fault| *fault == Fault::Cut) => {}
                () = lead(program, &socket, &state) => {}
            }
        });
    }
}

/// Leads one connection to the server, until one side closes it.
async fn lead(program: TcpStream, socket: &Path, state: &State) {
    let (mut fault, mut forgotten) = (state.fault.subscribe(), state.forgotten.subscribe());
    let _ = program.set_nodelay(true);
    if fault.wait_for(|fault| *fault != Fault::Frozen).await.is_err() {
        return;
    }
    let Ok(server) = UnixStream::connect(socket).await else { return };
    let (program, server) = (program.into_split(), server.into_split());
    let passing = async {
        tokio::select! {
            () = pass(program.0, server.1, Way::There, state) => {}
            () = pass(server.0, program.1, Way::Back, state) => {}
        }
    };
    tokio::pin!(passing);
    tokio::select! {
        () = &mut passing => {}
        // It stays open and nothing passes, until it is cut.
        _ = forgotten.changed() => std::future::pending().await,
    }
}

/// Passes bytes on one way, until they end or some were lost.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, way: Way, state: &State) {
    let mut fault = state.fault.subscribe();
    let mut buffer = vec![0; 64 * 1024];
    let mut has_lost = false;
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read,
            _ = fault.wait_for(|fault| has_lost && !matches!(fault, Fault::Drops(_))) => return,
        };
        let Ok(count @ 1..) = read else { return };
        let bytes = &buffer[..count];
        if fault.wait_for(|fault| *fault != Fault::Frozen).await.is_err() || state.loses(way, bytes) {
            return;
        }
        let now = *fault.borrow();
        if let (Fault::Slow(time), Way::There) = (now, way) {
            let _ = timeout(time, fault.wait_for(|fault| !matches!(fault, Fault::Slow(_)))).await;
        }
        if now == Fault::Drops(way) {
            has_lost = true;
        } else if to.write_all(bytes).await.is_err() {
            return;
        }
    }
}

impl State {
    /// Whether this is what is to be lost.
    fn loses(&self, way: Way, bytes: &[u8]) -> bool {
        let mut lose = self.lose.lock().unwrap();
        let is_meant = lose.as_ref().is_some_and(|(on, wanted)| {
            *on == way && bytes.windows(wanted.len()).any(|window| window == wanted)
        });
        if is_meant {
            *lose = None;
        }
        is_meant
    }
}

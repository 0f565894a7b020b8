//! Accepts connections and passes their requests to the API until the server is stopped. Heads, bodies, responses and
//! the stop itself have timeouts, so that a slow client can't keep a connection.
//!
//! A server that is asked to end answers 503 to `/api/v1/health/ready` and `Connection: close` to everything else,
//! and serves on for the time of `--drain`. Then it closes its port and finishes what was begun.

mod descriptors;
mod listen;
mod request;
mod socket;

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::FutureExt;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tidings_doors::smtp::MailDoor;
use tidings_server_core::connections::{Connections, Slot};
use tidings_server_core::peer_user;
use tidings_server_core::server::Server;
use tidings_server_core::state::AppState;
use tidings_sqlite::DataDir;
use tidings_store::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::descriptors::raise_open_files;
pub use self::listen::{bind, listen};
use self::request::RequestContext;
use self::socket::Socket;
use crate::{http, upkeep};

/// Timeout for the head of a request, which includes the wait for the next request on a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest head, and the size of the read and write buffers, in bytes.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// Timeout for requests in progress when the server stops.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);
/// Time after [`SHUTDOWN_GRACE`] until `serve` stops waiting for what is still open.
const SHUTDOWN_MARGIN: Duration = Duration::from_millis(500);
/// Pause after a failed accept, until the next attempt.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Where a server listens.
#[derive(Debug)]
pub struct Listeners {
    /// The listener for HTTP.
    pub http: TcpListener,
    /// The listener for mail, which becomes notifications; `None` to take none.
    pub smtp: Option<TcpListener>,
}

impl From<TcpListener> for Listeners {
    fn from(http: TcpListener) -> Self {
        Self { http, smtp: None }
    }
}

/// Serves until `shutdown` is done and the time of [`ServerConfig::drain`](crate::ServerConfig::drain) has passed, then
/// finishes the requests in progress, ends the streams, and returns within five seconds.
///
/// # Errors
/// [`Error::DataDir`] if another process serves this data folder, [`Error::Io`] if the listener has no address.
pub async fn serve(
    listeners: impl Into<Listeners>,
    server: Server,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Error> {
    let Listeners { http: listener, smtp } = listeners.into();
    let dir = server.config.data_dir.clone();
    let _folder = tokio::task::spawn_blocking(move || DataDir::lock(&dir, "server"))
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)??;
    let address = listener.local_addr()?;
    let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
    // Ends the tasks beside it, even if it ends by an error or a panic.
    let _ends = stop.clone().drop_guard();
    let app = AppState::new(&server, address, draining.clone(), stop.clone(), tidings_doors::refusal).await?;
    if server.store.is_shared() {
        // One that is not ready hands out no stamps from its first request on; upkeep says why.
        let _ = server.store.ready().await;
    }
    server.begin_age_hold().await;
    let mail = MailDoor::new(app.clone());
    let api = http::router(app);
    let upkeep = tokio::spawn(upkeep::run(server.clone(), stop.clone()));
    let acceptor = Acceptor::new(&server, api, draining.clone(), stop.clone());
    tracing::info!(%address, connections = acceptor.max_connections, "serving");

    let accepting = async {
        loop {
            tokio::select! {
                (stream, peer) = accept(&listener, &acceptor.connections) => {
                    acceptor.spawn_connection(stream, peer);
                }
                (stream, peer) = accept_mail(smtp.as_ref(), &acceptor.connections) => {
                    acceptor.spawn_mail(&mail, stream, peer);
                }
            }
        }
    };
    let ending = async {
        shutdown.await;
        draining.cancel();
        if !server.config.drain.is_zero() {
            tracing::info!("draining");
            tokio::time::sleep(server.config.drain).await;
        }
    };
    tokio::select! {
        () = accepting => {}
        () = ending => {}
    }

    tracing::info!("stopping");
    drop((listener, smtp));
    stop.cancel();
    acceptor.tasks.close();
    // Each connection has a timeout of its own. This one also covers requests whose client disconnected, and the case
    // that the processor is too busy for the other timeouts.
    if tokio::time::timeout(SHUTDOWN_GRACE + SHUTDOWN_MARGIN, acceptor.tasks.wait()).await.is_err() {
        tracing::warn!(tasks = acceptor.tasks.len(), "some connections or requests did not end in time");
    }
    drop(tokio::time::timeout(Duration::from_millis(400), upkeep).await);
    Ok(())
}

/// The next connection. After an error, such as too many open files, it makes room and tries again.
async fn accept(listener: &TcpListener, connections: &Connections) -> (TcpStream, SocketAddr) {
    let mut warned = false;
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(e) => {
                if !std::mem::replace(&mut warned, true) {
                    tracing::warn!(error = %e, "could not accept a connection");
                }
                connections.make_room();
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

/// The next connection that brings mail; none ever comes without a listener.
async fn accept_mail(listener: Option<&TcpListener>, connections: &Connections) -> (TcpStream, SocketAddr) {
    match listener {
        Some(listener) => accept(listener, connections).await,
        None => std::future::pending().await,
    }
}

/// The state that all connections share.
struct Acceptor {
    api: Router,
    server: Server,
    draining: CancellationToken,
    stop: CancellationToken,
    builder: http1::Builder,
    connections: Connections,
    max_connections: usize,
    large_heads: Arc<Semaphore>,
    /// Looks up the users who run the programs at the other ends.
    sockets: Arc<peer_user::SocketTable>,
    /// The tasks of connections and of requests, which may outlast their connection.
    tasks: TaskTracker,
}

impl Acceptor {
    fn new(server: &Server, api: Router, draining: CancellationToken, stop: CancellationToken) -> Self {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(READ_BUFFER_BYTES);
        let max_connections = descriptors::for_connections(server.config.connections);
        Self {
            api,
            server: server.clone(),
            draining,
            stop,
            builder,
            connections: Connections::new(max_connections),
            max_connections,
            large_heads: Arc::new(Semaphore::new(server.config.large_heads)),
            sockets: Arc::default(),
            tasks: TaskTracker::new(),
        }
    }

    /// Starts to serve a connection, or drops it if there is no slot for it.
    fn spawn_connection(&self, stream: TcpStream, peer: SocketAddr) {
        let Some(slot) = self.connections.admit(peer.ip().to_canonical()) else {
            tracing::debug!(%peer, "no connection can make way for a new one");
            return;
        };
        drop(stream.set_nodelay(true));
        let connection = self.connection(stream, peer, slot);
        let task_failures = Arc::clone(&self.server.task_failures);
        // No `async` block, which would have room for the connection twice.
        self.tasks.spawn(AssertUnwindSafe(connection).catch_unwind().map(move |ended| {
            if ended.is_err() {
                tracing::error!("a connection panicked");
                task_failures.record("connection");
            }
        }));
    }

    /// Starts to take mail from a connection, or refuses it if there is no slot for it.
    fn spawn_mail(&self, mail: &MailDoor, stream: TcpStream, peer: SocketAddr) {
        drop(stream.set_nodelay(true));
        let connection = mail.connection(stream, peer);
        let task_failures = Arc::clone(&self.server.task_failures);
        self.tasks.spawn(AssertUnwindSafe(connection).catch_unwind().map(move |ended| {
            if ended.is_err() {
                tracing::error!("a connection for mail panicked");
                task_failures.record("mail");
            }
        }));
    }

    /// Serves a connection until it ends, another connection needs its slot, or the server stops.
    fn connection(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        slot: Slot,
    ) -> impl Future<Output = ()> + use<> {
        let state = slot.state.clone();
        let slot = Arc::new(slot);
        let local_peer =
            stream.local_addr().ok().map(|local| peer_user::PeerConnection::new(peer, local, &self.sockets));
        let socket = Socket::new(
            stream,
            state.clone(),
            self.server.config.send_timeout,
            Arc::clone(&self.large_heads),
        );
        let context = Arc::new(RequestContext {
            peer,
            local_peer,
            slot: Arc::clone(&slot),
            tasks: self.tasks.clone(),
            task_failures: Arc::clone(&self.server.task_failures),
            draining: self.draining.clone(),
        });
        let api = self.api.clone();
        let service =
            hyper::service::service_fn(move |request| request::handle(api.clone(), &context, request));
        // Boxed, because each future around it would keep room for it twice, and a stream lasts for days.
        let mut connection =
            Box::pin(self.builder.serve_connection(TokioIo::new(socket), service).with_upgrades());
        let stop = self.stop.clone();
        async move {
            let _slot = slot;
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = state.closed() => return tracing::debug!(%peer, "a connection made way for another"),
                () = stop.cancelled() => {
                    if state.idle_since().is_some() {
                        return;
                    }
                    connection.as_mut().graceful_shutdown();
                    match tokio::time::timeout(SHUTDOWN_GRACE, &mut connection).await {
                        Ok(ended) => ended,
                        Err(_) => return tracing::warn!("a connection did not end in time"),
                    }
                }
            };
            if let Err(e) = ended {
                // `Debug` output, because the text of the error does not include its cause.
                tracing::debug!(%peer, error = ?e, "a connection ended early");
            }
        }
    }
}

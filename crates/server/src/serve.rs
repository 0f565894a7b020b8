//! Accepts connections and hands them to the API until it is told to stop. Refuses to wait for a client that is slow
//! on purpose: headers and bodies have their time, and so has the end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use hyper_util::rt::{TokioIo, TokioTimer};
use tidings_sqlite::DataDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::error::Error;
use crate::http::sockets;
use crate::server::Server;
use crate::{http, upkeep};

/// A client has so long to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// What is in flight at the end has so long to finish.
const GRACE: Duration = Duration::from_millis(4_500);
/// Connections at the same time; more wait in the kernel.
const CONNECTIONS: usize = 16_384;

/// Serves until `shutdown` is done, then finishes what is in flight, ends the streams, and returns within five seconds.
///
/// # Errors
/// [`Error::Folder`] where another process serves this data folder, [`Error::Io`] where the listener has no address.
pub async fn serve(
    listener: TcpListener,
    server: Server,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Error> {
    let dir = server.config.data_dir.clone();
    let _folder = tokio::task::spawn_blocking(move || DataDir::lock(&dir, "server"))
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)??;
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let api = http::router(&server, address, stop.clone()).await?;
    let upkeep = tokio::spawn(upkeep::run(server.clone(), stop.clone()));
    let connections = TaskTracker::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let table = Arc::new(sockets::Table::default());
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(64 * 1024);
    tracing::info!(%address, "serving");

    tokio::pin!(shutdown);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = &mut shutdown => break,
        };
        let Connection { stream, turn } = stream;
        let near = stream.local_addr().ok().map(|local| sockets::Connection::new(peer, local, &table));
        let service = api.clone().map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            if let Some(near) = &near {
                request.extensions_mut().insert(near.clone());
            }
            request.map(axum::body::Body::new)
        });
        let connection = builder
            .serve_connection(TokioIo::new(stream), hyper_util::service::TowerToHyperService::new(service))
            .with_upgrades();
        let stopping = stop.clone();
        connections.spawn(async move {
            let _turn = turn;
            tokio::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = stopping.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    match tokio::time::timeout(GRACE, connection).await {
                        Ok(ended) => ended,
                        Err(_) => return tracing::warn!("a connection did not end in time"),
                    }
                }
            };
            if let Err(e) = ended {
                tracing::debug!(error = %e, "a connection ended early");
            }
        });
    }

    tracing::info!("stopping");
    drop(listener);
    stop.cancel();
    connections.close();
    connections.wait().await;
    drop(tokio::time::timeout(Duration::from_millis(400), upkeep).await);
    Ok(())
}

struct Connection {
    stream: TcpStream,
    turn: tokio::sync::OwnedSemaphorePermit,
}

/// The next connection; an error of one of them, or too many open files, ends nothing.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> (Connection, SocketAddr) {
    loop {
        let Ok(turn) = Arc::clone(room).acquire_owned().await else {
            std::future::pending::<()>().await;
            continue;
        };
        match listener.accept().await {
            Ok((stream, peer)) => {
                drop(stream.set_nodelay(true));
                return (Connection { stream, turn }, peer);
            }
            Err(e) => {
                tracing::warn!(error = %e, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

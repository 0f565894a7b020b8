//! A real server in the test's process, on a port of the loopback.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_server::{AccessBounds, Bounds, FileBounds, HintBounds, Listeners, Server, ServerConfig};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::lot::{self, Lot};
use crate::wait;

/// Bounds of a server's store by lot. A device pauses between pages of a few items, so that a page has more than one of
/// everything. The readers of a message are asked for as one page.
pub fn store_bounds(lot: &mut Lot) -> Bounds {
    let drawn = Bounds::picked(|least, usual| lot.bound(least, usual));
    let few = |bound: usize| bound.max(20);
    Bounds {
        candidates: few(drawn.candidates),
        new_rows: few(drawn.new_rows),
        revisions: few(drawn.revisions),
        page_groups: few(drawn.page_groups),
        page_marks: few(drawn.page_marks),
        page_bytes: drawn.page_bytes.max(16 << 10),
        marks_bytes: drawn.marks_bytes.max(8 << 10),
        memberships: Bounds::default().memberships,
        ..drawn
    }
}

/// The configuration of a server with its files in a folder. Its bounds are the usual ones, unless `TIDINGS_BOUNDS` names a
/// seed to draw others from.
pub fn config_of(folder: &Path) -> ServerConfig {
    let usual = ServerConfig::new(folder);
    let asked_for = lot::asked_for(|lot| {
        (
            store_bounds(lot),
            FileBounds::picked(|least, usual| lot.bound(least, usual)),
            AccessBounds::picked(|least, usual| lot.bound(least, usual)),
            HintBounds::picked(|least, usual| lot.bound(least, usual)),
        )
    });
    let Some((bounds, file_bounds, access_bounds, hint_bounds)) = asked_for else { return usual };
    ServerConfig { bounds, file_bounds, access_bounds, hint_bounds, ..usual }
}

/// A running server. Dropping this value does not end it; [`RunningServer::stop`] does.
pub struct RunningServer {
    /// The root URL at which it listens.
    pub url: String,
    /// The address at which it takes mail.
    pub mail: SocketAddr,
    /// The server that is served.
    pub server: Server,
    stop: CancellationToken,
    task: JoinHandle<Result<(), tidings_server::Error>>,
}

impl RunningServer {
    /// Opens the server's data folder and serves it on a free port.
    pub async fn start(config: ServerConfig, clock: Arc<dyn Clock>) -> Self {
        Self::serve(Server::open(config, clock).await.unwrap()).await
    }

    /// Serves an open server. The owner of a standalone server has to exist before.
    pub async fn serve(server: Server) -> Self {
        let listener = tidings_server::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let smtp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mail = smtp.local_addr().unwrap();
        let listeners = Listeners { http: listener, smtp: Some(smtp) };
        let stop = CancellationToken::new();
        let task =
            tokio::spawn(tidings_server::serve(listeners, server.clone(), stop.clone().cancelled_owned()));
        Self { url, mail, server, stop, task }
    }

    /// A client with a new token of a user. The user is created if missing.
    pub async fn owner(&self, id: &str, name: &str, scopes: &[Scope]) -> Client {
        let token = self.server.owner(id, name, "test", scopes).await.unwrap().token;
        Client::new(&self.url, &token)
    }

    /// A client with an additional token of an existing user.
    pub async fn token(&self, user: &str, scopes: &[Scope]) -> Client {
        let token = self.server.create_token(user, "test", scopes).await.unwrap().token;
        Client::new(&self.url, &token)
    }

    /// Asserts that the server's check finds no difference between stored counts and a recount.
    pub async fn holds_together(&self) {
        assert_eq!(self.server.check().await.unwrap(), []);
    }

    /// Stops serving and waits for that, at most `bound`. The server keeps its files open until this value is dropped.
    pub async fn end(&mut self, bound: Duration) {
        self.stop.cancel();
        tokio::time::timeout(bound, &mut self.task).await.expect("it ends in time").unwrap().unwrap();
    }

    /// Stops serving, waits for that and closes the server's files.
    pub async fn stop(mut self) {
        self.end(wait::TEST_TIMEOUT).await;
    }
}

//! The server that the app runs itself, behind the app's port. Refuses other machines: it listens on the loopback.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tidings_app::{Home, OwnServer, Purpose, USUAL_PORT};
use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig, serve};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The owner's id: whoever sits at this computer.
const OWNER: &str = "me";
/// What people call the owner until somebody says otherwise.
const OWNER_NAME: &str = "Me";
/// The server must answer within this time after its start.
const START: Duration = Duration::from_secs(20);
/// Between two looks whether it answers.
const LOOK: Duration = Duration::from_millis(10);
/// The server ends within five seconds.
const END: Duration = Duration::from_secs(6);

/// The embedded server.
pub(crate) struct Embedded {
    home: Home,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
    running: Mutex<Option<Running>>,
}

struct Running {
    server: Server,
    url: String,
    task: JoinHandle<()>,
}

impl Embedded {
    pub(crate) fn new(home: Home, clock: Arc<dyn Clock>) -> Self {
        Self { home, clock, stop: CancellationToken::new(), running: Mutex::new(None) }
    }

    fn started(&self) -> Option<(Server, String)> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_ref().map(|running| (running.server.clone(), running.url.clone()))
    }
}

#[async_trait]
impl OwnServer for Embedded {
    async fn start(&self) -> Result<u16, String> {
        let mut config = ServerConfig::new(self.home.dir());
        config.standalone_owner = Some(OWNER.to_owned());
        config.open_publish = true;
        let server = Server::open(config, Arc::clone(&self.clock)).await.map_err(said)?;
        // Before anything can be published: it reaches the owner only where there is one.
        if !server.users().await.map_err(said)?.iter().any(|user| user.id == OWNER) {
            server.create_user(OWNER, OWNER_NAME).await.map_err(said)?;
        }
        let listener = bind().await.map_err(said)?;
        let port = listener.local_addr().map_err(said)?.port();
        let url = format!("http://127.0.0.1:{port}");
        let serving = serve(listener, server.clone(), self.stop.clone().cancelled_owned());
        let mut serving = tokio::spawn(serving);
        tokio::select! {
            ended = &mut serving => {
                return Err(match ended {
                    Ok(Err(error)) => error.to_string(),
                    _ => "it ended at once".to_owned(),
                });
            }
            answered = tokio::time::timeout(START, answers(&url)) => {
                answered.map_err(|_| "it does not answer".to_owned())?;
            }
        }
        let task = tokio::spawn(async move {
            if let Ok(Err(error)) = serving.await {
                tracing::error!(%error, "the own server ended");
            }
        });
        let running = Running { server, url, task };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
        Ok(port)
    }

    async fn token(&self, purpose: Purpose) -> Result<String, String> {
        let (server, _) = self.started().ok_or("it did not start")?;
        let (label, scopes): (_, &[Scope]) = match purpose {
            Purpose::Inbox => ("inbox on this computer", &[Scope::Inbox]),
            Purpose::Terminal => ("terminal on this computer", &[Scope::Inbox, Scope::Publish, Scope::Admin]),
        };
        let fresh = server.owner(OWNER, OWNER_NAME, label, scopes).await.map_err(said)?;
        Ok(fresh.token)
    }

    async fn knows(&self, token: &str) -> bool {
        let Some((_, url)) = self.started() else { return false };
        let Ok(client) = client() else { return false };
        let asked = client.get(format!("{url}/api/v1/me")).bearer_auth(token).send().await;
        asked.is_ok_and(|answer| answer.status().is_success())
    }

    async fn stop(&self) {
        self.stop.cancel();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = running {
            let _ = tokio::time::timeout(END, running.task).await;
        }
    }
}

/// The usual port, or a free one where another program has it.
async fn bind() -> std::io::Result<TcpListener> {
    match TcpListener::bind(("127.0.0.1", USUAL_PORT)).await {
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            TcpListener::bind(("127.0.0.1", 0)).await
        }
        bound => bound,
    }
}

async fn answers(url: &str) {
    let Ok(client) = client() else { return };
    while client.get(format!("{url}/api/v1/health")).send().await.is_err() {
        tokio::time::sleep(LOOK).await;
    }
}

/// For the loopback: no proxy and no certificates.
fn client() -> reqwest::Result<reqwest::Client> {
    tidings_sync::http::install_tls();
    reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(START).build()
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

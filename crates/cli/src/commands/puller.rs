//! Pulls every source for as long as a command runs, and answers the other commands on the same data folder, in place of
//! the app.

use std::sync::Arc;

use tidings_app::socket::{self, Request};
use tidings_home::Home;
use tidings_model::{Clock, SystemClock};
use tidings_net::certificates::CertificateStore;
use tidings_replica::Replica;
use tidings_sources::Bounds;
use tidings_sync::{BackoffConfig, Engine, EngineConfig, wake};
use tokio::task::JoinHandle;

use crate::{
    error::{Error, Result},
    inbox,
};

/// A running engine, with the socket of its data folder.
pub(super) struct Puller {
    pub(super) engine: Engine,
    answers: JoinHandle<()>,
}

impl Puller {
    /// Starts to pull; `None` if the app, or another command, does so already.
    pub(super) async fn start(home: &Home, replica: &Replica) -> Result<Option<Self>> {
        let listener = match socket::listen(&home.socket()) {
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => return Ok(None),
            listener => listener.map_err(Error::Io)?,
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let engine = Engine::start(EngineConfig {
            replica: replica.clone(),
            tokens: Arc::new(inbox::tokens(home, replica)?),
            clock: clock.clone(),
            wakes: wake::system(clock),
            backoff: BackoffConfig::default(),
            events: None,
            bounds: Bounds::default(),
        })
        .await?;
        let (request_engine, request_replica) = (engine.clone(), replica.clone());
        let certificates = inbox::certificates(home)?;
        let respond: socket::RequestHandler = Arc::new(move |request| {
            let (engine, replica) = (request_engine.clone(), request_replica.clone());
            let certificates = certificates.clone();
            Box::pin(async move { answer(request, &engine, &replica, &certificates).await })
        });
        Ok(Some(Self { engine, answers: socket::spawn_server(listener, respond) }))
    }

    /// Ends the pulls in an orderly way.
    pub(super) async fn stop(self) {
        self.engine.shutdown().await;
        // Dropping the listener removes its socket.
        self.answers.abort();
        let _ = self.answers.await;
    }
}

/// Answers a request of another command on the same folder.
async fn answer(
    request: Request,
    engine: &Engine,
    replica: &Replica,
    certificates: &CertificateStore,
) -> Result<(), String> {
    let to_text = |error: tidings_sync::Error| error.to_string();
    match request {
        Request::Pull => {
            engine.reload().await.map_err(to_text)?;
            let failed: Vec<_> = engine
                .pull_and_wait()
                .await
                .into_iter()
                .filter_map(|(id, outcome)| {
                    let name = replica
                        .source(id)
                        .map_or_else(|_| id.to_string(), |s| inbox::source_name(&s).to_owned());
                    Some(format!("{name}: {}", outcome.err()?))
                })
                .collect();
            if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
        }
        Request::Changed => {
            let origins = certificates.load().map_err(|error| error.to_string())?;
            engine.certificates_changed(&origins).await.map_err(to_text)?;
            engine.reload().await.map_err(to_text)?;
            engine.flush();
            Ok(())
        }
        _ => Err("a command in a terminal pulls here, without a window".to_owned()),
    }
}

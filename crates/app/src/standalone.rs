//! The first run and every one after it: the app's own server, its owner and token, and the source that pulls from
//! it. Refuses to ask a question: what is missing is made, what fails is said, and the rest goes on.

use async_trait::async_trait;
use tidings_replica::{NewSource, Source, SourceChange, SourceId};
use tidings_sync::tokens::Kept;

use crate::app::{App, Publishing};
use crate::error::Result;
use crate::home::Endpoint;
use crate::notices::Lack;

/// The port that programs on this computer publish to.
pub const USUAL_PORT: u16 = 7878;

/// What a fresh token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The app pulls with it.
    Inbox,
    /// The terminal publishes and asks with it.
    Terminal,
}

/// The server that the app runs itself, behind a port.
#[async_trait]
pub trait OwnServer: Send + Sync + 'static {
    /// Starts to answer on the usual port, or on a free one where that is taken. Gives the port, or why not.
    async fn start(&self) -> Result<u16, String>;
    /// A fresh token of the owner, who is made where it is missing.
    async fn token(&self, purpose: Purpose) -> Result<String, String>;
    /// Whether a token is one of the owner's.
    async fn knows(&self, token: &str) -> bool;
    /// Finishes what is in flight and ends.
    async fn stop(&self);
}

impl App {
    /// Starts the own server and makes its owner's source, token and `endpoint.json` where they are missing. What
    /// fails is said in a notice.
    pub(crate) async fn start_server(&self, server: &dyn OwnServer) {
        if self.is_stand_in() {
            // What it would acknowledge could not be kept.
            return;
        }
        match server.start().await {
            Ok(port) => {
                if port != USUAL_PORT {
                    self.raise(&Lack::Port { usual: USUAL_PORT, now: port });
                }
                let url = format!("http://127.0.0.1:{port}");
                self.inner.publishing.send_replace(Publishing::At(url.clone()));
                if let Err(why) = self.own_source(server, &url).await {
                    self.raise(&Lack::Server(why));
                }
            }
            Err(why) => self.raise(&Lack::Server(why)),
        }
    }

    async fn own_source(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let source = self.find_or_add_source(url).await.map_err(|error| error.to_string())?;
        let vault = self.inner.vault.clone();
        let token = beside(move || vault.get(source)).await.flatten();
        let known = match &token {
            Some(token) => server.knows(token).await,
            None => false,
        };
        if !known {
            let token = server.token(Purpose::Inbox).await?;
            let vault = self.inner.vault.clone();
            match beside(move || vault.set(source, &token)).await {
                Some(Ok(Kept::Keyring)) => {}
                Some(Ok(Kept::File)) => self.raise(&Lack::Keyring),
                Some(Err(error)) => return Err(error.to_string()),
                None => return Err("it was stopped".to_owned()),
            }
        }
        self.write_endpoint(server, url).await
    }

    async fn find_or_add_source(&self, url: &str) -> Result<SourceId> {
        let url = url.to_owned();
        self.disk(move |replica| match replica.sources()?.into_iter().find(|source| source.own) {
            Some(Source { id, url: kept, .. }) => {
                if kept != url {
                    replica.change_source(id, SourceChange { url: Some(url), ..SourceChange::default() })?;
                }
                Ok(id)
            }
            None => replica.add_source(NewSource {
                name: String::new(),
                protocol: "tidings".to_owned(),
                url,
                user: None,
                own: true,
            }),
        })
        .await
    }

    /// Tells the terminal where the server is; a token that is still good is kept.
    async fn write_endpoint(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let path = self.inner.home.endpoint();
        let before = Endpoint::read(&path);
        let token = match &before {
            Some(endpoint) if server.knows(&endpoint.token).await => endpoint.token.clone(),
            _ => server.token(Purpose::Terminal).await?,
        };
        let endpoint = Endpoint { url: url.to_owned(), token };
        if before.as_ref() == Some(&endpoint) {
            return Ok(());
        }
        endpoint.write(&path).map_err(|error| error.to_string())
    }
}

async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

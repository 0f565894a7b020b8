//! Answers the requests of a second start and of the terminal, which come over the app's socket.

use std::sync::Arc;

use tidings_ports::DesktopRequest;
use tidings_render::export::source_name;

use super::other_processes::OtherProcesses;
use super::requests::Requests;
use super::socket::Request;
use crate::context::{Context, part};
use crate::inbox::links::Links;
use crate::sources::engine::RunningEngine;

part! {
    /// Answers requests over the socket.
    pub(crate) struct SocketRequests {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        requests: Arc<Requests>,
        links: Arc<Links>,
        other_processes: Arc<OtherProcesses>,
    }
}

impl SocketRequests {
    /// Answers a request over the app's socket.
    ///
    /// # Errors
    /// A sentence that says why the request failed: in English for a pull, else in the reader's language.
    pub(crate) async fn answer(&self, request: Request) -> Result<(), String> {
        match request {
            Request::Pull => {
                self.other_processes.changed_by_other_process().await;
                let engine = self.engine.get().ok_or("Tidings is still starting")?;
                let done = engine.pull_and_wait().await;
                let sources = self.context.disk(tidings_replica::Replica::sources).await.unwrap_or_default();
                let named = |id| {
                    let source = sources.iter().find(|source| source.id == id);
                    source.map_or_else(|| format!("source {id}"), |source| source_name(source).to_owned())
                };
                let failed =
                    done.into_iter().filter_map(|(id, done)| Some(format!("{}: {}", named(id), done.err()?)));
                let failed: Vec<String> = failed.collect();
                if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
            }
            Request::Changed => {
                self.other_processes.changed_by_other_process().await;
                Ok(())
            }
            Request::Ping => Ok(()),
            Request::Show(token) => {
                self.requests.handle_request(DesktopRequest::Show(token)).await;
                Ok(())
            }
            Request::Act(action) => {
                self.requests.handle_request(DesktopRequest::Menu(action)).await;
                Ok(())
            }
            Request::Open(link) => self
                .links
                .follow_link(&link, None)
                .await
                .map_err(|error| error.to_ipc(self.context.lang()).text),
        }
    }
}

//! Sends the messages of the outbox that have a file, one at a time for each source. In the engine this goes on beside
//! the pulls, so that a large file holds up neither marks nor the messages of other conversations.
//!
//! What was written behind a file in the same conversation waits for it, so that the order stays. If a message is
//! discarded, its upload ends. If the server had accepted it by then, the message comes with the next pull.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

use futures_util::TryStreamExt;
use tidings_net::Error as NetError;
use tidings_replica::{Changed, Outgoing, OutgoingFile, Replica, SourceId};
use tidings_sources::{Source, Upload};
use tokio::io::AsyncReadExt;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::sleep;
use tokio_util::io::ReaderStream;

use super::message_answers::settle;
use crate::backoff::Backoff;
use crate::blocking::with_replica;
use crate::{BackoffConfig, Result, outgoing_files, waits};

/// How much of a file was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadProgress {
    /// Bytes sent so far.
    pub sent: u64,
    /// Bytes in all.
    pub size: u64,
}

/// The running uploads, by the id of their message.
pub type Uploads = BTreeMap<String, UploadProgress>;

/// Sends the files of one source.
pub(crate) struct Uploader {
    pub(crate) replica: Replica,
    pub(crate) id: SourceId,
    pub(crate) source: Arc<dyn Source>,
    /// Receives the progress; `None` if nobody shows it.
    pub(crate) progress: Option<Arc<watch::Sender<Uploads>>>,
}

impl Uploader {
    /// Sends files each time it is requested. After a failure it waits and tries again.
    pub(crate) async fn run(&self, requests: &Notify, config: BackoffConfig) -> Infallible {
        let mut backoff = Backoff::new(config);
        loop {
            requests.notified().await;
            while let Err(error) = self.send_all().await {
                let wait = backoff.after(&error);
                tracing::info!(source = self.id, %error, retry_in_s = wait.as_secs(), "a file was not sent");
                sleep(wait).await;
            }
            backoff.reset();
        }
    }

    /// Sends every file that nothing earlier in its conversation waits for.
    async fn send_all(&self) -> Result<()> {
        while self.send_next().await? {}
        Ok(())
    }

    /// Sends the next message with a file; `false` if there is none.
    pub(super) async fn send_next(&self) -> Result<bool> {
        let id = self.id;
        let mut changes = self.replica.subscribe();
        let messages = with_replica(&self.replica, move |r| r.outgoing(id)).await?;
        let Some((message, file)) = next(messages) else { return Ok(false) };
        let answer = tokio::select! {
            answer = waits::keep_to(&self.replica, id, self.send(&message, &file)) => answer,
            // Its writer discarded it.
            gone = self.wait_until_gone(&mut changes, &message.id) => return gone.map(|()| true),
        };
        settle(&self.replica, message.id, answer).await?;
        // A pull may have brought the message before its answer came.
        with_replica(&self.replica, outgoing_files::remove_unneeded).await?;
        Ok(true)
    }

    async fn send(&self, message: &Outgoing, file: &OutgoingFile) -> Result<tidings_model::MsgId> {
        let (copied, wanted) = (message.clone(), file.clone());
        let copy =
            with_replica(&self.replica, move |r| Ok(outgoing_files::open(r, &copied, &wanted))).await?;
        let copy = tokio::fs::File::from_std(copy.map_err(NetError::Disk)?);
        // The progress is also shown while the answer is awaited.
        let running = Arc::new(UploadInProgress::start(self.progress.clone(), &message.id, file.size));
        let counted = Arc::clone(&running);
        let content =
            ReaderStream::with_capacity(copy.take(file.size), self.source.bounds().file_chunk_bytes)
                .inspect_ok(move |chunk| counted.add(chunk.len() as u64));
        let upload = Upload { name: file.name.clone(), size: file.size, content: Box::pin(content) };
        Ok(self.source.send_message_with_file(message, upload).await?)
    }

    /// Returns once a message is not in the outbox any more.
    async fn wait_until_gone(
        &self,
        changes: &mut broadcast::Receiver<Arc<Changed>>,
        message: &str,
    ) -> Result<()> {
        loop {
            if let Err(RecvError::Closed) = changes.recv().await {
                return std::future::pending().await;
            }
            let name = message.to_owned();
            if !with_replica(&self.replica, move |r| r.is_outgoing(&name)).await? {
                return Ok(());
            }
        }
    }
}

/// The first unsent message with a file that is not behind another unsent message of its conversation.
fn next(messages: Vec<Outgoing>) -> Option<(Outgoing, OutgoingFile)> {
    let mut waiting = HashSet::new();
    for message in messages.into_iter().filter(Outgoing::is_unsent) {
        match message.file.clone() {
            Some(file) if !waiting.contains(&message.conversation) => return Some((message, file)),
            _ => waiting.insert(message.conversation),
        };
    }
    None
}

/// The progress of one upload; it ends when this is dropped.
struct UploadInProgress {
    all: Option<Arc<watch::Sender<Uploads>>>,
    message: String,
}

impl UploadInProgress {
    fn start(all: Option<Arc<watch::Sender<Uploads>>>, message: &str, size: u64) -> Self {
        let running = Self { all, message: message.to_owned() };
        running.change(|all| {
            all.insert(message.to_owned(), UploadProgress { sent: 0, size });
        });
        running
    }

    fn add(&self, bytes: u64) {
        self.change(|all| {
            if let Some(progress) = all.get_mut(&self.message) {
                progress.sent = (progress.sent + bytes).min(progress.size);
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut Uploads)) {
        if let Some(all) = &self.all {
            all.send_modify(change);
        }
    }
}

impl Drop for UploadInProgress {
    fn drop(&mut self) {
        self.change(|all| {
            all.remove(&self.message);
        });
    }
}

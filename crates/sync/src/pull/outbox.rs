//! Sends the outbox: local marks, and messages without a file, in their order. Operations without an answer stay in it.
//! The module `uploads` sends messages with a file.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tidings_model::{Code, wire};
use tidings_net::Error as NetError;
use tidings_replica::{Outgoing, Replica, SourceId};
use tidings_sources::Source;

use super::Pull;
use super::message_answers::settle;
use super::uploads::Uploader;
use crate::blocking::with_replica;
use crate::{EngineEvent, Result, waits};

impl Pull {
    /// Sends the outbox, and requests the sending of files. With `batch`, an outbox that holds only read marks of groups
    /// within their batching window is not sent.
    pub(crate) async fn flush(&self, batch: bool) -> Result<u64> {
        waits::keep_to(&self.replica, self.id, self.send_outbox(batch)).await
    }

    /// Does the same within a pull, which keeps to the waits that the server asks for.
    pub(super) async fn send_outbox(&self, batch: bool) -> Result<u64> {
        let sent = self.flush_without_files(batch).await?;
        match &self.uploads {
            Some(uploads) => {
                uploads.notify_one();
                Ok(sent)
            }
            None => Ok(sent + self.flush_files().await?),
        }
    }

    /// Sends the files, and after each the messages that waited for it.
    async fn flush_files(&self) -> Result<u64> {
        let (replica, source) = (self.replica.clone(), self.source.clone());
        let uploader = Uploader { replica, id: self.id, source, progress: None };
        let mut sent = 0;
        while uploader.send_next().await? {
            sent += 1 + flush_messages(&self.replica, self.id, &self.source).await?;
        }
        Ok(sent)
    }

    async fn flush_without_files(&self, batch: bool) -> Result<u64> {
        let id = self.id;
        // An empty outbox is not flushed either: a read mark that is queued meanwhile would be sent alone.
        if batch
            && with_replica(&self.replica, move |r| Ok(!r.has_unsent(id)? || r.is_batching_reads(id)?))
                .await?
        {
            return Ok(0);
        }
        Ok(flush(&self.replica, self.id, &self.source).await? + self.flush_subscriptions().await?)
    }

    /// Sends the subscriptions of threads that wait, one by one. One that the service refuses is taken back, and the
    /// reader hears of it.
    async fn flush_subscriptions(&self) -> Result<u64> {
        let (id, most, mut sent) = (self.id, self.source.bounds().subscriptions, 0);
        let waiting = with_replica(&self.replica, move |r| r.waiting_subscriptions(id, most)).await?;
        for one in waiting {
            let ok = match self.source.set_subscription(&one.subject, one.to).await {
                Ok(()) | Err(NetError::Refused(404) | NetError::Resync) => true,
                Err(NetError::Refused(status)) => {
                    tracing::warn!(source = id, status, "the service refused a subscription");
                    false
                }
                Err(NetError::Forbidden) => {
                    tracing::warn!(source = id, "the token does not allow subscriptions");
                    false
                }
                Err(error) => return Err(error.into()),
            };
            sent += 1;
            let thread = one.thread;
            with_replica(&self.replica, move |r| r.subscription_answered(&one, ok)).await?;
            if !ok {
                self.send(EngineEvent::SubscriptionRefused { source: id, thread }).await;
            }
        }
        Ok(sent)
    }
}

/// Sends the outbox of a source except files; returns the number of answered operations and messages.
async fn flush(replica: &Replica, id: SourceId, source: &Arc<dyn Source>) -> Result<u64> {
    Ok(flush_ops(replica, id, source).await? + flush_messages(replica, id, source).await?)
}

async fn flush_ops(replica: &Replica, id: SourceId, source: &Arc<dyn Source>) -> Result<u64> {
    let mut sent = 0;
    let mut last_oldest: Option<String> = None;
    loop {
        let most = source.max_ops();
        let ops = with_replica(replica, move |r| r.pending(id, most)).await?;
        let Some(oldest) = ops.first().map(|op| op.id.clone()) else { return Ok(sent) };
        if last_oldest.as_ref() == Some(&oldest) {
            // The answer did not contain this operation; sending it again would loop.
            return Err(NetError::Malformed.into());
        }
        last_oldest = Some(oldest);
        let results = send(source, ops).await?;
        sent += results.len() as u64;
        with_replica(replica, move |r| r.acknowledge(id, &results)).await?;
    }
}

/// Sends operations. If the server refuses a request as a whole, bisection finds the operation that it refuses, so
/// that the others are applied.
fn send(
    source: &Arc<dyn Source>,
    ops: Vec<wire::Op>,
) -> BoxFuture<'_, tidings_net::Result<Vec<wire::OpResult>>> {
    Box::pin(async move {
        match source.send_ops(ops.clone()).await {
            Err(NetError::Refused(400 | 413 | 422)) => {}
            answer => return answer,
        }
        if let [op] = ops.as_slice() {
            return Ok(vec![wire::OpResult { id: op.id.clone(), ok: false, code: Some(Code::Invalid) }]);
        }
        let mut first = ops;
        let second = first.split_off(first.len() / 2);
        let mut results = send(source, first).await?;
        results.extend(send(source, second).await?);
        Ok(results)
    })
}

/// Sends the messages without a file. Those behind a file of their conversation wait for it, so that their order stays.
async fn flush_messages(replica: &Replica, id: SourceId, source: &Arc<dyn Source>) -> Result<u64> {
    let messages = with_replica(replica, move |r| r.outgoing(id)).await?;
    let (mut sent, mut blocked) = (0, HashSet::new());
    for message in messages.into_iter().filter(Outgoing::is_unsent) {
        if message.file.is_some() {
            blocked.insert(message.conversation);
        } else if !blocked.contains(&message.conversation) {
            let answer = source.send_message(&message).await;
            settle(replica, message.id, answer.map_err(Into::into)).await?;
            sent += 1;
        }
    }
    Ok(sent)
}

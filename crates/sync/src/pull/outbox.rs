//! Sends the outbox: local marks and messages, in their order. Operations without an answer stay in it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tidings_model::{Code, wire};
use tidings_replica::{Replica, SourceId};

use crate::{Error, Result, Source, blocking::with_replica};

/// The most operations in one request, by the protocol.
const MAX_OPS_PER_REQUEST: usize = 1_000;

/// Sends the outbox of a source; returns the number of answered operations and messages.
pub(crate) async fn flush(replica: &Replica, id: SourceId, source: &Arc<dyn Source>) -> Result<u64> {
    Ok(flush_ops(replica, id, source).await? + flush_messages(replica, id, source).await?)
}

async fn flush_ops(replica: &Replica, id: SourceId, source: &Arc<dyn Source>) -> Result<u64> {
    let mut sent = 0;
    let mut last_oldest: Option<String> = None;
    loop {
        let ops = with_replica(replica, move |r| r.pending(id, MAX_OPS_PER_REQUEST)).await?;
        let Some(oldest) = ops.first().map(|op| op.id.clone()) else { return Ok(sent) };
        if last_oldest.as_ref() == Some(&oldest) {
            // The answer did not contain this operation; sending it again would loop.
            return Err(Error::Malformed);
        }
        last_oldest = Some(oldest);
        let results = send(source, ops).await?;
        sent += results.len() as u64;
        with_replica(replica, move |r| r.acknowledge(id, &results)).await?;
    }
}

/// Sends operations. If the server refuses a request as a whole, bisection finds the operation that it refuses, so
/// that the others are applied.
fn send(source: &Arc<dyn Source>, ops: Vec<wire::Op>) -> BoxFuture<'_, Result<Vec<wire::OpResult>>> {
    Box::pin(async move {
        match source.send_ops(ops.clone()).await {
            Err(Error::Refused(400 | 413 | 422)) => {}
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

async fn flush_messages(replica: &Replica, id: SourceId, source: &Arc<dyn Source>) -> Result<u64> {
    let messages = with_replica(replica, move |r| r.outgoing(id)).await?;
    let mut sent = 0;
    for message in messages.into_iter().filter(|m| m.refused.is_none() && m.posted.is_none()) {
        let name = message.id.clone();
        match source.send_message(&message).await {
            Ok(msgid) => with_replica(replica, move |r| r.message_posted(&name, &msgid)).await?,
            // Only the status is stored; the app has the strings for it.
            Err(Error::Refused(status)) => {
                with_replica(replica, move |r| r.message_refused(&name, &status.to_string())).await?;
            }
            Err(Error::Forbidden) => with_replica(replica, move |r| r.message_refused(&name, "403")).await?,
            Err(error) => return Err(error),
        }
        sent += 1;
    }
    Ok(sent)
}

//! Reads the body of an answer within its limits of time and size.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use tokio::time::Instant;

use super::STALL_TIMEOUT;
use crate::{Error, Result};

/// The timeout of a whole answer.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(120);
/// The largest answer that is read into memory, in bytes. A page ends at 4 MiB; one element may exceed that by 512
/// KiB.
pub const MAX_ANSWER_BYTES: usize = 8 << 20;

/// Reads the whole body: at most 8 MiB, within two minutes, with at most 60 s between two chunks.
///
/// # Errors
/// [`Error::AnswerTooLarge`], [`Error::AnswerTooSlow`], [`Error::Slow`], or [`Error::Unreachable`] if it was cut off.
pub async fn body(answer: Response) -> Result<Bytes> {
    body_within(answer, MAX_ANSWER_BYTES).await
}

/// As [`body`], with another limit in bytes.
pub async fn body_within(answer: Response, most: usize) -> Result<Bytes> {
    let mut body = Body::of(answer);
    let expected = body.answer.content_length().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    if expected > most {
        return Err(Error::AnswerTooLarge);
    }
    let mut buffer = BytesMut::with_capacity(expected.min(1 << 20));
    while let Some(chunk) = body.chunk().await? {
        if buffer.len() + chunk.len() > most {
            return Err(Error::AnswerTooLarge);
        }
        buffer.extend_from_slice(&chunk);
    }
    Ok(buffer.freeze())
}

/// A body read in chunks: each within [`STALL_TIMEOUT`], all of them within [`TOTAL_TIMEOUT`].
pub struct Body {
    answer: Response,
    stall: Duration,
    until: Instant,
    started: bool,
}

impl Body {
    /// The body of an answer.
    pub fn of(answer: Response) -> Self {
        Self::within(answer, STALL_TIMEOUT, TOTAL_TIMEOUT)
    }

    pub(super) fn within(answer: Response, stall: Duration, total: Duration) -> Self {
        Self { answer, stall, until: Instant::now() + total, started: false }
    }

    /// The next chunk; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        let until = self.until.min(Instant::now() + self.stall);
        match tokio::time::timeout_at(until, self.answer.chunk()).await {
            Ok(Ok(chunk)) => {
                self.started = true;
                Ok(chunk)
            }
            // The answer keeps arriving, but too slowly for its size.
            Err(_) if self.started && until == self.until => Err(Error::AnswerTooSlow),
            Err(_) => Err(Error::Slow),
            Ok(Err(error)) if error.is_timeout() => Err(Error::Slow),
            // The connection was cut off within the answer; a retry asks for the same again.
            Ok(Err(_)) => Err(Error::Unreachable),
        }
    }
}

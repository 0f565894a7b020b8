//! The bytes of a live channel, with a timeout for silence and a limit on the length of an event.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use reqwest::Response;
use tidings_net::{Error, Result};

/// The length in bytes above which an event ends the channel.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// The bytes in complete lines, until the connection ends, is silent for `silence`, or an event is too long. Silence
/// is measured here because the parser drops comments. The parser receives complete lines because it would scan an
/// incomplete line again with each chunk.
pub(crate) fn bytes(answer: Response, silence: Duration) -> impl Stream<Item = Result<Bytes>> {
    stream::unfold(Some((answer, Event::default(), BytesMut::new())), move |state| async move {
        let (mut answer, mut event, mut partial) = state?;
        loop {
            let error = match tokio::time::timeout(silence, answer.chunk()).await {
                Ok(Ok(Some(chunk))) if event.accept(&chunk) => {
                    // No line ends in the buffered part before the chunk.
                    let end = chunk.iter().rposition(|byte| *byte == b'\n').map(|at| partial.len() + at + 1);
                    partial.extend_from_slice(&chunk);
                    if let Some(end) = end {
                        let lines = partial.split_to(end).freeze();
                        return Some((Ok(lines), Some((answer, event, partial))));
                    }
                    // Carriage returns do not count for the length of an event but are buffered until their line
                    // ends.
                    if partial.len() <= MAX_EVENT_BYTES {
                        continue;
                    }
                    Error::AnswerTooLarge
                }
                Ok(Ok(Some(_))) => Error::AnswerTooLarge,
                Ok(Ok(None) | Err(_)) => Error::Unreachable,
                Err(_) => Error::Slow,
            };
            return Some((Err(error), None));
        }
    })
}

/// The length of the present event; an empty line ends it.
#[derive(Debug, Default)]
struct Event {
    event: usize,
    line: usize,
}

impl Event {
    /// Counts a chunk; `false` if the event is too long.
    fn accept(&mut self, chunk: &[u8]) -> bool {
        for byte in chunk {
            match byte {
                b'\r' => {}
                b'\n' => {
                    if self.line == 0 {
                        self.event = 0;
                    }
                    self.line = 0;
                }
                _ => {
                    self.line += 1;
                    self.event += 1;
                }
            }
            if self.event > MAX_EVENT_BYTES {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_ends_with_an_empty_line_and_not_with_any_other() {
        let mut event = Event::default();
        let line = [b"data: ".as_slice(), &[b'x'; 500], b"\r\n"].concat();
        assert!((0..2_000).all(|_| event.accept(&line)));
        assert!(event.accept(b"\r\n"));
        assert_eq!(event.event, 0);
        let taken = (0..10_000).take_while(|_| event.accept(&line)).count();
        assert_eq!(taken, MAX_EVENT_BYTES / 506);
    }
}

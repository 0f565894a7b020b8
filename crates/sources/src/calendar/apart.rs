//! Has calendars read in a child process.

use std::time::Duration;

use bytes::Bytes;
use tidings_net::{Error, Result};
use tidings_sandbox::{Failure, Limits, Parser};

use super::MAX_CALENDAR_BYTES;
use super::busy::{self, BusyTime, Unreadable, Window};

/// The most bytes of the line before a document.
const MAX_HEAD_BYTES: usize = 1 << 10;

/// The parser of calendars.
pub(crate) static PARSER: Parser = Parser {
    name: "calendar",
    limits: Limits {
        input: MAX_CALENDAR_BYTES + MAX_HEAD_BYTES,
        output: 256 << 10,
        memory: 256 << 20,
        time: Duration::from_secs(10),
    },
    run: |input| run(&input),
};

/// The busy times of a document; `of` names it.
///
/// # Errors
/// [`Error::Malformed`] if it is no calendar, [`Error::AnswerTooLarge`] or [`Error::TooComplex`] if it has too much.
pub(super) async fn read(document: Bytes, of: &str, window: Window) -> Result<Vec<BusyTime>> {
    let mut head = serde_json::to_vec(&window).map_err(|_| Error::Malformed)?;
    head.push(b'\n');
    let answer = tidings_sandbox::run(&PARSER, of, vec![head.into(), document]).await.map_err(|failure| {
        tracing::warn!(%failure, "a calendar can't be read");
        match failure {
            Failure::TooLarge | Failure::Output => Error::AnswerTooLarge,
            Failure::Memory | Failure::Time => Error::TooComplex,
            Failure::Crashed => Error::Malformed,
            Failure::Busy | Failure::NoChild => Error::Panicked,
        }
    })?;
    let answer: std::result::Result<Vec<BusyTime>, Unreadable> =
        serde_json::from_slice(&answer).map_err(|_| Error::Malformed)?;
    answer.map_err(|why| match why {
        Unreadable::Malformed => Error::Malformed,
        Unreadable::Excess => Error::TooComplex,
    })
}

/// Runs in the child.
fn run(input: &[u8]) -> Vec<u8> {
    let answer = answer(input).unwrap_or(Err(Unreadable::Malformed));
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn answer(input: &[u8]) -> Option<std::result::Result<Vec<BusyTime>, Unreadable>> {
    let (head, document) = input.split_at_checked(input.iter().position(|byte| *byte == b'\n')? + 1)?;
    let window = serde_json::from_slice(head).ok()?;
    let text = String::from_utf8_lossy(document);
    Some(busy::busy(text.trim_start_matches('\u{feff}'), window))
}

//! Has documents read in a child process, and passes by those at which a process ended or a parser failed before.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidings_model::Content;
use tidings_net::{Error, Result};
use tidings_sandbox::marks::{self, Kind};
use tidings_sandbox::{Failure, Limits, Parser};
use url::Url;

use super::document::{self, Contents, Reason, Unreadable};
use super::entry::{self, digest};
use super::guard::Excess;
use crate::service::{self, MAX_SERVICE_ANSWER_BYTES, Room};

/// The most bytes of the head of an input.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The most bytes of a document that is not large, and of what it becomes.
const SMALL_BYTES: usize = 4 << 20;

/// The parser of documents.
pub(crate) static PARSER: Parser = Parser {
    name: "feed",
    limits: Limits {
        input: MAX_SERVICE_ANSWER_BYTES + MAX_HEAD_BYTES,
        // The texts of entries, and what JSON adds to them.
        output: entry::MAX_ENTRIES_BYTES * 2,
        memory: 160 << 20,
        time: Duration::from_secs(10),
    },
    run,
};
/// The same for documents that are not large and become nothing large, which several sources may have at once.
pub(crate) static SMALL_PARSER: Parser = Parser {
    name: "small feed",
    limits: Limits {
        input: SMALL_BYTES + MAX_HEAD_BYTES,
        output: SMALL_BYTES,
        memory: 64 << 20,
        ..PARSER.limits
    },
    run,
};

/// What stands before a document, in one line.
#[derive(Serialize, Deserialize)]
struct Head<'h> {
    at: &'h str,
    charset: Option<&'h str>,
}

/// The answer of the parser.
type ParserAnswer<C> = Result<Contents<C>, Unreadable>;

/// Reads a document from `at`, which a source asked for: `of` names it, and `charset` is that of its answer. Waits for
/// `room` if the document becomes large.
///
/// # Errors
/// [`Error::Malformed`] if it is neither a feed nor a page of the web, [`Error::AnswerTooLarge`] if it has too much of
/// something. [`Error::TooComplex`] if it takes too much to read, [`Error::PassedBy`] if a process ended at it before.
pub(super) async fn read(
    body: Bytes,
    charset: Option<&str>,
    at: &Url,
    of: &str,
    room: &mut Option<Room>,
) -> Result<Contents<Box<RawValue>>> {
    let mark = marks::of_process().map(|marks| marks.begin(Kind::Page, of, &digest(&body)));
    let mark = mark.transpose().map_err(|_| Error::PassedBy)?;
    let mut head = serde_json::to_vec(&Head { at: at.as_str(), charset }).map_err(|_| Error::Malformed)?;
    head.push(b'\n');
    let input = vec![head.into(), body];
    // Of a large document nothing is kept here while the answer is read.
    let read = if room.is_some() {
        tidings_sandbox::run(&PARSER, of, input).await
    } else {
        match tidings_sandbox::run(&SMALL_PARSER, of, input.clone()).await {
            Err(Failure::Memory | Failure::Output) => {
                *room = service::room().await;
                tidings_sandbox::run(&PARSER, of, input).await
            }
            read => read,
        }
    };
    match read {
        Ok(answer) => contents(&answer),
        Err(failure) => {
            tracing::warn!(%failure, "the document of a feed can't be read");
            if let Some(mark) = mark.filter(|_| failure.is_of_input()) {
                mark.pass_by();
            }
            Err(error(failure))
        }
    }
}

const fn error(failure: Failure) -> Error {
    match failure {
        Failure::TooLarge | Failure::Output => Error::AnswerTooLarge,
        Failure::Memory | Failure::Time => Error::TooComplex,
        Failure::Crashed => Error::PassedBy,
        Failure::Busy | Failure::NoChild => Error::Panicked,
    }
}

fn contents(answer: &[u8]) -> Result<Contents<Box<RawValue>>> {
    let answer: ParserAnswer<Box<RawValue>> = serde_json::from_slice(answer).map_err(|_| Error::Malformed)?;
    answer.map_err(|why| {
        // No text of the document.
        tracing::warn!(?why, "the document of a feed can't be read");
        match why {
            Unreadable::Malformed(_) => Error::Malformed,
            Unreadable::Excess(Excess::Number) => Error::AnswerTooLarge,
            Unreadable::Excess(Excess::Depth | Excess::Product) => Error::TooComplex,
        }
    })
}

/// Runs in the child.
fn run(input: Vec<u8>) -> Vec<u8> {
    let answer = answer(input).unwrap_or(Err(Unreadable::Malformed(Reason::NoFeed)));
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn answer(input: Vec<u8>) -> Option<ParserAnswer<Content>> {
    let (head, body) = input.split_at_checked(input.iter().position(|byte| *byte == b'\n')? + 1)?;
    let Head { at, charset } = serde_json::from_slice(head).ok()?;
    let at: Url = at.parse().ok()?;
    let read = document::read(body, charset, &at);
    // Its entries are made of what the library kept.
    drop(input);
    Some(read.map(|read| read.contents(&at)))
}

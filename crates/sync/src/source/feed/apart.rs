//! Has documents read in a child process, and passes by those at which a process ended or a parser failed before.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tidings_model::{Content, MsgId};
use tidings_sandbox::marks::{self, Kind};
use tidings_sandbox::{Failure, Limits, Parser};
use url::Url;

use super::document::{self, Contents, Parsed, Unreadable};
use super::entry::{self, Entry};
use super::guard::Excess;
use crate::source::requests::MAX_SERVICE_ANSWER_BYTES;
use crate::{Error, Result};

/// The most bytes of the head of an input.
const MAX_HEAD_BYTES: usize = 64 << 10;

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

/// What stands before a document, in one line.
#[derive(Serialize, Deserialize)]
struct Head<'h> {
    at: &'h str,
    charset: Option<&'h str>,
}

/// The answer of the parser.
#[derive(Serialize, Deserialize)]
enum Answer {
    Feed { title: String, ttl: Option<u32>, digest: String, entries: Vec<EntryParts> },
    Page(Option<String>),
    Unreadable(Unreadable),
}

/// What an entry is made of.
#[derive(Serialize, Deserialize)]
struct EntryParts {
    msgid: MsgId,
    content: Content,
    published: Option<DateTime<Utc>>,
    updated: Option<DateTime<Utc>>,
}

/// Reads a document from `at`, which a source asked for: `of` names it, and `charset` is that of its answer.
///
/// # Errors
/// [`Error::Malformed`] if it is neither a feed nor a page of the web, [`Error::AnswerTooLarge`] if it has too much of
/// something, [`Error::TooComplex`] if it takes too much to read, [`Error::PassedBy`] if a process ended at it before.
pub(super) async fn read(body: Bytes, charset: Option<&str>, at: &Url, of: &str) -> Result<Contents> {
    let mark = marks::of_process().map(|marks| marks.begin(Kind::Page, of, &document::digest(&body)));
    let mark = mark.transpose().map_err(|_| Error::PassedBy)?;
    let mut head = serde_json::to_vec(&Head { at: at.as_str(), charset }).map_err(|_| Error::Malformed)?;
    head.push(b'\n');
    match tidings_sandbox::run(&PARSER, of, vec![head.into(), body]).await {
        Ok(answer) => contents(&answer, at),
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

fn contents(answer: &[u8], at: &Url) -> Result<Contents> {
    match serde_json::from_slice(answer).map_err(|_| Error::Malformed)? {
        Answer::Feed { title, ttl, digest, entries } => {
            let actor = entry::actor(&title, at);
            let entries = entries.into_iter().map(|EntryParts { msgid, content, published, updated }| {
                Entry { item: entry::item(msgid, actor.clone(), content), published, updated }
            });
            let entries = entries.collect();
            Ok(Contents::Feed(Parsed { title, ttl, digest, entries }))
        }
        Answer::Page(named) => Ok(Contents::Page(named.and_then(|named| named.parse().ok()))),
        Answer::Unreadable(why) => {
            // No text of the document.
            tracing::warn!(?why, "the document of a feed can't be read");
            Err(match why {
                Unreadable::Malformed(_) => Error::Malformed,
                Unreadable::Excess(Excess::Number) => Error::AnswerTooLarge,
                Unreadable::Excess(Excess::Depth | Excess::Product) => Error::TooComplex,
            })
        }
    }
}

/// Runs in the child.
fn run(input: &[u8]) -> Vec<u8> {
    let answer = answer(input).unwrap_or(Answer::Unreadable(Unreadable::Malformed(document::Reason::NoFeed)));
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn answer(input: &[u8]) -> Option<Answer> {
    let (head, body) = input.split_at_checked(input.iter().position(|byte| *byte == b'\n')? + 1)?;
    let Head { at, charset } = serde_json::from_slice(head).ok()?;
    Some(match document::contents(body, charset, &at.parse().ok()?) {
        Ok(Contents::Feed(Parsed { title, ttl, digest, entries })) => {
            let entries = entries.into_iter().map(|Entry { item, published, updated }| EntryParts {
                msgid: item.msgid,
                content: item.content,
                published,
                updated,
            });
            Answer::Feed { title, ttl, digest, entries: entries.collect() }
        }
        Ok(Contents::Page(named)) => Answer::Page(named.map(String::from)),
        Err(why) => Answer::Unreadable(why),
    })
}

//! Has files of other programs read in a child process, and passes by those at which a process ended or a parser failed
//! before.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tidings_sandbox::marks::{self, Kind};
use tidings_sandbox::{Failure, Limits, Parser};

use super::{ImportError, Imported, ImportedSource, MAX_IMPORT_BYTES, parse};
use crate::kinds::protocol;

/// The parser of files.
pub(crate) static PARSER: Parser = Parser {
    name: "import",
    limits: Limits {
        input: MAX_IMPORT_BYTES,
        // Names and addresses of the sources, and what JSON adds to them.
        output: 2 * MAX_IMPORT_BYTES,
        memory: 96 << 20,
        time: Duration::from_secs(5),
    },
    run: |input| run(&input),
};

pub(super) async fn read(file: Vec<u8>, name: &str) -> Result<Imported, ImportError> {
    if file.len() > MAX_IMPORT_BYTES {
        return Err(ImportError::TooLarge);
    }
    let mark =
        marks::of_process().map(|marks| marks.begin(Kind::Import, name, &marks::digest([file.as_slice()])));
    let mark = mark.transpose().map_err(|_| ImportError::PassedBy)?;
    match tidings_sandbox::run(&PARSER, "imports", vec![file.into()]).await {
        Ok(answer) => imported(&answer),
        Err(failure) => {
            if let Some(mark) = mark.filter(|_| failure.is_of_input()) {
                mark.pass_by();
            }
            Err(match failure {
                Failure::TooLarge | Failure::Output => ImportError::TooLarge,
                Failure::Memory | Failure::Time => ImportError::TooComplex,
                Failure::Crashed => ImportError::PassedBy,
                Failure::Busy | Failure::NoChild => ImportError::Busy,
            })
        }
    }
}

/// The answer of the parser.
#[derive(Serialize, Deserialize)]
struct ImportAnswer {
    sources: Vec<SourceParts>,
    left_out: Vec<String>,
    left_out_count: usize,
}

/// What a source is made of.
#[derive(Serialize, Deserialize)]
struct SourceParts {
    protocol: String,
    name: String,
    url: String,
    token: Option<String>,
}

fn imported(answer: &[u8]) -> Result<Imported, ImportError> {
    let answer: Result<ImportAnswer, ImportError> =
        serde_json::from_slice(answer).map_err(|_| ImportError::Form)?;
    let ImportAnswer { sources, left_out, left_out_count } = answer?;
    let sources = sources.into_iter().filter_map(|SourceParts { protocol: kind, name, url, token }| {
        Some(ImportedSource { protocol: protocol(&kind).ok()?.name, name, url, token })
    });
    Ok(Imported { sources: sources.collect(), left_out, left_out_count })
}

/// Runs in the child.
fn run(file: &[u8]) -> Vec<u8> {
    let answer =
        parse(file).map(|Imported { sources, left_out, left_out_count }| {
            let sources = sources.into_iter().map(|ImportedSource { protocol, name, url, token }| {
                SourceParts { protocol: protocol.to_owned(), name, url, token }
            });
            ImportAnswer { sources: sources.collect(), left_out, left_out_count }
        });
    serde_json::to_vec(&answer).unwrap_or_default()
}

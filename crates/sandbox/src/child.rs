//! The child: reads requests from its standard input, one after the other, and answers each on its standard output.

use std::io::{self, BufWriter};

use crate::{Parser, confine, frame};

/// The stack of a parser, in bytes: as large as that of a program's first thread.
pub(crate) const STACK_BYTES: usize = 8 << 20;
/// The most memory that a child may keep for its next input, in bytes above what it began with.
const KEPT_BYTES: u64 = 24 << 20;
/// The exit code if what arrives is no request.
const NO_REQUEST: i32 = 2;
/// The exit code of a process that panicked.
pub(crate) const PANICKED: i32 = 101;

/// Answers requests until the input ends, with which the program that started this process ends, too. Returns the exit code.
pub(crate) fn serve(parsers: &[&'static Parser]) -> i32 {
    confine::begin();
    // The message of a panic may hold text of the input.
    std::panic::set_hook(Box::new(|_| {}));
    let base = confine::memory();
    let (mut input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    loop {
        let parser = match frame::read_name(&mut input) {
            Ok(Some(name)) => parsers.iter().find(|parser| parser.name == name),
            Ok(None) => return 0,
            Err(_) => return NO_REQUEST,
        };
        let Some(parser) = parser else { return NO_REQUEST };
        // The input counts, too.
        confine::limit(&parser.limits, base);
        let Ok(bytes) = frame::read_body(&mut input, parser.limits.input) else { return NO_REQUEST };
        let (status, answer) = match parse(parser, bytes) {
            Ok(Some(answer)) if answer.len() > parser.limits.output => (frame::TOO_LARGE, Vec::new()),
            Ok(Some(answer)) => (frame::STAYS, answer),
            Ok(None) => return PANICKED,
            Err(_) => (frame::NO_MEMORY, Vec::new()),
        };
        let keeps_much = confine::memory() > base + KEPT_BYTES;
        let status = if status == frame::STAYS && keeps_much { frame::ENDS } else { status };
        if frame::write_answer(&mut output, status, &answer).is_err() || status != frame::STAYS {
            return 0;
        }
    }
}

/// Runs a parser on a thread with a stack of known size; `None` if it panicked.
fn parse(parser: &'static Parser, bytes: Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        Ok(thread.spawn_scoped(scope, move || (parser.run)(bytes))?.join().ok())
    })
}

//! The type of a parser, with its bounds.

use std::time::Duration;

/// A parser that runs apart.
#[derive(Debug)]
pub struct Parser {
    /// Its name: unique within the program, at most 255 bytes.
    pub name: &'static str,
    /// What bounds it.
    pub limits: Limits,
    /// Parses: bytes in, bytes out. A refusal of the input is an output like any other. A large input is dropped as soon as
    /// it is read.
    pub run: fn(Vec<u8>) -> Vec<u8>,
}

/// The bounds of a parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest input, in bytes.
    pub input: usize,
    /// The largest output, in bytes.
    pub output: usize,
    /// The memory that the child may use for it, in bytes, with the input and the output.
    pub memory: usize,
    /// The processor time that it may take. Builds without optimisation have four times as much. On a busy machine it
    /// takes longer; after twenty times as long it is ended, too.
    pub time: Duration,
}

/// How much slower a parser may be in a build without optimisation.
const SLOWNESS: u32 = if cfg!(debug_assertions) { 4 } else { 1 };
/// How much longer than its processor time a parser may take.
const WAIT: u32 = 20;

impl Limits {
    /// The processor time, in this build.
    pub(crate) fn processor_time(&self) -> Duration {
        self.time.saturating_mul(SLOWNESS)
    }

    /// The time after which the child is ended, whatever it does.
    pub(crate) fn wall_time(&self) -> Duration {
        self.processor_time().saturating_mul(WAIT)
    }
}

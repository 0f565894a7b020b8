//! Why a parser gave no answer.

/// Why a parser gave no answer. The process that asked for it goes on in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The input is larger than its parser takes.
    #[error("the input is too large")]
    TooLarge,
    /// The parser wanted more memory than it may have.
    #[error("the input takes too much memory to read")]
    Memory,
    /// The parser took too long.
    #[error("the input takes too long to read")]
    Time,
    /// The parser ended with its process: it panicked, its stack overflowed, or it was aborted.
    #[error("the input can't be read: its parser failed")]
    Crashed,
    /// The answer is larger than it may be.
    #[error("what the input contains is too large")]
    Output,
    /// Too many inputs wait, or this one waited too long.
    #[error("too many inputs wait to be read")]
    Busy,
    /// No child could be started, or it was ended from outside.
    #[error("no process could be started to read the input")]
    NoChild,
}

impl Failure {
    /// Whether the input is to blame, so that the same happens again with it. A time that ran out may be that of a busy
    /// machine.
    pub const fn is_of_input(self) -> bool {
        matches!(self, Self::TooLarge | Self::Memory | Self::Crashed | Self::Output)
    }
}

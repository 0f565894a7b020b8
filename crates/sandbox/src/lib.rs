//! Runs parsers of foreign input in a child process of the program itself, and remembers which input was being read when
//! a process ended.
//!
//! # Why a child process
//!
//! Each parser has a guard in front of it that bounds its input, but a guard answers only what its author foresaw. A
//! stack that overflows, a failed allocation or a panic within a drop aborts a process, past `catch_unwind`. It ends
//! the inbox, the own server and all sources. A thread has no memory limit and can't be ended. A second program would
//! have to be shipped and found. So the program starts itself again: the same code, with nothing but three pipes, with
//! limits of memory and time that the kernel keeps. This costs the start of a child and the copy of the input through a
//! pipe. A start takes some 10 ms and 5 MiB for `tidings`, some 150 ms and 16 MiB for `tidings-desktop`, whose
//! libraries are linked dynamically. Both are debug builds, on a busy machine of two cores. A child is used again, and
//! ends after 30 seconds without work. If inputs are many and small, such as templates, guards alone have to do.
//!
//! # Use
//!
//! A crate declares each parser as a [`Parser`], and exports the list of them. `main` hands all lists to
//! [`enter_if_child`] before anything else, and [`run`] calls a parser. In a program that did not call
//! [`enter_if_child`], such as the tests of a crate, the parser runs on a thread of this process.
//!
//! ```
//! use std::time::Duration;
//! use tidings_sandbox::{Limits, Parser, run};
//!
//! static LENGTH: Parser = Parser {
//!     name: "length",
//!     limits: Limits { input: 1 << 20, output: 8, memory: 16 << 20, time: Duration::from_secs(1) },
//!     run: |input| input.len().to_le_bytes().to_vec(),
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tidings_sandbox::Failure> {
//! let length = run(&LENGTH, "source 1", vec![b"ab".as_slice().into(), b"c".as_slice().into()]).await?;
//! assert_eq!(length, 3_usize.to_le_bytes());
//! # Ok(())
//! # }
//! ```

mod child;
mod confine;
mod failure;
mod frame;
pub mod marks;
mod parent;
mod parser;
mod pool;
mod thread;
mod turns;

use std::sync::OnceLock;

use bytes::Bytes;

pub use failure::Failure;
pub use parser::{Limits, Parser};
use pool::Pool;

/// The argument that makes the program a child. No command of a program has this name.
const CHILD_ARGUMENT: &str = "parse-foreign-input";

static POOL: OnceLock<Pool> = OnceLock::new();

/// Serves as a child if this process was started as one, and never returns then. Otherwise [`run`] uses children from
/// now on. The first thing in `main`: before arguments are read, and before the first call of [`run`].
///
/// `parsers` has every parser that this program runs.
pub fn enter_if_child(parsers: &[&'static Parser]) {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == CHILD_ARGUMENT) {
        std::process::exit(child::serve(parsers));
    }
    // A pool that runs already keeps its way.
    drop(POOL.set(Pool::of_children()));
}

/// Runs a parser on the parts of an input, which it sees as one. `turn` names whom the input is from, such as a source or a
/// user: of each one, one input at a time is parsed, and they take turns.
///
/// If the future is dropped, the child is ended.
///
/// # Errors
/// [`Failure`], after which the next input has a new child.
pub async fn run(parser: &'static Parser, turn: &str, input: Vec<Bytes>) -> Result<Vec<u8>, Failure> {
    POOL.get_or_init(Pool::of_threads).run(parser, turn, input).await
}

//! Runs a parser on a thread of this process, in programs that have no children. Its time is bounded only for the
//! caller that waits for it, and its memory is not.

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::child::STACK_BYTES;
use crate::turns::Turn;
use crate::{Failure, Parser};

/// Runs a parser. Its turn ends with the thread.
pub(crate) async fn run(parser: &'static Parser, input: Vec<Bytes>, turn: Turn) -> Result<Vec<u8>, Failure> {
    let (answer, answered) = oneshot::channel();
    let thread = std::thread::Builder::new().name(parser.name.to_owned()).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || {
        let input = input.concat();
        // Nobody may wait any more.
        let _ = answer.send((parser.run)(input));
        drop(turn);
    });
    if spawned.is_err() {
        return Err(Failure::NoChild);
    }
    match tokio::time::timeout(parser.limits.wall_time(), answered).await {
        Ok(Ok(answer)) if answer.len() > parser.limits.output => Err(Failure::Output),
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(Failure::Crashed),
        Err(_) => Err(Failure::Time),
    }
}

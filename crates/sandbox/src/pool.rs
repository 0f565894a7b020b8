//! The children that wait for work, and who may use them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::parent::{Child, Ended};
use crate::turns::Turns;
use crate::{Failure, Parser, thread};

/// The most children.
const MAX_CHILDREN: usize = 2;
/// A child ends after this time without work.
const IDLE: Duration = Duration::from_secs(30);
/// How often an input is tried whose child was ended from outside.
const TRIES: usize = 2;

/// The children without work, with the time since which they have none.
type Idle = Mutex<Vec<(Instant, Child)>>;

/// Where parsers run.
pub(crate) struct Pool {
    turns: Turns,
    /// `None` if parsers run on threads.
    idle: Option<Arc<Idle>>,
}

impl Pool {
    pub(crate) fn of_children() -> Self {
        Self { turns: Turns::new(MAX_CHILDREN), idle: Some(Arc::default()) }
    }

    pub(crate) fn of_threads() -> Self {
        Self { turns: Turns::new(MAX_CHILDREN), idle: None }
    }

    pub(crate) async fn run(
        &self,
        parser: &'static Parser,
        turn: &str,
        input: Vec<Bytes>,
    ) -> Result<Vec<u8>, Failure> {
        if input.iter().map(Bytes::len).sum::<usize>() > parser.limits.input {
            return Err(Failure::TooLarge);
        }
        let turn = self.turns.take(turn).await?;
        let Some(idle) = &self.idle else { return thread::run(parser, input, turn).await };
        for _ in 0..TRIES {
            let mut child = match take(idle) {
                Some(child) => child,
                None => Child::start().map_err(|error| {
                    tracing::warn!(%error, "no process can be started that reads what arrives");
                    Failure::NoChild
                })?,
            };
            let asked = tokio::time::timeout(parser.limits.wall_time(), child.ask(parser, &input)).await;
            let Ok(asked) = asked else { return Err(Failure::Time) };
            match asked {
                Ok((answer, stays)) => {
                    if stays {
                        keep(idle, child);
                    }
                    return Ok(answer);
                }
                Err(Ended::By(failure)) => return Err(failure),
                Err(Ended::FromOutside) => {}
            }
        }
        Err(Failure::NoChild)
    }
}

/// A child that lives.
fn take(idle: &Idle) -> Option<Child> {
    let mut idle = idle.lock();
    std::iter::from_fn(|| idle.pop()).map(|(_, child)| child).find_map(Child::if_it_lives)
}

/// Keeps a child for other inputs, and ends it if none come.
fn keep(idle: &Arc<Idle>, child: Child) {
    idle.lock().push((Instant::now(), child));
    let idle = idle.clone();
    tokio::spawn(async move {
        tokio::time::sleep(IDLE).await;
        idle.lock().retain(|(since, _)| since.elapsed() < IDLE);
    });
}

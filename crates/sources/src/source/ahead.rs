//! The request for a page that is sent before the page in front of it is parsed: a server makes one while the other is
//! read.

use std::net::SocketAddr;

use bytes::Bytes;
use tidings_net::waits::RequestedWait;
use tidings_net::{Error, Result};
use tokio::task::JoinSet;

use super::Since;

/// An answer that was read and not parsed.
pub(crate) struct Unparsed {
    pub(crate) body: Bytes,
    /// Where it came from.
    pub(crate) from: Option<SocketAddr>,
}

/// The answer to the next request of a pull, on its way. Dropping this ends the request.
#[derive(Default)]
pub struct Ahead {
    wanted: bool,
    /// What is asked for.
    next: Option<(Since, usize)>,
    answers: JoinSet<Result<Unparsed>>,
}

impl Ahead {
    /// Says whether the page after the next one is wanted, too.
    pub const fn want(&mut self, wanted: bool) {
        self.wanted = wanted;
    }

    /// Sends a request, if its page is wanted.
    pub(crate) fn ask(
        &mut self,
        since: Since,
        limit: usize,
        request: impl Future<Output = Result<Unparsed>> + Send + 'static,
    ) {
        if self.wanted {
            self.next = Some((since, limit));
            self.answers.spawn(RequestedWait::of_task().record(request));
        }
    }

    /// The answer to this request; `None` if another one was sent, or none.
    pub(crate) async fn take(&mut self, since: &Since, limit: usize) -> Option<Result<Unparsed>> {
        let is_same = self.next.take().is_some_and(|(asked, most)| asked == *since && most == limit);
        if !is_same {
            // Ends the other request.
            self.answers = JoinSet::new();
            return None;
        }
        let answer = self.answers.join_next().await?;
        Some(answer.unwrap_or_else(|error| Err(Error::from_task(&error))))
    }
}

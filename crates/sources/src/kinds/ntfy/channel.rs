//! The live channel of topics. Its messages are kept until a pull has stored them: a message that is delivered late, or
//! that the server does not cache, comes with no poll.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use reqwest::Response;
use tidings_net::{Error, Result};

use super::event::{self, Event};
use crate::bounds::Bounds;
use crate::service::lines::{Line, Lines};
use crate::source::{Hint, Live};

/// What the live channel has brought.
#[derive(Default)]
pub(super) struct Channel {
    bounds: Bounds,
    open: AtomicBool,
    /// Whether a poll by time has covered everything before the channel was opened.
    caught_up: AtomicBool,
    kept: Mutex<KeptMessages>,
}

#[derive(Default)]
struct KeptMessages {
    /// The messages, each with the length of its line.
    events: VecDeque<(Event, usize)>,
    bytes: usize,
}

impl Channel {
    /// A channel that has brought nothing yet.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// Whether it is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Whether it is open and everything that polls by id may miss has come with it, or before it.
    pub(super) fn is_complete(&self) -> bool {
        self.is_open() && self.caught_up.load(Ordering::Acquire)
    }

    /// Says that a poll by time, which began while the channel was open, has read everything.
    pub(super) fn set_caught_up(&self) {
        self.caught_up.store(true, Ordering::Release);
    }

    /// Drops the messages with these ids, which are stored or come with a poll.
    pub(super) fn forget(&self, is_known: impl Fn(&str) -> bool) {
        let mut kept = self.kept.lock();
        let KeptMessages { events, bytes } = &mut *kept;
        events.retain(|(event, length)| {
            let stays = !is_known(&event.id);
            if !stays {
                *bytes -= length;
            }
            stays
        });
    }

    /// The messages that are kept. They stay until [`Channel::forget`], since the page with them may not be stored.
    pub(super) fn events(&self) -> Vec<Event> {
        self.kept.lock().events.iter().map(|(event, _)| event.clone()).collect()
    }

    fn keep(&self, event: Event, length: usize) {
        let mut kept = self.kept.lock();
        kept.bytes += length;
        kept.events.push_back((event, length));
        while kept.events.len() > self.bounds.kept_events || kept.bytes > self.bounds.kept_event_bytes {
            let Some((_, length)) = kept.events.pop_front() else { break };
            kept.bytes -= length;
            // What is dropped is looked for by time.
            self.caught_up.store(false, Ordering::Release);
        }
    }

    /// The hint of a line; `None` for a line without news.
    fn receive(&self, line: Line) -> Result<Option<Hint>> {
        // What is too long is for the pull, which records it.
        let Line::Whole(line) = line else { return Ok(Some(Hint::Changed)) };
        let event = match Event::parse(&line) {
            Err(Error::AnswerTooLarge) => return Ok(Some(Hint::Changed)),
            Err(Error::Malformed) if event::malformed(&line).is_some() => return Ok(Some(Hint::Changed)),
            event => event?,
        };
        if event.kind().is_some() {
            self.keep(event, line.len());
            return Ok(Some(Hint::Changed));
        }
        Ok(event.is_poll_request().then_some(Hint::Changed))
    }
}

/// Closes the channel when it is dropped.
struct Opened(Arc<Channel>);

impl Opened {
    fn new(channel: Arc<Channel>) -> Self {
        channel.caught_up.store(false, Ordering::Release);
        channel.open.store(true, Ordering::Release);
        Self(channel)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.open.store(false, Ordering::Release);
        self.0.caught_up.store(false, Ordering::Release);
    }
}

/// The hints of a stream that was opened, until it ends or is silent for `silence`.
pub(super) fn hints(answer: Response, channel: Arc<Channel>, silence: Duration) -> Live {
    let state = Some((answer, Lines::default(), Opened::new(channel)));
    stream::unfold(state, move |state| async move {
        let (mut answer, mut lines, opened) = state?;
        loop {
            while let Some(line) = lines.take_line() {
                match opened.0.receive(line) {
                    Ok(None) => {}
                    Ok(Some(hint)) => return Some((Ok(hint), Some((answer, lines, opened)))),
                    Err(error) => return Some((Err(error), None)),
                }
            }
            let error = match tokio::time::timeout(silence, answer.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    lines.push(&chunk);
                    continue;
                }
                Ok(Ok(None) | Err(_)) => Error::Unreachable,
                Err(_) => Error::Slow,
            };
            return Some((Err(error), None));
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(id: usize, length: usize) -> Line {
        let message = "x".repeat(length);
        let line =
            json!({"id": format!("m{id}"), "time": 1, "event": "message", "topic": "t", "message": message});
        Line::Whole(line.to_string().into())
    }

    #[test]
    fn what_came_live_is_kept_until_it_is_known_and_no_longer() {
        let channel = Arc::new(Channel::new(Bounds::default()));
        let opened = Opened::new(channel.clone());
        for id in 0..3 {
            assert_eq!(channel.receive(line(id, 10)).ok(), Some(Some(Hint::Changed)));
        }
        assert_eq!(channel.events().len(), 3);
        assert_eq!(channel.events().len(), 3, "reading takes nothing away");
        channel.forget(|id| id == "m1");
        let ids: Vec<_> = channel.events().into_iter().map(|event| event.id).collect();
        assert_eq!(ids, ["m0", "m2"]);
        channel.forget(|_| true);
        assert_eq!(channel.kept.lock().bytes, 0);
        drop(opened);
        assert!(!channel.is_open());
    }

    #[test]
    fn more_than_is_kept_is_looked_for_again() {
        for (count, length) in [(201, 1), (20, 400 << 10)] {
            let channel = Arc::new(Channel::new(Bounds::default()));
            let _opened = Opened::new(channel.clone());
            channel.set_caught_up();
            assert!(channel.is_complete());
            for id in 0..count {
                channel.receive(line(id, length)).map(drop).map_err(|error| error.to_string()).unwrap();
            }
            assert!(!channel.is_complete());
            let kept = channel.kept.lock();
            assert!(kept.events.len() <= 200 && kept.bytes <= 4 << 20);
        }
    }

    #[test]
    fn keepalives_are_no_news_and_garbage_ends_the_channel() {
        let channel = Channel::new(Bounds::default());
        let of = |text: &str| channel.receive(Line::Whole(text.to_owned().into()));
        for quiet in ["open", "keepalive", "some_later_event"] {
            let line = json!({"id": "a", "time": 1, "event": quiet, "topic": "t"}).to_string();
            assert_eq!(of(&line).ok(), Some(None));
        }
        let poll_request =
            json!({"id": "a", "time": 1, "event": "poll_request", "topic": "t", "poll_id": "b"});
        assert_eq!(of(&poll_request.to_string()).ok(), Some(Some(Hint::Changed)));
        assert!(channel.events().is_empty());
        assert!(matches!(of("<html>"), Err(Error::Malformed)));
    }
}

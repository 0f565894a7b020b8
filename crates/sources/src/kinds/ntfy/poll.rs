//! The lines of a poll, as far as they count.

use tidings_model::MsgId;
use tidings_net::{Error, Result};
use tidings_replica::Skipped;

use super::cursor::Cursor;
use super::event::{self, Event};
use crate::service::lines::Line;

/// What a poll has brought so far.
#[derive(Default)]
pub(super) struct Poll {
    /// The lines about messages that are not known.
    pub(super) events: Vec<Event>,
    /// The id and the time of the last line about a message.
    pub(super) last: Option<(String, i64)>,
    /// The lines that were too long, and the first ones that could not be read.
    pub(super) skipped: Vec<Skipped>,
    /// The number of lines that count for the limit.
    pub(super) counted: usize,
    pub(super) bytes: usize,
    /// Whether it ends before a line of a later second.
    pub(super) is_cut: bool,
}

impl Poll {
    pub(super) fn accept(&mut self, line: Line, cursor: &Cursor, limit: usize) -> Result<()> {
        let event = match line {
            Line::Whole(line) => match Event::parse(&line) {
                Err(Error::AnswerTooLarge) => return self.skip(&line, cursor),
                Err(Error::Malformed) => return self.pass_by(&line),
                event => event?,
            },
            Line::TooLong(beginning) => return self.skip(&beginning, cursor),
        };
        if event.kind().is_none() {
            return Ok(());
        }
        let is_later = self.last.as_ref().is_some_and(|(_, time)| event.time > *time);
        if is_later && self.counted >= limit {
            self.is_cut = true;
            return Ok(());
        }
        self.last = Some((event.id.clone(), event.time));
        if !cursor.has_seen(&event.id) {
            // The second from which a walk goes on comes again.
            self.counted += usize::from(cursor.walk.is_none_or(|walk| event.time > walk.from));
            self.events.push(event);
        }
        Ok(())
    }

    /// Goes on after a line that is too long.
    fn skip(&mut self, beginning: &[u8], cursor: &Cursor) -> Result<()> {
        let id = event::id_of_beginning(beginning).ok_or(Error::Malformed)?;
        if !cursor.has_seen(&id) {
            tracing::warn!("a line of a topic is too long and is skipped");
            self.skipped.push(Skipped { position: id.clone(), msgid: MsgId(id), malformed: false });
        }
        Ok(())
    }

    /// Goes on after a line that can't be read.
    fn pass_by(&mut self, line: &[u8]) -> Result<()> {
        let malformed = event::malformed(line).ok_or(Error::Malformed)?;
        if self.skipped.len() < Skipped::MAX_RECORDED {
            self.skipped.push(malformed);
        }
        Ok(())
    }
}

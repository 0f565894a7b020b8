//! Makes a page of the events of a topic. A publication comes at its creation or its last new content, and one that was
//! cleared or deleted at that time.
//!
//! What ntfy's clients read is no second store. A topic's events are its publications and their revisions, in the
//! order of their stamps. A message's id has its stamp in it, so that any id is a place to go on from, and a
//! revision has another id.

use tidings_model::{MsgId, Stamp};

use super::fields::Fields;
use super::{TopicChange, TopicEvent, TopicPage};
use crate::Error;
use crate::domain::limits;

/// Events of one kind, in order, up to [`limits::TOPIC_PAGE_BYTES`].
pub struct EventList {
    events: Vec<TopicEvent>,
    /// How far the list is complete: to its last row, or to the end of all times.
    through: Stamp,
    rows: usize,
    limit: usize,
    bytes: usize,
}

impl EventList {
    /// A list of at most `limit` rows.
    pub fn new(limit: usize) -> Self {
        Self { events: Vec::new(), through: Stamp::MAX, rows: 0, limit, bytes: 0 }
    }

    /// Adds a row with its position, msgid, content, a column that is not read here, and its sequence; `change` is its
    /// event, if there is one. It gives false if the list ends with it.
    pub fn push(&mut self, row: &impl Fields, change: Option<TopicChange>) -> Result<bool, Error> {
        let position = row.stamp(0)?;
        if let Some(change) = change {
            let content = row.text(2)?;
            self.bytes += content.len();
            let content = serde_json::from_str(content)?;
            let sequence = row.text_or_null(4)?.map(str::to_owned);
            self.events.push(TopicEvent {
                position,
                change,
                msgid: MsgId(row.string(1)?),
                sequence,
                content,
            });
        }
        self.rows += 1;
        if self.rows < self.limit && self.bytes <= limits::TOPIC_PAGE_BYTES {
            return Ok(true);
        }
        self.through = position;
        Ok(false)
    }

    /// The page of several lists. What lies beyond the shortest one is read with the next page.
    pub fn merge(lists: impl IntoIterator<Item = Self>) -> TopicPage {
        let (mut events, mut through) = (Vec::new(), Stamp::MAX);
        for list in lists {
            through = through.min(list.through);
            events.extend(list.events);
        }
        events.retain(|event| event.position <= through);
        events.sort_by_key(|event| event.position);
        TopicPage { events, next: (through < Stamp::MAX).then_some(through) }
    }
}

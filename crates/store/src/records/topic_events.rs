//! What happens on topics.

use tidings_model::{Content, MsgId, Stamp};

/// What happened on a topic, as those who listen to it see it.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicEvent {
    /// The stamp of the publication or of its revision; positions of a topic grow.
    pub position: Stamp,
    /// What happened.
    pub change: TopicChange,
    /// The publication.
    pub msgid: MsgId,
    /// The sequence under which it was published.
    pub sequence: Option<String>,
    /// The publication's content now.
    pub content: Content,
}

/// A kind of event on a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicChange {
    /// It was published.
    Published,
    /// Its publisher gave it new content.
    Revised,
    /// Its publisher marked it as read for everyone.
    Cleared,
    /// Its publisher deleted it for everyone.
    Deleted,
}

/// A page of the events of a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicPage {
    /// The events by their positions.
    pub events: Vec<TopicEvent>,
    /// The position after which the next page begins; `None` on the last page.
    pub next: Option<Stamp>,
}

/// A change to the notification that was published under a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceChange {
    /// Marks it read for everyone.
    Clear,
    /// Deletes it for everyone.
    Delete,
}

//! The part of the store's interface that is about topics: their settings, the last payloads of webhooks, and their
//! events.

use async_trait::async_trait;
use tidings_model::Stamp;

use crate::Error;
use crate::domain::expectation::Watch;
use crate::domain::topic::TopicSettings;
use crate::{ListPage, ListQuery, Post, TopicPage};

/// A payload of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// When it came.
    pub received_at: Stamp,
    /// Who sent it; empty if that is not known.
    pub sender: String,
    /// What it is about, as its sender named it in a header; empty for none.
    pub event: String,
    /// The JSON.
    pub body: String,
}

/// What a look at topics did.
#[derive(Debug, Default)]
pub struct Watched {
    /// The notifications that were published.
    pub posts: Vec<Post>,
    /// Whether more topics may be due.
    pub more: bool,
}

/// Readers as the column `readers` has them: empty for all users, else each id between spaces, so that one is found by
/// its text.
pub fn readers_column(readers: Option<&[String]>) -> String {
    readers.map_or_else(String::new, |ids| ids.iter().fold(" ".to_owned(), |all, id| all + id + " "))
}

/// The readers in a column of [`readers_column`].
pub fn readers_of(column: &str) -> Option<Vec<String>> {
    (!column.is_empty()).then(|| column.split_whitespace().map(str::to_owned).collect())
}

/// The settings in the columns `settings` and `readers`.
pub fn settings_of(settings: &str, readers: &str) -> Result<TopicSettings, Error> {
    Ok(TopicSettings { readers: readers_of(readers), ..serde_json::from_str(settings)? })
}

/// The settings of topics and the payloads that came for them, in a store.
#[async_trait]
pub trait TopicStore: Send + Sync {
    /// What was set for a topic; `None` if nothing was.
    async fn topic_settings(&self, topic: &str) -> Result<Option<TopicSettings>, Error>;
    /// A page of the topics with settings, as [`Topic`](crate::domain::topic::Topic), by name.
    async fn topics(&self, page: ListQuery) -> Result<ListPage, Error>;
    /// The first of these topics that a user may not read, because its settings name others as its readers.
    async fn unreadable_topic(&self, user: &str, topics: &[String]) -> Result<Option<String>, Error>;
    /// Sets everything for a topic, as [`TopicSettings::in_place_of`] says for its secrets; gives the settings in
    /// force.
    async fn set_topic(&self, topic: &str, settings: TopicSettings) -> Result<TopicSettings, Error>;
    /// Sets the seconds within which a publication is expected on a topic; the rest of its settings stays.
    async fn expect(&self, topic: &str, every_secs: Option<u32>) -> Result<(), Error>;
    /// Looks at a portion of the topics that expect a publication, and publishes the notifications about them. Time
    /// counts from one look to the next, if they are close together. Writes nothing if no topic expects anything.
    async fn watch_expectations(&self, watch: Watch) -> Result<Watched, Error>;
    /// Removes the settings of a topic and the payloads that are kept for it; what was published on it stays.
    ///
    /// # Errors
    /// `not_found` if there is neither.
    async fn remove_topic(&self, topic: &str) -> Result<(), Error>;
    /// Keeps a payload for a topic, in place of the oldest ones if there are more than
    /// [`TOPIC_PAYLOADS`](crate::domain::limits::TOPIC_PAYLOADS), or more bytes than
    /// [`TOPIC_PAYLOADS_BYTES`](crate::domain::limits::TOPIC_PAYLOADS_BYTES). One that is larger by itself is not kept.
    async fn keep_payload(&self, topic: &str, payload: Payload) -> Result<(), Error>;
    /// The payloads that are kept for a topic, the newest first.
    async fn payloads(&self, topic: &str) -> Result<Vec<Payload>, Error>;
}

/// The events of topics.
#[async_trait]
pub trait TopicEventStore: Send + Sync {
    /// A page of the events of a topic after a position, in order; it has at most `limit` publications and as many
    /// revisions.
    async fn topic_events(&self, topic: &str, after: Stamp, limit: usize) -> Result<TopicPage, Error>;
    /// The position of the newest publication on a topic that was not deleted.
    async fn topic_latest(&self, topic: &str) -> Result<Option<Stamp>, Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_all_those_who_are_named_or_nobody() {
        for readers in
            [None, Some(vec![]), Some(vec!["ann".to_owned()]), Some(vec!["a".to_owned(), "b".to_owned()])]
        {
            assert_eq!(readers_of(&readers_column(readers.as_deref())), readers);
        }
        assert!(readers_column(Some(&["ann".to_owned()])).contains(" ann "));
    }
}

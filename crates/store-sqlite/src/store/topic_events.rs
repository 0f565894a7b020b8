//! Events of topics.

use async_trait::async_trait;
use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_store::{Error, TopicEventStore, TopicPage};

use crate::{SqliteStore, topics};

#[async_trait]
impl TopicEventStore for SqliteStore {
    async fn topic_events(&self, topic: &str, after: Stamp, limit: usize) -> Result<TopicPage, Error> {
        let topic = topic.to_owned();
        self.read(move |c| topics::events::after(c, &topic, after, limit)).await
    }

    async fn topic_latest(&self, topic: &str) -> Result<Option<Stamp>, Error> {
        let (mut latest, most): (Option<Stamp>, _) = (None, self.bounds.latest_rows);
        // A look that passes only what was deleted is followed by another one.
        for sql in [topics::events::NEWEST_REVISED, topics::events::NEWEST_CREATED] {
            let mut before = Some(Stamp::MAX);
            while let Some(end) = before {
                let topic = topic.to_owned();
                let look = move |c: &Connection| topics::events::newest(c, sql, (topic.as_str(), end), most);
                let (found, oldest) = self.read(look).await?;
                latest = latest.max(found);
                before = oldest.filter(|oldest| Some(*oldest) > latest);
            }
        }
        Ok(latest)
    }
}

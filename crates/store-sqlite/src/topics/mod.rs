//! The implementation of [`TopicStore`], and the events of topics.

mod events;
mod watch;

use async_trait::async_trait;
use tidings_store::domain::expectation::Watch;
use tidings_store::domain::limits;
use tidings_store::domain::topic::TopicSettings;
use tidings_store::{Error, ListPage, ListQuery, Payload, TopicStore, Watched};

use super::SqliteStore;
use super::tables::meta;
use super::tables::topics::{expectations, payloads, settings};

#[async_trait]
impl TopicStore for SqliteStore {
    async fn topic_settings(&self, topic: &str) -> Result<Option<TopicSettings>, Error> {
        let topic = topic.to_owned();
        self.read(move |c| settings::get(c, &topic)).await
    }

    async fn unreadable_topic(&self, user: &str, topics: &[String]) -> Result<Option<String>, Error> {
        let (user, topics) = (user.to_owned(), topics.to_vec());
        self.read(move |c| {
            for topic in topics {
                if !settings::is_readable(c, &topic, &user)? {
                    return Ok(Some(topic));
                }
            }
            Ok(None)
        })
        .await
    }

    async fn topics(&self, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(super::SHARED_QUEUE, move |c| settings::page(c, &page)).await
    }

    async fn set_topic(&self, topic: &str, new: TopicSettings) -> Result<TopicSettings, Error> {
        let topic = topic.to_owned();
        self.write(move |w| {
            let before = settings::get(w.tx, &topic)?.unwrap_or_default();
            let (had, expected) = (before.readers.clone(), before.expect_secs);
            let after = new.in_place_of(before);
            settings::set(w, &topic, &after)?;
            watch::set(w, &topic, expected, after.expect_secs)?;
            if after.readers.is_some() && after.readers != had {
                meta::bump_auth_version(w)?;
            }
            Ok(after)
        })
        .await
    }

    async fn expect(&self, topic: &str, every_secs: Option<u32>) -> Result<(), Error> {
        let topic = topic.to_owned();
        self.write(move |w| {
            let before = settings::get(w.tx, &topic)?.unwrap_or_default();
            let expected = before.expect_secs;
            settings::set(w, &topic, &TopicSettings { expect_secs: every_secs, ..before })?;
            watch::set(w, &topic, expected, every_secs)
        })
        .await
    }

    async fn watch_expectations(&self, watch: Watch) -> Result<Watched, Error> {
        if self.read(expectations::are_none).await? {
            return Ok(Watched::default());
        }
        self.write_long(move |w| watch::look(w, &watch)).await
    }

    async fn remove_topic(&self, topic: &str) -> Result<(), Error> {
        let topic = topic.to_owned();
        self.write(move |w| {
            expectations::remove(w, &topic)?;
            let removed = settings::remove(w, &topic)? + payloads::remove(w, &topic)?;
            if removed == 0 { Err(Error::not_found("topic")) } else { Ok(()) }
        })
        .await
    }

    async fn keep_payload(&self, topic: &str, payload: Payload) -> Result<(), Error> {
        if payload.body.len() > limits::TOPIC_PAYLOADS_BYTES {
            return Ok(());
        }
        let topic = topic.to_owned();
        self.write(move |w| payloads::keep(w, &topic, &payload)).await
    }

    async fn payloads(&self, topic: &str) -> Result<Vec<Payload>, Error> {
        let topic = topic.to_owned();
        self.read(move |c| payloads::list(c, &topic)).await
    }
}

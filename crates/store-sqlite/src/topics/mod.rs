//! The implementation of [`TopicStore`], and the events of topics.

mod events;
mod watch;

use async_trait::async_trait;
use rusqlite::params;
use tidings_store::domain::expectation::Watch;
use tidings_store::domain::limits;
use tidings_store::domain::topic::{Topic, TopicSettings};
use tidings_store::{Error, ListPage, ListQuery, Payload, TopicStore, Watched};

use super::tables::meta;
use super::tables::topics::{expectations, settings};
use super::write_tx::WriteTx;
use super::{SHARED_QUEUE, SqliteStore, sql};

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
        let sql = "SELECT topic, settings, readers FROM topics WHERE topic > ?1 ORDER BY topic LIMIT ?2";
        self.read_long(SHARED_QUEUE, move |c| {
            let values = params![page.after.unwrap_or_default(), page.limit];
            sql::page(c, sql, values, page.limit, |r| Topic::from_row(r))
        })
        .await
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
        let sql = "SELECT 1 FROM expectations WHERE topic > '' LIMIT 1";
        if !self.read(move |c| sql::exists(c, sql, [])).await? {
            return Ok(Watched::default());
        }
        self.write_long(move |w| watch::look(w, &watch)).await
    }

    async fn remove_topic(&self, topic: &str) -> Result<(), Error> {
        let topic = topic.to_owned();
        self.write(move |w| {
            expectations::remove(w, &topic)?;
            let removed = sql::run(w.tx, "DELETE FROM topics WHERE topic = ?1", [&topic])?
                + sql::run(w.tx, "DELETE FROM topic_payloads WHERE topic = ?1", [&topic])?;
            if removed == 0 { Err(Error::not_found("topic")) } else { Ok(()) }
        })
        .await
    }

    async fn keep_payload(&self, topic: &str, payload: Payload) -> Result<(), Error> {
        if payload.body.len() > limits::TOPIC_PAYLOADS_BYTES {
            return Ok(());
        }
        let topic = topic.to_owned();
        self.write(move |w| {
            let Payload { received_at, sender, event, body } = payload;
            let sql = "INSERT INTO topic_payloads (topic, received_at, sender, event, body, bytes)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            sql::run(w.tx, sql, params![topic, received_at.as_micros(), sender, event, body, body.len()])?;
            if let Some(newest_excess) = newest_excess(w, &topic)? {
                let sql = "DELETE FROM topic_payloads WHERE topic = ?1 AND id <= ?2";
                sql::run(w.tx, sql, params![topic, newest_excess])?;
            }
            Ok(())
        })
        .await
    }

    async fn payloads(&self, topic: &str) -> Result<Vec<Payload>, Error> {
        let topic = topic.to_owned();
        let sql = "SELECT received_at, sender, event, body FROM topic_payloads WHERE topic = ?1 ORDER BY id DESC LIMIT ?2";
        self.read(move |c| sql::all(c, sql, params![topic, limits::TOPIC_PAYLOADS], |r| Payload::from_row(r)))
            .await
    }
}

/// The newest payload of a topic that is beyond its bounds, as are all older ones.
fn newest_excess(ctx: &WriteTx<'_>, topic: &str) -> Result<Option<i64>, Error> {
    let mut rows = ctx
        .tx
        .prepare_cached("SELECT id, bytes FROM topic_payloads WHERE topic = ?1 ORDER BY id DESC LIMIT ?2")?;
    let mut rows = rows.query(params![topic, limits::TOPIC_PAYLOADS + 1])?;
    let (mut count, mut bytes) = (0, 0);
    while let Some(row) = rows.next()? {
        count += 1;
        bytes += row.get::<_, usize>(1)?;
        if count > limits::TOPIC_PAYLOADS || bytes > limits::TOPIC_PAYLOADS_BYTES {
            return Ok(Some(row.get(0)?));
        }
    }
    Ok(None)
}

//! The implementation of [`TopicStore`], and the events of topics.

mod events;
mod watch;

use std::collections::HashMap;

use async_trait::async_trait;
use futures_util::StreamExt;
use tidings_store::domain::expectation::Watch;
use tidings_store::domain::limits;
use tidings_store::domain::topic::{Topic, TopicSettings};
use tidings_store::page::PageBuilder;
use tidings_store::topics::{readers_column, readers_of, settings_of};
use tidings_store::{Error, ListPage, ListQuery, Payload, TopicStore, Watched};

use super::session::{Columns, Session, rows};
use super::tx::{in_transaction, reading};
use super::{PostgresStore, users};

async fn settings(session: &Session, topic: &str) -> Result<Option<TopicSettings>, Error> {
    let row = session.query_opt("SELECT settings, readers FROM topics WHERE topic = $1", &[&topic]).await?;
    row.map(|row| settings_of(row.at(0)?, row.at(1)?)).transpose()
}

/// Stores everything that is set for a topic.
async fn store(session: &Session, topic: &str, settings: &TopicSettings) -> Result<(), Error> {
    let sql = "INSERT INTO topics (topic, settings, readers) VALUES ($1, $2, $3)
        ON CONFLICT (topic) DO UPDATE SET settings = excluded.settings, readers = excluded.readers";
    let readers = readers_column(settings.readers.as_deref());
    session.execute(sql, &[&topic, &serde_json::to_string(settings)?, &readers]).await?;
    Ok(())
}

/// Those of the topics `$1` that name their readers, with them.
const READERS: &str = "SELECT topic, readers FROM topics WHERE topic = ANY($1) AND readers <> ''";

/// The readers of those of these topics that name them, by topic.
pub(super) async fn readers(
    session: &Session,
    topics: &[&str],
) -> Result<HashMap<String, Vec<String>>, Error> {
    let mut all = HashMap::new();
    for row in session.query(READERS, &[&topics]).await? {
        all.insert(row.at(0)?, readers_of(row.at(1)?).unwrap_or_default());
    }
    Ok(all)
}

/// One of the topics `$2` that the user `$1` may not read.
const UNREADABLE: &str = "SELECT topic FROM topics WHERE topic = ANY($2) AND readers <> ''
    AND position(' ' || $1 || ' ' IN readers) = 0 LIMIT 1";

/// Deletes the oldest payloads of topic `$1`, beyond the newest `$2` and `$3` bytes.
const DELETE_EXCESS: &str = "DELETE FROM topic_payloads WHERE topic = $1 AND id <= (
    SELECT max(id) FROM (SELECT id, row_number() OVER newest AS n, sum(bytes) OVER newest AS bytes
        FROM topic_payloads WHERE topic = $1 WINDOW newest AS (ORDER BY id DESC)) p WHERE p.n > $2 OR p.bytes > $3)";

#[async_trait]
impl TopicStore for PostgresStore {
    async fn topic_settings(&self, topic: &str) -> Result<Option<TopicSettings>, Error> {
        reading!(self, |s| settings(s, topic).await)
    }

    async fn unreadable_topic(&self, user: &str, topics: &[String]) -> Result<Option<String>, Error> {
        let found = reading!(self, |s| s.query_opt(UNREADABLE, &[&user, &topics]).await)?;
        found.map(|row| row.at(0)).transpose()
    }

    async fn topics(&self, page: ListQuery) -> Result<ListPage, Error> {
        let sql = "SELECT topic, settings, readers FROM topics WHERE topic > $1 ORDER BY topic LIMIT $2";
        let after = page.after.as_deref().unwrap_or_default();
        reading!(self, |s| {
            let mut builder = PageBuilder::new(page.limit);
            let mut found = std::pin::pin!(s.stream(sql, &[&after, &rows(page.limit)]).await?);
            while let Some(row) = found.next().await {
                if !builder.push(&Topic::from_row(&row?)?)? {
                    break;
                }
            }
            Ok(ListPage(builder.into_elements()))
        })
    }

    async fn set_topic(&self, topic: &str, new: TopicSettings) -> Result<TopicSettings, Error> {
        in_transaction!(self, |tx| {
            // Those who set something for it do so one after the other: each keeps secrets of the one before.
            tx.lock_names(&[&["topic", topic], watch::LOCK]).await?;
            let before = settings(tx, topic).await?.unwrap_or_default();
            let (had, expected) = (before.readers.clone(), before.expect_secs);
            let after = new.clone().in_place_of(before);
            store(tx, topic, &after).await?;
            watch::set(tx, topic, expected, after.expect_secs).await?;
            // The streams of every node ask whether they may still be read.
            if after.readers.is_some() && after.readers != had {
                users::count(tx, 0, true).await?;
            }
            Ok(after)
        })
    }

    async fn expect(&self, topic: &str, every_secs: Option<u32>) -> Result<(), Error> {
        in_transaction!(self, |tx| {
            tx.lock_names(&[&["topic", topic], watch::LOCK]).await?;
            let before = settings(tx, topic).await?.unwrap_or_default();
            let expected = before.expect_secs;
            store(tx, topic, &TopicSettings { expect_secs: every_secs, ..before }).await?;
            watch::set(tx, topic, expected, every_secs).await
        })
    }

    async fn watch_expectations(&self, watch: Watch) -> Result<Watched, Error> {
        let found = reading!(self, |s| s.query_opt("SELECT 1 FROM expectations LIMIT 1", &[]).await)?;
        if found.is_none() {
            return Ok(Watched::default());
        }
        in_transaction!(self, |tx| watch::look(tx, &watch).await)
    }

    async fn remove_topic(&self, topic: &str) -> Result<(), Error> {
        in_transaction!(self, |tx| {
            tx.lock_names(&[&["topic", topic], watch::LOCK]).await?;
            watch::remove(tx, topic).await?;
            let settings = tx.execute("DELETE FROM topics WHERE topic = $1", &[&topic]).await?;
            let payloads = tx.execute("DELETE FROM topic_payloads WHERE topic = $1", &[&topic]).await?;
            if settings + payloads == 0 { Err(Error::not_found("topic")) } else { Ok(()) }
        })
    }

    async fn keep_payload(&self, topic: &str, payload: Payload) -> Result<(), Error> {
        if payload.body.len() > limits::TOPIC_PAYLOADS_BYTES {
            return Ok(());
        }
        let received_at = payload.received_at.as_micros();
        in_transaction!(self, |tx| {
            // The newest have the greatest numbers, even if several come at once.
            tx.lock_names(&[&["payloads", topic]]).await?;
            let sql = "INSERT INTO topic_payloads (topic, received_at, sender, event, body, bytes)
                VALUES ($1, $2, $3, $4, $5, $6)";
            let bytes = rows(payload.body.len());
            tx.execute(sql, &[&topic, &received_at, &payload.sender, &payload.event, &payload.body, &bytes])
                .await?;
            let (count, most) = (rows(limits::TOPIC_PAYLOADS), rows(limits::TOPIC_PAYLOADS_BYTES));
            tx.execute(DELETE_EXCESS, &[&topic, &count, &most]).await?;
            Ok(())
        })
    }

    async fn payloads(&self, topic: &str) -> Result<Vec<Payload>, Error> {
        let sql = "SELECT received_at, sender, event, body FROM topic_payloads WHERE topic = $1 ORDER BY id DESC LIMIT $2";
        let found = reading!(self, |s| s.query(sql, &[&topic, &rows(limits::TOPIC_PAYLOADS)]).await)?;
        found.iter().map(Payload::from_row).collect()
    }
}

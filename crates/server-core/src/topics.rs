//! The settings of topics, for programs that have the server's data.

use tidings_model::Problem;
use tidings_store::domain::topic::{Topic, TopicSettings, check_topic};
use tidings_store::{Error, ListQuery};

use crate::access;
use crate::domain::{hook_template, limits, topic_settings};
use crate::server::Server;

/// Checks the name of a topic.
fn checked(topic: &str) -> Result<(), Error> {
    check_topic(topic).map_err(|e| Problem::invalid("topic", e.to_string()).into())
}

impl Server {
    /// The topics with settings, by name.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn topics(&self) -> Result<Vec<Topic>, Error> {
        let (mut all, mut page): (Vec<Topic>, _) = (Vec::new(), ListQuery::first(limits::PAGE_ELEMENTS));
        loop {
            let found: Vec<Topic> = self.store.topics(page.clone()).await?.values()?;
            let Some(last) = found.last() else { return Ok(all) };
            page = page.after(&last.topic);
            all.extend(found);
        }
    }

    /// What is set for a topic; `None` if nothing is.
    ///
    /// # Errors
    /// `invalid` for a name that is no topic's, [`Error::Store`] if the database can't be read.
    pub async fn topic(&self, topic: &str) -> Result<Option<TopicSettings>, Error> {
        checked(topic)?;
        self.store.topic_settings(topic).await
    }

    /// Sets all settings of a topic; secrets that are not named stay as they are. The settings hold at once, also in a
    /// process that serves the same data.
    ///
    /// # Errors
    /// `invalid`, naming the field, [`Error::Store`] if the database can't be written.
    pub async fn set_topic(&self, topic: &str, settings: TopicSettings) -> Result<Topic, Error> {
        let topic = self.write_topic(topic, settings).await?;
        access::forgotten_everywhere().await;
        Ok(topic)
    }

    /// Like [`Server::set_topic`], in the process that serves the data.
    pub async fn write_topic(&self, topic: &str, settings: TopicSettings) -> Result<Topic, Error> {
        checked(topic)?;
        topic_settings::check(&settings)?;
        hook_template::compile(&settings.template).await?;
        let settings = self.store.set_topic(topic, settings).await?;
        // Open streams ask whether they may still be read.
        self.access_changed().await;
        Ok(Topic::new(topic, settings))
    }

    /// Removes what is set for a topic, and the payloads that are kept for it, as [`Server::set_topic`] sets it.
    ///
    /// # Errors
    /// `not_found` if there is neither, [`Error::Store`] if the database can't be written.
    pub async fn remove_topic(&self, topic: &str) -> Result<(), Error> {
        self.delete_topic(topic).await?;
        access::forgotten_everywhere().await;
        Ok(())
    }

    /// Like [`Server::remove_topic`], in the process that serves the data.
    pub async fn delete_topic(&self, topic: &str) -> Result<(), Error> {
        checked(topic)?;
        self.store.remove_topic(topic).await?;
        self.access_changed().await;
        Ok(())
    }
}

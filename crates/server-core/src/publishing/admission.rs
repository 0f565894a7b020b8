//! The first step of every publication on a topic: the settings of the topic decide who may publish, and then give it
//! name, icon and floor. Each door asks before it stores anything, also the file of a publication.

use std::sync::Arc;

use tidings_model::{Code, Problem};
use tidings_store::Error;
use tidings_store::domain::account::Bearer;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::topic::TopicSettings;

use crate::state::AppState;

impl AppState {
    /// The settings of a topic, for a publisher; `None` is a program without a token.
    ///
    /// # Errors
    /// `forbidden` if the settings name others as those who may publish.
    pub async fn settings_for(
        &self,
        publisher: Option<&Bearer>,
        topic: &str,
    ) -> Result<Arc<TopicSettings>, Error> {
        let settings = self.server.access.topic_settings(topic).await?;
        if settings.admits(publisher) {
            return Ok(settings);
        }
        let detail = format!("on the topic {topic} only those may publish whom its settings name");
        Err(Problem::new(Code::Forbidden, detail).into())
    }

    /// Applies the settings of its topic to a publication; anything else stays as it is.
    ///
    /// # Errors
    /// Those of [`AppState::settings_for`].
    pub async fn admit(&self, publisher: Option<&Bearer>, draft: &mut Draft) -> Result<(), Error> {
        let Some(topic) = draft.topic().map(str::to_owned) else { return Ok(()) };
        // By whichever door it comes: on a person's own server, each topic is theirs.
        draft.subscribe = draft.subscribe.or(self.owner);
        self.settings_for(publisher, &topic).await?.apply(&topic, draft);
        Ok(())
    }

    /// Sets how often a publication is expected on a topic, for somebody who may publish there. Most say what holds already.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn expect_on(&self, topic: &str, every_secs: Option<u32>) -> Result<(), Error> {
        if self.server.access.topic_settings(topic).await?.expect_secs != every_secs {
            self.store().expect(topic, every_secs).await?;
            self.server.access.forget_topic(topic);
        }
        Ok(())
    }
}

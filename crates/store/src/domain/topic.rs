//! Topics: the settings that hold for whatever is published on them, by whichever endpoint.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use tidings_model::Priority;
pub use tidings_model::topic::{InvalidTopic, RESERVED_TOPICS, check_topic, is_reserved, is_valid_name};
use tidings_model::wire::Scope;
use utoipa::ToSchema;

use super::account::Bearer;
use super::draft::Draft;
pub use super::topic_target::{TOPIC_ACTION, TOPIC_TARGET, topic_of_view};

/// A secret with which a sender signs. It is not shown when settings are printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// What is set for a topic; by default nothing is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopicSettings {
    /// The display name; empty for the topic's own.
    pub name: String,
    /// The address of the icon of publications that have none.
    pub icon: Option<String>,
    /// What is published with a lower priority gets this one.
    pub priority_floor: Option<Priority>,
    /// The template for webhooks of senders that are not known; empty for none.
    pub template: String,
    /// The ids of the users who may publish; `None` for everybody who may publish at all.
    pub publishers: Option<Vec<String>>,
    /// The ids of the users who may read; `None` for all users of the server. A store keeps them beside the rest, because
    /// what is brought into inboxes is asked by them.
    #[serde(skip)]
    pub readers: Option<Vec<String>>,
    /// The secrets with which senders of webhooks sign, by sender.
    pub secrets: BTreeMap<String, Secret>,
    /// The seconds within which a publication is expected; `None` if none is.
    pub expect_secs: Option<u32>,
}

/// A topic with its settings, as it is listed: secrets are named and not shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Topic {
    /// The topic's name in addresses.
    pub topic: String,
    /// The display name; empty for the topic's own.
    pub name: String,
    /// The address of the icon of publications that have none.
    pub icon: Option<String>,
    /// What is published with a lower priority gets this one.
    pub priority_floor: Option<Priority>,
    /// The template for webhooks of senders that are not known; empty for none.
    pub template: String,
    /// The ids of the users who may publish; null for everybody who may publish at all.
    pub publishers: Option<Vec<String>>,
    /// The ids of the users who may read; null for all users of the server.
    pub readers: Option<Vec<String>>,
    /// The senders of webhooks for which there is a secret.
    pub secrets: Vec<String>,
    /// The seconds within which a publication is expected, or a notification says that none came; null if none is.
    pub expect_secs: Option<u32>,
}

impl Topic {
    /// The topic with these settings.
    pub fn new(topic: &str, settings: TopicSettings) -> Self {
        let TopicSettings { name, icon, priority_floor, template, publishers, readers, secrets, expect_secs } =
            settings;
        let (topic, secrets) = (topic.to_owned(), secrets.into_keys().collect());
        Self { topic, name, icon, priority_floor, template, publishers, readers, secrets, expect_secs }
    }
}

impl TopicSettings {
    /// Whether a token's user may publish on the topic; `None` is a program without a token. Who administers the server
    /// always may.
    pub fn admits(&self, publisher: Option<&Bearer>) -> bool {
        let Some(allowed) = &self.publishers else { return true };
        publisher.is_some_and(|bearer| bearer.has_scope(Scope::Admin) || allowed.contains(&bearer.id))
    }

    /// Fills in what a publication on the topic leaves open, and raises a priority below the floor.
    pub fn apply(&self, topic: &str, draft: &mut Draft) {
        let content = &mut draft.content;
        if content.icon.is_none() {
            content.icon.clone_from(&self.icon);
        }
        if let Some(floor) = self.priority_floor {
            content.priority = content.priority.max(floor);
        }
        if self.name.is_empty() {
            return;
        }
        if content.title.is_empty() || content.title == topic {
            content.title.clone_from(&self.name);
        }
        if draft.actor == topic {
            draft.actor_name = Some(self.name.clone());
        }
        if let Some(target) = &mut draft.target
            && target.title.as_deref().is_none_or(|title| title == topic)
        {
            target.title = Some(self.name.clone());
        }
    }

    /// Puts these settings in place of others. A sender whose secret is empty loses it, and one that is not named keeps
    /// its own.
    #[must_use]
    pub fn in_place_of(mut self, before: Self) -> Self {
        let mut secrets = before.secrets;
        secrets.append(&mut self.secrets);
        secrets.retain(|_, secret| !secret.0.is_empty());
        Self { secrets, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::account::UserKey;

    fn bearer(id: &str, scope: Scope) -> Bearer {
        let (id, name, token) = (id.to_owned(), id.to_owned(), "t".to_owned());
        Bearer { user: UserKey(1), id, name, token, scopes: vec![scope] }
    }

    #[test]
    fn settings_fill_in_what_a_publication_leaves_open() {
        let settings = TopicSettings {
            name: "Backups".into(),
            icon: Some("https://nas.example/icon.png".into()),
            priority_floor: Priority::new(3).ok(),
            ..TopicSettings::default()
        };
        let mut draft = Draft::on_topic("backups", None);
        draft.content.priority = Priority::new(2).unwrap();
        settings.apply("backups", &mut draft);
        assert_eq!((draft.content.title.as_str(), draft.content.priority), ("Backups", Priority::DEFAULT));
        assert_eq!(draft.actor_name.as_deref(), Some("Backups"));
        assert_eq!(draft.target.as_ref().unwrap().title.as_deref(), Some("Backups"));
        let mut named = Draft::on_topic("backups", None);
        (named.content.title, named.actor) = ("backups".into(), "nas".into());
        named.content.priority = Priority::HIGHEST;
        let target = named.target.take().unwrap();
        named.target = Some(tidings_model::Target { title: Some("Nightly".into()), ..target });
        settings.apply("backups", &mut named);
        assert_eq!((named.content.title.as_str(), named.content.priority), ("Backups", Priority::HIGHEST));
        assert_eq!(named.actor_name.as_deref(), Some("backups"), "it is another's");
        assert_eq!(named.target.unwrap().title.as_deref(), Some("Nightly"));
        let mut own = Draft::on_topic("backups", None);
        own.content.title = "Done".into();
        own.content.icon = Some("https://other.example/".into());
        settings.apply("backups", &mut own);
        assert_eq!((own.content.title.as_str(), own.content.priority), ("Done", Priority::DEFAULT));
        assert_eq!(own.content.icon.as_deref(), Some("https://other.example/"));
    }

    #[test]
    fn those_who_are_named_may_publish_and_who_administers() {
        let named = TopicSettings { publishers: Some(vec!["ann".into()]), ..TopicSettings::default() };
        assert!(named.admits(Some(&bearer("ann", Scope::Publish))));
        assert!(named.admits(Some(&bearer("bob", Scope::Admin))));
        assert!(!named.admits(Some(&bearer("bob", Scope::Publish))) && !named.admits(None));
        assert!(TopicSettings::default().admits(None));
    }

    #[test]
    fn secrets_that_are_not_named_stay_and_empty_ones_go() {
        let with = |all: &[(&str, &str)]| TopicSettings {
            secrets: all.iter().map(|(s, t)| ((*s).to_owned(), Secret((*t).to_owned()))).collect(),
            ..TopicSettings::default()
        };
        let after =
            with(&[("gitlab", ""), ("sentry", "new")]).in_place_of(with(&[("github", "a"), ("gitlab", "b")]));
        assert_eq!(after, with(&[("github", "a"), ("sentry", "new")]));
        assert!(!format!("{after:?}").contains("new"));
    }
}

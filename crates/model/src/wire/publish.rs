//! What is published, and the answer to it. Refuses to say who gets it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Format, MsgId, Priority, Stamp, Target};

/// An actor in a request: an id, or an id with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ActorRef {
    /// The name is the id, or the user's name where it is a user.
    Id(String),
    /// Both.
    Full {
        /// The id.
        id: String,
        /// The name; the id where it is missing.
        #[serde(default)]
        name: Option<String>,
    },
}

impl ActorRef {
    /// The id.
    pub fn id(&self) -> &str {
        match self {
            Self::Id(id) | Self::Full { id, .. } => id,
        }
    }
}

/// `POST /announcements`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewAnnouncement {
    /// The heading.
    pub title: String,
    /// The text.
    #[serde(default)]
    pub body: String,
    /// How the text is written.
    #[serde(default)]
    pub format: Format,
    /// How much it matters.
    #[serde(default)]
    pub priority: Priority,
    /// What a click leads to.
    #[serde(default)]
    pub url: Option<String>,
}

/// `POST /reminders`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewReminder {
    /// Who did it.
    pub actor: ActorRef,
    /// What, an action of the catalog.
    pub action: String,
    /// To what.
    pub target: Target,
    /// The text.
    #[serde(default)]
    pub body: String,
    /// A heading.
    #[serde(default)]
    pub title: String,
    /// How the text is written.
    #[serde(default)]
    pub format: Format,
    /// How much it matters.
    #[serde(default)]
    pub priority: Priority,
    /// Words put on it.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What a click leads to.
    #[serde(default)]
    pub url: Option<String>,
    /// Anything else.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub data: Map<String, Value>,
}

/// `POST /messages`, and to a group without `to`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMessage {
    /// The recipient's id.
    #[serde(default)]
    pub to: Option<String>,
    /// The sender, with a publish token.
    #[serde(default)]
    pub from: Option<ActorRef>,
    /// The text.
    pub body: String,
    /// A heading.
    #[serde(default)]
    pub title: String,
    /// How the text is written.
    #[serde(default)]
    pub format: Format,
    /// How much it matters.
    #[serde(default)]
    pub priority: Priority,
    /// Words put on it.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What a click leads to.
    #[serde(default)]
    pub url: Option<String>,
    /// Anything else.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub data: Map<String, Value>,
}

/// The answer to a publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Posted {
    /// Its name for good.
    pub msgid: MsgId,
    /// The stamp of its creation.
    pub stamp: Stamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_may_be_an_id_or_an_id_with_a_name() {
        let a: ActorRef = serde_json::from_str("\"bob\"").unwrap();
        assert_eq!((a.id(), &a), ("bob", &ActorRef::Id("bob".into())));
        let a: ActorRef = serde_json::from_str(r#"{"id":"bob","name":"Bob"}"#).unwrap();
        assert_eq!((a.id(), &a), ("bob", &ActorRef::Full { id: "bob".into(), name: Some("Bob".into()) }));
    }
}

//! The requests that publish notifications, and their answer. The recipients are decided in the server's `domain`.

use serde::{Deserialize, Serialize};

use crate::notification::{carries_content, write};
use crate::{Content, MsgId, Stamp, Target};

/// An actor in a request: an id, or an id with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ActorRef {
    /// An id. The name is that of the user with this id, else the id.
    Id(String),
    /// An id and a name.
    Full {
        /// The id.
        id: String,
        /// The display name; the id where it is missing.
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

/// The body of `POST /announcements`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(remote = "Self")]
pub struct NewAnnouncement {
    /// The content; the title is required.
    #[serde(flatten, skip_deserializing, serialize_with = "write::<NewAnnouncement, _>")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub content: Content,
}

carries_content!(NewAnnouncement, ignored: &["tags", "icon", "actions", "attachment", "data"], required: Some("title"));

/// The body of `POST /reminders`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(remote = "Self")]
pub struct NewReminder {
    /// The actor.
    pub actor: ActorRef,
    /// The id of the action, which must be in the catalog.
    pub action: String,
    /// The target.
    pub target: Target,
    /// The content.
    #[serde(flatten, skip_deserializing, serialize_with = "write::<NewReminder, _>")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub content: Content,
}

carries_content!(NewReminder, ignored: &["icon", "actions", "attachment"], required: None);

/// The body of `POST /messages`, and without `to` of `POST /groups/{gid}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(remote = "Self")]
pub struct NewMessage {
    /// The recipient's id; absent in a message to a group.
    #[serde(default)]
    pub to: Option<String>,
    /// The sender, which only tokens with the scope `publish` may set; by default the token's user.
    #[serde(default)]
    pub from: Option<ActorRef>,
    /// The content; the body is required.
    #[serde(flatten, skip_deserializing, serialize_with = "write::<NewMessage, _>")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub content: Content,
}

carries_content!(NewMessage, ignored: &["icon", "actions", "attachment"], required: Some("body"));

/// The answer to a request that published a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Posted {
    /// The msgid of the notification.
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

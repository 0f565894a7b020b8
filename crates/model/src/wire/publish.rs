//! The requests that publish notifications, and their answer. The recipients are decided in the server's `domain`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::notification::{carries_content, write};
use crate::{Action, Content, Format, MsgId, Priority, Stamp, Target};

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
        /// The display name; the id if it is missing.
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

carries_content!(NewAnnouncement, ignored: &[], required: Some("title"));

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

carries_content!(NewReminder, ignored: &[], required: None);

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

carries_content!(NewMessage, ignored: &[], required: Some("body"));

/// The answer to a request that published a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Posted {
    /// The msgid of the notification.
    pub msgid: MsgId,
    /// The stamp of its creation.
    pub stamp: Stamp,
}

/// The body of `PATCH /notifications/{msgid}`: what is absent or null stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct NotificationEdit {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The markup of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The urgency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The labels, in place of those that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The address that a click on the notification opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of the icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The buttons, in place of those that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<Action>>,
    /// Further values, in place of those that it has.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
}

impl NotificationEdit {
    /// The content after the edit.
    #[must_use]
    pub fn apply(&self, content: &Content) -> Content {
        let Self { title, body, format, priority, tags, url, icon, actions, data } = self.clone();
        let mut edited = content.clone();
        edited.title = title.unwrap_or(edited.title);
        edited.body = body.unwrap_or(edited.body);
        edited.format = format.unwrap_or(edited.format);
        edited.priority = priority.unwrap_or(edited.priority);
        edited.tags = tags.unwrap_or(edited.tags);
        edited.url = url.or(edited.url);
        edited.icon = icon.or(edited.icon);
        edited.actions = actions.unwrap_or(edited.actions);
        edited.data = data.unwrap_or(edited.data);
        edited
    }
}

/// The answer to `PATCH /notifications/{msgid}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Edited {
    /// The msgid of the notification.
    pub msgid: MsgId,
    /// The stamp of its last new content: of this revision, or of the last one if nothing differed; else of its
    /// creation.
    pub stamp: Stamp,
    /// When its content was revised last; `None` if it never was.
    pub revised_at: Option<Stamp>,
}

/// The answer to `GET /announcements/{msgid}/readers`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnnouncementReaders {
    /// How many of them have read it, in its last revision.
    pub read_count: u64,
    /// Users who were there when it was posted and still are, without who posted it.
    pub user_count: u64,
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

    #[test]
    fn what_an_edit_leaves_out_or_gives_as_null_stays() {
        let content = Content {
            title: "T".into(),
            body: "B".into(),
            tags: vec!["a".into()],
            url: Some("https://e.org".into()),
            ..Content::default()
        };
        let edit: NotificationEdit = serde_json::from_str(r#"{"body":"C","url":null,"tags":[]}"#).unwrap();
        let edited = Content { body: "C".into(), tags: Vec::new(), ..content.clone() };
        assert_eq!(edit.apply(&content), edited);
        assert_eq!(NotificationEdit::default().apply(&content), content);
        assert_eq!(serde_json::to_string(&edit).unwrap(), r#"{"body":"C","tags":[]}"#);
    }

    #[test]
    fn a_title_or_a_body_that_has_to_be_there_is_missed() {
        let missing = |error: serde_json::Error, field: &str| {
            assert!(error.to_string().starts_with(&format!("missing field `{field}`")), "{error}");
        };
        missing(serde_json::from_str::<NewAnnouncement>(r#"{"body":"B"}"#).unwrap_err(), "title");
        missing(serde_json::from_str::<NewMessage>(r#"{"to":"bob","title":"T"}"#).unwrap_err(), "body");
        let one: NewAnnouncement = serde_json::from_str(r#"{"body":"B","title":"T","later":1}"#).unwrap();
        assert_eq!((one.content.title.as_str(), one.content.body.as_str()), ("T", "B"));
        let odd = serde_json::from_str::<NewMessage>("[]").unwrap_err().to_string();
        assert!(odd.contains("struct NewMessage"), "{odd}");
    }

    #[test]
    fn a_message_is_written_as_it_is_read() {
        let content = Content { body: "B".into(), tags: vec!["a".into()], ..Content::default() };
        let message = NewMessage { to: Some("bob".into()), from: None, content };
        let json = serde_json::to_value(&message).unwrap();
        for (text, written) in [("bob", &json["to"]), ("B", &json["body"]), ("a", &json["tags"][0])] {
            assert_eq!(written, text);
        }
        assert_eq!(serde_json::from_value::<NewMessage>(json).unwrap(), message);
    }
}

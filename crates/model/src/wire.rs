//! The requests and answers of API v1 that clients and servers share. Refuses to know how they are stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Actor, Format, Kind, MsgId, Notification, Priority, Stamp, Target, View};

/// `GET /sync`: what is new or changed since the last pull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SyncPage {
    /// In stamp order.
    pub items: Vec<Notification>,
    /// Views whose mark moved.
    #[serde(default)]
    pub marks: Vec<ViewMark>,
    /// The last-pull timestamp to store with the items.
    pub next: Stamp,
    /// Ask again at once.
    pub more: bool,
    /// The unbroken history that this belongs to.
    pub epoch: String,
}

/// A view's mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ViewMark {
    /// Which view.
    pub view: View,
    /// Items of auto class created at or before it are read.
    pub through: Stamp,
    /// When it moved.
    pub stamp: Stamp,
}

/// `GET /inbox` and a conversation's messages: newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InboxPage {
    /// Newest first by `created_at`.
    pub items: Vec<Notification>,
    /// `before` of the next page; none at the end.
    pub next: Option<Stamp>,
}

/// A number that stopped counting at its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Count {
    /// At most the cap.
    pub count: u64,
    /// There are more.
    pub capped: bool,
}

/// `GET /unread`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnreadCounts {
    /// All kinds.
    pub total: Count,
    /// Announcements.
    pub announcement: Count,
    /// Reminders.
    pub reminder: Count,
    /// Messages.
    pub message: Count,
    /// Only conversations that have any.
    #[serde(default)]
    pub conversations: BTreeMap<String, Count>,
}

/// `GET /info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Info {
    /// `tidings`.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// 1.
    pub api: u32,
    /// The server's clock.
    pub now: Stamp,
    /// What this server can do.
    #[serde(default)]
    pub features: Vec<String>,
    /// What it takes at most.
    #[serde(default)]
    pub limits: BTreeMap<String, u64>,
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Act as its user.
    Inbox,
    /// Announce, remind and message on behalf of any actor; manage subscriptions, follows and preferences of any user.
    Publish,
    /// All of it, for any user.
    Admin,
}

impl Scope {
    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Publish => "publish",
            Self::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Scope {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        [Self::Inbox, Self::Publish, Self::Admin]
            .into_iter()
            .find(|scope| scope.as_str() == word)
            .ok_or_else(|| format!("`{word}` is not a scope: inbox, publish or admin"))
    }
}

/// `GET /me`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Me {
    /// The user's id.
    pub id: String,
    /// What people call them.
    pub name: String,
    /// What the token may do.
    pub scopes: Vec<Scope>,
}

/// An operation on the inbox, with the client's own id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Op {
    /// The client's own id; the same id is applied once.
    pub id: String,
    /// What to do.
    #[serde(flatten)]
    pub change: Change,
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Change {
    /// Mark items read; of auto class: moves their view's mark forward to them.
    Read {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Mark items unread; of auto class: moves their view's mark back to just before them.
    Unread {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// A list showed them.
    Seen {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Done.
    Archive {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Not done after all.
    Unarchive {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Sleep until a time.
    Snooze {
        /// Which.
        msgids: Vec<MsgId>,
        /// When they wake.
        until: Stamp,
    },
    /// Wake.
    Unsnooze {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Gone; a tombstone stays.
    Delete {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Look at a view.
    Visit {
        /// Which.
        view: View,
        /// `created_at` of the newest item shown; now unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stamp>,
    },
    /// Everything created at or before a time.
    ReadAll {
        /// Only this kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
        /// Up to here.
        through: Stamp,
    },
}

impl Change {
    /// The items that it names; none where it is for all that a view or a time holds.
    pub fn msgids(&self) -> Option<&[MsgId]> {
        match self {
            Self::Read { msgids }
            | Self::Unread { msgids }
            | Self::Seen { msgids }
            | Self::Archive { msgids }
            | Self::Unarchive { msgids }
            | Self::Snooze { msgids, .. }
            | Self::Unsnooze { msgids }
            | Self::Delete { msgids } => Some(msgids),
            Self::Visit { .. } | Self::ReadAll { .. } => None,
        }
    }
}

/// `POST /inbox/ops`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ops {
    /// At most 1,000, applied in order.
    pub ops: Vec<Op>,
}

/// What became of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpResult {
    /// The client's id.
    pub id: String,
    /// Applied, now or before.
    pub ok: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<crate::Code>,
}

/// The answer to `POST /inbox/ops`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpsAnswer {
    /// In the order of the operations.
    pub results: Vec<OpResult>,
    /// The numbers after them.
    pub unread: UnreadCounts,
}

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

    /// With the name that was given, else the id.
    pub fn into_actor(self) -> Actor {
        match self {
            Self::Id(id) => Actor { name: id.clone(), id },
            Self::Full { id, name } => Actor { name: name.unwrap_or_else(|| id.clone()), id },
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
    fn operations_read_as_the_protocol_writes_them() {
        let op: Op =
            serde_json::from_str(r#"{"id":"1","op":"snooze","msgids":["a"],"until":"2026-11-21T08:00:00Z"}"#)
                .unwrap();
        assert!(matches!(op.change, Change::Snooze { .. }));
        let op: Op = serde_json::from_str(r#"{"id":"2","op":"visit","view":"announcements/all"}"#).unwrap();
        assert_eq!(
            serde_json::to_value(&op).unwrap(),
            serde_json::json!({"id":"2","op":"visit","view":"announcements/all"})
        );
        assert!(serde_json::from_str::<Op>(r#"{"id":"3","op":"shred","msgids":[]}"#).is_err());
    }

    #[test]
    fn an_actor_may_be_an_id_or_an_id_with_a_name() {
        let a: ActorRef = serde_json::from_str("\"bob\"").unwrap();
        assert_eq!(a.into_actor(), Actor { id: "bob".into(), name: "bob".into() });
        let a: ActorRef = serde_json::from_str(r#"{"id":"bob","name":"Bob"}"#).unwrap();
        assert_eq!(a.into_actor().name, "Bob");
    }
}

//! The answers of the API, as far as they are read. Services that are compatible with Mastodon leave fields out.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The longest id of a notification, in bytes: that of a msgid, by the protocol.
const MAX_ID_BYTES: usize = 64;

/// A notification.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Notification {
    pub(super) id: String,
    #[serde(rename = "type", deserialize_with = "text")]
    pub(super) kind: String,
    #[serde(deserialize_with = "text")]
    pub(super) created_at: String,
    pub(super) account: Option<Account>,
    pub(super) status: Option<Status>,
    pub(super) report: Option<Report>,
    pub(super) event: Option<Severance>,
    pub(super) moderation_warning: Option<Warning>,
    /// The emoji of a reaction, which Mastodon itself does not have.
    #[serde(deserialize_with = "text")]
    pub(super) emoji: String,
}

/// A user of this or another instance.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Account {
    pub(super) id: String,
    /// The name of the user, followed by `@` and the host unless it is of this instance.
    #[serde(deserialize_with = "text")]
    pub(super) acct: String,
    #[serde(deserialize_with = "text")]
    pub(super) display_name: String,
    #[serde(deserialize_with = "text")]
    pub(super) url: String,
    #[serde(deserialize_with = "text")]
    pub(super) avatar: String,
    #[serde(deserialize_with = "text")]
    pub(super) avatar_static: String,
    /// Whether the account is automated.
    pub(super) bot: Option<bool>,
    /// What the user says of itself, as HTML.
    #[serde(deserialize_with = "text")]
    pub(super) note: String,
}

/// A post.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    pub(super) id: String,
    #[serde(deserialize_with = "text")]
    pub(super) uri: String,
    #[serde(deserialize_with = "text")]
    pub(super) url: String,
    pub(super) account: Option<Account>,
    /// HTML.
    #[serde(deserialize_with = "text")]
    pub(super) content: String,
    /// The warning under which the content is hidden.
    #[serde(deserialize_with = "text")]
    pub(super) spoiler_text: String,
    #[serde(deserialize_with = "text")]
    pub(super) visibility: String,
    pub(super) media_attachments: Option<Vec<Media>>,
    pub(super) poll: Option<Poll>,
}

/// A file of a post.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Media {
    #[serde(rename = "type", deserialize_with = "text")]
    pub(super) kind: String,
    #[serde(deserialize_with = "text")]
    pub(super) url: String,
    #[serde(deserialize_with = "text")]
    pub(super) description: String,
}

/// The poll of a post.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Poll {
    pub(super) options: Vec<Choice>,
}

/// One choice of a poll.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    #[serde(deserialize_with = "text")]
    pub(super) title: String,
    pub(super) votes_count: Option<u64>,
}

/// A report to the moderators.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Report {
    pub(super) id: String,
    #[serde(deserialize_with = "text")]
    pub(super) comment: String,
    pub(super) target_account: Option<Account>,
}

/// Follows that ended because an account or a host was blocked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Severance {
    /// The account or host.
    #[serde(deserialize_with = "text")]
    pub(super) target_name: String,
}

/// A warning by the moderators.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Warning {
    #[serde(deserialize_with = "text")]
    pub(super) text: String,
}

impl Notification {
    /// Reads a notification; `None` if it has no id, or one that is too long for a cursor and an address. One whose further
    /// fields are in no known form has its id, type and time.
    fn read(value: Value) -> Option<Self> {
        let of = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = of("id");
        if id.is_empty() || id.len() > MAX_ID_BYTES {
            return None;
        }
        let bare = Self { id, kind: of("type"), created_at: of("created_at"), ..Self::default() };
        Some(serde_json::from_value(value).unwrap_or(bare))
    }
}

/// A notification in a list.
pub(super) struct Listed(pub(super) Notification);

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = Notification::read(Value::deserialize(from)?);
        read.map(Self).ok_or_else(|| serde::de::Error::missing_field("id"))
    }
}

impl Account {
    /// The name that the user chose, else the one to sign in with.
    pub(super) fn name(&self) -> &str {
        match self.display_name.trim() {
            "" => &self.acct,
            name => name,
        }
    }
}

/// A text; empty if it is null.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}

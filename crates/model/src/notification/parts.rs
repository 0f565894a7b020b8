//! The parts of a notification that are structs: actor, target, buttons, attachment, receipt.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// The user, program or topic that caused a notification; need not be a user of the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actor {
    /// The actor's id.
    pub id: String,
    /// The display name; the id if the actor has no name.
    pub name: String,
}

/// The target of a reminder's action, such as an article.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Target {
    /// The type, for example `article`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id within the type.
    pub id: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The address of its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The id of the user who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// The effect of a button under a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// Opens `url`.
    View,
    /// Calls `url`.
    Http,
    /// Sends an Android intent; the app stores such a button but does not show it.
    Broadcast,
    /// Copies `value` to the clipboard.
    Copy,
}

/// A button under a notification, with the fields of ntfy's actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// The id within the notification.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The effect of a click.
    pub action: ActionKind,
    /// The text on the button.
    pub label: String,
    /// The address to open (`View`) or to call (`Http`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The text to copy (`Copy`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Whether a click also marks the notification as read.
    #[serde(default)]
    pub clear: bool,
    /// The HTTP method of the call; POST by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The HTTP headers of the call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(type = "Record<string, unknown>")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub headers: Map<String, Value>,
    /// The HTTP body of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Further members, such as Android's intent and extras, stored unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub rest: Map<String, Value>,
}

/// A file that is attached by its address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Attachment {
    /// The file name.
    pub name: String,
    /// The address of the file.
    pub url: String,
    /// The media type; `None` if it is unknown.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// The size in bytes; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The time at which the address expires, in seconds since 1970; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
}

/// How many members have read a group message, and with how many it has arrived, out of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// The number of members who have read it.
    pub read: u32,
    /// The number of members with whom it has arrived: a device of theirs has pulled it, or they have read it. Zero from a
    /// server that does not say so.
    #[serde(default)]
    pub delivered: u32,
    /// The number of members at the time of the post, without the sender.
    pub members: u32,
}

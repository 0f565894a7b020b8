//! The parts of a notification that are structs: actor, target, buttons, attachment, receipt.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// Who caused a notification; need not be a user of the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actor {
    /// The id.
    pub id: String,
    /// The display name; the id where there is none.
    pub name: String,
}

/// What a reminder's action was done to.
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

/// What a button under a notification does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// Opens `url`.
    View,
    /// Calls `url`.
    Http,
    /// Sends an Android intent; stored but not shown.
    Broadcast,
    /// Puts `value` on the clipboard.
    Copy,
}

/// A button under a notification, as ntfy has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// The id within the notification.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What a click does.
    pub action: ActionKind,
    /// The label.
    pub label: String,
    /// The address to open or call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The text to copy.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Whether a click also marks the notification as read.
    #[serde(default)]
    pub clear: bool,
    /// The HTTP method; POST by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The HTTP headers.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(type = "Record<string, unknown>")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub headers: Map<String, Value>,
    /// The HTTP body.
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
    /// The media type, where known.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// The size in bytes, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number | null")]
    pub size: Option<u64>,
    /// When the address expires, in seconds since 1970, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number | null")]
    pub expires: Option<i64>,
}

/// How many have read a group message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// Members who have read it.
    pub read: u32,
    /// Members at the time of the post, without the sender.
    pub members: u32,
}

//! What a notification may carry: who did it, to what, buttons, a file. Refuses to fetch or call any of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// Who did it. Need not be a user of the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actor {
    /// The id.
    pub id: String,
    /// What people call it; the id where nobody said.
    pub name: String,
}

/// What it was done to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Target {
    /// Its type, an id such as `article`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id within the type.
    pub id: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The user whose thing it is.
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
    /// For Android; kept and shown nowhere.
    Broadcast,
    /// Puts `value` on the clipboard.
    Copy,
}

/// A button under a notification, as ntfy has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// Its id within the notification.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it does.
    pub action: ActionKind,
    /// What it says.
    pub label: String,
    /// What it opens or calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// What it copies.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Marks the notification read after it.
    #[serde(default)]
    pub clear: bool,
    /// HTTP method, POST unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// HTTP headers.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(type = "Record<string, unknown>")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub headers: Map<String, Value>,
    /// HTTP body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Android's intent and extras, kept as they came.
    #[serde(flatten)]
    #[ts(skip)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub rest: Map<String, Value>,
}

/// A file that came along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Attachment {
    /// File name.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// Media type, where known.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// Bytes, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number | null")]
    pub size: Option<u64>,
    /// When it will be gone, seconds since 1970, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number | null")]
    pub expires: Option<i64>,
}

/// How many have read a group message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// Members who have.
    pub read: u32,
    /// Members who count: those in the group at the post, without the sender.
    pub members: u32,
}

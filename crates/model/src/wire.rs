//! The requests and answers of API v1 that clients and servers share.

mod ops;
mod publish;
mod pull;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Stamp;

pub use self::ops::{Change, Op, OpResult, Ops, OpsAnswer};
pub use self::publish::{ActorRef, NewAnnouncement, NewMessage, NewReminder, Posted};
pub use self::pull::{Count, InboxPage, SyncPage, UnreadCounts, ViewMark};

/// `GET /info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Info {
    /// `tidings`.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// The version of the protocol, 1.
    pub api: u32,
    /// The server's time.
    pub now: Stamp,
    /// The optional features of this server.
    #[serde(default)]
    pub features: Vec<String>,
    /// Its limits, by name.
    #[serde(default)]
    pub limits: BTreeMap<String, u64>,
}

/// A scope: what a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Act as its user.
    Inbox,
    /// Announce, remind and message on behalf of any actor; manage subscriptions, follows and preferences of any user.
    Publish,
    /// Everything, for any user.
    Admin,
}

impl Scope {
    /// The text on the wire.
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
    /// The display name.
    pub name: String,
    /// The token's scopes.
    pub scopes: Vec<Scope>,
}

//! The requests and answers of API v1 that clients and servers share.

mod ops;
mod publish;
mod pull;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Actor, Stamp};

pub use self::ops::{Change, Op, OpResult, Ops, OpsAnswer};
pub use self::publish::{
    ActorRef, AnnouncementReaders, Edited, NewAnnouncement, NewMessage, NewReminder, NotificationEdit, Posted,
};
pub use self::pull::{ClosedConversation, Count, InboxPage, SyncPage, UnreadCounts, ViewMark};

/// The answer to `GET /info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Info {
    /// The fixed text `tidings`.
    pub name: String,
    /// The version of the server program.
    pub version: String,
    /// The version of the protocol: 1.
    pub api: u32,
    /// The time by the server's clock.
    pub now: Stamp,
    /// Names of the optional features that this server has.
    #[serde(default)]
    pub features: Vec<String>,
    /// The server's limits, by name.
    #[serde(default)]
    pub limits: BTreeMap<String, u64>,
}

/// A scope of a token: a set of permitted requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The requests of the token's own user.
    Inbox,
    /// Announcing, reminding and messaging on behalf of any actor; managing subscriptions, follows and preferences of
    /// any user.
    Publish,
    /// Every request, for any user.
    Admin,
}

impl Scope {
    /// The name of the scope on the wire.
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

/// The answer to `GET /people`: users who can be written to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct People {
    /// Those who were found by their ids come first.
    pub people: Vec<Actor>,
}

/// The answer to `GET /me`: the token's user.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_by_its_name_alone() {
        for scope in [Scope::Inbox, Scope::Publish, Scope::Admin] {
            assert_eq!(scope.as_str().parse(), Ok(scope));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str());
        }
        assert!("everything".parse::<Scope>().unwrap_err().contains("`everything`"));
    }
}

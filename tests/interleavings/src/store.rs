//! The store of the server's files: what the scenarios put there. Its error is that of `tidings-sqlite`, as one crate has one
//! `Error`.

use std::collections::BTreeSet;

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_model::wire::Posted;

use crate::Error;
use crate::domain::account::Bearer;
pub(crate) use crate::domain::account::UserKey;
use crate::domain::topic::TopicSettings;

impl Error {
    pub(crate) fn unavailable(_why: &'static str) -> Self {
        Self::Closed
    }
}

pub(crate) type AffectedSenders = BTreeSet<UserKey>;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Recipients {
    Everyone,
    Subscribers { kind: String, id: String, action: String, actor: String },
    Users(Vec<UserKey>),
    Group(String),
    Revised { created_at: Stamp, audience: Box<Self> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Post {
    pub(crate) posted: Posted,
    pub(crate) recipients: Recipients,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedInbox {
    pub(crate) user: UserKey,
    pub(crate) stamp: Stamp,
    pub(crate) has_receipts: bool,
}

/// Without an answer of its own, a store knows nobody and nothing.
#[async_trait]
pub(crate) trait Store: Send + Sync {
    async fn recipients_among(&self, _: &[Recipients], among: &[UserKey]) -> Result<Vec<UserKey>, Error> {
        Ok(among.to_vec())
    }

    async fn bearer(&self, _: [u8; 32]) -> Result<Option<Bearer>, Error> {
        Ok(None)
    }

    async fn topic_settings(&self, _: &str) -> Result<Option<TopicSettings>, Error> {
        Ok(None)
    }

    async fn unreadable_topic(&self, _: &str, _: &[String]) -> Result<Option<String>, Error> {
        Ok(None)
    }
}

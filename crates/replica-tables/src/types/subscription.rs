//! Subscriptions of threads at the services that keep them.

use serde::{Deserialize, Serialize};
use tidings_model::Mark;
use ts_rs::TS;

/// Whether the news of a thread come to the reader at its service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Subscription {
    /// They come only for another reason, such as a mention or a repository that is watched.
    Unsubscribed,
    /// They come.
    Subscribed,
    /// No news comes, whatever happens there. If a service does not distinguish this from `Unsubscribed`, it means
    /// that.
    Ignored,
}

impl Subscription {
    /// The most threads whose subscription one mark changes: each is a request to the service.
    pub const MAX_THREADS: usize = 100;

    /// The subscription that a mark asks for; `None` for every other mark.
    pub const fn wanted_by(mark: Mark) -> Option<Self> {
        match mark {
            Mark::Subscribe => Some(Self::Subscribed),
            Mark::Unsubscribe => Some(Self::Unsubscribed),
            Mark::Ignore => Some(Self::Ignored),
            _ => None,
        }
    }

    /// The value of its columns.
    pub const fn as_row(self) -> i64 {
        match self {
            Self::Unsubscribed => 0,
            Self::Subscribed => 1,
            Self::Ignored => 2,
        }
    }

    /// The subscription of a column; `None` for a value that this version does not know.
    pub const fn from_row(row: i64) -> Option<Self> {
        match row {
            0 => Some(Self::Unsubscribed),
            1 => Some(Self::Subscribed),
            2 => Some(Self::Ignored),
            _ => None,
        }
    }
}

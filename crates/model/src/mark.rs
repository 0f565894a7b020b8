//! Marks: the changes of state that a reader asks for.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Stamp;

/// A change of state that a reader asks for: one enum for the page, the replica, its outbox, the wire and the server.
///
/// ```
/// use tidings_model::Mark;
///
/// let mark: Mark = serde_json::from_str(r#"{"op": "archive"}"#)?;
/// assert_eq!(mark, Mark::Archive);
/// assert_eq!(mark.name(), "archive");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Mark {
    /// Read. On an item of auto class, moves the mark of its view forward to the item.
    Read,
    /// Unread again; on a thread, its newest item that is not the user's own. On an item of auto class, moves the mark
    /// of its view back to just before the item.
    Unread,
    /// Seen: a list showed it.
    Seen,
    /// Archived: done.
    Archive,
    /// No longer archived.
    Unarchive,
    /// Snoozed until a time.
    Snooze {
        /// When it wakes, as RFC 3339 text.
        #[ts(type = "string")]
        until: Stamp,
    },
    /// No longer snoozed.
    Unsnooze,
    /// Deleted. Can be undone only until it is sent.
    Delete,
    /// Pinned. Threads only, on this device only.
    Pin,
    /// No longer pinned. Threads only.
    Unpin,
    /// Muted: makes no toasts and does not count on the badge. Threads only, on this device only.
    Mute {
        /// When it ends by itself, as RFC 3339 text; `None` lasts until the thread is unmuted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "string")]
        until: Option<Stamp>,
    },
    /// No longer muted. Threads only.
    Unmute,
    /// Subscribed to at the service. Threads only; sent if the service keeps subscriptions.
    Subscribe,
    /// No longer subscribed to at the service. Threads only.
    Unsubscribe,
    /// Muted, also at the service: the service no longer notifies of the thread, whatever happens there. Threads only.
    Ignore,
}

impl Mark {
    /// The name of the mark: `op` in JSON, and the operation in an outbox.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Unread => "unread",
            Self::Seen => "seen",
            Self::Archive => "archive",
            Self::Unarchive => "unarchive",
            Self::Snooze { .. } => "snooze",
            Self::Unsnooze => "unsnooze",
            Self::Delete => "delete",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Mute { .. } => "mute",
            Self::Unmute => "unmute",
            Self::Subscribe => "subscribe",
            Self::Unsubscribe => "unsubscribe",
            Self::Ignore => "ignore",
        }
    }

    /// Whether it changes items, and so is sent to the server; otherwise it changes settings of threads on this device,
    /// or their subscription at the service.
    pub const fn is_of_items(self) -> bool {
        !matches!(self, Self::Pin | Self::Unpin | Self::Mute { .. } | Self::Unmute)
            && !self.is_of_subscription()
    }

    /// Whether it changes the subscription of threads at their service.
    pub const fn is_of_subscription(self) -> bool {
        matches!(self, Self::Subscribe | Self::Unsubscribe | Self::Ignore)
    }

    /// The end of the snooze; `None` for every other mark.
    pub const fn until(self) -> Option<Stamp> {
        if let Self::Snooze { until } = self { Some(until) } else { None }
    }

    /// Every mark of items; `until` is the time of `Snooze`.
    pub const fn of_items(until: Stamp) -> [Self; 8] {
        [
            Self::Read,
            Self::Unread,
            Self::Seen,
            Self::Archive,
            Self::Unarchive,
            Self::Snooze { until },
            Self::Unsnooze,
            Self::Delete,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_called_the_same_in_json_and_in_an_outbox() {
        let until = Stamp::from_micros(1_800_000_000_000_000);
        let mutes = [None, Some(until)].map(|until| Mark::Mute { until });
        let of_threads = [Mark::Pin, Mark::Unpin, Mark::Unmute];
        let of_subscriptions = [Mark::Subscribe, Mark::Unsubscribe, Mark::Ignore];
        for mark in Mark::of_items(until).into_iter().chain(of_threads).chain(mutes).chain(of_subscriptions) {
            let json = serde_json::to_value(mark).unwrap();
            assert_eq!(json["op"], mark.name());
            assert_eq!(serde_json::from_value::<Mark>(json).unwrap(), mark);
        }
    }

    #[test]
    fn a_mark_is_of_items_of_a_thread_here_or_of_a_subscription() {
        let until = Stamp::from_secs(100);
        for mark in Mark::of_items(until) {
            assert!(mark.is_of_items() && !mark.is_of_subscription(), "{mark:?}");
            assert_eq!(mark.until(), matches!(mark, Mark::Snooze { .. }).then_some(until));
        }
        for mark in [Mark::Pin, Mark::Unpin, Mark::Mute { until: Some(until) }, Mark::Unmute] {
            assert!(!mark.is_of_items() && !mark.is_of_subscription(), "{mark:?}");
            assert_eq!(mark.until(), None, "it is no snooze");
        }
        for mark in [Mark::Subscribe, Mark::Unsubscribe, Mark::Ignore] {
            assert!(!mark.is_of_items() && mark.is_of_subscription(), "{mark:?}");
        }
    }
}

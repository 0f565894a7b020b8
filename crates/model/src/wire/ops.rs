//! Operations on an inbox, and their results.

use serde::{Deserialize, Serialize};

use super::UnreadCounts;
use crate::{Kind, MsgId, Stamp, View};

/// An operation on the inbox, with the client's own id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Op {
    /// The client's own id; the same id is applied once.
    pub id: String,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Change {
    /// Marks items as read; for one of auto class the view's mark moves forward to it.
    Read {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Marks items as unread; for one of auto class the view's mark moves back to just before it.
    Unread {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Marks items as seen: a list showed them.
    Seen {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Archives items (done).
    Archive {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Takes items out of the archive.
    Unarchive {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Snoozes items until a time.
    Snooze {
        /// The items.
        msgids: Vec<MsgId>,
        /// When they come back.
        until: Stamp,
    },
    /// Ends the snooze of items.
    Unsnooze {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Deletes items; a tombstone stays.
    Delete {
        /// The items.
        msgids: Vec<MsgId>,
    },
    /// Visits a view: moves its mark forward.
    Visit {
        /// The view.
        view: View,
        /// `created_at` of the newest item that was shown; now by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stamp>,
    },
    /// Marks everything created at or before a time as read.
    ReadAll {
        /// Only this kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
        /// The time.
        through: Stamp,
    },
}

impl Change {
    /// The items that it names; `None` for a whole view and for `ReadAll`.
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

/// The result of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpResult {
    /// The id of the operation.
    pub id: String,
    /// Whether it was applied, now or by an earlier try.
    pub ok: bool,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<crate::Code>,
}

/// The answer to `POST /inbox/ops`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpsAnswer {
    /// In the order of the operations.
    pub results: Vec<OpResult>,
    /// The unread counts after them.
    pub unread: UnreadCounts,
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
}

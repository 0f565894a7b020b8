//! Operations on an inbox, and what became of each. Refuses to know whose inbox it is.

use serde::{Deserialize, Serialize};

use super::UnreadCounts;
use crate::{Kind, MsgId, Stamp, View};

/// An operation on the inbox, with the client's own id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Op {
    /// The client's own id; the same id is applied once.
    pub id: String,
    /// What to do.
    #[serde(flatten)]
    pub change: Change,
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Change {
    /// Mark items read; of auto class: moves their view's mark forward to them.
    Read {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Mark items unread; of auto class: moves their view's mark back to just before them.
    Unread {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// A list showed them.
    Seen {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Done.
    Archive {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Not done after all.
    Unarchive {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Sleep until a time.
    Snooze {
        /// Which.
        msgids: Vec<MsgId>,
        /// When they wake.
        until: Stamp,
    },
    /// Wake.
    Unsnooze {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Gone; a tombstone stays.
    Delete {
        /// Which.
        msgids: Vec<MsgId>,
    },
    /// Look at a view.
    Visit {
        /// Which.
        view: View,
        /// `created_at` of the newest item shown; now unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stamp>,
    },
    /// Everything created at or before a time.
    ReadAll {
        /// Only this kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
        /// Up to here.
        through: Stamp,
    },
}

impl Change {
    /// The items that it names; none where it is for all that a view or a time holds.
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

/// What became of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpResult {
    /// The client's id.
    pub id: String,
    /// Applied, now or before.
    pub ok: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<crate::Code>,
}

/// The answer to `POST /inbox/ops`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpsAnswer {
    /// In the order of the operations.
    pub results: Vec<OpResult>,
    /// The numbers after them.
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

//! A notification as it is found by somebody who wants to change it, whichever database has it.

use tidings_model::{Kind, MsgId, Stamp};

use super::fields::Fields;
use crate::domain::account::UserKey;
use crate::domain::draft::Recipients;
use crate::domain::editor::Editor;
use crate::error::Error;

/// What is known of a notification that is to be changed.
pub(super) struct Published {
    pub(super) created_at: Stamp,
    pub(super) msgid: MsgId,
    pub(super) kind: Kind,
    actor: String,
    action: String,
    target_type: String,
    target_id: String,
    /// The user whose token published it; 0 for a program without one.
    publisher: i64,
    pub(super) is_recalled: bool,
}

/// The columns of [`Published::from_row`], of a notification `n`.
macro_rules! published_columns {
    () => {
        "n.created_at, n.msgid, n.kind, n.actor_id, n.action, n.target_type, n.target_id, n.publisher, n.revision = 3"
    };
}

pub(super) use published_columns;

impl Published {
    pub(super) fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self {
            created_at: row.stamp(0)?,
            msgid: MsgId(row.string(1)?),
            kind: row.kind(2)?,
            actor: row.string(3)?,
            action: row.string(4)?,
            target_type: row.string(5)?,
            target_id: row.string(6)?,
            publisher: row.int(7)?,
            is_recalled: row.flag(8)?,
        })
    }

    /// Refuses who may not change it.
    ///
    /// # Errors
    /// `not_found`, as where there is none.
    pub(super) fn check_change(&self, by: &Editor) -> Result<(), Error> {
        let may_change = by.may_change(self.kind, self.publisher, &self.actor);
        if may_change { Ok(()) } else { Err(Self::missing()) }
    }

    /// The error where there is none with a msgid.
    pub(super) fn missing() -> Error {
        Error::not_found("notification")
    }

    /// Who gets a hint about a change of it. A message is in a group, or these users have it.
    pub(super) fn recipients(&self, group: Option<String>, users: Vec<UserKey>) -> Recipients {
        match self.kind {
            Kind::Announcement => Recipients::Everyone,
            Kind::Reminder => Recipients::Subscribers {
                kind: self.target_type.clone(),
                id: self.target_id.clone(),
                action: self.action.clone(),
                actor: self.actor.clone(),
            },
            Kind::Message => group.map_or(Recipients::Users(users), Recipients::Group),
        }
    }
}

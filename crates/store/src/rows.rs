//! What the rows of the tables mean that both stores have alike, by the order of their columns.

use tidings_model::MsgId;

use super::fields::Fields;
use super::{
    Application, ApplicationFields, Bearer, Client, Difference, Follow, GroupSummary, OldReceipt, Payload,
    StoreMeta, StoredFile, Token, User, UserKey,
};
use crate::Error;
use crate::domain::account::scopes_of;
use crate::domain::expectation::{Expectation, Running};
use crate::domain::topic::Topic;
use crate::topics::settings_of;

impl User {
    /// A row with the key, the id, the name and the time of creation.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let (key, created_at) = (UserKey(row.int(0)?), row.stamp(3)?);
        Ok(Self { key, id: row.string(1)?, name: row.string(2)?, created_at })
    }
}

impl Token {
    /// A row with the id, the user's id, the label, the scopes, the time of creation and the token that made it.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self {
            id: row.string(0)?,
            user: row.string(1)?,
            label: row.string(2)?,
            scopes: scopes_of(row.text(3)?),
            created_at: row.stamp(4)?,
            made_by: Some(row.string(5)?).filter(|id| !id.is_empty()),
        })
    }
}

impl Bearer {
    /// A row with the key, the id and the name of the user, and the id and the scopes of the token.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let (user, scopes) = (UserKey(row.int(0)?), scopes_of(row.text(4)?));
        Ok(Self { user, id: row.string(1)?, name: row.string(2)?, token: row.string(3)?, scopes })
    }
}

impl Follow {
    /// A row with the actor and the time.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self { user: row.string(0)?, created_at: row.stamp(1)? })
    }
}

impl Application {
    /// A row with the number, the target, what its user may change, the times of creation and of last use, and the name of
    /// the picture.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self {
            id: row.int(0)?,
            target: row.string(1)?,
            fields: ApplicationFields {
                name: row.string(2)?,
                description: row.string(3)?,
                default_priority: row.int(4)?,
                sort_key: row.string(5)?,
            },
            created_at: row.stamp(6)?,
            last_used: row.stamp_or_none(7)?,
            image: row.text_or_null(8)?.map(str::to_owned),
        })
    }
}

impl Client {
    /// A row with the number, the name, and the times of creation and of last use.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let (created_at, last_used) = (row.stamp(2)?, row.stamp_or_none(3)?);
        Ok(Self { id: row.int(0)?, name: row.string(1)?, created_at, last_used })
    }
}

impl Topic {
    /// A row with the topic, its settings and its readers.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self::new(row.text(0)?, settings_of(row.text(1)?, row.text(2)?)?))
    }
}

impl Payload {
    /// A row with the time, the sender, the event and the body.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let received_at = row.stamp(0)?;
        Ok(Self { received_at, sender: row.string(1)?, event: row.string(2)?, body: row.string(3)? })
    }
}

impl Expectation {
    /// A row with the columns in the order of the fields.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self {
            topic: row.string(0)?,
            every_secs: u32::try_from(row.int(1)?).unwrap_or(u32::MAX),
            seen_to: row.stamp(2)?,
            told_at: row.stamp(3)?,
            heard: row.int(4)?,
            missing: row.flag(5)?,
        })
    }
}

impl Running {
    /// A row with the first look, the last one, and the running time before.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self { began: row.stamp(0)?, ended: row.stamp(1)?, ran_before: row.int(2)? })
    }
}

impl StoredFile {
    /// A row with its name, its media type, its bytes and the time of its deletion.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let (bytes, expires_at) = (row.size(2)?, row.stamp(3)?);
        Ok(Self { file_name: row.string(0)?, media_type: row.string(1)?, bytes, expires_at })
    }
}

impl StoreMeta {
    /// A row with the newest stamp, the version of users and tokens, the number of users, and the bytes of files.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let (last_stamp, auth_version) = (row.stamp(0)?, row.int(1)?);
        Ok(Self { last_stamp, auth_version, users: row.size(2)?, file_bytes: row.size(3)? })
    }
}

impl Difference {
    /// A row with the name, and two numbers: the stored value and the counted one.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let [stored, counted] = [row.int(1)?, row.int(2)?].map(|value| value.to_string());
        Ok(Self { what: row.string(0)?, stored, counted })
    }
}

impl GroupSummary {
    /// A row with the id, the name, the owner's id, the number of members and the time of creation.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        let (member_count, created_at) = (row.counter(3)?.unwrap_or_default(), row.stamp(4)?);
        Ok(Self { id: row.string(0)?, name: row.string(1)?, owner: row.string(2)?, member_count, created_at })
    }
}

impl OldReceipt {
    /// A row with the sender and the stamp, the msgid and the group, and the sender's id and the time of the message. The
    /// reader's id and when it was read are the last.
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self {
            key: (UserKey(row.int(0)?), row.stamp(1)?),
            msgid: row.text_or_null(2)?.map(|msgid| MsgId(msgid.to_owned())),
            conversation: row.text_or_null(3)?.map(|id| format!("group:{id}")),
            sender: row.string(4)?,
            sent_at: row.stamp(5)?,
            reader: row.string(6)?,
            at: row.stamp(7)?,
        })
    }
}

//! A notification as it is found by somebody who wants to change it, whichever database has it.

use tidings_model::wire::{Edited, NotificationEdit};
use tidings_model::{Actor, Content, Kind, MsgId, Problem, Question, Stamp, Target};

use super::fields::Fields;
use super::records::StoredResponse;
use crate::Error;
use crate::domain::account::UserKey;
use crate::domain::draft::{Audience, Draft, Recipients};
use crate::domain::editor::Editor;

/// The record of a notification that is to be changed.
pub struct Published {
    /// When it was published.
    pub created_at: Stamp,
    /// Its msgid.
    pub msgid: MsgId,
    /// Its kind.
    pub kind: Kind,
    actor: String,
    action: String,
    target_type: String,
    target_id: String,
    /// The user whose token published it; 0 for a program without one.
    publisher: i64,
    /// Whether it was taken back.
    pub is_recalled: bool,
}

/// The columns of [`Published::from_row`](crate::published::Published::from_row), of a notification `n`.
#[macro_export]
macro_rules! published_columns {
    () => {
        "n.created_at, n.msgid, n.kind, n.actor_id, n.action, n.target_type, n.target_id, n.publisher, n.revision = 3"
    };
}

pub use published_columns;

impl Published {
    /// The record in a row with the columns of [`published_columns`](crate::published_columns).
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
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
    /// `not_found`, as if there were none.
    pub fn check_change(&self, by: &Editor) -> Result<(), Error> {
        let target = (self.target_type.as_str(), self.target_id.as_str());
        let may_change = by.may_change(self.kind, self.publisher, &self.actor, target);
        if may_change { Ok(()) } else { Err(Self::missing()) }
    }

    /// The error if there is none with a msgid.
    pub fn missing() -> Error {
        Error::not_found("notification")
    }

    /// The creation time of an announcement, for somebody who may change it.
    ///
    /// # Errors
    /// `not_found` for anything else.
    pub fn own_announcement(found: Option<&Self>, by: &Editor) -> Result<Stamp, Error> {
        let found = found.filter(|found| found.kind == Kind::Announcement && !found.is_recalled);
        let found = found.ok_or_else(Self::missing)?;
        found.check_change(by)?;
        Ok(found.created_at)
    }

    /// Who gets a hint about a change of it. A message is in a group, or these users have it.
    pub fn recipients(&self, group: Option<String>, users: Vec<UserKey>) -> Recipients {
        let audience = match self.kind {
            Kind::Announcement => Recipients::Everyone,
            Kind::Reminder => Recipients::Subscribers {
                kind: self.target_type.clone(),
                id: self.target_id.clone(),
                action: self.action.clone(),
                actor: self.actor.clone(),
            },
            Kind::Message => group.map_or(Recipients::Users(users), Recipients::Group),
        };
        audience.revised(self.created_at)
    }
}

/// A delayed publication that was cancelled by its msgid. The answer to that is kept with the answers to keys, so that a
/// repetition gets it for as long.
pub struct Cancelled;

impl Cancelled {
    /// Stands for the token among those of the kept answers; the msgid is the key.
    pub const OWNER: &str = "cancelled";

    /// What is kept of one that this publisher let wait.
    pub fn answer(publisher: i64) -> StoredResponse {
        let body = publisher.to_string().into_bytes();
        StoredResponse { status: 204, body, token_salt: String::new() }
    }

    /// Refuses who may not have cancelled it.
    ///
    /// # Errors
    /// `not_found`, also if nothing is kept of it.
    pub fn check_repeated(kept: Option<StoredResponse>, by: &Editor) -> Result<(), Error> {
        let publisher: Option<i64> = kept.and_then(|kept| String::from_utf8(kept.body).ok()?.parse().ok());
        if publisher.is_some_and(|publisher| by.may_cancel(publisher)) {
            Ok(())
        } else {
            Err(Published::missing())
        }
    }
}

/// The question of a delayed publication, for somebody who may cancel it. A draft that can't be read asks nothing.
pub fn waiting_question(publisher: i64, draft: &str, by: &Editor) -> Option<Question> {
    if !by.may_cancel(publisher) {
        return None;
    }
    serde_json::from_str::<Draft>(draft).ok()?.content.question
}

/// The column `target_details`: the target's title, URL and owner as JSON; empty if it has none of them.
pub fn target_details(draft: &Draft) -> Result<String, Error> {
    match &draft.target {
        Some(t) if t.title.is_some() || t.url.is_some() || t.owner.is_some() => {
            Ok(serde_json::to_string(&(&t.title, &t.url, &t.owner))?)
        }
        _ => Ok(String::new()),
    }
}

/// The column `content`: JSON without the fields that have their default.
pub fn content_json(content: &Content) -> Result<String, Error> {
    Ok(serde_json::to_string(&content.stored(&[]))?)
}

/// The texts of a notification, for a publisher who edits it.
pub struct PublishedTexts {
    content: Content,
    actor_name: String,
    target_details: String,
    /// The stamp of its last new content.
    revised_at: Option<Stamp>,
}

/// The columns of [`PublishedTexts::from_row`](crate::published::PublishedTexts::from_row), of a notification `n`.
#[macro_export]
macro_rules! text_columns {
    () => {
        "n.content, n.actor_name, n.target_details, CASE WHEN n.content_revised_at > 0 THEN n.content_revised_at END"
    };
}

pub use text_columns;

impl PublishedTexts {
    /// The texts in a row with the columns of [`text_columns`](crate::text_columns).
    pub fn from_row(row: &impl Fields) -> Result<Self, Error> {
        Ok(Self {
            content: serde_json::from_str(row.text(0)?)?,
            actor_name: row.string(1)?,
            target_details: row.string(2)?,
            revised_at: row.time(3)?,
        })
    }

    /// The content after an edit; `None` if nothing differs.
    ///
    /// # Errors
    /// Those of a publication that exceeds the limits.
    pub fn edited(&self, of: &Published, edit: &NotificationEdit) -> Result<Option<Content>, Error> {
        let content = edit.apply(&self.content);
        if content == self.content {
            return Ok(None);
        }
        if of.kind == Kind::Announcement && content.title.is_empty() {
            return Err(Problem::invalid("title", "must not be empty").into());
        }
        let by = Actor { id: of.actor.clone(), name: self.actor_name.clone() };
        let mut draft = Draft::new(of.kind, Audience::Everyone, by);
        draft.action.clone_from(&of.action);
        let mut target =
            Target { kind: of.target_type.clone(), id: of.target_id.clone(), ..Target::default() };
        if !self.target_details.is_empty() {
            (target.title, target.url, target.owner) = serde_json::from_str(&self.target_details)?;
        }
        draft.target = (of.kind == Kind::Reminder).then_some(target);
        draft.content = content;
        draft.check()?;
        Ok(Some(draft.content))
    }

    /// The answer if nothing differs.
    pub fn unchanged(&self, of: &Published) -> Edited {
        let stamp = self.revised_at.unwrap_or(of.created_at);
        Edited { msgid: of.msgid.clone(), stamp, revised_at: self.revised_at }
    }
}

//! The publications of a user, as lines of an export: those of its tokens, reminders with it as the actor, and messages
//! that were sent in its name. What waits to be delivered has lines of its own.

use serde::Serialize;
use serde_json::Value;
use tidings_model::{Actor, Content, Kind, MsgId, Stamp, Target};

use super::fields::Fields;
use super::page::{JsonElements, PageBuilder};
use crate::domain::item::Revision;
use crate::{Draft, Error};

/// The columns of a publication, of notifications `n`.
pub const COLUMNS: &str =
    "n.created_at, n.msgid, n.kind, n.actor_id, n.actor_name, n.action, n.target_type, n.target_id,
    n.target_details, n.content, n.content_revised_at, n.revision";

/// A part of a user's publications, in the order of creation.
#[derive(Debug)]
pub struct WrittenPage {
    /// The publications.
    pub publications: JsonElements,
    /// Their msgids.
    pub msgids: Vec<MsgId>,
    /// Everything up to here is in it.
    pub through: Stamp,
    /// Whether there is more.
    pub more: bool,
}

#[derive(Serialize)]
struct Publication {
    msgid: MsgId,
    created_at: Stamp,
    kind: Kind,
    actor: Actor,
    action: Option<String>,
    target: Option<Target>,
    revised_at: Option<Stamp>,
    #[serde(flatten)]
    content: Content,
}

/// Builds a page from rows that are pushed in the order of creation.
pub struct WrittenBuilder {
    page: PageBuilder,
    msgids: Vec<MsgId>,
    through: Stamp,
    is_full: bool,
}

impl WrittenBuilder {
    /// A page after a time, of at most `limit` publications.
    pub fn new(after: Stamp, limit: usize) -> Self {
        Self { page: PageBuilder::new(limit), msgids: Vec::new(), through: after, is_full: false }
    }

    /// Adds the publication of a row with [`COLUMNS`]; false if the page ends before it. What its publisher deleted is left
    /// out.
    pub fn push(&mut self, row: &impl Fields) -> Result<bool, Error> {
        let created_at = row.stamp(0)?;
        let msgid = MsgId(row.string(1)?);
        if Revision::from_row(row.int(11)?) != Some(Revision::Delete) {
            if !self.page.push(&publication(row, msgid.clone())?)? {
                self.is_full = true;
                return Ok(false);
            }
            self.msgids.push(msgid);
        }
        self.through = created_at;
        Ok(true)
    }

    /// The page, which ends at its last row; `upto` if everything up to there was looked at and there may be more.
    pub fn finish(self, upto: Option<Stamp>) -> WrittenPage {
        WrittenPage {
            publications: self.page.into_elements(),
            msgids: self.msgids,
            through: if self.is_full { self.through } else { upto.unwrap_or(self.through) },
            more: self.is_full || upto.is_some(),
        }
    }
}

#[derive(Serialize)]
struct WaitingDraft {
    deliver_at: Stamp,
    #[serde(flatten)]
    draft: Draft,
}

/// Adds a publication that waits to be delivered, by its draft as JSON, to a page; false if the page ends before it.
pub fn push_waiting(page: &mut PageBuilder, deliver_at: Stamp, draft: &str) -> Result<bool, Error> {
    // One that can't be read is dropped when it is due.
    let Ok(draft) = serde_json::from_str::<Draft>(draft) else { return Ok(true) };
    // Keys of rows and names of files are for no reader.
    page.push(&WaitingDraft { deliver_at, draft: Draft { subscribe: None, file: None, ..draft } })
}

fn publication(row: &impl Fields, msgid: MsgId) -> Result<Publication, Error> {
    let kind = row.kind(2)?;
    let is_reminder = kind == Kind::Reminder;
    let details = row.text(8)?;
    let (title, url, owner) =
        if details.is_empty() { (None, None, None) } else { serde_json::from_str(details)? };
    let target = Target { kind: row.string(6)?, id: row.string(7)?, title, url, owner };
    Ok(Publication {
        msgid,
        created_at: row.stamp(0)?,
        kind,
        actor: Actor { id: row.string(3)?, name: row.string(4)? },
        action: is_reminder.then(|| row.string(5)).transpose()?,
        target: is_reminder.then_some(target),
        revised_at: row.stamp_or_none(10)?,
        content: serde_json::from_value(serde_json::from_str::<Value>(row.text(9)?)?)?,
    })
}

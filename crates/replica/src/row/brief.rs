//! The state of an item, without its words. Refuses to know what it says.

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Stamp, State, is_unread};

use super::{kind, stamp, time};
use crate::ledger::Facts;
use crate::{ItemId, Result, SourceId, ThreadId};

/// The four marks of an item. Of auto class `read` is there only where the server marked this one item read, without
/// its view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks {
    pub(crate) seen: Option<Stamp>,
    pub(crate) read: Option<Stamp>,
    pub(crate) archived: Option<Stamp>,
    pub(crate) snoozed: Option<Stamp>,
}

/// The state of an item, without its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Brief {
    pub(crate) id: ItemId,
    pub(crate) source: SourceId,
    pub(crate) msgid: String,
    pub(crate) thread: ThreadId,
    pub(crate) generation: i64,
    pub(crate) stamp: Stamp,
    pub(crate) kind: Kind,
    pub(crate) created_at: Stamp,
    /// When its publisher revised it last.
    pub(crate) revised_at: Option<Stamp>,
    pub(crate) own: bool,
    pub(crate) priority: u8,
    pub(crate) view: Option<i64>,
    /// The view's mark.
    pub(crate) through: Option<Stamp>,
    pub(crate) marks: Marks,
    pub(crate) asleep: bool,
    pub(crate) deleted: bool,
    pub(crate) unread: bool,
}

/// The columns of [`Brief::of`].
pub(crate) const BRIEF: &str = "i.id, i.source, i.msgid, i.thread, i.generation, i.stamp, i.kind, i.created_at, i.own,
    i.priority, i.view, (SELECT through FROM views v WHERE v.id = i.view), i.seen_at, i.read_at, i.archived_at,
    i.snoozed_until, i.asleep, i.deleted, i.unread, i.revised_at";

impl Brief {
    /// From the columns [`BRIEF`].
    pub(crate) fn of(r: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: r.get(0)?,
            source: r.get(1)?,
            msgid: r.get(2)?,
            thread: r.get(3)?,
            generation: r.get(4)?,
            stamp: stamp(r, 5)?,
            kind: kind(r, 6)?,
            created_at: stamp(r, 7)?,
            own: r.get(8)?,
            priority: r.get(9)?,
            view: r.get(10)?,
            through: time(r, 11)?,
            marks: Marks {
                seen: time(r, 12)?,
                read: time(r, 13)?,
                archived: time(r, 14)?,
                snoozed: time(r, 15)?,
            },
            asleep: r.get(16)?,
            deleted: r.get(17)?,
            unread: r.get(18)?,
            revised_at: time(r, 19)?,
        })
    }

    /// The least mark of its view that covers it: when it was created, or revised since.
    pub(crate) fn content_at(&self) -> Stamp {
        tidings_model::content_at(self.created_at, self.revised_at)
    }

    /// Whether its view's mark covers it.
    pub(crate) fn is_covered(&self) -> bool {
        self.view.is_some() && self.through.is_some_and(|mark| mark >= self.content_at())
    }

    /// Whether it is read: by its own mark, or by its view's.
    pub(crate) fn is_read(&self) -> bool {
        self.is_covered() || self.marks.read.is_some()
    }

    /// Derives `asleep` and `unread` from everything else.
    pub(crate) fn derive(&mut self, now: Stamp) {
        self.asleep = self.marks.snoozed.is_some_and(|until| until > now);
        let state = State {
            read: self.is_read(),
            archived: self.marks.archived.is_some(),
            deleted: self.deleted,
            own: self.own,
            snoozed_until: self.marks.snoozed,
        };
        self.unread = is_unread(&state, now);
    }

    /// What counts of it.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            id: self.id,
            kind: self.kind,
            created_at: self.created_at,
            priority: self.priority,
            unread: self.unread,
            seen: self.marks.seen.is_some(),
            archived: self.marks.archived.is_some(),
            asleep: if self.asleep { self.marks.snoozed } else { None },
        }
    }

    /// Writes the state.
    pub(crate) fn write(&self, tx: &Connection) -> Result<()> {
        tx.prepare_cached(
            "UPDATE items SET seen_at = ?2, read_at = ?3, archived_at = ?4, snoozed_until = ?5, asleep = ?6,
                deleted = ?7, unread = ?8 WHERE id = ?1",
        )?
        .execute(params![
            self.id,
            self.marks.seen.map(Stamp::as_micros),
            self.marks.read.map(Stamp::as_micros),
            self.marks.archived.map(Stamp::as_micros),
            self.marks.snoozed.map(Stamp::as_micros),
            self.asleep,
            self.deleted,
            self.unread
        ])?;
        Ok(())
    }
}

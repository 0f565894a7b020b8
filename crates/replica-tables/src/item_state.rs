//! The state of items without their content: the columns of `items` on which marks, counters and threads depend.

use rusqlite::{Connection, Params, Row, params};
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Mark, Stamp, State, is_unread};

use super::columns::{kind, stamp, time};
use super::outbox::Named;
use super::sql;
use super::thread_counts::ItemFlags;
use crate::{ItemId, Result, SourceId, ThreadId};

/// The four marks of an item: when it was seen, read and archived, and until when it is snoozed. For an item of auto
/// class `read` is set only if this single item is read without its view's mark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// When it was seen.
    pub seen: Option<Stamp>,
    /// When it was read.
    pub read: Option<Stamp>,
    /// When it was archived.
    pub archived: Option<Stamp>,
    /// Until when it is snoozed, also after that time.
    pub snoozed: Option<Stamp>,
}

impl Marks {
    /// Applies a mark, as of `when`. Deletion is not one of these marks. For an item of auto class (`auto`) `Read` does
    /// nothing, because the view's mark decides.
    #[inline]
    pub fn apply(&mut self, mark: Mark, when: Stamp, auto: bool) {
        match mark {
            Mark::Read if auto => {}
            Mark::Read => self.read = self.read.or(Some(when)),
            Mark::Unread => self.read = None,
            Mark::Seen => self.seen = self.seen.or(Some(when)),
            Mark::Archive => self.archived = self.archived.or(Some(when)),
            Mark::Unarchive => self.archived = None,
            Mark::Snooze { until } => self.snoozed = Some(until),
            Mark::Unsnooze => self.snoozed = None,
            Mark::Delete
            | Mark::Pin
            | Mark::Unpin
            | Mark::Mute { .. }
            | Mark::Unmute
            | Mark::Subscribe
            | Mark::Unsubscribe
            | Mark::Ignore => {}
        }
    }

    /// Reads the columns `seen_at, read_at, archived_at, snoozed_until` that begin at `at`.
    pub(crate) fn of(r: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            seen: time(r, at)?,
            read: time(r, at + 1)?,
            archived: time(r, at + 2)?,
            snoozed: time(r, at + 3)?,
        })
    }

    /// The values of these columns, in microseconds.
    pub(crate) fn micros(&self) -> [Option<i64>; 4] {
        [self.seen, self.read, self.archived, self.snoozed].map(|time| time.map(Stamp::as_micros))
    }
}

/// The state of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemState {
    /// The row id; 0 before it is inserted.
    pub id: ItemId,
    /// Its source.
    pub source: SourceId,
    /// Its msgid.
    pub msgid: String,
    /// Its thread.
    pub thread: ThreadId,
    /// The source's generation in which this version was pulled.
    pub generation: i64,
    /// The stamp of this version.
    pub stamp: Stamp,
    /// Its kind.
    pub kind: Kind,
    /// When it was created.
    pub created_at: Stamp,
    /// `None` for a message, whose revisions move nothing.
    pub revised_at: Option<Stamp>,
    /// The time by which lists go.
    pub listed_at: Stamp,
    /// Whether it is the user's own.
    pub own: bool,
    /// The priority in force, 1 to 5: the server's, or a rule's.
    pub priority: u8,
    /// The row id of the view whose mark makes it read; `None` for manual class.
    pub view: Option<i64>,
    /// The mark of that view.
    pub through: Option<Stamp>,
    /// Its marks in force.
    pub marks: Marks,
    /// Whether it is snoozed.
    pub asleep: bool,
    /// Whether it was deleted here.
    pub deleted: bool,
    /// Whether it is unread.
    pub unread: bool,
    /// Until when its question waits for an answer; `None` if it asks nothing. It is zero once the question is closed, and
    /// negative if only this device's clock says so ([`super::questions::ended`]).
    pub question_due: Option<Stamp>,
    /// The clock of its source's server minus this machine's, in microseconds.
    pub clock_offset: i64,
}

const COLUMNS: &str = "i.id, i.source, i.msgid, i.thread, i.generation, i.stamp, i.kind, i.created_at, i.own,
    i.priority, i.view, (SELECT through FROM views v WHERE v.id = i.view), i.seen_at, i.read_at, i.archived_at,
    i.snoozed_until, i.asleep, i.deleted, i.unread, i.revised_at, i.listed_at,
    i.question_due, (SELECT clock_offset FROM sources s WHERE s.id = i.source)";

impl ItemState {
    fn of(r: &Row<'_>) -> rusqlite::Result<Self> {
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
            marks: Marks::of(r, 12)?,
            asleep: r.get(16)?,
            deleted: r.get(17)?,
            unread: r.get(18)?,
            revised_at: time(r, 19)?,
            listed_at: stamp(r, 20)?,
            question_due: time(r, 21)?,
            clock_offset: r.get(22)?,
        })
    }

    /// Reads states; `rest` is the SQL after `FROM items i`.
    pub fn select(conn: &Connection, rest: &str, params: impl Params) -> Result<Vec<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM items i {rest}");
        sql::all(conn, &sql, params, Self::of)
    }

    /// The state of one item; `None` if the row is gone.
    pub fn get(conn: &Connection, id: ItemId) -> Result<Option<Self>> {
        Ok(Self::select(conn, "WHERE i.id = ?1", [id])?.pop())
    }

    /// The earliest mark of its view that covers it: the time of its creation or last revision.
    #[inline]
    pub fn content_at(&self) -> Stamp {
        tidings_model::content_at(self.created_at, self.revised_at)
    }

    /// Whether its view's mark covers it.
    #[inline]
    pub(crate) fn is_covered(&self) -> bool {
        self.view.is_some() && self.through.is_some_and(|mark| mark >= self.content_at())
    }

    /// Whether it is read: by its own mark, or by its view's.
    #[inline]
    pub fn is_read(&self) -> bool {
        self.is_covered() || self.marks.read.is_some()
    }

    /// The time by the clock of its source's server, by which its snooze and its question end on every device.
    #[inline]
    pub fn server_time(&self, now: Stamp) -> Stamp {
        now.plus_micros(self.clock_offset)
    }

    /// Whether it is a question that takes no answer any more.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.question_due.is_some_and(|due| due <= Stamp::ZERO)
    }

    /// Derives `asleep` and `unread` from everything else, at a time by this machine's clock.
    #[inline]
    pub fn derive(&mut self, now: Stamp) {
        let now = self.server_time(now);
        self.asleep = self.marks.snoozed.is_some_and(|until| until > now);
        let state = State {
            read: self.is_read(),
            archived: self.marks.archived.is_some(),
            deleted: self.deleted,
            own: self.own,
            snoozed_until: self.marks.snoozed,
            closed: self.question_due.is_some_and(|due| due <= now),
        };
        self.unread = is_unread(&state, now);
    }

    /// Its flags, which threads and counters count.
    #[inline]
    pub fn flags(&self) -> ItemFlags {
        ItemFlags {
            id: self.id,
            kind: self.kind,
            listed_at: self.listed_at,
            priority: self.priority,
            unread: self.unread,
            seen: self.marks.seen.is_some(),
            archived: self.marks.archived.is_some(),
            asleep: self.marks.snoozed.filter(|_| self.asleep),
            woken: self.marks.snoozed.filter(|_| !self.asleep),
        }
    }

    /// Its identification in an operation.
    pub fn named(&self) -> Named {
        Named { item: Some(self.id), msgid: tidings_model::MsgId(self.msgid.clone()), thread: self.thread }
    }

    /// Writes marks, `asleep`, `deleted`, `unread` and `question_due`.
    pub fn write(&self, tx: &Connection) -> Result<()> {
        let [seen, read, archived, snoozed] = self.marks.micros();
        let sql =
            "UPDATE items SET seen_at = ?2, read_at = ?3, archived_at = ?4, snoozed_until = ?5, asleep = ?6,
                deleted = ?7, unread = ?8, question_due = ?9 WHERE id = ?1";
        sql::run(
            tx,
            sql,
            params![
                self.id,
                seen,
                read,
                archived,
                snoozed,
                self.asleep,
                self.deleted,
                self.unread,
                self.question_due.map(Stamp::as_micros)
            ],
        )
        .map(drop)
    }
}

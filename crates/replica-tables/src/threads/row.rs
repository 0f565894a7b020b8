//! The columns of a thread's row that follow from its items and marks.

use rusqlite::{Connection, Row, params};
use tidings_model::Stamp;

use super::super::columns::{ThreadPlace, kind, stamp, time};
use super::super::flags::Flags;
use super::super::sql;
use super::super::thread_counts::ThreadCounts;
use crate::{Error, NotifySettings, Result, SourceId, ThreadId};

/// The columns of a thread's row that follow from its items and marks.
pub(crate) struct ThreadRow {
    pub(crate) source: SourceId,
    pub(crate) counts: ThreadCounts,
    /// The time of the newest item; `None` if it is not known, because the thread came back from a snooze after it.
    pub(crate) newest_at: Option<Stamp>,
    /// When the thread last came back from a snooze.
    pub(crate) woken_at: Option<Stamp>,
    pub(crate) last_item: i64,
    pub(crate) last_priority: u8,
    /// The time at which its first snoozed item wakes.
    pub(crate) wake_at: Option<Stamp>,
    /// The time of its newest archived item.
    pub(crate) done_at: Option<Stamp>,
    /// All actors, or the latest of many, as JSON.
    pub(crate) actors: String,
    pub(crate) actor_count: i64,
}

/// The columns that [`ThreadRow::of`] reads.
macro_rules! row_columns {
    () => {
        "id, source, kind, last_at, last_item, last_priority, total, archived, asleep, unread, unseen,
        unread_p1, unread_p2, unread_p3, unread_p4, unread_p5, wake_at, pinned, muted, actor_count, actors,
        notify_level, notify_from_priority, notify_sound, place, woken_at, muted_until, origin_mute, done_at"
    };
}

impl ThreadRow {
    /// The row of a thread without items.
    pub(crate) fn empty(source: SourceId, counts: ThreadCounts) -> Self {
        Self {
            source,
            counts,
            newest_at: Some(Stamp::ZERO),
            woken_at: None,
            last_item: 0,
            last_priority: 3,
            wake_at: None,
            done_at: None,
            actors: "[]".into(),
            actor_count: 0,
        }
    }

    pub(crate) fn read(tx: &Connection, id: ThreadId) -> Result<Self> {
        let sql = concat!("SELECT ", row_columns!(), " FROM threads WHERE id = ?1");
        sql::first(tx, sql, [id], |r| Self::of(r).map(|(_, row)| row))?.ok_or(Error::NoThread(id))
    }

    /// The thread with this key, including threads that no list shows.
    pub(crate) fn find(tx: &Connection, source: SourceId, key: &str) -> Result<Option<(ThreadId, Self)>> {
        let sql = concat!("SELECT ", row_columns!(), " FROM threads WHERE source = ?1 AND key = ?2");
        sql::first(tx, sql, params![source, key], Self::of)
    }

    fn of(r: &Row<'_>) -> rusqlite::Result<(ThreadId, Self)> {
        let total = r.get(6)?;
        let counts = ThreadCounts {
            kind: kind(r, 2)?,
            total,
            archived: r.get(7)?,
            asleep: r.get(8)?,
            unread: r.get(9)?,
            unseen: r.get(10)?,
            by_priority: [r.get(11)?, r.get(12)?, r.get(13)?, r.get(14)?, r.get(15)?],
            flags: Flags { pinned: r.get(17)?, muted: r.get(18)?, until: time(r, 26)?, origin: r.get(27)? },
            notify: NotifySettings::of(r, 21)?,
            has_outgoing: total == 0 && r.get::<_, ThreadPlace>(24)? == ThreadPlace::Inbox,
        };
        let (last_at, woken_at) = (stamp(r, 3)?, time(r, 25)?);
        let row = Self {
            source: r.get(1)?,
            counts,
            newest_at: Some(last_at).filter(|_| woken_at != Some(last_at)),
            woken_at,
            last_item: r.get(4)?,
            last_priority: r.get(5)?,
            wake_at: time(r, 16)?,
            done_at: time(r, 28)?,
            actors: r.get(20)?,
            actor_count: r.get(19)?,
        };
        Ok((r.get(0)?, row))
    }

    /// The time by which lists are sorted.
    fn last_at(&self) -> Stamp {
        self.newest_at.max(self.woken_at).unwrap_or(Stamp::ZERO)
    }

    pub(crate) fn write(&self, tx: &Connection, id: ThreadId) -> Result<()> {
        let n = &self.counts;
        let [p1, p2, p3, p4, p5] = n.by_priority;
        let sql = "UPDATE threads SET kind = ?2, place = ?3, last_at = ?4, last_item = ?5, last_priority = ?6, total = ?7,
                archived = ?8, asleep = ?9, unread = ?10, unseen = ?11, unread_p1 = ?12, unread_p2 = ?13,
                unread_p3 = ?14, unread_p4 = ?15, unread_p5 = ?16, wake_at = ?17, pinned = ?18, muted = ?19,
                actor_count = ?20, actors = ?21, woken_at = ?22, muted_until = ?23, origin_mute = ?24,
                done_at = ?25
             WHERE id = ?1";
        sql::run(
            tx,
            sql,
            params![
                id,
                n.kind.as_row(),
                n.place(),
                self.last_at().as_micros(),
                self.last_item,
                self.last_priority,
                n.total,
                n.archived,
                n.asleep,
                n.unread,
                n.unseen,
                p1,
                p2,
                p3,
                p4,
                p5,
                self.wake_at.map(Stamp::as_micros),
                n.flags.pinned,
                n.flags.muted,
                self.actor_count,
                self.actors,
                self.woken_at.map(Stamp::as_micros),
                n.flags.until.map(Stamp::as_micros),
                n.flags.origin,
                self.done_at.map(Stamp::as_micros)
            ],
        )
        .map(drop)
    }
}

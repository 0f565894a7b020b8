//! Local operations that wait, laid over what the server says. Refuses to forget either: the server's word is held
//! beside the item for as long as an operation on it waits.

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Stamp};

use crate::row::{Brief, Marks};
use crate::{ItemId, Result, SourceId, row};

/// What an operation does to an item's marks, without naming the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Act {
    Read,
    Unread,
    Seen,
    Archive,
    Unarchive,
    Snooze(Stamp),
    Unsnooze,
    Delete,
}

impl Act {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Unread => "unread",
            Self::Seen => "seen",
            Self::Archive => "archive",
            Self::Unarchive => "unarchive",
            Self::Snooze(_) => "snooze",
            Self::Unsnooze => "unsnooze",
            Self::Delete => "delete",
        }
    }

    pub(crate) fn from_word(word: &str, at: Option<Stamp>) -> Option<Self> {
        Some(match word {
            "read" => Self::Read,
            "unread" => Self::Unread,
            "seen" => Self::Seen,
            "archive" => Self::Archive,
            "unarchive" => Self::Unarchive,
            "snooze" => Self::Snooze(at?),
            "unsnooze" => Self::Unsnooze,
            "delete" => Self::Delete,
            _ => return None,
        })
    }

    /// Does it, as of `when`. Deleting is not among the marks; what is read of auto class its view's mark says.
    pub(crate) fn on(self, marks: &mut Marks, when: Stamp, auto: bool) {
        match self {
            Self::Read if auto => {}
            Self::Read => marks.read = marks.read.or(Some(when)),
            Self::Unread => marks.read = None,
            Self::Seen => marks.seen = marks.seen.or(Some(when)),
            Self::Archive => marks.archived = marks.archived.or(Some(when)),
            Self::Unarchive => marks.archived = None,
            Self::Snooze(until) => marks.snoozed = Some(until),
            Self::Unsnooze => marks.snoozed = None,
            Self::Delete => {}
        }
    }
}

/// An operation on everything up to a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) seq: i64,
    pub(crate) kind: Option<Kind>,
    pub(crate) through: Stamp,
    pub(crate) when: Stamp,
    /// Where the server has answered: the last item that is settled, and the tick at which the operation was sent.
    answered: Option<(ItemId, i64)>,
}

impl Range {
    /// Whether the server has not answered yet.
    pub(crate) const fn waits(&self) -> bool {
        self.answered.is_none()
    }

    /// Whether it is laid over what the server said of an item at this tick. What it says after its answer stands.
    fn is_over(&self, item: &Brief, heard: i64) -> bool {
        let laid = self.answered.is_none_or(|(last, sent)| item.id > last && heard <= sent);
        laid && self.covers(item.kind, item.created_at)
    }

    pub(crate) fn covers(&self, kind: Kind, created_at: Stamp) -> bool {
        created_at <= self.through && self.kind.is_none_or(|k| k == kind)
    }
}

/// What waits in one source's outbox, as far as it is laid over what a pull says.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    /// Anything waits at all.
    pub(crate) any: bool,
    pub(crate) ranges: Vec<Range>,
    /// The source's tick now.
    pub(crate) tick: i64,
}

/// An operation that the server applied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) act: Act,
    pub(crate) when: Stamp,
    /// The tick at which it was sent.
    pub(crate) sent: i64,
}

struct Waiting {
    seq: i64,
    act: Act,
    when: Stamp,
}

impl Overlay {
    pub(crate) fn of(tx: &Connection, source: SourceId) -> Result<Self> {
        let (any, tick) = tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1), tick FROM sources WHERE id = ?1",
            )?
            .query_row([source], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let mut ranges = Vec::new();
        if any {
            let mut rows = tx.prepare_cached(
                "SELECT seq, kind, at, written_at, answered IS NOT NULL, settled_to, sent FROM outbox
                 WHERE source = ?1 AND act = 'read_all' ORDER BY seq",
            )?;
            for range in rows.query_map([source], |r| {
                Ok(Range {
                    seq: r.get(0)?,
                    kind: r.get::<_, Option<i64>>(1)?.and_then(Kind::from_row),
                    through: row::stamp(r, 2)?,
                    when: row::stamp(r, 3)?,
                    answered: if r.get(4)? { Some((r.get(5)?, r.get(6)?)) } else { None },
                })
            })? {
                ranges.push(range?);
            }
        }
        Ok(Self { any, ranges, tick })
    }

    /// Lays what waits over `item.marks`, which are the server's as of now, and holds those while anything does.
    pub(crate) fn lay(&self, tx: &Connection, item: &mut Brief) -> Result<()> {
        if !self.any {
            return Ok(());
        }
        let waiting = waiting(tx, item.id)?;
        let ranges: Vec<&Range> = self.ranges.iter().filter(|r| r.is_over(item, self.tick)).collect();
        if waiting.is_empty() && ranges.is_empty() {
            // What was held for an operation that is answered is older than this.
            tx.prepare_cached("DELETE FROM held WHERE item = ?1")?.execute([item.id])?;
            return Ok(());
        }
        let truth = item.marks;
        fold(item, &waiting, &ranges);
        hold(tx, item.id, &truth, self.tick)
    }

    /// Recomputes an item's marks after an operation on it left the outbox.
    pub(crate) fn settle(&self, tx: &Connection, item: &mut Brief, done: Option<Done>) -> Result<()> {
        let Some((mut truth, heard)) = held(tx, item.id)? else { return Ok(()) };
        // The server had not spoken since it was sent: what it held is now what the operation made of it.
        let guess = done.filter(|done| heard <= done.sent);
        if let Some(done) = guess {
            done.act.on(&mut truth, done.when, item.view.is_some());
        }
        let kept = item.marks;
        item.marks = truth;
        let waiting = waiting(tx, item.id)?;
        let ranges: Vec<&Range> = self.ranges.iter().filter(|r| r.is_over(item, heard)).collect();
        fold(item, &waiting, &ranges);
        if guess.is_some() {
            // Where the state is the same, the times stay as they were shown.
            item.marks = Marks {
                seen: item.marks.seen.and(kept.seen.or(item.marks.seen)),
                read: item.marks.read.and(kept.read.or(item.marks.read)),
                archived: item.marks.archived.and(kept.archived.or(item.marks.archived)),
                snoozed: item.marks.snoozed,
            };
        }
        if waiting.is_empty() && ranges.is_empty() {
            tx.prepare_cached("DELETE FROM held WHERE item = ?1")?.execute([item.id])?;
        } else {
            hold(tx, item.id, &truth, heard)?;
        }
        Ok(())
    }
}

/// Does all that waits, in the order in which it was asked for.
fn fold(item: &mut Brief, waiting: &[Waiting], ranges: &[&Range]) {
    let auto = item.view.is_some();
    let mut all: Vec<(i64, Act, Stamp)> = waiting.iter().map(|w| (w.seq, w.act, w.when)).collect();
    all.extend(ranges.iter().map(|r| (r.seq, Act::Read, r.when)));
    all.sort_unstable_by_key(|(seq, ..)| *seq);
    for (_, act, when) in &all {
        act.on(&mut item.marks, *when, auto);
    }
    item.deleted |= waiting.iter().any(|w| w.act == Act::Delete);
}

fn waiting(tx: &Connection, item: ItemId) -> Result<Vec<Waiting>> {
    let mut rows = tx.prepare_cached(
        "SELECT o.seq, o.act, o.at, o.written_at FROM outbox_items x JOIN outbox o ON o.seq = x.op
         WHERE x.item = ?1 ORDER BY x.op",
    )?;
    let found = rows.query_map([item], |r| {
        let word: String = r.get(1)?;
        Ok((r.get(0)?, Act::from_word(&word, row::time(r, 2)?), row::stamp(r, 3)?))
    })?;
    let mut waiting = Vec::new();
    for entry in found {
        let (seq, act, when) = entry?;
        waiting.extend(act.map(|act| Waiting { seq, act, when }));
    }
    Ok(waiting)
}

/// Keeps what the server says of an item.
pub(crate) fn hold(tx: &Connection, item: ItemId, truth: &Marks, heard: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO held (item, seen_at, read_at, archived_at, snoozed_until, heard) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET seen_at = ?2, read_at = ?3, archived_at = ?4, snoozed_until = ?5, heard = ?6",
    )?
    .execute(params![
        item,
        truth.seen.map(Stamp::as_micros),
        truth.read.map(Stamp::as_micros),
        truth.archived.map(Stamp::as_micros),
        truth.snoozed.map(Stamp::as_micros),
        heard
    ])?;
    Ok(())
}

/// What the server says of an item, and the tick at which it did; none while nothing waits.
pub(crate) fn held(tx: &Connection, item: ItemId) -> Result<Option<(Marks, i64)>> {
    Ok(tx
        .prepare_cached(
            "SELECT seen_at, read_at, archived_at, snoozed_until, heard FROM held WHERE item = ?1",
        )?
        .query_row([item], |r| {
            let marks = Marks {
                seen: row::time(r, 0)?,
                read: row::time(r, 1)?,
                archived: row::time(r, 2)?,
                snoozed: row::time(r, 3)?,
            };
            Ok((marks, r.get(4)?))
        })
        .optional()?)
}

//! The overlay: local operations that wait, applied on top of the server's state. Until the server has answered, the
//! local mark wins.
//!
//! The server may leave an operation aside that it answers with `ok`, because a later one holds. So its effect is
//! assumed (`server_state.assumed`) until a pull names the item, or a complete pull does not. A move of a view's mark
//! is assumed in the same way. The server alone says where a mark is, and a revision that was not pulled yet may have
//! kept it where it was.

use rusqlite::Connection;
use tidings_model::{Kind, Stamp};
use tidings_replica_tables::columns::{stamp, time};
use tidings_replica_tables::item_state::{ItemState, Marks};
use tidings_replica_tables::server_state::ServerState;
use tidings_replica_tables::{outbox, server_state, sql};

use crate::{ItemId, Mark, Result, SourceId};

/// A `read_all` in the outbox: it reads everything up to a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadAllRange {
    pub(crate) seq: i64,
    pub(crate) kind: Option<Kind>,
    pub(crate) through: Stamp,
    when: Stamp,
    /// Set when the server has answered: the last item that is settled, and the tick at which the operation was sent.
    answered: Option<(ItemId, i64)>,
}

impl ReadAllRange {
    /// Whether the server has not answered yet.
    pub(crate) const fn waits(&self) -> bool {
        self.answered.is_none()
    }

    /// Whether the operation still applies on top of a server state received at this tick. States received after its
    /// answer include it. A closed question counts as read, so the server leaves it as it is.
    fn applies_to(&self, item: &ItemState, server_tick: i64) -> bool {
        let waits = self.answered.is_none_or(|(last, sent)| item.id > last && server_tick <= sent);
        waits && self.covers(item.kind, item.created_at) && !item.is_closed()
    }

    pub(crate) fn covers(&self, kind: Kind, created_at: Stamp) -> bool {
        created_at <= self.through && self.kind.is_none_or(|k| k == kind)
    }
}

/// The waiting operations of one source that apply on top of pulled states.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    /// Whether any operation waits, or what one did is assumed.
    pub(crate) any: bool,
    /// Whether operations are sent with the time at which the reader did them.
    has_times: bool,
    pub(crate) ranges: Vec<ReadAllRange>,
    /// The source's present tick.
    pub(crate) tick: i64,
}

/// A mark that the server has put on items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AppliedMark {
    pub(crate) mark: Mark,
    pub(crate) when: Stamp,
    /// The tick at which the operation was sent.
    pub(crate) sent_tick: i64,
    /// Whether it gives way to a later mark that the server has of another device.
    pub(crate) gives_way: bool,
}

/// A mark that waits: the operation's key, the mark, and the time at which the reader set it.
#[derive(Debug, Clone, Copy)]
struct WaitingMark {
    seq: i64,
    mark: Mark,
    when: Stamp,
    /// Whether the server compares that time with others; it does not for a `read_all`.
    is_timed: bool,
}

impl Overlay {
    pub(crate) fn of(tx: &Connection, source: SourceId) -> Result<Self> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1) OR EXISTS (SELECT 1 FROM server_state h
                CROSS JOIN items i ON i.id = h.item WHERE h.assumed IS NOT NULL AND i.source = ?1), protocol = 'tidings', tick
             FROM sources WHERE id = ?1";
        let (any, has_times, tick) = sql::one(tx, sql, [source], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        let mut ranges = Vec::new();
        if any {
            let mut rows = tx.prepare_cached(
                "SELECT seq, kind, at, written_at, answered IS NOT NULL, settled_to, sent_tick FROM outbox
                 WHERE source = ?1 AND operation = 'read_all' ORDER BY seq",
            )?;
            let found = rows.query_map([source], |r| {
                Ok(ReadAllRange {
                    seq: r.get(0)?,
                    kind: r.get::<_, Option<i64>>(1)?.and_then(Kind::from_row),
                    through: stamp(r, 2)?,
                    when: stamp(r, 3)?,
                    answered: if r.get(4)? { Some((r.get(5)?, r.get(6)?)) } else { None },
                })
            })?;
            ranges = found.collect::<Result<_, _>>()?;
        }
        Ok(Self { any, has_times, ranges, tick })
    }

    /// Applies the waiting operations to an item's marks, which are the server's present ones. While any operation
    /// waits, the server's marks are kept in `server_state`.
    pub(crate) fn apply(&self, tx: &Connection, item: &mut ItemState) -> Result<()> {
        if !self.any {
            return Ok(());
        }
        let marks = item.marks;
        if self.replay(tx, item, self.tick)? {
            server_state::put(tx, item.id, &ServerState { marks, tick: self.tick, assumed: None })
        } else {
            // A stored server state is of an operation that is answered, and outdated.
            server_state::forget(tx, item.id)
        }
    }

    /// Recomputes an item's marks after an operation on it left the outbox.
    pub(crate) fn settle(
        &self,
        tx: &Connection,
        item: &mut ItemState,
        applied: Option<AppliedMark>,
    ) -> Result<()> {
        let Some(mut server) = server_state::get(tx, item.id)? else { return Ok(()) };
        // No state was received since the operation was sent: the server's new state follows from the operation.
        let applied = applied.filter(|applied| {
            let left_as_is = if applied.gives_way {
                self.is_outdated(item, applied.mark, applied.when)
            } else {
                item.is_closed()
            };
            server.tick <= applied.sent_tick && !left_as_is
        });
        if let Some(AppliedMark { mark, when, gives_way, .. }) = applied {
            let mut expected = server.expected();
            expected.apply(mark, when, item.view.is_some());
            if self.has_times && gives_way {
                server.assumed = Some(expected);
            } else {
                server.marks.apply(mark, when, item.view.is_some());
                server.assumed = server.assumed.map(|_| expected);
            }
        }
        let shown = item.marks;
        item.marks = server.expected();
        let waits = self.replay(tx, item, server.tick)?;
        if applied.is_some() {
            // A mark that stays set keeps the time that was shown.
            item.marks = Marks {
                seen: item.marks.seen.and(shown.seen.or(item.marks.seen)),
                read: item.marks.read.and(shown.read.or(item.marks.read)),
                archived: item.marks.archived.and(shown.archived.or(item.marks.archived)),
                snoozed: item.marks.snoozed,
            };
        }
        keep(tx, item.id, &server, waits)
    }

    /// Ends the assumption about an item that a complete pull did not name. The server has left its marks as they were;
    /// if it does not have the item any more (`is_lost`), the reader's marks stay.
    pub(crate) fn end_assumption(&self, tx: &Connection, item: &mut ItemState, is_lost: bool) -> Result<()> {
        let Some(mut server) = server_state::get(tx, item.id)? else { return Ok(()) };
        if is_lost {
            server.marks = server.expected();
        }
        item.marks = server.marks;
        let waits = self.replay(tx, item, server.tick)?;
        keep(tx, item.id, &ServerState { assumed: None, ..server }, waits)
    }

    /// Whether the item was revised after a mark: what was read or put away before leaves the revision as it is, here as
    /// at the server.
    fn is_outdated(&self, item: &ItemState, mark: Mark, when: Stamp) -> bool {
        self.has_times && matches!(mark, Mark::Read | Mark::Archive) && item.revised_at > Some(when)
    }

    /// Applies all waiting marks to an item, in the order in which they were set; `false` if none waits.
    fn replay(&self, tx: &Connection, item: &mut ItemState, server_tick: i64) -> Result<bool> {
        let mut waiting = waiting(tx, item.id)?;
        let read_alls = self.ranges.iter().filter(|range| range.applies_to(item, server_tick));
        waiting.extend(read_alls.map(|r| WaitingMark {
            seq: r.seq,
            mark: Mark::Read,
            when: r.when,
            is_timed: false,
        }));
        waiting.sort_by_key(|one| one.seq);
        let auto = item.view.is_some();
        for WaitingMark { mark, when, is_timed, .. } in &waiting {
            if *is_timed && self.is_outdated(item, *mark, *when) {
                continue;
            }
            item.marks.apply(*mark, *when, auto);
            item.deleted |= *mark == Mark::Delete;
        }
        Ok(!waiting.is_empty())
    }
}

/// Keeps the server's marks of an item while an operation waits on top of them, or is assumed to have changed them.
fn keep(tx: &Connection, item: ItemId, server: &ServerState, waits: bool) -> Result<()> {
    if waits || server.assumed.is_some() {
        server_state::put(tx, item, server)
    } else {
        server_state::forget(tx, item)
    }
}

fn waiting(tx: &Connection, item: ItemId) -> Result<Vec<WaitingMark>> {
    let mut rows = tx.prepare_cached(
        "SELECT o.seq, o.operation, o.at, o.written_at FROM outbox_items x JOIN outbox o ON o.seq = x.op
         WHERE x.item = ?1 ORDER BY x.op",
    )?;
    let found = rows.query_map([item], |r| {
        let operation: String = r.get(1)?;
        let mark = outbox::mark(&operation, time(r, 2)?);
        let (seq, when) = (r.get(0)?, stamp(r, 3)?);
        Ok(mark.map(|mark| WaitingMark { seq, mark, when, is_timed: true }))
    })?;
    Ok(found.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}

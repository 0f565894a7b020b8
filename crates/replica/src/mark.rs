//! Marks that a reader puts on items, threads and views: state, counters and outbox together. Refuses what would not
//! change anything.

mod views;

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, MsgId, Stamp};

use crate::ledger::Ledger;
use crate::outbox::{self, Named};
use crate::overlay::{self, Act};
use crate::row::{BRIEF, Brief, Marks};
use crate::wide::is_plain;
use crate::{Error, ItemId, Mark, Result, SourceId, Targets, ThreadId, seen};

/// How something was before a mark, and what the mark made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Before {
    Item { id: ItemId, was: Marks, was_deleted: bool, is: Marks, is_deleted: bool },
    View { id: i64, was: Option<Stamp>, is: Option<Stamp> },
    Flags { thread: ThreadId, was: (bool, bool), is: (bool, bool) },
}

/// A mark that is being put.
pub(crate) struct Marking<'a, 't> {
    pub(crate) tx: &'t Connection,
    pub(crate) ledger: &'a mut Ledger<'t>,
    pub(crate) now: Stamp,
    /// What to take back, the first first.
    pub(crate) before: Vec<Before>,
    /// Changes that this act makes in one and the same way are remembered by id alone.
    pub(crate) plainly: Option<Act>,
    /// These ids: items, or threads of which a flag changed.
    pub(crate) plain: Vec<i64>,
    /// Rows of one transaction.
    pub(crate) portion: usize,
    /// Items that changed.
    pub(crate) items: u64,
    /// What the change took from the unread numbers, by source and kind.
    pub(crate) unread: BTreeMap<(SourceId, Kind), i64>,
}

pub(crate) const fn act(mark: Mark) -> Option<Act> {
    Some(match mark {
        Mark::Read => Act::Read,
        Mark::Unread => Act::Unread,
        Mark::Seen => Act::Seen,
        Mark::Archive => Act::Archive,
        Mark::Unarchive => Act::Unarchive,
        Mark::Snooze { until } => Act::Snooze(until),
        Mark::Unsnooze => Act::Unsnooze,
        Mark::Delete => Act::Delete,
        Mark::Pin | Mark::Unpin | Mark::Mute | Mark::Unmute => return None,
    })
}

/// Which items of a wider target a mark is meant for.
pub(crate) const fn meant(mark: Mark) -> &'static str {
    match mark {
        Mark::Read => "(i.unread = 1 OR i.asleep = 1) AND i.deleted = 0",
        Mark::Unread => "i.own = 0 AND i.archived_at IS NULL AND i.deleted = 0",
        Mark::Seen => "i.unread = 1 AND i.seen_at IS NULL",
        Mark::Archive | Mark::Snooze { .. } => "i.archived_at IS NULL AND i.deleted = 0",
        Mark::Unarchive => "i.archived_at IS NOT NULL AND i.deleted = 0",
        Mark::Unsnooze => "i.asleep = 1 AND i.deleted = 0",
        Mark::Delete | Mark::Pin | Mark::Unpin | Mark::Mute | Mark::Unmute => "i.deleted = 0",
    }
}

impl<'a, 't> Marking<'a, 't> {
    pub(crate) fn new(tx: &'t Connection, ledger: &'a mut Ledger<'t>, now: Stamp, portion: usize) -> Self {
        let (before, plain) = (Vec::new(), Vec::new());
        Self { tx, ledger, now, before, plainly: None, plain, portion, items: 0, unread: BTreeMap::new() }
    }

    /// Puts a mark on threads, or on items that are named.
    pub(crate) fn put(&mut self, targets: &Targets, mark: Mark) -> Result<()> {
        let Some(act) = act(mark) else {
            return if let Targets::Threads(threads) = targets { self.flags(threads, mark) } else { Ok(()) };
        };
        let items = match targets {
            Targets::Threads(threads) => self.of_threads(threads, mark)?,
            Targets::Items(ids) => self.by("i.id = ?1 AND i.deleted = 0", ids)?,
            Targets::MsgIds(ids) => {
                // Without the source the index does not serve, so each source is asked.
                let ids: Vec<&str> = ids.iter().map(MsgId::as_str).collect();
                self.by(
                    "i.source IN (SELECT id FROM sources WHERE going = 0) AND i.msgid = ?1 AND i.deleted = 0",
                    &ids,
                )?
            }
            // What is meant is looked up beforehand, on a reader's connection.
            Targets::All { .. } | Targets::Place(_) => Vec::new(),
        };
        self.act(act, items)
    }

    pub(crate) fn by<T: rusqlite::ToSql>(&self, condition: &str, ids: &[T]) -> Result<Vec<Brief>> {
        let sql = format!("SELECT {BRIEF} FROM items i WHERE {condition}");
        let mut rows = self.tx.prepare_cached(&sql)?;
        let mut items = Vec::new();
        for id in ids {
            for item in rows.query_map([id], Brief::of)? {
                items.push(item?);
            }
        }
        Ok(items)
    }

    fn of_threads(&self, threads: &[ThreadId], mark: Mark) -> Result<Vec<Brief>> {
        if mark == Mark::Read {
            // Two short indexes instead of the whole thread.
            let mut items = self.by("i.thread = ?1 AND i.unread = 1", threads)?;
            items.extend(self.by("i.thread = ?1 AND i.asleep = 1 AND i.own = 0 AND i.deleted = 0", threads)?);
            return Ok(items);
        }
        let newest = if mark == Mark::Unread { "ORDER BY i.created_at DESC, i.id DESC LIMIT 1" } else { "" };
        self.by(&format!("i.thread = ?1 AND {} {newest}", meant(mark)), threads)
    }

    /// Does one act on items, as far as it changes them.
    fn act(&mut self, act: Act, items: Vec<Brief>) -> Result<()> {
        if act == Act::Seen {
            return seen::all(self, items);
        }
        let mut by_source: BTreeMap<SourceId, Vec<Named>> = BTreeMap::new();
        let mut by_view: BTreeMap<i64, Brief> = BTreeMap::new();
        for was in items {
            if let Some(view) = was.view
                && matches!(act, Act::Read | Act::Unread)
            {
                if was.is_read() == (act == Act::Read) {
                    continue;
                }
                let further = |other: &Brief| match act {
                    Act::Read => was.content_at() > other.content_at(),
                    _ => was.created_at < other.created_at,
                };
                let alone = was.marks.read.is_some();
                if by_view.get(&view).is_none_or(further) {
                    by_view.insert(view, was.clone());
                }
                // Read by itself: unread by itself as well.
                if !alone {
                    continue;
                }
            }
            let mut is = was.clone();
            act.on(&mut is.marks, self.now, false);
            is.deleted |= act == Act::Delete;
            if is.marks == was.marks && is.deleted == was.deleted {
                continue;
            }
            let named = Named::of(&is, &MsgId(is.msgid.clone()));
            by_source.entry(is.source).or_default().push(named);
            self.write(&was, is)?;
        }
        for (source, named) in by_source {
            outbox::queue(self.tx, source, act, &named, self.now)?;
        }
        for (view, item) in by_view {
            self.act_on_view(act, view, &item)?;
        }
        Ok(())
    }

    /// Writes an item's new state; what the server says of it is held.
    fn write(&mut self, was: &Brief, mut is: Brief) -> Result<()> {
        if overlay::held(self.tx, was.id)?.is_none() {
            overlay::hold(self.tx, was.id, &was.marks, 0)?;
        }
        self.restate(was, &mut is)?;
        self.remember(was, &is);
        Ok(())
    }

    /// Remembers how an item was.
    pub(crate) fn remember(&mut self, was: &Brief, is: &Brief) {
        let plainly = self.plainly.filter(|_| was.deleted == is.deleted);
        if plainly.is_some_and(|act| is_plain(act, &was.marks, &is.marks)) {
            self.plain.push(was.id);
        } else {
            self.before.push(Before::Item {
                id: was.id,
                was: was.marks,
                was_deleted: was.deleted,
                is: is.marks,
                is_deleted: is.deleted,
            });
        }
    }

    /// Writes an item's new state.
    pub(crate) fn restate(&mut self, was: &Brief, is: &mut Brief) -> Result<()> {
        is.derive(self.now);
        match (was.deleted, is.deleted) {
            (false, true) => {
                let actor = outbox::other(self.tx, was)?;
                self.ledger.leave(was.thread, &was.facts(), actor.as_ref().map(|a| &*a.id))?;
            }
            (true, false) => {
                let actor = outbox::other(self.tx, is)?;
                self.ledger.enter(is.thread, &is.facts(), actor.as_ref(), None)?;
            }
            _ => self.ledger.turn(is.thread, &was.facts(), &is.facts())?,
        }
        *self.unread.entry((is.source, is.kind)).or_default() += i64::from(is.unread) - i64::from(was.unread);
        self.items += 1;
        is.write(self.tx)
    }

    /// Does an act to items: to those that the reader `named`, else to those that a mark is meant for still.
    pub(crate) fn act_on(&mut self, act: Act, items: &[ItemId], mark: Mark, named: bool) -> Result<()> {
        let condition = if named { "i.deleted = 0" } else { meant(mark) };
        let items = self.by(&format!("i.id = ?1 AND {condition}"), items)?;
        self.act(act, items)
    }

    /// Pins or silences threads, or takes that back; those that changed are remembered by id.
    pub(crate) fn flag(&mut self, threads: &[ThreadId], mark: Mark) -> Result<()> {
        self.flags(threads, mark)?;
        let changed = std::mem::take(&mut self.before);
        self.plain.extend(changed.iter().filter_map(|one| match one {
            Before::Flags { thread, .. } => Some(*thread),
            _ => None,
        }));
        Ok(())
    }

    fn flags(&mut self, threads: &[ThreadId], mark: Mark) -> Result<()> {
        for thread in threads.iter().copied() {
            let was = match self.ledger.flags(thread) {
                Err(Error::NoThread(_)) => continue,
                other => other?,
            };
            let is = match mark {
                Mark::Pin => (true, was.1),
                Mark::Unpin => (false, was.1),
                Mark::Mute => (was.0, true),
                _ => (was.0, false),
            };
            if is != was {
                self.ledger.set_flags(thread, is.0, is.1)?;
                self.before.push(Before::Flags { thread, was, is });
            }
        }
        Ok(())
    }
}

//! Taking a mark back. Refuses to touch what changed again since.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension;
use tidings_model::{MsgId, Stamp, wire};

use crate::long::Move;
use crate::mark::{Before, Marking};
use crate::outbox::{self, Named};
use crate::overlay::{self, Act, Overlay};
use crate::row::{self, BRIEF, Brief, Marks};
use crate::wide::plain_back;
use crate::{Error, ItemId, Result, SourceId, ThreadId, Undo, long, views};

/// More changes than this are not remembered.
pub(crate) const MOST: usize = 20_000;

impl Undo {
    /// Remembers changes one by one; where these are too many, none of them.
    pub(crate) fn add(&mut self, before: Vec<Before>) {
        for one in before {
            long::remember(&mut self.before, one);
        }
        self.too_many |= self.before.len() > MOST;
        if self.too_many {
            self.before = Vec::new();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.wide.is_empty()
    }
}

/// Acts to be queued, those that do the same together: by source, word and time.
type Acts = BTreeMap<(SourceId, &'static str, Option<Stamp>), (Act, Vec<Named>)>;

/// Whether a mark is still in force. The server keeps times of its own for what it acknowledged, and what was shown
/// in a list since is no other mark.
fn same(now: &Marks, then: &Marks) -> bool {
    now.read.is_some() == then.read.is_some()
        && now.archived.is_some() == then.archived.is_some()
        && now.snoozed == then.snoozed
}

/// The acts that lead from one state back to another.
fn back(from: &Marks, to: &Marks, now: Stamp) -> Vec<Act> {
    let mut acts = Vec::new();
    match (from.read, to.read) {
        (Some(_), None) => acts.push(Act::Unread),
        (None, Some(_)) => acts.push(Act::Read),
        _ => {}
    }
    match (from.archived, to.archived) {
        (Some(_), None) => acts.push(Act::Unarchive),
        (None, Some(_)) => acts.push(Act::Archive),
        _ => {}
    }
    if from.snoozed != to.snoozed {
        acts.push(to.snoozed.filter(|until| *until > now).map_or(Act::Unsnooze, Act::Snooze));
    }
    acts
}

impl Marking<'_, '_> {
    /// Takes changes back, the last first.
    pub(crate) fn undo(&mut self, before: &[Before]) -> Result<()> {
        let mut acts = Acts::new();
        for change in before.iter().rev() {
            match change {
                Before::Item { id, was, was_deleted, is, is_deleted } => {
                    if let Some(item) = self.untouched(*id, is, *is_deleted)? {
                        self.undo_item(&item, was, *was_deleted, &mut acts)?;
                    }
                }
                Before::View { id, was, is } => self.undo_view(*id, *was, *is)?,
                Before::Flags { thread, was, is } => self.undo_flags(*thread, *was, *is)?,
            }
        }
        for ((source, ..), (act, named)) in acts {
            outbox::queue(self.tx, source, act, &named, self.now)?;
        }
        Ok(())
    }

    /// Takes back what an act did to items in one and the same way.
    pub(crate) fn undo_plain(&mut self, act: Act, items: &[ItemId]) -> Result<()> {
        let mut acts = Acts::new();
        for item in self.by("i.id = ?1 AND i.deleted = 0", items)? {
            if let Some(to) = plain_back(act, &item.marks, self.now) {
                self.undo_item(&item, &to, false, &mut acts)?;
            }
        }
        for ((source, ..), (act, named)) in acts {
            outbox::queue(self.tx, source, act, &named, self.now)?;
        }
        Ok(())
    }

    fn untouched(&self, id: ItemId, is: &Marks, is_deleted: bool) -> Result<Option<Brief>> {
        let sql = format!("SELECT {BRIEF} FROM items i WHERE i.id = ?1");
        let item = self.tx.prepare_cached(&sql)?.query_row([id], Brief::of).optional()?;
        Ok(item.filter(|item| same(&item.marks, is) && item.deleted == is_deleted))
    }

    fn undo_item(&mut self, item: &Brief, to: &Marks, deleted: bool, acts: &mut Acts) -> Result<()> {
        if item.deleted && !deleted {
            return self.undelete(item);
        }
        let mut is = item.clone();
        // A list cannot unshow what it showed, and what is read of auto class only its view's mark can say from here.
        let read = if item.view.is_some() { item.marks.read } else { to.read };
        is.marks = Marks { seen: item.marks.seen, read, ..*to };
        let back = back(&item.marks, &is.marks, self.now);
        if !back.is_empty() && overlay::held(self.tx, item.id)?.is_none() {
            overlay::hold(self.tx, item.id, &item.marks, 0)?;
        }
        for act in back {
            let at = if let Act::Snooze(until) = act { Some(until) } else { None };
            let named = Named::of(item, &MsgId(item.msgid.clone()));
            acts.entry((item.source, act.word(), at)).or_insert_with(|| (act, Vec::new())).1.push(named);
        }
        self.restate(item, &mut is)?;
        match item.view {
            Some(view) if to.read.is_some() && !is.is_read() => self.act_on_view(Act::Read, view, &is),
            _ => Ok(()),
        }
    }

    /// Takes a deletion back that was not sent yet; what the server says meanwhile holds.
    fn undelete(&mut self, item: &Brief) -> Result<()> {
        if self.recall(item)? {
            let overlay = Overlay::of(self.tx, item.source)?;
            outbox::settle(self.tx, self.ledger, &overlay, item.id, None, true, self.now)?;
            self.items += 1;
        }
        Ok(())
    }

    /// Takes an item out of a deletion that was not sent yet; `false` when it is too late.
    fn recall(&mut self, item: &Brief) -> Result<bool> {
        let found: Option<(i64, wire::Change, i64)> = self
            .tx
            .prepare_cached(
                "SELECT o.seq, o.change, o.sent FROM outbox_items x JOIN outbox o ON o.seq = x.op
                 WHERE x.item = ?1 AND o.act = 'delete'",
            )?
            .query_row([item.id], |r| Ok((r.get(0)?, row::json(r, 1)?, r.get(2)?)))
            .optional()?;
        let Some((seq, wire::Change::Delete { mut msgids }, 0)) = found else { return Ok(false) };
        msgids.retain(|id| id.0 != item.msgid);
        self.tx
            .prepare_cached("DELETE FROM outbox_items WHERE op = ?1 AND item = ?2")?
            .execute([seq, item.id])?;
        if msgids.is_empty() {
            self.tx.prepare_cached("DELETE FROM outbox_items WHERE op = ?1")?.execute([seq])?;
            self.tx.prepare_cached("DELETE FROM outbox WHERE seq = ?1")?.execute([seq])?;
        } else {
            let change = serde_json::to_string(&wire::Change::Delete { msgids })?;
            self.tx
                .prepare_cached("UPDATE outbox SET change = ?2 WHERE seq = ?1")?
                .execute(rusqlite::params![seq, change])?;
        }
        Ok(true)
    }

    fn undo_view(&mut self, id: i64, was: Option<Stamp>, is: Option<Stamp>) -> Result<()> {
        let Some(one) = self.undo_move(id, was, is)? else { return Ok(()) };
        let (source, known) =
            views::with_source(self.tx, id)?.ok_or_else(|| Error::Row(format!("no view {id}")))?;
        let forward = one.back.is_none();
        let seq = match one.back {
            None => {
                let change = wire::Change::Visit { view: self.view(id)?, at: Some(one.to) };
                outbox::push(self.tx, source, "visit", Some(one.to), None, &change, self.now)?
            }
            Some(item) => match self.by("i.id = ?1", &[item])?.first() {
                Some(first) => self.push_back(first, id, one.to, is)?,
                None => return Ok(()),
            },
        };
        outbox::on_view(self.tx, seq, id, forward, one.to)?;
        self.put_view(source, known, Some(one.to))
    }

    /// To where a view's mark moves when what moved it is taken back; none where it moved on since.
    pub(crate) fn undo_move(&self, id: i64, was: Option<Stamp>, is: Option<Stamp>) -> Result<Option<Move>> {
        let Some((_, known)) = views::with_source(self.tx, id)? else { return Ok(None) };
        if known.through != is {
            return Ok(None);
        }
        if was > is {
            return Ok(was.map(|at| Move::forward(id, at)));
        }
        // Back to just before the first item that the mark had covered; one that was created before what it had covered
        // already, and revised later, only where there is no other: its neighbours would become unread with it.
        let range = [id, was.map_or(i64::MIN, Stamp::as_micros), is.map_or(i64::MIN, Stamp::as_micros)];
        let first = self.first_covered(range)?;
        Ok(first.map(|first| Move::back(id, first.created_at.plus_micros(-1), first.id)))
    }

    /// The first item of a view with its content after a time and up to another.
    fn first_covered(&self, range: [i64; 3]) -> Result<Option<Brief>> {
        for created in ["i.created_at > ?2", "i.created_at <= ?2"] {
            let sql = format!(
                "SELECT {BRIEF} FROM items i
                 WHERE i.view = ?1 AND i.content_at > ?2 AND i.content_at <= ?3 AND i.deleted = 0 AND {created}
                 ORDER BY i.content_at LIMIT 1"
            );
            let first = self.tx.prepare_cached(&sql)?.query_row(range, Brief::of).optional()?;
            if first.is_some() {
                return Ok(first);
            }
        }
        Ok(None)
    }

    fn undo_flags(&mut self, thread: ThreadId, was: (bool, bool), is: (bool, bool)) -> Result<()> {
        match self.ledger.flags(thread) {
            Ok(now) if now == is => self.ledger.set_flags(thread, was.0, was.1),
            Ok(_) | Err(crate::Error::NoThread(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

//! Marks, what takes them back, and what wakes by itself. Refuses to send them: they wait in the outbox.

use std::sync::Arc;

use tidings_model::{Stamp, View};

use super::Replica;
use crate::mark::{Before, Marking};
use crate::overlay::Act;
use crate::wide::merged;
use crate::{
    Changed, ItemId, Mark, Marked, Result, SourceId, Targets, Undo, ViewMark, counts, long, views, wake,
};

/// What a marking did.
type Done = (u64, Vec<Before>, Vec<ItemId>, Arc<Changed>);

impl Replica {
    /// Runs a marking. Gives how many items changed, what to take back, and which items changed plainly.
    pub(crate) fn marked<F>(&self, now: Stamp, plainly: Option<Act>, job: F) -> Result<Done>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let portion = self.portion;
        let ((items, before, plain), changed) = self.write(move |tx, ledger| {
            let mut marking = Marking::new(tx, ledger, now, portion);
            marking.plainly = plainly;
            job(&mut marking)?;
            counts::move_said(tx, &marking.unread)?;
            Ok((marking.items, marking.before, marking.plain))
        })?;
        Ok((items, before, plain, changed))
    }

    pub(crate) fn marking<F>(&self, job: F) -> Result<Marked>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let (items, before, _, changed) = self.marked(self.clock.now(), None, job)?;
        let mut undo = Undo::default();
        undo.add(before);
        Ok(Marked { items, changed, undo: Some(undo).filter(|undo| !undo.is_empty()) })
    }

    /// Puts a mark on items or threads: states, counters and the operations to be sent in one transaction. On more than 500
    /// rows in portions of these, between which others write; what a crash leaves of it is done at the next start.
    ///
    /// # Errors
    /// What was marked in portions before something failed stays marked.
    pub fn mark(&self, targets: Targets, mark: Mark) -> Result<Marked> {
        let plan = self.read(|conn| long::marked(conn, &targets, mark, self.portion))?;
        match targets {
            Targets::Threads(_) | Targets::Items(_) | Targets::MsgIds(_) if plan.is_short() => {
                self.marking(move |marking| marking.put(&targets, mark))
            }
            _ => self.carry_out_plan(plan, mark),
        }
    }

    /// Looks at a view: marks all that it holds up to `at` (`created_at` of the newest item shown; none = the newest
    /// that is here). Never moves a mark back. Over more than 500 items it moves step by step, like a [`Replica::mark`].
    pub fn visit(&self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<Marked> {
        if let Some(steps) = self.read(|conn| long::visit_steps(conn, source, view, at, self.portion))? {
            return self.carry_out(&steps, None, None);
        }
        let view = view.clone();
        self.marking(move |marking| marking.visit(source, &view, at))
    }

    /// Takes a mark back, as far as nothing else happened to its items since: in one transaction, or, where it changed more
    /// than 500 rows, in portions of these, all of which are written down before the first is done. A crash between two
    /// leaves no half: the rest is taken back at the next start. Taking back once more what is back already does nothing.
    pub fn undo(&self, undo: &Undo) -> Result<Marked> {
        let marked = match self.read(|conn| long::undone(conn, undo, self.portion))? {
            None => {
                let before = undo.before.clone();
                self.marking(move |marking| marking.undo(&before))?
            }
            Some(steps) => self.carry_out(&steps, None, None)?,
        };
        Ok(Marked { undo: None, ..marked })
    }

    /// A view's mark as it is in force here.
    pub fn view_mark(&self, source: SourceId, view: &View) -> Result<ViewMark> {
        let through = self.database.read(|conn| views::find(conn, source, view))?.and_then(|v| v.through);
        Ok(ViewMark { view: view.clone(), through })
    }

    /// When the next snoozed item wakes.
    pub fn next_wake(&self) -> Result<Option<Stamp>> {
        self.database.read(wake::next)
    }

    /// Wakes what is due by `now`. They are unread again; no operation is sent, every device does so by itself.
    pub fn wake(&self, now: Stamp) -> Result<Arc<Changed>> {
        let mut all = Arc::new(Changed::default());
        loop {
            let (more, changed) = self.write(move |tx, ledger| wake::wake(tx, ledger, now))?;
            all = merged(&all, &changed);
            if !more {
                return Ok(all);
            }
        }
    }
}

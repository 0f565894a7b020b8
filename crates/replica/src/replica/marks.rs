//! Marks, what takes them back, and what wakes by itself. The operations that they ask servers for wait in the outbox.

use std::sync::Arc;

use tidings_model::{Stamp, View};

use super::Replica;
use crate::aggregates::inbox_counts;
use crate::marks::bulk::merged;
use crate::marks::{Change, Marking, jobs};
use crate::tables::views;
use crate::upkeep::wake;
use crate::{Changed, ItemId, Mark, Marked, Result, SourceId, Targets, Undo, ViewMark};

/// What a marking did in one transaction.
pub(crate) struct Made {
    /// Items that changed.
    pub(crate) items: u64,
    /// What changed, to be taken back one by one.
    pub(crate) changes: Vec<Change>,
    /// Items or threads that changed in one and the same way.
    pub(crate) uniform_ids: Vec<ItemId>,
}

impl Replica {
    /// Runs a marking in one transaction. Changes that the mark `uniform` makes in one and the same way are remembered by id.
    pub(crate) fn run_marking<F>(
        &self,
        now: Stamp,
        uniform: Option<Mark>,
        job: F,
    ) -> Result<(Made, Arc<Changed>)>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let portion = self.portion;
        self.write(move |tx, aggregates| {
            let mut marking = Marking::new(tx, aggregates, now, portion);
            marking.uniform = uniform;
            job(&mut marking)?;
            inbox_counts::move_server_counts(tx, &marking.unread)?;
            Ok(Made { items: marking.items, changes: marking.changes, uniform_ids: marking.uniform_ids })
        })
    }

    pub(crate) fn marking<F>(&self, job: F) -> Result<Marked>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let (made, changed) = self.run_marking(self.clock.now(), None, job)?;
        let mut undo = Undo::default();
        undo.add(made.changes);
        Ok(Marked { items: made.items, changed, undo: Some(undo).filter(|undo| !undo.is_empty()) })
    }

    /// Puts a mark on items or threads: state, counters and the operations to be sent in one transaction, or, on more than
    /// 500 rows, in portions of these, between which others write; what a crash leaves of it is done at the next start.
    ///
    /// ```no_run
    /// # use tidings_replica::{Mark, Place, Replica, Result, Targets, ThreadQuery};
    /// # fn archive_first(replica: &Replica) -> Result<()> {
    /// let inbox = replica.threads(&ThreadQuery::top(Place::Inbox, 50))?;
    /// if let Some(first) = inbox.rows.first() {
    ///     let marked = replica.mark(Targets::Threads(vec![first.id]), Mark::Archive)?;
    ///     if let Some(undo) = &marked.undo {
    ///         replica.undo(undo)?;
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) where a mark of threads is put on something else. What was marked in
    /// portions before something failed stays marked.
    pub fn mark(&self, targets: Targets, mark: Mark) -> Result<Marked> {
        let plan = self.read(|conn| jobs::marked(conn, &targets, mark, self.portion))?;
        match targets {
            Targets::Threads(_) | Targets::Items(_) | Targets::MsgIds(_) if plan.is_short() => {
                self.marking(move |marking| marking.put(&targets, mark))
            }
            _ => self.carry_out_plan(plan, mark),
        }
    }

    /// Visits a view: marks all that it holds up to `at` as read (`created_at` of the newest item shown; none: the newest
    /// that is here). Never moves a mark back. Over more than 500 items it moves step by step, like a [`Replica::mark`].
    pub fn visit(&self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<Marked> {
        if let Some(steps) = self.read(|conn| jobs::visit_steps(conn, source, view, at, self.portion))? {
            return self.carry_out(&steps, None);
        }
        let view = view.clone();
        self.marking(move |marking| marking.visit(source, &view, at))
    }

    /// Takes a mark back, as far as nothing else happened to its items since: in one transaction, or, where it changed more
    /// than 500 rows, in portions of these, all of which are written down before the first is done. A crash between two
    /// leaves no half: the rest is taken back at the next start. Taking back once more what is back already does nothing.
    pub fn undo(&self, undo: &Undo) -> Result<Marked> {
        let marked = match self.read(|conn| jobs::undone(conn, undo, self.portion))? {
            None => {
                let changes = undo.changes.clone();
                self.marking(move |marking| marking.undo(&changes))?
            }
            Some(steps) => self.carry_out(&steps, None)?,
        };
        Ok(Marked { undo: None, ..marked })
    }

    /// A view's mark, as it is in force here.
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
            let (more, changed) = self.write(move |tx, aggregates| wake::wake(tx, aggregates, now))?;
            all = merged(&all, &changed);
            if !more {
                return Ok(all);
            }
        }
    }
}

//! Methods of [`Replica`] for marks, undo and waking. The operations that they cause wait in the outbox.

use std::sync::Arc;

use tidings_model::{Stamp, View};
use tidings_replica_tables::aggregates::inbox_counts;
use tidings_replica_tables::views;

use crate::handle::Replica;
use crate::marks::changes::MarkChange;
use crate::marks::{Marking, jobs};
use crate::outbox::answers;
use crate::upkeep::wake;
use crate::{
    AnswerOutcome, Changed, Error, ItemId, Mark, Marked, Result, SourceId, Subscription, Targets, Undo,
    ViewMark,
};

/// The effect of a marking in one transaction.
pub(crate) struct MarkingEffect {
    /// The number of items that changed.
    pub(crate) items: u64,
    /// The changes in full, for the undo.
    pub(crate) changes: Vec<MarkChange>,
    /// The ids of items or threads whose changes all have the same form.
    pub(crate) uniform_ids: Vec<ItemId>,
}

impl Replica {
    /// Runs a marking in one transaction. Changes that the mark `uniform` makes in the same form are recorded by id
    /// alone.
    pub(crate) fn run_marking<F>(
        &self,
        now: Stamp,
        uniform: Option<Mark>,
        job: F,
    ) -> Result<(MarkingEffect, Arc<Changed>)>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let portion = self.bounds.marked_rows;
        self.write(move |tx, aggregates| {
            let mut marking = Marking::new(tx, aggregates, now, portion);
            marking.uniform = uniform;
            job(&mut marking)?;
            inbox_counts::adjust_server_counts(tx, &marking.unread)?;
            Ok(MarkingEffect {
                items: marking.items,
                changes: marking.changes,
                uniform_ids: marking.uniform_ids,
            })
        })
    }

    pub(crate) fn marking<F>(&self, job: F) -> Result<Marked>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let (effect, changed) = self.run_marking(self.clock.now(), None, job)?;
        let mut undo = Undo::default();
        undo.add(effect.changes);
        Ok(Marked { items: effect.items, changed, undo: Some(undo).filter(|undo| !undo.is_empty()) })
    }

    /// Puts a mark on items or threads. State, counters and the operations to send are written in one transaction, or
    /// for more than 500 rows in portions, between which other writes run. After a crash the rest is done at the next
    /// start.
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
    /// [`Error::Invalid`](crate::Error::Invalid) if a mark of threads is put on other targets, or one of subscriptions
    /// on more than [`Subscription::MAX_THREADS`]. Portions that were written before a failure stay marked.
    pub fn mark(&self, targets: Targets, mark: Mark) -> Result<Marked> {
        if let Some(to) = Subscription::wanted_by(mark) {
            return self.put_subscriptions(targets, to);
        }
        let plan = self.read(|conn| jobs::plan_mark(conn, &targets, mark, self.bounds.marked_rows))?;
        let marked = match targets {
            Targets::Threads(_) | Targets::Items(_) | Targets::MsgIds(_) if plan.is_short() => {
                self.marking(move |marking| marking.put(&targets, mark))
            }
            _ => self.run_plan(plan, mark),
        }?;
        self.and_settle_kept(marked)
    }

    /// Answers the question of an item. It is shown at once, on this device as the answer that counts, and sent with the next
    /// pull; the server says which answer counts.
    pub fn answer(&self, item: ItemId, answer: Option<&str>, text: Option<&str>) -> Result<AnswerOutcome> {
        let (now, reply) = (self.clock.now(), (answer.map(str::to_owned), text.map(str::to_owned)));
        let (outcome, _) =
            self.write_durable(move |tx, aggregates| answers::answer(tx, aggregates, item, reply, now))?;
        Ok(outcome)
    }

    /// Each subscription is a request of its own to the service, so there are few at a time.
    fn put_subscriptions(&self, targets: Targets, to: Subscription) -> Result<Marked> {
        match targets {
            Targets::Threads(threads) if threads.len() <= Subscription::MAX_THREADS => {
                self.marking(move |marking| marking.subscribe(&threads, to))
            }
            _ => {
                let most = Subscription::MAX_THREADS;
                Err(Error::Invalid(format!("subscriptions are of threads, at most {most} at a time")))
            }
        }
    }

    /// A mark that is put already, with what it means for sources without a server.
    pub(crate) fn and_settle_kept(&self, marked: Marked) -> Result<Marked> {
        Ok(match self.settle_kept()? {
            Some(changed) => Marked { changed: marked.changed.merged(&changed), ..marked },
            None => marked,
        })
    }

    /// Visits a view: marks its items up to `at` as read. `at` is `created_at` of the newest item shown; `None`
    /// stands for the newest item that the replica has. Never moves a mark back. Over more than 500 items the mark
    /// moves in portions, like a [`Replica::mark`].
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn visit(&self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<Marked> {
        if let Some(steps) =
            self.read(|conn| jobs::visit_steps(conn, source, view, at, self.bounds.marked_rows))?
        {
            return self.and_settle_kept(self.run_job(&steps, None)?);
        }
        let view = view.clone();
        self.and_settle_kept(self.marking(move |marking| marking.visit(source, &view, at))?)
    }

    /// Undoes a mark, for items that no other change has touched since. It does so in one transaction, or for more than
    /// 500 rows in portions, which are all stored before the first is run. After a crash between two the rest is undone
    /// at the next start. Undoing twice has no further effect.
    pub fn undo(&self, undo: &Undo) -> Result<Marked> {
        let marked = match self.read(|conn| jobs::plan_undo(conn, undo, self.bounds.marked_rows))? {
            None => {
                let changes = undo.changes.clone();
                self.marking(move |marking| marking.undo(&changes))?
            }
            Some(steps) => self.run_job(&steps, None)?,
        };
        self.and_settle_kept(Marked { undo: None, ..marked })
    }

    /// The mark of a view in force; its time is `None` if the view has no mark.
    pub fn view_mark(&self, source: SourceId, view: &View) -> Result<ViewMark> {
        let through = self.read(|conn| views::find(conn, source, view))?.and_then(|v| v.through);
        Ok(ViewMark { view: view.clone(), through })
    }

    /// The time at which the next snoozed item wakes, or the next question or mute ends. It is now if a clock was set
    /// back, so that an item sleeps or asks again.
    pub fn next_wake(&self) -> Result<Option<Stamp>> {
        let now = self.clock.now();
        self.read(|conn| wake::next(conn, now))
    }

    /// Wakes the items that are due at `now`, which become unread again, and ends questions. Those that woke or ended by a
    /// clock that was set back afterwards sleep or ask again. No operation is sent, because every device does so by itself.
    pub fn wake(&self, now: Stamp) -> Result<Arc<Changed>> {
        let (mut all, bounds) = (Arc::new(Changed::default()), self.bounds);
        loop {
            let (more, changed) =
                self.write(move |tx, aggregates| wake::wake(tx, aggregates, now, &bounds))?;
            all = all.merged(&changed);
            if !more {
                return Ok(all);
            }
        }
    }
}

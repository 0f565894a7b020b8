//! Mark jobs: marks that take more than one transaction. All steps of a job are written down before the first is done. Each is
//! a transaction that leaves every number right, and others write between two. What a crash left is done when the replica is
//! opened again, so that a mark, or what takes it back, is done to the end or not at all.

mod lock;
mod plan;
mod step;

use std::time::Duration;

use tidings_model::Stamp;

use self::lock::JobLock;
use crate::marks::Change;
use crate::marks::bulk::{BulkChange, merged};
use crate::tables::mark_jobs;
use crate::{Mark, Marked, Replica, Result, Undo};

pub(crate) use self::plan::{Plan, marked, on_threads, read_here, undone, visit_steps};
pub(crate) use self::step::{Move, Step};

/// Items, threads, or rows that a view's mark moves over, of one transaction: a full operation.
pub(crate) const PORTION: usize = 500;
/// The pause between two portions, so that whoever waits for the writer comes first.
const PAUSE: Duration = Duration::from_millis(1);

/// What a job did so far.
#[derive(Default)]
struct Sum {
    done: Marked,
    undo: Undo,
    /// Items that the mark changed in one and the same way.
    items: Vec<i64>,
    /// Threads that were pinned or muted, or the opposite.
    threads: Vec<i64>,
}

impl Sum {
    fn into_marked(self, mark: Option<Mark>) -> Marked {
        let Self { mut done, mut undo, items, threads } = self;
        if let Some(mark) = mark {
            if !items.is_empty() {
                undo.bulk.push(BulkChange::Items { mark, items: items.into_iter().collect() });
            }
            if !threads.is_empty() {
                undo.bulk.push(BulkChange::Flags { mark, threads: threads.into_iter().collect() });
            }
        }
        done.undo = Some(undo).filter(|undo| !undo.is_empty());
        done
    }
}

impl Replica {
    /// Carries out a plan: in one transaction where it fits.
    pub(crate) fn carry_out_plan(&self, plan: Plan, mark: Mark) -> Result<Marked> {
        if !plan.is_short() {
            return self.carry_out(&plan.steps, Some(mark));
        }
        self.marking(move |marking| {
            for step in plan.steps {
                let mut left = Some(step);
                while let Some(step) = left {
                    left = marking.step(step)?;
                }
            }
            Ok(())
        })
    }

    /// Carries out steps. Changes that `mark` makes in one and the same way take a bit each to be taken back.
    ///
    /// # Errors
    /// What was done before something failed stays; the rest is given up.
    pub(crate) fn carry_out(&self, steps: &[Step], mark: Option<Mark>) -> Result<Marked> {
        let _lock = JobLock::wait(&self.folder);
        let job = self.write_down(steps)?;
        let mut sum = Sum::default();
        match self.run(job, mark, &mut sum) {
            Ok(()) => Ok(sum.into_marked(mark)),
            Err(error) => {
                if let Err(error) = self.discard_job(job) {
                    tracing::warn!(%error, "a mark that failed goes on at the next start");
                }
                Err(error)
            }
        }
    }

    /// Does what is left of a job, step by step.
    fn run(&self, job: i64, mark: Option<Mark>, sum: &mut Sum) -> Result<()> {
        let now = self.clock.now();
        while let Some((seq, step)) = self.read(|conn| mark_jobs::next_step(conn, job))? {
            self.take_step(seq, step, mark, now, sum)?;
            std::thread::sleep(PAUSE);
        }
        self.discard_job(job)
    }

    /// Does one step, as far as a portion goes, and writes down what is left of it.
    fn take_step(&self, seq: i64, step: Step, mark: Option<Mark>, now: Stamp, sum: &mut Sum) -> Result<()> {
        let flags = matches!(step, Step::Flags { .. });
        let uniform = mark.filter(|mark| mark.is_of_items());
        let (made, changed) = self.run_marking(now, uniform, move |marking| {
            let left = marking.step(step)?;
            mark_jobs::step_done(marking.tx, seq, left.as_ref())
        })?;
        sum.done.items += made.items;
        sum.done.changed = merged(&sum.done.changed, &changed);
        if flags { &mut sum.threads } else { &mut sum.items }.extend(made.uniform_ids);
        sum.undo.add(made.changes);
        Ok(())
    }

    /// Finishes marks that were interrupted; those that another process is at are left to it.
    pub(crate) fn finish_marks(&self) -> Result<()> {
        let Some(_lock) = JobLock::try_lock(&self.folder) else { return Ok(()) };
        while let Some((job, ready)) = self.read(mark_jobs::first)? {
            if ready {
                self.run(job, None, &mut Sum::default())?;
            } else {
                self.discard_job(job)?;
            }
        }
        Ok(())
    }

    /// Whether a mark was interrupted, or is under way.
    pub(crate) fn is_a_mark_unfinished(&self) -> Result<bool> {
        Ok(self.read(mark_jobs::first)?.is_some())
    }

    /// Writes steps down: from the last of these transactions on they will be carried out.
    fn write_down(&self, steps: &[Step]) -> Result<i64> {
        let (job, _) = self.write(|tx, _| mark_jobs::insert(tx))?;
        let mut written: Vec<String> = Vec::new();
        let mut bytes = 0;
        for step in steps {
            let text = serde_json::to_string(step)?;
            bytes += text.len();
            written.push(text);
            if bytes > mark_jobs::BYTES {
                let some = std::mem::take(&mut written);
                self.write(move |tx, _| mark_jobs::add_steps(tx, job, &some))?;
                bytes = 0;
            }
        }
        self.write(move |tx, _| {
            mark_jobs::add_steps(tx, job, &written)?;
            mark_jobs::set_ready(tx, job)
        })?;
        Ok(job)
    }

    /// Discards what is left of a job.
    fn discard_job(&self, job: i64) -> Result<()> {
        while self.write(move |tx, _| mark_jobs::discard(tx, job))?.0 {}
        Ok(())
    }
}

/// Remembers a change; two moves of one view's mark, one after the other, are one.
pub(crate) fn remember(all: &mut Vec<Change>, one: Change) {
    if let (Some(Change::View { id, is, .. }), Change::View { id: view, was, is: now }) =
        (all.last_mut(), &one)
        && id == view
        && is == was
    {
        *is = *now;
        return;
    }
    all.push(one);
}

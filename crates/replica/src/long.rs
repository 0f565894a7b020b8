//! Marks that take more than one transaction. All their steps are written down before the first is done, and each step is a
//! transaction that leaves every number right: others write between two, and what a crash left is done when the replica is
//! opened again, so that a mark, or what takes it back, is done to the end or not at all.

mod plan;
mod queue;
mod step;
mod turn;

use std::time::Duration;

use tidings_model::Stamp;

use self::turn::Turn;
use crate::mark::{Before, act};
use crate::overlay::Act;
use crate::wide::{Wide, merged};
use crate::{Mark, Marked, Replica, Result, Undo};

pub(crate) use self::plan::{Plan, everything, marked, read_here, undone, visit_steps};
pub(crate) use self::step::{Move, Step};

/// Items, threads, or rows that a view's mark moves over, of one transaction: a full operation.
pub(crate) const PORTION: usize = 500;
/// Between two portions, so that whoever waits comes first.
const BREATH: Duration = Duration::from_millis(1);

/// What a long mark did so far.
#[derive(Default)]
struct Sum {
    done: Marked,
    undo: Undo,
    /// Items that an act changed in one and the same way.
    items: Vec<i64>,
    /// Threads that were pinned, silenced, or the opposite.
    flags: Vec<i64>,
}

impl Sum {
    fn into_marked(self, act: Option<Act>, flag: Option<Mark>) -> Marked {
        let Self { mut done, mut undo, items, flags } = self;
        if let (Some(act), false) = (act, items.is_empty()) {
            undo.wide.push(Wide::Items { act, items: items.into_iter().collect() });
        }
        if let (Some(mark), false) = (flag, flags.is_empty()) {
            undo.wide.push(Wide::Flags { mark, threads: flags.into_iter().collect() });
        }
        done.undo = Some(undo).filter(|undo| !undo.is_empty());
        done
    }
}

impl Replica {
    /// Carries out a plan: in one transaction where it fits.
    pub(crate) fn carry_out_plan(&self, plan: Plan, mark: Mark) -> Result<Marked> {
        if !plan.is_short() {
            let act = act(mark);
            return self.carry_out(&plan.steps, act, Some(mark).filter(|_| act.is_none()));
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

    /// Carries out steps. `act` is what the mark does to items; changes that it makes in one and the same way take a bit
    /// each to be taken back. `flag` is the mark where it is one of threads.
    ///
    /// # Errors
    /// What was done before something failed stays; the rest is given up.
    pub(crate) fn carry_out(&self, steps: &[Step], act: Option<Act>, flag: Option<Mark>) -> Result<Marked> {
        let _turn = Turn::wait(&self.folder);
        let job = self.write_down(steps)?;
        let mut sum = Sum::default();
        match self.run(job, act, &mut sum) {
            Ok(()) => Ok(sum.into_marked(act, flag)),
            Err(error) => {
                if let Err(error) = self.forget_job(job) {
                    tracing::warn!(%error, "a mark that failed goes on at the next start");
                }
                Err(error)
            }
        }
    }

    /// Does what is left of a job, step by step.
    fn run(&self, job: i64, act: Option<Act>, sum: &mut Sum) -> Result<()> {
        let now = self.clock.now();
        while let Some((seq, step)) = self.read(|conn| queue::next(conn, job))? {
            self.take(seq, step, act, now, sum)?;
            std::thread::sleep(BREATH);
        }
        self.forget_job(job)
    }

    /// Does one step, as far as a portion goes, and writes down what is left of it.
    fn take(&self, seq: i64, step: Step, act: Option<Act>, now: Stamp, sum: &mut Sum) -> Result<()> {
        let flags = matches!(step, Step::Flags { .. });
        let (items, before, plain, changed) = self.marked(now, act, move |marking| {
            let left = marking.step(step)?;
            queue::done(marking.tx, seq, left.as_ref())
        })?;
        sum.done.items += items;
        sum.done.changed = merged(&sum.done.changed, &changed);
        if flags { &mut sum.flags } else { &mut sum.items }.extend(plain);
        sum.undo.add(before);
        Ok(())
    }

    /// Finishes marks that were interrupted; those that another process is at are left to it.
    pub(crate) fn finish_marks(&self) -> Result<()> {
        let Some(_turn) = Turn::now(&self.folder) else { return Ok(()) };
        while let Some((job, ready)) = self.read(queue::first)? {
            if ready {
                self.run(job, None, &mut Sum::default())?;
            } else {
                self.forget_job(job)?;
            }
        }
        Ok(())
    }

    /// Whether a mark was interrupted, or is under way.
    pub(crate) fn is_a_mark_unfinished(&self) -> Result<bool> {
        Ok(self.read(queue::first)?.is_some())
    }

    /// Writes steps down: from the last of these transactions on they will be carried out.
    fn write_down(&self, steps: &[Step]) -> Result<i64> {
        let (job, _) = self.write(|tx, _| queue::begin(tx))?;
        let mut written: Vec<String> = Vec::new();
        let mut bytes = 0;
        for step in steps {
            let text = serde_json::to_string(step)?;
            bytes += text.len();
            written.push(text);
            if bytes > queue::BYTES {
                let some = std::mem::take(&mut written);
                self.write(move |tx, _| queue::add(tx, job, &some))?;
                bytes = 0;
            }
        }
        self.write(move |tx, _| {
            queue::add(tx, job, &written)?;
            queue::ready(tx, job)
        })?;
        Ok(job)
    }

    /// Gives up what is left of a job.
    fn forget_job(&self, job: i64) -> Result<()> {
        while self.write(move |tx, _| queue::forget(tx, job))?.0 {}
        Ok(())
    }
}

/// What was done to one thing one by one, as far as it is remembered: marks of a view that moved on are one.
pub(crate) fn remember(all: &mut Vec<Before>, one: Before) {
    if let (Some(Before::View { id, is, .. }), Before::View { id: view, was, is: now }) =
        (all.last_mut(), &one)
        && id == view
        && is == was
    {
        *is = *now;
        return;
    }
    all.push(one);
}

//! Mark jobs: marks that take more than one transaction. All steps of a job are stored before the first is run. Each
//! step is a transaction after which all counts are correct, and other writes run between two. A job that a crash
//! interrupted is finished when the replica is opened again, so that a mark or an undo is done completely or not at
//! all.
//!
//! A mark of more than 500 rows is a job with steps of 500 rows. A step and its row in `mark_steps` go in one
//! commit. If the disk refuses, the rest is given up and the error is said. A view's mark moves step by step under
//! one operation, and a mark that a pull brings is approached in the same way before its page is written.

mod lock;
mod plan;
mod step;

use std::time::Duration;

use tidings_model::Stamp;
use tidings_replica_tables::mark_jobs;

use self::lock::JobLock;
use crate::marks::changes::BulkChange;
use crate::{Mark, Marked, Replica, Result, Undo};

pub(crate) use self::plan::{
    Plan, plan_digest, plan_mark, plan_undo, read_all_steps, thread_steps, visit_steps,
};
pub(crate) use self::step::{Move, Step};

/// The pause between two portions, in which waiting writers run.
const PORTION_PAUSE: Duration = Duration::from_millis(1);

/// The effect of a job so far.
#[derive(Default)]
struct JobEffect {
    done: Marked,
    undo: Undo,
    /// Items that the mark changed, if all changes have the same form.
    items: Vec<i64>,
    /// Threads that the mark pinned, unpinned, muted or unmuted.
    threads: Vec<i64>,
}

impl JobEffect {
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
    /// Carries out a plan: in one transaction if it fits.
    pub(crate) fn run_plan(&self, plan: Plan, mark: Mark) -> Result<Marked> {
        if !plan.is_short() {
            return self.run_job(&plan.steps, Some(mark));
        }
        self.marking(move |marking| {
            for step in plan.steps {
                let mut rest = Some(step);
                while let Some(step) = rest {
                    rest = marking.step(step)?;
                }
            }
            Ok(())
        })
    }

    /// Runs steps as a job. Changes of `mark` that have the same form are stored for the undo with one bit each.
    ///
    /// # Errors
    /// The error of the failed step. Steps that were done stay done; the others are discarded.
    pub(crate) fn run_job(&self, steps: &[Step], mark: Option<Mark>) -> Result<Marked> {
        let _lock = JobLock::wait(&self.folder);
        let job = self.store_steps(steps)?;
        let mut effect = JobEffect::default();
        match self.run(job, mark, &mut effect) {
            Ok(()) => Ok(effect.into_marked(mark)),
            Err(error) => {
                if let Err(error) = self.discard_job(job) {
                    tracing::warn!(%error, "a mark that failed goes on at the next start");
                }
                Err(error)
            }
        }
    }

    /// Runs the remaining steps of a job.
    fn run(&self, job: i64, mark: Option<Mark>, effect: &mut JobEffect) -> Result<()> {
        let now = self.clock.now();
        while let Some((seq, step)) = self.read(|conn| mark_jobs::next_step(conn, job))? {
            self.run_step(seq, step, mark, now, effect)?;
            std::thread::sleep(PORTION_PAUSE);
        }
        self.discard_job(job)
    }

    /// Runs one step up to a portion, and stores the rest of it.
    fn run_step(
        &self,
        seq: i64,
        step: Step,
        mark: Option<Mark>,
        now: Stamp,
        effect: &mut JobEffect,
    ) -> Result<()> {
        let flags = matches!(step, Step::Flags { .. });
        let uniform = mark.filter(|mark| mark.is_of_items());
        let (effect_of_step, changed) = self.run_marking(now, uniform, move |marking| {
            let rest = marking.step(step)?;
            mark_jobs::step_done(marking.tx, seq, rest.as_ref())
        })?;
        effect.done.items += effect_of_step.items;
        effect.done.changed = effect.done.changed.merged(&changed);
        if flags { &mut effect.threads } else { &mut effect.items }.extend(effect_of_step.uniform_ids);
        effect.undo.add(effect_of_step.changes);
        Ok(())
    }

    /// Finishes interrupted jobs, unless another process is running jobs.
    pub(crate) fn finish_marks(&self) -> Result<()> {
        let Some(_lock) = JobLock::try_lock(&self.folder) else { return Ok(()) };
        while let Some((job, ready)) = self.read(mark_jobs::first)? {
            if ready {
                self.run(job, None, &mut JobEffect::default())?;
            } else {
                self.discard_job(job)?;
            }
        }
        Ok(())
    }

    /// Whether a job is stored, interrupted or running.
    pub(crate) fn is_a_mark_unfinished(&self) -> Result<bool> {
        Ok(self.read(mark_jobs::first)?.is_some())
    }

    /// Stores the steps of a job. The last transaction marks it as ready; until then a crash discards it.
    fn store_steps(&self, steps: &[Step]) -> Result<i64> {
        let (job, _) = self.write(|tx, _| mark_jobs::insert(tx))?;
        let mut texts: Vec<String> = Vec::new();
        let mut bytes = 0;
        for step in steps {
            let text = serde_json::to_string(step)?;
            bytes += text.len();
            texts.push(text);
            if bytes > mark_jobs::STEP_BYTES_PER_WRITE {
                let batch = std::mem::take(&mut texts);
                self.write(move |tx, _| mark_jobs::add_steps(tx, job, &batch))?;
                bytes = 0;
            }
        }
        self.write(move |tx, _| {
            mark_jobs::add_steps(tx, job, &texts)?;
            mark_jobs::set_ready(tx, job)
        })?;
        Ok(job)
    }

    /// Discards the remaining steps of a job, then the job.
    fn discard_job(&self, job: i64) -> Result<()> {
        while self.write(move |tx, _| mark_jobs::discard(tx, job))?.0 {}
        Ok(())
    }
}

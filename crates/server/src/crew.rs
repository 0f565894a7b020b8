//! Threads for work that takes the processor for long: reading pages, writing them as JSON, parsing large bodies. They
//! have a lower priority than the threads that serve connections and the one that writes the database, so that nobody
//! who asks for little waits for who asks for much. Each user's work waits in a line of its own, and the lines take turns.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::domain::account::UserKey;

/// A thread without work ends after this; what its memory allocator kept goes with it.
const IDLE: Duration = Duration::from_secs(10);
/// How much lower the priority is, as a nice value. About a third of the weight of the others: they win the processor,
/// and what a thread here holds (a lock of the allocator or of SQLite) is not held for long while they are busy.
#[cfg(target_os = "linux")]
const NICER: i32 = 5;

type Job = Box<dyn FnOnce() + Send>;

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// Its turn did not come in time.
    Busy,
    /// It panicked, or there is no thread to be had.
    Failed,
}

/// Some threads, started when there is work for them. When it is dropped, they end with the work that they have.
pub(crate) struct Crew {
    shared: Arc<Shared>,
    name: &'static str,
    most: usize,
}

#[derive(Default)]
struct Shared {
    lines: Mutex<Lines>,
    came: Condvar,
}

/// Work that waits, and who could do it.
#[derive(Default)]
struct Lines {
    waiting: HashMap<UserKey, VecDeque<Job>>,
    /// How much work waits.
    count: usize,
    /// Whose turn is next; everybody once who has something waiting.
    turns: VecDeque<UserKey>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Lines {
    fn add(&mut self, by: UserKey, job: Job) {
        let line = self.waiting.entry(by).or_default();
        if line.is_empty() {
            self.turns.push_back(by);
        }
        line.push_back(job);
        self.count += 1;
    }

    fn next(&mut self) -> Option<Job> {
        let by = self.turns.pop_front()?;
        let line = self.waiting.get_mut(&by)?;
        let job = line.pop_front();
        if line.is_empty() {
            self.waiting.remove(&by);
        } else {
            self.turns.push_back(by);
        }
        self.count -= usize::from(job.is_some());
        job
    }
}

impl Shared {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; none when the thread is to end.
    fn next(&self) -> Option<Job> {
        let mut lines = self.lines();
        loop {
            if let Some(job) = lines.next() {
                return Some(job);
            }
            if lines.closed {
                lines.threads -= 1;
                return None;
            }
            lines.idle += 1;
            let (woken, waited) = self.came.wait_timeout(lines, IDLE).unwrap_or_else(PoisonError::into_inner);
            lines = woken;
            lines.idle -= 1;
            if waited.timed_out() && lines.turns.is_empty() {
                lines.threads -= 1;
                return None;
            }
        }
    }

    fn work(&self) {
        lower_priority();
        while let Some(job) = self.next() {
            // Whoever waits for it hears that there is no answer.
            drop(catch_unwind(AssertUnwindSafe(job)));
        }
    }
}

impl Crew {
    /// At most so many threads of this name.
    pub(crate) fn new(name: &'static str, most: usize) -> Self {
        Self { shared: Arc::default(), name, most: most.max(1) }
    }

    /// Does a user's work when its turn comes, and waits for it. Work whose turn has not come when nobody waits for it
    /// any more is not done.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        by: UserKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        self.start(by, || {}, work).await.map_err(|_| NotDone::Failed)
    }

    /// The same for who waits only so long for its turn.
    pub(crate) async fn run_within<T: Send + 'static>(
        &self,
        patience: Duration,
        by: UserKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let (begin, begun) = oneshot::channel();
        let done = self.start(
            by,
            move || {
                // Whoever waited may have gone.
                let _ = begin.send(());
            },
            work,
        );
        tokio::pin!(done);
        tokio::select! {
            biased;
            done = &mut done => return done.map_err(|_| NotDone::Failed),
            begun = tokio::time::timeout(patience, begun) => if begun.is_err() {
                return Err(NotDone::Busy);
            }
        }
        done.await.map_err(|_| NotDone::Failed)
    }

    fn start<T: Send + 'static>(
        &self,
        by: UserKey,
        begin: impl FnOnce() + Send + 'static,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (tell, told) = oneshot::channel();
        self.add(
            by,
            Box::new(move || {
                if !tell.is_closed() {
                    begin();
                    // What nobody waits for any more is dropped here, too.
                    drop(tell.send(work()));
                }
            }),
        );
        told
    }

    fn add(&self, by: UserKey, job: Job) {
        let mut lines = self.shared.lines();
        lines.add(by, job);
        if lines.idle >= lines.count || lines.threads >= self.most {
            drop(lines);
            self.shared.came.notify_one();
            return;
        }
        lines.threads += 1;
        drop(lines);
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new().name(self.name.to_owned()).spawn(move || shared.work());
        if let Err(e) = started {
            tracing::error!(error = %e, "could not start a thread");
            let mut lines = self.shared.lines();
            lines.threads -= 1;
            if lines.threads == 0 {
                // Nobody would ever do it.
                (lines.waiting, lines.turns, lines.count) = Default::default();
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.lines().closed = true;
        self.shared.came.notify_all();
    }
}

/// On Linux the priority is the thread's own; elsewhere it would be the whole program's.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        let lowered = getpriority_process(None).and_then(|now| setpriority_process(None, now + NICER));
        if let Err(e) = lowered {
            tracing::debug!(error = %e, "a thread keeps its priority");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A thread that is held until the sender is dropped.
    async fn held(crew: &Crew, by: UserKey) -> mpsc::Sender<()> {
        let (go, wait) = mpsc::channel::<()>();
        let (begin, begun) = oneshot::channel();
        // The answer is nobody's business; the receiver has to live for the work to be done.
        let begin = move || begin.send(()).unwrap();
        let answer = crew.start(by, begin, move || {
            let _ = wait.recv();
        });
        tokio::spawn(answer);
        begun.await.unwrap();
        go
    }

    #[tokio::test]
    async fn whoever_asks_for_much_waits_in_a_line_of_its_own() {
        let crew = Crew::new("test", 1);
        let go = held(&crew, UserKey(1)).await;
        let done: Arc<Mutex<Vec<&str>>> = Arc::default();
        let ask = |by, what| {
            let done = Arc::clone(&done);
            crew.start(UserKey(by), || {}, move || done.lock().unwrap().push(what))
        };
        let all = [ask(1, "1a"), ask(1, "1b"), ask(1, "1c"), ask(2, "2a"), ask(3, "3a"), ask(2, "2b")];
        drop(go);
        for one in all {
            one.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), ["1a", "2a", "3a", "1b", "2b", "1c"]);
        assert!(crew.shared.lines().waiting.is_empty() && crew.shared.lines().count == 0);
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_any_more_is_not_done() {
        let crew = Crew::new("test", 1);
        let go = held(&crew, UserKey(1)).await;
        let done: Arc<Mutex<Vec<&str>>> = Arc::default();
        let log = |what| {
            let done = Arc::clone(&done);
            move || done.lock().unwrap().push(what)
        };
        let late = crew.run_within(Duration::from_millis(1), UserKey(2), log("late")).await;
        assert_eq!(late, Err(NotDone::Busy));
        drop(crew.start(UserKey(2), || {}, log("left")));
        let kept = crew.start(UserKey(2), || {}, log("kept"));
        drop(go);
        kept.await.unwrap();
        assert_eq!(*done.lock().unwrap(), ["kept"]);
    }

    #[tokio::test]
    async fn as_many_threads_work_as_there_is_work_and_no_more() {
        let crew = Crew::new("test", 3);
        let first =
            [held(&crew, UserKey(1)).await, held(&crew, UserKey(1)).await, held(&crew, UserKey(2)).await];
        let late = crew.run_within(Duration::from_millis(1), UserKey(3), || ()).await;
        assert_eq!(late, Err(NotDone::Busy), "there is no fourth");
        drop(first);
        assert_eq!(crew.run(UserKey(3), || 5).await, Ok(5));
        assert_eq!(crew.shared.lines().threads, 3);
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_and_its_thread_goes_on() {
        let crew = Crew::new("test", 1);
        assert_eq!(crew.run(UserKey(1), || panic!("on purpose")).await, Err::<(), _>(NotDone::Failed));
        assert_eq!(crew.run(UserKey(1), || 5).await, Ok(5));
        assert_eq!(crew.shared.lines().threads, 1);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn its_threads_give_way_to_those_that_serve_connections() {
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let (here, there) = (priority(), Crew::new("test", 1).run(UserKey(1), priority).await.unwrap());
        assert_eq!(there, (here + NICER).min(19));
        assert_eq!(priority(), here, "nobody else's priority changed");
    }
}

//! What the page's main thread works, in processor time, which other programs on a busy machine do not lengthen.

use std::{
    fs,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, SystemTime},
};

use crate::{app, desktop::Desktop};

/// The time between two readings.
const INTERVAL: Duration = Duration::from_millis(20);
/// Clock ticks per second in /proc/PID/stat; constant on Linux.
const TICKS_PER_SECOND: u64 = 100;

/// When it was read, and the processor time until then.
type Reading = (SystemTime, Duration);

/// A record of the processor time of the page's main thread.
#[derive(Debug)]
pub struct PageWork {
    readings: Arc<Mutex<Vec<Reading>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl PageWork {
    /// Records from now on, on a thread of its own.
    pub fn record(desktop: &Desktop) -> Self {
        let pid = app::page_pid(desktop);
        let (readings, ended) = (Arc::<Mutex<Vec<Reading>>>::default(), Arc::<AtomicBool>::default());
        let (recorded, end) = (Arc::clone(&readings), Arc::clone(&ended));
        let thread = std::thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                let Some(time) = main_thread_time(pid) else { return };
                recorded.lock().unwrap_or_else(PoisonError::into_inner).push((SystemTime::now(), time));
                std::thread::sleep(INTERVAL);
            }
        });
        Self { readings, ended, thread: Some(thread) }
    }

    /// The processor time between two moments; what is between two readings counts whole.
    pub fn between(&self, from: SystemTime, to: SystemTime) -> Duration {
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let before = readings.iter().rfind(|(at, _)| *at <= from).or(readings.first());
        let after = readings.iter().find(|(at, _)| *at >= to).or(readings.last());
        let (before, after) = before.zip(after).expect("it was read");
        after.1.saturating_sub(before.1)
    }
}

impl Drop for PageWork {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

/// The processor time of a process's first thread; `None` if it has ended.
fn main_thread_time(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/task/{pid}/stat")).ok()?;
    // User and system time are the 14th and 15th field; the name before them may hold anything.
    let fields = stat.rsplit_once(')')?.1.split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
}

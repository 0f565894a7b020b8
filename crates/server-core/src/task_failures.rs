//! Counts the faults of a server's tasks.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// How often each task ended by a fault: a panic, or an end that was not expected.
#[derive(Debug, Default)]
pub struct TaskFailures(Mutex<BTreeMap<&'static str, u64>>);

impl TaskFailures {
    /// Counts a fault of a task.
    pub fn record(&self, task: &'static str) {
        *self.0.lock().entry(task).or_default() += 1;
    }

    /// The tasks that had faults, each with its count.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        self.0.lock().iter().map(|(task, n)| (*task, *n)).collect()
    }
}

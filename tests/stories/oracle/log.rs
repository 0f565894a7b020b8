//! The steps of a history: the last ones are printed when the test fails, and all of them leave a trace by which two
//! histories are compared.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};
use std::sync::LazyLock;

use regex::Regex;

/// The most steps that are printed when the test fails.
const LINES: usize = 150;

/// The last steps, printed when the test fails.
pub(crate) struct Log {
    seed: u64,
    /// Whether every step is printed at once.
    all: bool,
    lines: VecDeque<String>,
    /// What is left of all steps.
    trace: DefaultHasher,
}

/// A time. How many stamps the server has given by a step may depend on the machine.
static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT[0-9:.]+Z").unwrap());

impl Log {
    pub(crate) fn new(seed: u64) -> Self {
        let all = std::env::var_os("TIDINGS_VERBOSE").is_some();
        Self { seed, all, lines: VecDeque::new(), trace: DefaultHasher::new() }
    }

    pub(crate) fn note(&mut self, line: String) {
        if self.all {
            println!("{line}");
        }
        self.trace.write(TIME.replace_all(&line, "").as_bytes());
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// A number that is the same for the same steps, whatever the times in them.
    pub(crate) fn trace(&self) -> u64 {
        self.trace.finish()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.lines.is_empty() {
            let lines = self.lines.make_contiguous().join("\n");
            eprintln!("—— the last of it; again with TIDINGS_SEED={} ——\n{lines}", self.seed);
        }
    }
}

//! How far a long command is, in one line on standard error, if that is a terminal. What else is printed goes above it.

use std::borrow::Cow;
use std::io::{IsTerminal as _, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;

use super::Output;

/// How long a command runs before the line appears: most are done by then.
const APPEARS_AFTER: Duration = Duration::from_millis(500);
/// The time between two turns of the sign that it runs.
const TURN: Duration = Duration::from_millis(120);

/// The line that is shown.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints something without the line, which is drawn again below it.
pub(super) fn above<T>(print: impl FnOnce() -> T) -> T {
    let bar = shown().clone();
    match bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// The step that a command is at, with the time since its beginning; gone when it is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// `None` if nobody would see it.
    appearing: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to show a command's first step, unless it prints JSON or nobody looks.
    pub(crate) fn begin(out: Output, step: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(step);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        let is_seen = !out.json && stderr().is_terminal();
        let appearing = is_seen.then(|| tokio::spawn(appear(bar.clone())));
        Self { bar, appearing }
    }

    /// Whether it is shown as soon as the command takes long.
    pub(crate) const fn is_seen(&self) -> bool {
        self.appearing.is_some()
    }

    /// Says which step begins, or how far it is.
    pub(crate) fn step(&self, step: impl Into<Cow<'static, str>>) {
        self.bar.set_message(step);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(appearing) = &self.appearing {
            appearing.abort();
        }
        // Under the lock, because it may appear right now.
        let mut shown = shown();
        self.bar.finish_and_clear();
        *shown = None;
    }
}

async fn appear(bar: ProgressBar) {
    tokio::time::sleep(APPEARS_AFTER).await;
    let mut shown = shown();
    if !bar.is_finished() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TURN);
        *shown = Some(bar);
    }
}

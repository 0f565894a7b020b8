//! The signals that ask a program to end. They are passed on to the command that it runs.

use std::fs::{self, File};
use std::io;

use futures_util::future::{pending, select_all};
use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use tokio::signal::unix::{Signal as Arrivals, SignalKind, signal};

/// Those that are passed on.
const PASSED_ON: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];

/// The signals that this process gets, and passes on.
pub(super) struct Signals(Vec<(Signal, Arrivals)>);

impl Signals {
    /// Listens for them from now on. Those that are ignored, as `nohup` has it, stay so, also for the command.
    pub(super) fn listen() -> io::Result<Self> {
        let ignored = ignored();
        let heard = PASSED_ON.into_iter().filter(|one| ignored & (1 << (one.as_raw() - 1)) == 0);
        let listen = |one: Signal| signal(SignalKind::from_raw(one.as_raw())).map(|arrivals| (one, arrivals));
        heard.map(listen).collect::<io::Result<_>>().map(Self)
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) -> Signal {
        let each = self.0.iter_mut().map(|(one, arrivals)| {
            Box::pin(async move {
                arrivals.recv().await;
                *one
            })
        });
        let each: Vec<_> = each.collect();
        if each.is_empty() { pending().await } else { select_all(each).await.0 }
    }
}

/// Passes a signal on to a process. What comes from the keyboard went to the whole group in the foreground: the command had
/// it, and a second one would end many a program at once.
pub(super) fn pass_on(signal: Signal, to: Option<u32>) {
    let had_it = matches!(signal, Signal::INT | Signal::QUIT) && is_in_foreground();
    let to = to.and_then(|id| Pid::from_raw(id.try_into().ok()?)).filter(|_| !had_it);
    if let Some(to) = to {
        // It may have ended meanwhile.
        let _ = kill_process(to, signal);
    }
}

/// Whether the keys of a terminal go to this process.
fn is_in_foreground() -> bool {
    File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(&terminal).is_ok_and(|group| group == getpgrp()))
}

/// The signals that this process was started to ignore, a bit each; none if the system does not say.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

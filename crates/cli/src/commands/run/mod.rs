//! `run`: runs a command in its caller's place, and publishes how it ended. Nothing that happens to the notification changes the
//! exit code.

mod ended;
mod passage;
mod signals;
mod tail;

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt as _, Shared, join_all};
use tidings_home::Home;
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use self::ended::{Ended, name};
use self::passage::{Passage, SharedTail};
use self::signals::{Signals, pass_on};
use super::send;
use crate::args::Run;
use crate::error::{Error, Result};
use crate::output::{Output, warn};

/// How long the end of an output is waited for before its last lines are published. Something in the background may never end.
const DRAIN: Duration = Duration::from_secs(1);
/// How long publishing may take.
const PUBLISHING: Duration = Duration::from_secs(30);
/// How long after the end of a command a signal may still be the one that ended it.
const SETTLING: Duration = Duration::from_secs(1);

/// Runs `tidings run`.
pub(crate) async fn run(args: Run, home: &Home, out: Output) -> Result<()> {
    if out.json {
        return Err(Error::Usage(
            "standard output is the command's, so --json has no place here; nothing was run".to_owned(),
        ));
    }
    let mut signals = Signals::listen()?;
    let begin = Instant::now();
    let (ended, running) = match RunningCommand::start(&args) {
        Ok(mut running) => (Ended::from(running.end(&mut signals).await?), Some(running)),
        Err(error) => (not_started(&args, error), None),
    };
    let (took, mut asked) = (begin.elapsed(), AskedToEnd { signals, ended_at: Instant::now() });
    // The limit on core dumps would have held for the command, too.
    tidings_server::forbid_core_dumps();
    if ended.is_failure() || !args.only_failure {
        let output = match &running {
            Some(running) => running.last_lines(args.lines).await,
            None => String::new(),
        };
        tell(&ended, &args, took, output, home, &mut asked).await;
    }
    if let Some(running) = running {
        running.finish(&mut asked).await;
    }
    match ended.code() {
        0 => Ok(()),
        code => Err(Error::Ended(code)),
    }
}

fn not_started(args: &Run, error: io::Error) -> Ended {
    warn(&format!("`{}` can't be started: {error}", name(&args.command)));
    Ended::NotStarted(error)
}

/// Publishes how the command ended. If that fails, a sentence says so, and nothing else changes.
async fn tell(
    ended: &Ended,
    args: &Run,
    took: Duration,
    output: String,
    home: &Home,
    asked: &mut AskedToEnd,
) {
    let publication = ended.publication(args, took);
    let sending = timeout(PUBLISHING, send::publish(publication, ended.body(args.lines, output), home));
    let error = tokio::select! {
        sent = sending => match sent {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("the server took longer than {} s", PUBLISHING.as_secs()),
        },
        () = asked.wait() => "a signal came before the server answered".to_owned(),
    };
    warn(&format!("the exit code is the command's, but how it ended was not published: {error}"));
}

/// The signals after the end of a command, which are for this process.
struct AskedToEnd {
    signals: Signals,
    ended_at: Instant,
}

impl AskedToEnd {
    /// Waits until this process is asked to end. The signal that ended the command may arrive here after its end.
    async fn wait(&mut self) {
        loop {
            self.signals.next().await;
            if self.ended_at.elapsed() >= SETTLING {
                return;
            }
        }
    }
}

/// A command that runs, or wrote something that is still on its way.
struct RunningCommand {
    child: Child,
    tail: Arc<SharedTail>,
    /// Ends once nothing writes to its outputs any more.
    passing: Shared<BoxFuture<'static, ()>>,
}

impl RunningCommand {
    fn start(args: &Run) -> io::Result<Self> {
        let (program, rest) = args.command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(rest);
        let passages = passage::connect(&mut command)?;
        let child = command.spawn()?;
        // Our ends of its pipes: they would never be closed.
        drop(command);
        let tail = Arc::new(SharedTail::default());
        let passing = join_all(passages.into_iter().map(|passage| pass(passage, tail.clone())));
        Ok(Self { child, tail, passing: passing.map(drop).boxed().shared() })
    }

    /// Waits for the end of the command, to which it passes signals on meanwhile.
    async fn end(&mut self, signals: &mut Signals) -> io::Result<ExitStatus> {
        loop {
            tokio::select! {
                status = self.child.wait() => return status,
                signal = signals.next() => pass_on(signal, self.child.id()),
            }
        }
    }

    /// The last lines of what it wrote.
    async fn last_lines(&self, most: u16) -> String {
        let _ = timeout(DRAIN, self.passing.clone()).await;
        self.tail.lock().last_lines(most.into())
    }

    /// Waits until nothing writes to its outputs any more, or for a signal. What it left in the background would be ended by a
    /// pipe that nobody reads.
    async fn finish(self, asked: &mut AskedToEnd) {
        tokio::select! {
            () = self.passing => {}
            () = asked.wait() => {}
        }
    }
}

/// Passes an output on in a thread of its own, from now on.
fn pass(passage: Passage, tail: Arc<SharedTail>) -> impl Future<Output = ()> + Send {
    let passing = spawn_blocking(move || passage.pass_on(&tail));
    async move {
        if let Ok(Err(error)) = passing.await
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            warn(&format!("the command's output can't be written, so it ends there: {error}"));
        }
    }
}

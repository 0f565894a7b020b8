//! `watch --exec`: a command for each notification. It is given to `sh -c` as it was written, without
//! any text of a notification. The notification is JSON on standard input, and in variables of the environment.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tidings_model::text;
use tidings_replica::Item;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::time::sleep;
#[cfg(unix)]
use tokio::time::timeout;

use crate::output::warn;
use crate::text::topic;

/// How long a command has to end itself after it was asked to.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(2);
/// The most bytes of a variable; Linux takes 128 KiB. The whole text is in the JSON.
const MAX_VARIABLE_BYTES: usize = 64 << 10;

/// A command that runs for each notification.
pub(super) struct Exec<'a> {
    pub(super) command: &'a str,
    /// How long it may take.
    pub(super) limit: Duration,
}

/// A notification, as a command gets it.
pub(super) struct Arrival<'a> {
    pub(super) item: &'a Item,
    /// The name by which other commands take it.
    pub(super) name: String,
    pub(super) source: &'a str,
    /// Its title, else the heading that lists give it.
    pub(super) title: String,
    /// The line that `watch --json` prints.
    pub(super) document: Vec<u8>,
}

impl Exec<'_> {
    /// Runs the command for a notification until it ends. If it fails, a line says so, and the next one runs all the same.
    pub(super) async fn run(&self, arrival: Arrival<'_>) {
        let name = arrival.name.clone();
        let problem = match self.outcome(arrival).await {
            Ok(Some(status)) if status.success() => return,
            Ok(Some(status)) => format!("failed ({status})"),
            Ok(None) => format!("took longer than {} s, so it was ended", self.limit.as_secs()),
            Err(error) => format!("can't be started: {error}"),
        };
        warn(&format!("{name}: the command {problem}"));
    }

    /// How it ended; `None` if its time was over.
    async fn outcome(&self, arrival: Arrival<'_>) -> io::Result<Option<ExitStatus>> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(self.command).envs(arrival.variables());
        // In a group of its own it ends with all that it started.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let group = ProcessGroup::of(&child);
        let document = arrival.document;
        // A command that does not read its input succeeds all the same.
        let stdin = child.stdin.take();
        let writing = stdin.map(|mut to| tokio::spawn(async move { to.write_all(&document).await }));
        let status = tokio::select! {
            status = child.wait() => Some(status?),
            () = sleep(self.limit) => None,
        };
        match status {
            Some(_) => group.leave(),
            None => group.end(&mut child).await?,
        }
        if let Some(writing) = writing {
            writing.abort();
        }
        Ok(status)
    }
}

impl Arrival<'_> {
    /// The variables of the environment, all of them for each notification: one that is empty takes the place of an older one.
    fn variables(&self) -> [(&'static str, String); 10] {
        let n = &self.item.notification;
        let content = &n.content;
        [
            ("TIDINGS_TITLE", line(&self.title)),
            ("TIDINGS_BODY", text::cut(&text::block(&content.body), MAX_VARIABLE_BYTES).to_owned()),
            ("TIDINGS_SOURCE", line(self.source)),
            ("TIDINGS_TOPIC", line(topic(n).unwrap_or_default())),
            ("TIDINGS_KIND", n.kind.as_str().to_owned()),
            ("TIDINGS_ACTOR", line(&n.actor.name)),
            ("TIDINGS_PRIORITY", content.priority.get().to_string()),
            ("TIDINGS_TAGS", line(&content.tags.join(","))),
            ("TIDINGS_URL", line(content.url.as_deref().unwrap_or_default())),
            ("TIDINGS_MSGID", line(&self.name)),
        ]
    }
}

/// A value in one line. A variable can't have every character that a text may have.
fn line(value: &str) -> String {
    text::cut(&text::line(value), MAX_VARIABLE_BYTES).to_owned()
}

/// The processes of a command that runs; they are asked to end if nobody waits for it any more.
#[cfg(unix)]
struct ProcessGroup(Option<Pid>);

#[cfg(unix)]
impl ProcessGroup {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)))
    }

    fn send(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // It may be gone.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Leaves the processes that the command started in the background alone.
    fn leave(mut self) {
        self.0 = None;
    }

    /// Asks all to end, and ends those that do not.
    async fn end(self, child: &mut Child) -> io::Result<()> {
        self.send(Signal::TERM);
        let ended = timeout(PATIENCE, child.wait()).await;
        self.send(Signal::KILL);
        if ended.is_err() {
            child.wait().await?;
        }
        self.leave();
        Ok(())
    }
}

#[cfg(unix)]
impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.send(Signal::TERM);
    }
}

/// The command's own process: other systems have no groups of them that one could end.
#[cfg(not(unix))]
struct ProcessGroup;

#[cfg(not(unix))]
impl ProcessGroup {
    const fn of(_child: &Child) -> Self {
        Self
    }

    fn leave(self) {}

    async fn end(self, child: &mut Child) -> io::Result<()> {
        child.kill().await
    }
}

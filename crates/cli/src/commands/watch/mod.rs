//! `watch`: prints what arrives unread, each as a line, or runs a command for each, until it is stopped. It pulls if nothing
//! else does.

mod exec;

use std::time::Duration;

use tidings_home::Home;
use tidings_replica::{Item, ItemId, Replica};
use tokio::time::{Instant, sleep};

use self::exec::{Arrival, Exec};
use super::puller::Puller;
use super::serve::ShutdownSignals;
use crate::{
    args::Watch,
    error::Result,
    inbox::{self, SourceNames},
    output::{Output, entry, warn},
    text::{self, LineFormatter},
};

/// The time between two looks at an inbox that another process fills.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The time between two tries to pull here, in case that the other process has ended.
const TAKE_OVER_INTERVAL: Duration = Duration::from_secs(5);
/// Notifications that are read from the inbox at once. What waits for a command beyond them waits in the inbox, so neither
/// memory nor a notification is lost however long the command takes.
const PAGE_ITEMS: usize = 200;

/// Runs `tidings watch`.
pub(crate) async fn run(args: Watch, home: &Home, out: Output) -> Result<()> {
    // Before the first line is printed: its reader may ask this process to end at once.
    let mut signals = ShutdownSignals::listen()?;
    let replica = inbox::open(home)?;
    let mut changes = replica.subscribe();
    let what = if args.exec.is_some() { "the command runs for each" } else { "they are printed here" };
    let mut arrivals = Arrivals { after: replica.last_item()?, args, replica: replica.clone() };
    let mut puller = Puller::start(home, &replica).await?;
    let mut tried = Instant::now();
    warn(&format!("watching for new notifications: {what}; press Ctrl-C to stop"));
    loop {
        tokio::select! {
            () = signals.recv() => break,
            passed_on = arrivals.pass_on(out) => passed_on?,
        }
        tokio::select! {
            () = signals.recv() => break,
            _ = changes.recv() => {}
            () = sleep(POLL_INTERVAL) => {}
        }
        if puller.is_none() && tried.elapsed() >= TAKE_OVER_INTERVAL {
            puller = Puller::start(home, &replica).await?;
            tried = Instant::now();
        }
    }
    if let Some(puller) = puller {
        puller.stop().await;
    }
    Ok(())
}

/// The notifications that came after one.
struct Arrivals {
    replica: Replica,
    args: Watch,
    /// The last one that was looked at.
    after: ItemId,
}

impl Arrivals {
    /// Prints those that came since the last time, or runs the command for each, one after the other.
    async fn pass_on(&mut self, out: Output) -> Result<()> {
        // The row of a notification that was removed may be given to another one.
        self.after = self.after.min(self.replica.last_item()?);
        loop {
            let items = self.replica.items_after(self.after, PAGE_ITEMS)?;
            let Some(last) = items.last() else { return Ok(()) };
            self.after = last.id;
            let names = SourceNames::of(&self.replica)?;
            let mut lines = LineFormatter::of(&self.replica, &items)?;
            for item in items.iter().filter(|item| self.is_wanted(item)) {
                match self.exec() {
                    Some(exec) => exec.run(arrival(item, &names, &mut lines)?).await,
                    None => out.print_entry(&names.exported_item(item), &lines.line(item))?,
                }
            }
        }
    }

    fn exec(&self) -> Option<Exec<'_>> {
        let command = self.args.exec.as_deref()?;
        Some(Exec { command, limit: self.args.time_limit })
    }

    fn is_wanted(&self, item: &Item) -> bool {
        let Watch { kind, topic, .. } = &self.args;
        item.unread
            && kind.is_none_or(|kind| item.notification.kind == kind)
            && topic.as_deref().is_none_or(|topic| text::topic(&item.notification) == Some(topic))
    }
}

/// A notification as the command gets it.
fn arrival<'a>(item: &'a Item, names: &'a SourceNames, lines: &mut LineFormatter<'_>) -> Result<Arrival<'a>> {
    let title = &item.notification.content.title;
    Ok(Arrival {
        item,
        name: lines.name(item),
        source: names.name(item.source),
        title: if title.is_empty() { lines.heading(item) } else { title.clone() },
        document: entry(&names.exported_item(item))?,
    })
}

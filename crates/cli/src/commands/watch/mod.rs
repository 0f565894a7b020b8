//! `watch`: prints what arrives unread, each as a line, until it is stopped. It pulls if nothing else does.

use std::time::Duration;

use tidings_app::home::Home;
use tidings_replica::{Item, ItemId, Replica};
use tokio::time::{Instant, sleep};

use super::puller::Puller;
use super::serve::ShutdownSignals;
use crate::{
    args::Watch,
    error::Result,
    inbox::{self, SourceNames},
    output::{Output, warn},
    text::{self, LineFormatter},
};

/// The time between two looks at an inbox that another process fills.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The time between two tries to pull here, in case that the other process has ended.
const TAKE_OVER_INTERVAL: Duration = Duration::from_secs(5);
/// Notifications that are read from the inbox at once.
const PAGE_ITEMS: usize = 200;

/// Runs `tidings watch`.
pub(crate) async fn run(args: Watch, home: &Home, out: Output) -> Result<()> {
    // Before the first line is printed: its reader may ask this process to end at once.
    let mut signals = ShutdownSignals::listen()?;
    let replica = inbox::open(home)?;
    let mut changes = replica.subscribe();
    let mut arrivals = Arrivals { after: replica.last_item()?, args, replica: replica.clone() };
    let mut puller = Puller::start(home, &replica).await?;
    let mut tried = Instant::now();
    warn("watching: new notifications are printed here; press Ctrl-C to stop");
    loop {
        arrivals.print(out)?;
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
    /// Prints those that came since the last time.
    fn print(&mut self, out: Output) -> Result<()> {
        // The row of a notification that was removed may be given to another one.
        self.after = self.after.min(self.replica.last_item()?);
        loop {
            let items = self.replica.items_after(self.after, PAGE_ITEMS)?;
            let Some(last) = items.last() else { return Ok(()) };
            self.after = last.id;
            let names = SourceNames::of(&self.replica)?;
            let mut lines = LineFormatter::of(&self.replica, &items)?;
            for item in items.iter().filter(|item| self.is_wanted(item)) {
                out.print_entry(&names.exported_item(item), &lines.line(item))?;
            }
        }
    }

    fn is_wanted(&self, item: &Item) -> bool {
        let Watch { kind, topic } = &self.args;
        item.unread
            && kind.is_none_or(|kind| item.notification.kind == kind)
            && topic.as_deref().is_none_or(|topic| text::topic(&item.notification) == Some(topic))
    }
}

//! The notifications of other programs on this desktop: read along on the session bus, for the applications that the
//! reader chose. Nothing is requested from any network, and nothing is sent anywhere.
//!
//! Bus, daemon and id make the msgid, so that what replaces a notification is the same item. Only an open live
//! channel reads along: a pull in the terminal brings nothing, and a paused source has no monitor. Of applications
//! that are not kept, only the name leaves the task that reads. The file of settings leaves this source out.

mod monitor;
mod notification;
mod queue;

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use tidings_model::{Catalog, Clock};
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result, supervise};
use tidings_replica::{self as replica, NotifyLevel, SourceId};
use tokio_util::task::AbortOnDropHandle;

use self::monitor::{MonitorState, Shared};
use self::queue::Queue;
use super::applications::{self, PROTOCOL_NAME, SCHEME};
use super::sentences::DESKTOP;
use crate::source::{
    Abilities, Credential, Fetched, Hint, Live, Protocol, ServerInfo, SignIn, Since, Source,
};

/// The notifications of other programs.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: PROTOCOL_NAME,
    label: "Other programs",
    default_url: Some(SCHEME),
    example: "desktop:Thunderbird,Signal",
    address: AddressKind::Applications,
    credential: Credential::None,
    sign_in: SignIn::None,
    abilities: Abilities { live: true, ..Abilities::NONE },
    // The program itself has shown it.
    notify: NotifyLevel::Badge,
    reasons: &[],
    open: |row, _token, clock, _bounds| Ok(Arc::new(Desktop::of(row, clock))),
};

/// The shared state of the source that runs in this process. Its clients come and go with each wake of the machine and
/// each error; what has arrived meanwhile passes over from one to the next.
static RUNNING: Mutex<Weak<RunningMonitor>> = Mutex::new(Weak::new());

/// Reads along for as long as a client has it.
struct RunningMonitor {
    source: SourceId,
    url: String,
    shared: Arc<Shared>,
    /// The task that reads along, once the live channel was opened.
    task: tokio::sync::Mutex<Option<AbortOnDropHandle<()>>>,
}

impl RunningMonitor {
    fn new(row: &replica::Source, clock: Arc<dyn Clock>) -> Self {
        let id = format!("{:032x}", rand::random::<u128>());
        let queue = Mutex::new(Queue::new(id, applications::chosen(&row.url)));
        let shared = Arc::new(Shared { queue, state: tokio::sync::watch::Sender::default(), clock });
        Self { source: row.id, url: row.url.clone(), shared, task: tokio::sync::Mutex::default() }
    }

    fn is_of(&self, row: &replica::Source) -> bool {
        self.source == row.id && self.url == row.url
    }
}

/// A client of the source.
struct Desktop {
    running: Arc<RunningMonitor>,
    /// The address of the bus; `None` for that of the session.
    bus: Option<String>,
}

impl Desktop {
    fn of(row: &replica::Source, clock: Arc<dyn Clock>) -> Self {
        let mut known = RUNNING.lock();
        let running = known.upgrade().filter(|running| running.is_of(row)).unwrap_or_else(|| {
            let running = Arc::new(RunningMonitor::new(row, clock));
            // What is only asked, before it is stored, has no id.
            if row.id != SourceId::default() {
                *known = Arc::downgrade(&running);
            }
            running
        });
        Self { running, bus: None }
    }
}

#[async_trait]
impl Source for Desktop {
    async fn server_info(&self) -> Result<ServerInfo> {
        Ok(ServerInfo { catalog: Some(catalog()), ..ServerInfo::default() })
    }

    /// What has arrived since the live channel was opened. A pull in a terminal has none, and brings nothing.
    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        Ok(self.running.shared.queue.lock().page(since.cursor.as_deref(), limit))
    }

    async fn check_access(&self) -> Result<()> {
        monitor::start(self.bus.as_deref()).await.map(drop)
    }

    async fn listen(&self) -> Result<Option<Live>> {
        let shared = self.running.shared.clone();
        let mut task = self.running.task.lock().await;
        if task.as_ref().is_none_or(AbortOnDropHandle::is_finished) {
            let monitor = monitor::start(self.bus.as_deref()).await?;
            shared.state.send_modify(|state| state.ended = false);
            let run = monitor.run(shared.clone());
            *task = Some(AbortOnDropHandle::new(supervise::once("notifications of other programs", run)));
        }
        let states = shared.state.subscribe();
        let hints = stream::unfold(states, |mut states| async move {
            if !states.borrow().ended {
                let changed = states.changed().await;
                let MonitorState { ended, .. } = *states.borrow();
                if changed.is_ok() && !ended {
                    return Some((Ok(Hint::Changed), states));
                }
            }
            Some((Err(Error::NoSessionBus), states))
        });
        Ok(Some(hints.boxed()))
    }
}

/// How the one item reads that is about others.
fn catalog() -> Catalog {
    Catalog::of(DESKTOP)
}

#[cfg(test)]
mod tests;

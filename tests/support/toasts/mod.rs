//! A notification daemon that records the toasts it is asked to show and sends the clicks that a test asks for.

mod daemon;

use std::sync::Arc;

use zbus::{Connection, object_server::SignalEmitter};

use self::daemon::{Daemon, lock};
use crate::{desktop::Desktop, wait};

const PATH: &str = "/org/freedesktop/Notifications";

/// Why a toast was closed, numbered as in the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The toast's time ran out.
    Expired = 1,
    /// The person closed it.
    Dismissed = 2,
    /// The program that showed it closed it.
    ByProgram = 3,
}

/// One call of `Notify`, as it arrived.
#[derive(Debug, Clone)]
pub struct Toast {
    /// The toast's id at the daemon.
    pub id: u32,
    /// Whether the call replaced an open toast.
    pub replaced: bool,
    /// The program's name.
    pub app: String,
    /// The title.
    pub summary: String,
    /// The text, with markup if the daemon has the capability `body-markup`.
    pub body: String,
    /// The actions, as pairs of key and label.
    pub actions: Vec<(String, String)>,
    /// The urgency: 0 low, 1 normal, 2 critical; `None` if the call does not name it.
    pub urgency: Option<u8>,
    /// The name or the file of the requested sound; `None` for silence.
    pub sound: Option<String>,
}

/// The recording daemon, on a desktop that has no other.
#[derive(Debug)]
pub struct Toasts {
    daemon: Daemon,
    bus: Connection,
}

impl Toasts {
    /// Takes the bus name of the notification daemon, with the capabilities for actions, markup, persistence and
    /// sounds.
    pub async fn record(desktop: &Desktop) -> Self {
        Self::record_with(desktop, &["actions", "body", "body-markup", "persistence", "sound"]).await
    }

    /// [`Toasts::record`] with other capabilities.
    pub async fn record_with(desktop: &Desktop, capabilities: &'static [&'static str]) -> Self {
        let daemon = Daemon { recorded: Arc::default(), capabilities };
        let bus = desktop
            .bus_builder()
            .serve_at(PATH, daemon.clone())
            .and_then(|builder| builder.name("org.freedesktop.Notifications"))
            .expect("the daemon can be served")
            .build()
            .await
            .expect("no other notification daemon has the name");
        Self { daemon, bus }
    }

    /// Ends the daemon: its name on the bus is free.
    pub async fn end(self) {
        self.bus.release_name("org.freedesktop.Notifications").await.expect("the bus takes the name back");
    }

    /// Every call so far in order, including replacements.
    pub fn calls(&self) -> Vec<Toast> {
        lock(&self.daemon.recorded).calls.clone()
    }

    /// The open toasts, each as last updated.
    pub fn shown(&self) -> Vec<Toast> {
        let recorded = lock(&self.daemon.recorded);
        let last = |id: &u32| recorded.calls.iter().rev().find(|toast| toast.id == *id).cloned();
        recorded.shown.iter().filter_map(last).collect()
    }

    /// The ids of the closed toasts, each with its reason.
    pub fn closed(&self) -> Vec<(u32, Closed)> {
        lock(&self.daemon.recorded).closed.clone()
    }

    /// The number of connections that have called `Notify`.
    pub fn sender_count(&self) -> usize {
        lock(&self.daemon.recorded).senders.len()
    }

    /// Waits for an open toast whose title or text contains `text`.
    pub async fn wait_for(&self, text: &str) -> Toast {
        wait::until(&format!("a toast with {text:?}"), || async {
            self.shown().into_iter().find(|toast| toast.summary.contains(text) || toast.body.contains(text))
        })
        .await
    }

    /// Switches the desktop's do-not-disturb on or off.
    pub async fn set_do_not_disturb(&self, on: bool) {
        lock(&self.daemon.recorded).inhibited = on;
        self.daemon.inhibited_changed(&self.emitter()).await.expect("the change goes out");
    }

    /// Clicks the button with this label.
    pub async fn press_button(&self, toast: &Toast, label: &str) {
        let button = toast.actions.iter().find(|(_, is)| is == label);
        let (key, _) = button.unwrap_or_else(|| panic!("no {label} in {:?}", toast.actions));
        self.click(toast.id, key).await;
    }

    /// Invokes an action; `default` is a click on the toast itself. The toast stays open, as with some daemons.
    pub async fn click(&self, id: u32, key: &str) {
        Daemon::action_invoked(&self.emitter(), id, key).await.expect("the click goes out");
    }

    /// Writes an answer in the field of a toast, which goes with it, as in Plasma.
    pub async fn reply(&self, toast: &Toast, text: &str) {
        Daemon::notification_replied(&self.emitter(), toast.id, text).await.expect("the answer goes out");
        self.dismiss(toast.id).await;
    }

    /// Closes a toast as a person does.
    pub async fn dismiss(&self, id: u32) {
        if self.daemon.forget(id, Closed::Dismissed) {
            Daemon::notification_closed(&self.emitter(), id, Closed::Dismissed as u32)
                .await
                .expect("it goes out");
        }
    }

    fn emitter(&self) -> SignalEmitter<'_> {
        SignalEmitter::new(&self.bus, PATH).expect("the path is valid")
    }
}

//! The recorder's D-Bus side: methods and signals of `org.freedesktop.Notifications`.

#![allow(
    missing_docs,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "the specification's methods and arguments"
)]

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use zbus::{interface, object_server::SignalEmitter, zvariant::OwnedValue};

use super::{Closed, Toast};

#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) last_id: u32,
    pub(super) calls: Vec<Toast>,
    pub(super) shown: Vec<u32>,
    pub(super) closed: Vec<(u32, Closed)>,
    pub(super) senders: Vec<String>,
    /// Whether do-not-disturb is on.
    pub(super) inhibited: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Daemon {
    pub(super) recorded: Arc<Mutex<Recorded>>,
    pub(super) capabilities: &'static [&'static str],
}

#[interface(name = "org.freedesktop.Notifications")]
impl Daemon {
    fn get_capabilities(&self) -> Vec<&'static str> {
        self.capabilities.to_vec()
    }

    fn get_server_information(&self) -> (&'static str, &'static str, &'static str, &'static str) {
        ("recorder", "tidings-tests", "1", "1.2")
    }

    fn notify(
        &self,
        #[zbus(header)] header: zbus::message::Header<'_>,
        app: String,
        earlier: u32,
        _icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let mut recorded = lock(&self.recorded);
        if let Some(sender) = header.sender().map(ToString::to_string)
            && !recorded.senders.contains(&sender)
        {
            recorded.senders.push(sender);
        }
        let replaced = earlier != 0 && recorded.shown.contains(&earlier);
        let id = if replaced {
            earlier
        } else {
            recorded.last_id += 1;
            recorded.last_id
        };
        if !replaced {
            recorded.shown.push(id);
        }
        let actions =
            actions.chunks(2).map(|pair| (pair[0].clone(), pair.get(1).cloned().unwrap_or_default()));
        let urgency = hints.get("urgency").and_then(|value| u8::try_from(value.clone()).ok());
        let sound = hints.get("sound-file").or_else(|| hints.get("sound-name"));
        let sound = sound.and_then(|value| String::try_from(value.clone()).ok());
        let suppressed = hints.get("suppress-sound").and_then(|value| bool::try_from(value.clone()).ok());
        let sound = sound.filter(|_| suppressed != Some(true));
        let toast = Toast { id, replaced, app, summary, body, actions: actions.collect(), urgency, sound };
        recorded.calls.push(toast);
        id
    }

    /// The property by which Plasma reports do-not-disturb.
    #[zbus(property)]
    fn inhibited(&self) -> bool {
        lock(&self.recorded).inhibited
    }

    async fn close_notification(&self, #[zbus(signal_emitter)] emitter: SignalEmitter<'_>, id: u32) {
        let was_shown = self.forget(id, Closed::ByProgram);
        if was_shown {
            let _ = Self::notification_closed(&emitter, id, Closed::ByProgram as u32).await;
        }
    }

    #[zbus(signal)]
    pub(super) async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, key: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    pub(super) async fn notification_replied(
        emitter: &SignalEmitter<'_>,
        id: u32,
        text: &str,
    ) -> zbus::Result<()>;

    #[zbus(signal)]
    pub(super) async fn notification_closed(
        emitter: &SignalEmitter<'_>,
        id: u32,
        reason: u32,
    ) -> zbus::Result<()>;
}

impl Daemon {
    pub(super) fn forget(&self, id: u32, reason: Closed) -> bool {
        let mut recorded = lock(&self.recorded);
        let was_shown = recorded.shown.contains(&id);
        recorded.shown.retain(|shown| *shown != id);
        if was_shown {
            recorded.closed.push((id, reason));
        }
        was_shown
    }
}

pub(super) fn lock(recorded: &Mutex<Recorded>) -> MutexGuard<'_, Recorded> {
    recorded.lock().expect("nothing panics while holding it")
}

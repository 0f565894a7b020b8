//! The toasts on the screen: shows, changes and closes them, and says what became of them.

use std::collections::HashMap;
use std::time::Instant;

use futures_util::future::join_all;
use tidings_ipc::Sound;
use tidings_ports::{DesktopRequest, Toast, ToastAnswer, ToastKey, ToastRef};
use tidings_sources::{OWN_APPLICATION, OWN_DESKTOP_ENTRY};
use tokio::sync::mpsc;
use zbus::zvariant::Value;

use super::super::daemon::{Capabilities, ShownToasts, urgency};
use super::super::do_not_disturb::{Changes, DoNotDisturb};
use super::super::queue::ToastQueue;
use super::{NotificationsProxy, sound, with_timeout};

/// What is on the screen, and what the daemon that shows it can do.
pub(super) struct Screen<'a> {
    pub(super) bus: zbus::Connection,
    pub(super) daemon: NotificationsProxy<'a>,
    /// `None` while there is no daemon.
    pub(super) capabilities: Option<Capabilities>,
    /// The way in which the daemon exposes its do-not-disturb mode.
    pub(super) do_not_disturb_source: DoNotDisturb,
    pub(super) do_not_disturb_changes: Changes,
    /// The mode that was last reported to the app.
    pub(super) do_not_disturb: bool,
    pub(super) shown: ShownToasts,
    pub(super) requests: &'a mpsc::UnboundedSender<DesktopRequest>,
}

impl Screen<'_> {
    /// Asks the daemon for its capabilities; the bus starts an installed daemon that does not run.
    pub(super) async fn query_capabilities(&mut self) {
        let names = with_timeout(self.daemon.get_capabilities()).await;
        if let Err(error) = &names {
            tracing::debug!(%error, "no notification daemon");
        }
        self.capabilities = None;
        if let Ok(names) = names {
            let name = with_timeout(self.daemon.get_server_information()).await.map(|(name, ..)| name);
            let name = name.unwrap_or_default();
            self.capabilities = Some(Capabilities::from_names(&name, &names));
            self.do_not_disturb_source = DoNotDisturb::of(&self.bus, &name).await;
            // Subscribed before the mode is read, so that no change is missed.
            self.do_not_disturb_changes = self.do_not_disturb_source.changes(&self.bus).await;
        }
        self.query_do_not_disturb().await;
        let _ = self.requests.send(DesktopRequest::ToastsAvailable(self.capabilities.is_some()));
    }

    /// Reads the do-not-disturb mode and reports a change of it. Returns whether it is on.
    pub(super) async fn query_do_not_disturb(&mut self) -> bool {
        let on = self.capabilities.is_some() && self.do_not_disturb_source.is_on(&self.bus).await;
        if std::mem::replace(&mut self.do_not_disturb, on) != on {
            let _ = self.requests.send(DesktopRequest::DoNotDisturb(on));
        }
        on
    }

    /// Carries out the queue. A toast that was changed a moment ago stays queued; returns when the first such toast is
    /// due.
    pub(super) async fn catch_up(&mut self, queue: &ToastQueue) -> Option<Instant> {
        let mut due: Option<Instant> = None;
        for (key, toast) in queue.take() {
            match (toast, self.shown.resting_until(key, Instant::now())) {
                (None, _) => self.close(key).await,
                (Some(toast), None) => self.show(&toast).await,
                (Some(toast), Some(until)) => {
                    queue.put_back(toast);
                    due = Some(due.map_or(until, |due| due.min(until)));
                }
            }
        }
        due
    }

    async fn show(&mut self, toast: &Toast) {
        if self.capabilities.is_none() {
            self.query_capabilities().await;
        }
        let Some(capabilities) = self.capabilities else {
            self.report_answer(toast.to_ref(), ToastAnswer::NoDaemon);
            self.report_closed(toast.to_ref());
            return;
        };
        // Some desktops show critical toasts in do-not-disturb mode; ours are not critical then.
        let do_not_disturb = self.query_do_not_disturb().await;
        let mut hints = HashMap::from([
            ("urgency", Value::U8(urgency(toast.urgency, do_not_disturb))),
            ("desktop-entry", Value::from(OWN_DESKTOP_ENTRY)),
        ]);
        let wanted = if do_not_disturb { Sound::SILENT } else { sound::playable(&toast.sound).await };
        let (by_daemon, by_player) =
            if capabilities.sound { (wanted, Sound::SILENT) } else { (Sound::SILENT, wanted) };
        let (hint, value) = sound::hint(&by_daemon);
        hints.insert(hint, value);
        let (summary, body) = (capabilities.summary(toast), capabilities.body(&toast.body));
        let buttons = capabilities.buttons(toast);
        let id = self.shown.id(toast.key);
        let call =
            self.daemon.notify(OWN_APPLICATION, id, OWN_DESKTOP_ENTRY, &summary, &body, &buttons, hints, -1);
        match with_timeout(call).await {
            Ok(id) => {
                self.shown.record_shown(toast.to_ref(), id, Instant::now());
                sound::play(&by_player);
                let answer = if do_not_disturb { ToastAnswer::DoNotDisturb } else { ToastAnswer::Shown };
                self.report_answer(toast.to_ref(), answer);
            }
            Err(error) => {
                tracing::warn!(%error, "a toast was not shown");
                self.report_answer(toast.to_ref(), ToastAnswer::Refused);
                self.report_closed(toast.to_ref());
            }
        }
    }

    async fn close(&mut self, key: ToastKey) {
        if let Some(id) = self.shown.remove_key(key) {
            self.close_by_id(id).await;
        }
    }

    /// Closes every toast, all at once: a daemon that is slow has little time.
    pub(super) async fn close_all(&self) {
        join_all(self.shown.ids().map(|id| self.close_by_id(id))).await;
    }

    /// Handles a click.
    pub(super) async fn clicked(&mut self, id: u32, pressed: &str) {
        let request = self.shown.click(id, pressed);
        self.used(id, request).await;
    }

    /// Handles an answer in words.
    pub(super) async fn replied(&mut self, id: u32, text: &str) {
        let request = self.shown.reply(id, text);
        self.used(id, request).await;
    }

    /// Passes on what a toast was used for. Daemons leave it on screen after its button was pressed, so it is closed.
    async fn used(&self, id: u32, request: Option<DesktopRequest>) {
        let Some(request) = request else { return };
        let _ = self.requests.send(request);
        self.close_by_id(id).await;
    }

    async fn close_by_id(&self, id: u32) {
        if let Err(error) = with_timeout(self.daemon.close_notification(id)).await {
            tracing::debug!(%error, "a toast was not closed");
        }
    }

    /// Reports all toasts as closed, because their daemon ended.
    pub(super) fn report_all_closed(&mut self) {
        for toast in self.shown.remove_all() {
            self.report_closed(toast);
        }
    }

    fn report_answer(&self, toast: ToastRef, answer: ToastAnswer) {
        let _ = self.requests.send(DesktopRequest::ToastAnswered { toast, answer });
    }

    pub(super) fn report_closed(&self, toast: ToastRef) {
        let _ = self.requests.send(DesktopRequest::ToastClosed(toast));
    }
}

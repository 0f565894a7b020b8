//! Toasts over the session bus, with one connection for as long as the bus lives. A call that the daemon does not
//! answer in time is dropped.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tidings_app::ports::ToastKey;
use tidings_app::ports::{self, DesktopRequest, Toast, ToastAnswer, ToastRef};
use tidings_sync::source::{OWN_APPLICATION, OWN_DESKTOP_ENTRY};
use tidings_sync::supervise;
use tokio::sync::mpsc;
use zbus::proxy;
use zbus::zvariant::Value;

use super::do_not_disturb::{Changes, DoNotDisturb};
use super::launcher::LauncherBadge;
use super::queue::ToastQueue;
use super::shown::{Capabilities, ShownToasts, button, urgency};

/// The freedesktop notification daemon.
#[proxy(
    interface = "org.freedesktop.Notifications",
    default_service = "org.freedesktop.Notifications",
    default_path = "/org/freedesktop/Notifications"
)]
trait Notifications {
    #[allow(clippy::too_many_arguments, reason = "the specification's arguments")]
    fn notify(
        &self,
        app: &str,
        replaces: u32,
        icon: &str,
        summary: &str,
        body: &str,
        actions: &[&str],
        hints: HashMap<&str, Value<'_>>,
        timeout: i32,
    ) -> zbus::Result<u32>;
    fn close_notification(&self, id: u32) -> zbus::Result<()>;
    fn get_capabilities(&self) -> zbus::Result<Vec<String>>;
    /// The daemon's name, vendor and version, and the version of the specification.
    fn get_server_information(&self) -> zbus::Result<(String, String, String, String)>;

    #[zbus(signal)]
    fn action_invoked(&self, id: u32, key: &str) -> zbus::Result<()>;
    #[zbus(signal)]
    fn notification_closed(&self, id: u32, reason: u32) -> zbus::Result<()>;
    #[zbus(signal)]
    fn activation_token(&self, id: u32, token: &str) -> zbus::Result<()>;
}

/// The wait before a missing bus is tried again.
const BUS_RETRY_INTERVAL: Duration = Duration::from_secs(30);
/// The longest wait for the daemon's answer.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// The sound of a toast, a name of the freedesktop sound naming specification.
const SOUND: &str = "message-new-instant";
/// The adapter of the ports for toasts and launcher on Linux.
pub(crate) struct NativeToasts {
    queue: Arc<ToastQueue>,
}

impl NativeToasts {
    /// Starts the adapter for as long as the program runs. Needs a tokio runtime.
    pub(crate) fn new(requests: mpsc::UnboundedSender<DesktopRequest>) -> Self {
        let queue = Arc::new(ToastQueue::default());
        let shared_queue = Arc::clone(&queue);
        supervise::keep("toasts", move || run(Arc::clone(&shared_queue), requests.clone()));
        Self { queue }
    }
}

impl ports::Toasts for NativeToasts {
    fn show(&self, toast: Toast) {
        self.queue.put(toast.key, Some(toast));
    }

    fn close(&self, key: ToastKey) {
        self.queue.put(key, None);
    }
}

impl ports::Launcher for NativeToasts {
    fn show(&self, count: u64, urgent: bool) {
        self.queue.set_launcher_badge(LauncherBadge { count, urgent });
    }
}

async fn run(queue: Arc<ToastQueue>, requests: mpsc::UnboundedSender<DesktopRequest>) {
    loop {
        if let Err(error) = serve(&queue, &requests).await {
            tracing::debug!(%error, "no session bus for toasts");
        }
        let _ = requests.send(DesktopRequest::ToastsAvailable(false));
        let retry = tokio::time::sleep(BUS_RETRY_INTERVAL);
        tokio::pin!(retry);
        // What is to be shown meanwhile is answered at once.
        loop {
            tokio::select! {
                () = &mut retry => break,
                () = queue.changed.notified() => {}
            }
            for toast in queue.take().into_iter().filter_map(|(_, toast)| toast) {
                let (toast, answer) = (toast.to_ref(), ToastAnswer::NoDaemon);
                let _ = requests.send(DesktopRequest::ToastAnswered { toast, answer });
                let _ = requests.send(DesktopRequest::ToastClosed(toast));
            }
        }
        queue.take();
    }
}

/// Serves toasts and launcher until the bus connection ends.
async fn serve(queue: &ToastQueue, requests: &mpsc::UnboundedSender<DesktopRequest>) -> zbus::Result<()> {
    let bus = with_timeout(zbus::connection::Builder::session()?.build()).await?;
    let daemon = NotificationsProxy::new(&bus).await?;
    // Subscribed before the first toast, so that no click is missed.
    let mut clicks = daemon.receive_action_invoked().await?;
    let mut closings = daemon.receive_notification_closed().await?;
    let mut tokens = daemon.receive_activation_token().await?;
    let mut owners = daemon.inner().receive_owner_changed().await?;
    let mut screen = Screen {
        bus: bus.clone(),
        daemon,
        capabilities: None,
        do_not_disturb_source: DoNotDisturb::default(),
        do_not_disturb_changes: Changes::default(),
        do_not_disturb: false,
        shown: ShownToasts::default(),
        requests,
    };
    // Sent again for docks that show an outdated number.
    queue.launcher_changed.notify_one();
    screen.query_capabilities().await;
    let mut due = None;
    loop {
        tokio::select! {
            biased;
            Some(token) = tokens.next() => {
                if let Ok(args) = token.args() {
                    screen.shown.set_token(args.id, args.token.to_owned());
                }
            }
            Some(click) = clicks.next() => {
                if let Ok(args) = click.args() {
                    screen.clicked(args.id, args.key).await;
                }
            }
            Some(closing) = closings.next() => {
                if let Ok(args) = closing.args()
                    && let Some(removed) = screen.shown.remove(args.id)
                {
                    screen.report_closed(removed.toast);
                }
            }
            owner = owners.next() => match owner {
                Some(Some(_)) => {
                    screen.report_all_closed();
                    screen.query_capabilities().await;
                }
                Some(None) => {
                    screen.report_all_closed();
                    screen.capabilities = None;
                    screen.query_do_not_disturb().await;
                    let _ = requests.send(DesktopRequest::ToastsAvailable(false));
                }
                None => return Err(zbus::Error::InputOutput(Arc::new(std::io::ErrorKind::BrokenPipe.into()))),
            },
            () = screen.do_not_disturb_changes.next() => {
                screen.query_do_not_disturb().await;
            }
            () = queue.launcher_changed.notified() => queue.launcher_badge().send(&bus).await,
            () = queue.changed.notified() => due = screen.catch_up(queue).await,
            () = until(due) => due = screen.catch_up(queue).await,
        }
    }
}

struct Screen<'a> {
    bus: zbus::Connection,
    daemon: NotificationsProxy<'a>,
    /// `None` while there is no daemon.
    capabilities: Option<Capabilities>,
    /// The way in which the daemon exposes its do-not-disturb mode.
    do_not_disturb_source: DoNotDisturb,
    do_not_disturb_changes: Changes,
    /// The mode that was last reported to the app.
    do_not_disturb: bool,
    shown: ShownToasts,
    requests: &'a mpsc::UnboundedSender<DesktopRequest>,
}

impl Screen<'_> {
    /// Asks the daemon for its capabilities; the bus starts an installed daemon that does not run.
    async fn query_capabilities(&mut self) {
        let names = with_timeout(self.daemon.get_capabilities()).await;
        if let Err(error) = &names {
            tracing::debug!(%error, "no notification daemon");
        }
        self.capabilities = names.ok().map(|names| Capabilities::from_names(&names));
        if self.capabilities.is_some() {
            let name = with_timeout(self.daemon.get_server_information()).await.map(|(name, ..)| name);
            self.do_not_disturb_source = DoNotDisturb::of(&self.bus, &name.unwrap_or_default()).await;
            // Subscribed before the mode is read, so that no change is missed.
            self.do_not_disturb_changes = self.do_not_disturb_source.changes(&self.bus).await;
        }
        self.query_do_not_disturb().await;
        let _ = self.requests.send(DesktopRequest::ToastsAvailable(self.capabilities.is_some()));
    }

    /// Reads the do-not-disturb mode and reports a change of it. Returns whether it is on.
    async fn query_do_not_disturb(&mut self) -> bool {
        let on = self.capabilities.is_some() && self.do_not_disturb_source.is_on(&self.bus).await;
        if std::mem::replace(&mut self.do_not_disturb, on) != on {
            let _ = self.requests.send(DesktopRequest::DoNotDisturb(on));
        }
        on
    }

    /// Carries out the queue. A toast that was changed a moment ago stays queued; returns when the first such toast is
    /// due.
    async fn catch_up(&mut self, queue: &ToastQueue) -> Option<Instant> {
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
        if toast.sound && !do_not_disturb {
            hints.insert("sound-name", Value::from(SOUND));
        } else {
            hints.insert("suppress-sound", Value::Bool(true));
        }
        let (summary, body) = (capabilities.summary(toast), capabilities.body(&toast.body));
        let buttons = capabilities.buttons(toast);
        let id = self.shown.id(toast.key);
        let call =
            self.daemon.notify(OWN_APPLICATION, id, OWN_DESKTOP_ENTRY, &summary, &body, &buttons, hints, -1);
        match with_timeout(call).await {
            Ok(id) => {
                self.shown.record_shown(toast.to_ref(), id, Instant::now());
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

    /// Handles a click. Daemons leave a toast on screen after its button was pressed, so it is closed.
    async fn clicked(&mut self, id: u32, pressed: &str) {
        let Some(removed) = self.shown.remove(id) else { return };
        let _ = self.requests.send(button(removed.toast, removed.token, pressed));
        self.close_by_id(id).await;
    }

    async fn close_by_id(&self, id: u32) {
        if let Err(error) = with_timeout(self.daemon.close_notification(id)).await {
            tracing::debug!(%error, "a toast was not closed");
        }
    }

    /// Reports all toasts as closed, because their daemon ended.
    fn report_all_closed(&mut self) {
        for toast in self.shown.remove_all() {
            self.report_closed(toast);
        }
    }

    fn report_answer(&self, toast: ToastRef, answer: ToastAnswer) {
        let _ = self.requests.send(DesktopRequest::ToastAnswered { toast, answer });
    }

    fn report_closed(&self, toast: ToastRef) {
        let _ = self.requests.send(DesktopRequest::ToastClosed(toast));
    }
}

/// Waits until the time; forever for `None`.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

async fn with_timeout<T>(call: impl Future<Output = zbus::Result<T>>) -> zbus::Result<T> {
    tokio::time::timeout(CALL_TIMEOUT, call)
        .await
        .unwrap_or_else(|_| Err(zbus::Error::InputOutput(Arc::new(std::io::ErrorKind::TimedOut.into()))))
}

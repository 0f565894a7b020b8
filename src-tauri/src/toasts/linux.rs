//! Toasts over the session bus, with one connection for as long as the bus lives. A call that the daemon does not
//! answer in time is dropped.

mod screen;
#[cfg(test)]
mod signal_tests;
mod sound;

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use parking_lot::Mutex;
use tidings_net::supervise;
use tidings_ports::{self as ports, DesktopRequest, Toast, ToastAnswer, ToastKey};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use zbus::proxy;
use zbus::zvariant::Value;

use self::screen::Screen;
use super::daemon::ShownToasts;
use super::do_not_disturb::{Changes, DoNotDisturb};
use super::launcher::LauncherBadge;
use super::queue::ToastQueue;
use crate::after_paint::AfterPaint;

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
    /// Of Plasma and others that have the capability `inline-reply`.
    #[zbus(signal)]
    fn notification_replied(&self, id: u32, text: &str) -> zbus::Result<()>;
    #[zbus(signal)]
    fn notification_closed(&self, id: u32, reason: u32) -> zbus::Result<()>;
    #[zbus(signal)]
    fn activation_token(&self, id: u32, token: &str) -> zbus::Result<()>;
}

/// The wait before a missing bus is tried again.
const BUS_RETRY_INTERVAL: Duration = Duration::from_secs(30);
/// The longest wait for the daemon's answer.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait until the toasts on the screen are closed, as the program ends.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// The adapter of the ports for toasts and launcher on Linux.
pub(crate) struct NativeToasts {
    queue: Arc<ToastQueue>,
    /// The task that shows the toasts; none once the program ends.
    task: Mutex<Option<JoinHandle<()>>>,
}

impl NativeToasts {
    /// Starts the adapter for as long as the program runs, after a wait. Needs a tokio runtime.
    pub(crate) fn new(waits: AfterPaint, requests: mpsc::UnboundedSender<DesktopRequest>) -> Self {
        let queue = Arc::new(ToastQueue::default());
        let shared_queue = Arc::clone(&queue);
        let task = supervise::keep("toasts", move || {
            run(waits.clone(), Arc::clone(&shared_queue), requests.clone())
        });
        Self { queue, task: Mutex::new(Some(task)) }
    }

    /// Closes the toasts on the screen, whose clicks nobody hears any more, and shows no others.
    pub(crate) async fn end(&self) {
        let task = self.task.lock().take();
        let Some(task) = task else { return };
        self.queue.ends.notify_one();
        let stop = task.abort_handle();
        if tokio::time::timeout(END_TIMEOUT, task).await.is_err() {
            stop.abort();
            tracing::debug!("the toasts stay on the screen");
        }
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

async fn run(waits: AfterPaint, queue: Arc<ToastQueue>, requests: mpsc::UnboundedSender<DesktopRequest>) {
    tokio::select! {
        () = waits.wait() => {}
        () = queue.ends.notified() => return,
    }
    loop {
        match serve(&queue, &requests).await {
            Ok(()) => return,
            Err(error) => tracing::debug!(%error, "no session bus for toasts"),
        }
        let _ = requests.send(DesktopRequest::ToastsAvailable(false));
        let retry = tokio::time::sleep(BUS_RETRY_INTERVAL);
        tokio::pin!(retry);
        // What is to be shown meanwhile is answered at once.
        loop {
            tokio::select! {
                () = &mut retry => break,
                () = queue.ends.notified() => return,
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

/// Serves toasts and launcher until the program ends; an error if the bus connection does before.
async fn serve(queue: &ToastQueue, requests: &mpsc::UnboundedSender<DesktopRequest>) -> zbus::Result<()> {
    let bus = with_timeout(zbus::connection::Builder::session()?.build()).await?;
    let daemon = NotificationsProxy::new(&bus).await?;
    // Subscribed before the first toast, so that no click is missed.
    let mut clicks = daemon.receive_action_invoked().await?;
    let mut replies = daemon.receive_notification_replied().await?;
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
            () = queue.ends.notified() => {
                screen.close_all().await;
                return Ok(());
            }
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
            // Looked at before closings, since a daemon closes the toast in which an answer was written.
            Some(reply) = replies.next() => {
                if let Ok(args) = reply.args() {
                    screen.replied(args.id, args.text).await;
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

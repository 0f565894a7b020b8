//! The tray icon as a `StatusNotifierItem`. A left click opens the window, the tooltip has the number of unread items,
//! and the icon appears when a host starts later.

use std::path::Path;
use std::time::Duration;

use ksni::menu::StandardItem;
use ksni::{Handle, MenuItem, OfflineReason, ToolTip, TrayMethods};
use tidings_net::supervise;
use tidings_ports::{self as ports, DesktopRequest, MenuLine, TrayView};
use tokio::sync::{mpsc, watch};
use zbus::fdo;

use crate::after_paint::AfterPaint;

/// Sends requests to the app.
type Requests = mpsc::UnboundedSender<DesktopRequest>;

/// The wait before a missing bus is tried again.
const BUS_RETRY_INTERVAL: Duration = Duration::from_secs(30);
/// The wait before a host that did not take the icon gets it again: one that has just started has its name before it
/// answers.
const HOST_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The adapter of the tray's port on Linux.
pub(crate) struct TrayIcon {
    view: watch::Sender<TrayView>,
}

impl TrayIcon {
    /// Shows the icon for as long as the program runs, after a wait. Needs a tokio runtime.
    pub(crate) fn new(waits: AfterPaint, requests: Requests) -> Self {
        let (view, views) = watch::channel(TrayView::default());
        supervise::keep_serving("the tray icon", move || run(waits.clone(), views.clone(), requests.clone()));
        Self { view }
    }
}

impl ports::Tray for TrayIcon {
    fn show(&self, view: TrayView) {
        self.view.send_replace(view);
    }
}

/// Shows the icon until the program ends. An error if the icon's task ended by itself.
async fn run(
    waits: AfterPaint,
    mut views: watch::Receiver<TrayView>,
    requests: Requests,
) -> Result<(), &'static str> {
    waits.wait().await;
    loop {
        let (handle, mut host) = show(&views, &requests).await;
        loop {
            tokio::select! {
                _ = host.wait_for(|host| *host == Host::Refused) => break,
                changed = views.changed() => if changed.is_err() { return Ok(()) },
            }
            let view = views.borrow_and_update().clone();
            let updated = handle.update(|icon| icon.view = view).await;
            if updated.is_none() && *host.borrow() != Host::Refused {
                return Err("the icon's own task ended");
            }
        }
        tokio::time::sleep(HOST_RETRY_INTERVAL).await;
    }
}

/// Shows the icon as soon as there is a bus and no host refuses it; also gives the known state of the host.
async fn show(
    views: &watch::Receiver<TrayView>,
    requests: &Requests,
) -> (Handle<Icon>, watch::Receiver<Host>) {
    loop {
        let (host, known_host) = watch::channel(Host::There);
        let view = views.borrow().clone();
        let icon = Icon { view, requests: requests.clone(), host };
        // In a Flatpak a program may own no name but that of the package; hosts take the icon by its connection, too.
        let has_no_name = Path::new("/.flatpak-info").exists();
        match icon.assume_sni_available(true).disable_dbus_name(has_no_name).spawn().await {
            Ok(handle) => {
                let is_there = *known_host.borrow() == Host::There;
                let _ = requests.send(DesktopRequest::TrayAvailable(is_there));
                return (handle, known_host);
            }
            Err(error) => {
                tracing::debug!(%error, "no tray");
                let _ = requests.send(DesktopRequest::TrayAvailable(false));
                let has_bus = matches!(error, ksni::Error::Watcher(_));
                tokio::time::sleep(if has_bus { HOST_RETRY_INTERVAL } else { BUS_RETRY_INTERVAL }).await;
            }
        }
    }
}

/// The known state of the tray host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    There,
    /// There is none; the icon is registered when one comes.
    Absent,
    /// There is one that did not take the icon, whose task ends.
    Refused,
}

struct Icon {
    view: TrayView,
    requests: Requests,
    host: watch::Sender<Host>,
}

impl Icon {
    fn set_host(&self, host: Host) {
        let _ = self.requests.send(DesktopRequest::TrayAvailable(host == Host::There));
        self.host.send_replace(host);
    }
}

impl ksni::Tray for Icon {
    fn id(&self) -> String {
        "tidings".to_owned()
    }

    fn title(&self) -> String {
        "Tidings".to_owned()
    }

    fn category(&self) -> ksni::Category {
        ksni::Category::Communications
    }

    fn icon_pixmap(&self) -> Vec<ksni::Icon> {
        crate::pictures::sizes(&self.view.badge.picture(), self.view.faint)
            .map(|(size, mut pixels)| {
                // RGBA to ARGB.
                pixels.chunks_exact_mut(4).for_each(|pixel| pixel.rotate_right(1));
                let side = i32::try_from(size).unwrap_or_default();
                ksni::Icon { width: side, height: side, data: pixels }
            })
            .collect()
    }

    fn tool_tip(&self) -> ToolTip {
        ToolTip { title: "Tidings".to_owned(), description: self.view.tooltip.clone(), ..ToolTip::default() }
    }

    fn activate(&mut self, _x: i32, _y: i32) {
        let _ = self.requests.send(DesktopRequest::TrayOpen(ksni::current_xdg_activation_token()));
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        self.view
            .menu
            .iter()
            .map(|line| match line {
                MenuLine::Separator => MenuItem::Separator,
                MenuLine::Item { label, action, enabled } => {
                    let action = *action;
                    StandardItem {
                        // A single underline would mark an access key.
                        label: label.replace('_', "__"),
                        enabled: *enabled,
                        activate: Box::new(move |icon: &mut Self| {
                            let _ = icon.requests.send(DesktopRequest::Menu(action));
                        }),
                        ..StandardItem::default()
                    }
                    .into()
                }
            })
            .collect()
    }

    fn watcher_online(&self) {
        self.set_host(Host::There);
    }

    /// False if this icon is to end because another one takes its place.
    fn watcher_offline(&self, reason: OfflineReason) -> bool {
        // With another error the icon's task would wait for the next host.
        let is_absence =
            |error: &ksni::Error| matches!(error, ksni::Error::Watcher(fdo::Error::ServiceUnknown(_)));
        let is_refused = matches!(&reason, OfflineReason::Error(error) if !is_absence(error));
        let host = if is_refused { Host::Refused } else { Host::Absent };
        self.set_host(host);
        host == Host::Absent
    }
}

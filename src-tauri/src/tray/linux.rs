//! The tray icon as a `StatusNotifierItem`: a left click opens the window, the tooltip has the number of unread items,
//! and the icon appears when a host starts later.

use std::sync::Arc;
use std::time::Duration;

use ksni::menu::StandardItem;
use ksni::{Handle, MenuItem, OfflineReason, ToolTip, TrayMethods};
use parking_lot::Mutex;
use tidings_app::notify::tray::{MenuLine, TrayView};
use tidings_app::ports::{self, DesktopRequest};
use tidings_sync::supervise;
use tokio::sync::{mpsc, watch};

/// Sends requests to the app.
type Requests = mpsc::UnboundedSender<DesktopRequest>;

/// The wait before a missing bus is tried again.
const BUS_RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// The adapter of the tray's port on Linux.
pub(crate) struct TrayIcon {
    view: watch::Sender<TrayView>,
}

impl TrayIcon {
    /// Shows the icon for as long as the program runs. Needs a tokio runtime.
    pub(crate) fn new(requests: Requests) -> Self {
        let (view, views) = watch::channel(TrayView::default());
        supervise::keep_serving("the tray icon", move || run(views.clone(), requests.clone()));
        Self { view }
    }
}

impl ports::Tray for TrayIcon {
    fn show(&self, view: TrayView) {
        self.view.send_replace(view);
    }
}

/// Shows the icon until the program ends. An error if the icon's task ended by itself.
async fn run(mut views: watch::Receiver<TrayView>, requests: Requests) -> Result<(), &'static str> {
    let handle = loop {
        let view = views.borrow().clone();
        match spawn(view, &requests).await {
            Ok(handle) => break handle,
            Err(error) => {
                tracing::debug!(%error, "no tray");
                let _ = requests.send(DesktopRequest::TrayAvailable(false));
                tokio::time::sleep(BUS_RETRY_INTERVAL).await;
            }
        }
    };
    while views.changed().await.is_ok() {
        let view = views.borrow_and_update().clone();
        if handle.update(|icon| icon.view = view).await.is_none() {
            return Err("the icon's own task ended");
        }
    }
    Ok(())
}

async fn spawn(view: TrayView, requests: &Requests) -> Result<Handle<Icon>, ksni::Error> {
    let has_host = Arc::new(Mutex::new(true));
    let icon = Icon { view, requests: requests.clone(), has_host: Arc::clone(&has_host) };
    let handle = icon.assume_sni_available(true).spawn().await?;
    let _ = requests.send(DesktopRequest::TrayAvailable(*has_host.lock()));
    Ok(handle)
}

struct Icon {
    view: TrayView,
    requests: Requests,
    has_host: Arc<Mutex<bool>>,
}

impl Icon {
    fn set_has_host(&self, has_host: bool) {
        *self.has_host.lock() = has_host;
        let _ = self.requests.send(DesktopRequest::TrayAvailable(has_host));
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
        self.set_has_host(true);
    }

    fn watcher_offline(&self, _reason: OfflineReason) -> bool {
        self.set_has_host(false);
        true
    }
}

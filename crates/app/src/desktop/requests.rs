//! Handles the requests of the desktop.

use std::sync::Arc;

use tidings_ipc::NoticeCode;
use tidings_ports::DesktopRequest;
use tidings_replica::Mark;

use super::menu::Menu;
use super::toast_clicks::ToastClicks;
use crate::context::{Context, part};
use crate::error::Result;
use crate::inbox::links::Links;
use crate::inbox::search::MAX_QUERY_CHARS;
use crate::notify::silence::Silence;
use crate::notify::test_notification::TestNotifications;
use crate::settings::background::Background;
use crate::state::notices::Degradation;

part! {
    /// Hands each request of the desktop to what handles it.
    pub(crate) struct Requests {
        context: Arc<Context>,
        toast_clicks: Arc<ToastClicks>,
        test_notifications: Arc<TestNotifications>,
        silence: Arc<Silence>,
        background: Arc<Background>,
        links: Arc<Links>,
        menu: Arc<Menu>,
    }
}

impl Requests {
    /// Handles a request of the desktop. An error is logged, since the desktop awaits no answer.
    pub(crate) async fn handle_request(&self, request: DesktopRequest) {
        if let Err(error) = self.handle(request).await {
            tracing::error!(%error, "a request of the desktop failed");
        }
    }

    async fn handle(&self, request: DesktopRequest) -> Result<()> {
        match request {
            DesktopRequest::ToastOpen { toast, token } => self.toast_clicks.open_toast(toast, token).await,
            DesktopRequest::ToastRead(toast) => self.toast_clicks.mark_toast(toast, Mark::Read).await?,
            DesktopRequest::ToastArchive(toast) => self.toast_clicks.mark_toast(toast, Mark::Archive).await?,
            DesktopRequest::ToastAction { toast, index } => {
                // A call may take seconds; other requests do not wait for it.
                let toast_clicks = Arc::clone(&self.toast_clicks);
                tidings_net::supervise::once("a toast's button", async move {
                    toast_clicks.act_on_toast(toast, index).await;
                });
            }
            DesktopRequest::ToastReply { toast, text } => self.toast_clicks.reply_in_toast(toast, text).await,
            DesktopRequest::ToastAnswered { toast, answer } => {
                self.test_notifications.answered(toast, answer);
            }
            DesktopRequest::ToggleWindow => self.context.ports.window.toggle(),
            DesktopRequest::ToastClosed(toast) => self.toast_clicks.closed(toast),
            DesktopRequest::ToastsAvailable(true) => self.context.clear(NoticeCode::NoToasts),
            DesktopRequest::ToastsAvailable(false) => self.context.raise(&Degradation::Toasts),
            DesktopRequest::DoNotDisturb(on) => self.silence.set_do_not_disturb(on),
            DesktopRequest::TrayAvailable(true) => self.context.clear(NoticeCode::NoTray),
            DesktopRequest::TrayAvailable(false) => {
                self.context.raise(&Degradation::Tray { quits: !self.background.keeps_running() });
            }
            DesktopRequest::TrayOpen(token) | DesktopRequest::Show(token) => {
                self.context.ports.window.show(token);
            }
            DesktopRequest::Link { link, token } => self.links.follow_link(&link, token).await?,
            DesktopRequest::Search { query, token } => {
                let query = query.chars().take(MAX_QUERY_CHARS).collect();
                self.context.events.update(|dirty| dirty.search = Some(query));
                self.context.ports.window.show(token);
            }
            DesktopRequest::Menu(action) => self.menu.run_menu_action(action, None).await?,
            DesktopRequest::Act { action, token } => self.menu.run_menu_action(action, token).await?,
        }
        Ok(())
    }
}

//! Handles the requests of the desktop, of a second start and of the terminal. It also handles the timers: the end of a
//! pause, quiet hours, and snoozed items that wake.

use tidings_replica::{Mark, Targets};

use crate::app::App;
use crate::desktop::socket::Request;
use crate::error::Result;
use crate::ipc::NoticeCode;
use crate::ports::DesktopRequest;
use crate::ports::MenuAction;
use crate::quiet;
use crate::state::notices::Degradation;
use crate::storage::export::source_name;

impl App {
    /// Handles a request of the desktop. An error is logged, since the desktop awaits no answer.
    pub async fn handle_request(&self, request: DesktopRequest) {
        if let Err(error) = self.handle(request).await {
            tracing::error!(%error, "a request of the desktop failed");
        }
    }

    async fn handle(&self, request: DesktopRequest) -> Result<()> {
        match request {
            DesktopRequest::ToastOpen { toast, token } => self.open_toast(toast, token).await,
            DesktopRequest::ToastRead(toast) => self.mark_toast(toast, Mark::Read).await?,
            DesktopRequest::ToastArchive(toast) => self.mark_toast(toast, Mark::Archive).await?,
            DesktopRequest::ToastAction { toast, index } => {
                // A call may take seconds; other requests do not wait for it.
                let app = self.clone();
                tidings_sync::supervise::once("a toast's button", async move {
                    app.act_on_toast(toast, index).await;
                });
            }
            DesktopRequest::ToastAnswered { toast, answer } => {
                self.test_notifications.answered(toast, answer);
            }
            DesktopRequest::ToggleWindow => self.context.ports.window.toggle(),
            DesktopRequest::ToastClosed(toast) => self.toasts.closed(toast),
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
            DesktopRequest::Menu(action) => self.run_menu_action(action, None).await?,
            DesktopRequest::Act { action, token } => self.run_menu_action(action, token).await?,
        }
        Ok(())
    }

    async fn run_menu_action(&self, action: MenuAction, token: Option<String>) -> Result<()> {
        match action {
            MenuAction::Open => self.context.ports.window.show(token),
            MenuAction::Thread(id) => {
                self.links.open_thread(id);
                self.context.ports.window.show(token);
            }
            MenuAction::NewMessage => {
                self.context.events.update(|dirty| dirty.new_conversation = true);
                self.context.ports.window.show(token);
            }
            MenuAction::MarkAllRead => {
                let all = Targets::All { source: None, kind: None, through: None };
                self.context.disk(move |replica| replica.mark(all, Mark::Read)).await?;
            }
            MenuAction::TogglePause => {
                let paused = self.context.settings.get().pause_end(self.context.now()).is_some();
                self.silence.pause_toasts((!paused).then_some(0)).await?;
            }
            MenuAction::PauseHour => {
                let until = self.context.now().plus_secs(3_600);
                self.silence.pause_toasts(Some(until.as_millis())).await?;
            }
            MenuAction::PauseTomorrow => {
                let until = quiet::tomorrow_morning(self.context.zone.as_ref(), self.context.now());
                self.silence.pause_toasts(Some(until.as_millis())).await?;
            }
            MenuAction::Quit => self.context.ports.window.quit(),
        }
        Ok(())
    }

    /// Answers a request over the app's socket.
    ///
    /// # Errors
    /// A sentence that says why the request failed: in English for a pull, else in the reader's language.
    pub async fn answer(&self, request: Request) -> Result<(), String> {
        match request {
            Request::Pull => {
                self.changed_by_other_process().await;
                let engine = self.engine.get().ok_or("Tidings is still starting")?;
                let done = engine.pull_and_wait().await;
                let sources = self.context.disk(tidings_replica::Replica::sources).await.unwrap_or_default();
                let named = |id| {
                    let source = sources.iter().find(|source| source.id == id);
                    source.map_or_else(|| format!("source {id}"), |source| source_name(source).to_owned())
                };
                let failed =
                    done.into_iter().filter_map(|(id, done)| Some(format!("{}: {}", named(id), done.err()?)));
                let failed: Vec<String> = failed.collect();
                if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
            }
            Request::Changed => {
                self.changed_by_other_process().await;
                Ok(())
            }
            Request::Ping => Ok(()),
            Request::Show(token) => {
                self.handle_request(DesktopRequest::Show(token)).await;
                Ok(())
            }
            Request::Act(action) => {
                self.handle_request(DesktopRequest::Menu(action)).await;
                Ok(())
            }
            Request::Open(link) => self
                .links
                .follow_link(&link, None)
                .await
                .map_err(|error| error.to_ipc(self.context.lang()).text),
        }
    }

    /// Handles that another process wrote to the replica: the page fetches everything again, and the outbox is sent.
    pub(crate) async fn changed_by_other_process(&self) {
        // It may have snoozed something.
        self.silence.timers_changed();
        self.context.events.update(|dirty| {
            dirty.refetch = true;
            dirty.sync = true;
        });
        if let Err(error) = self.toasts.tell_woken().await {
            tracing::error!(%error, "what came back from a snooze has no toast");
        }
        self.proxy.load_proxy().await;
        self.certificates.reload_certificates().await;
        if let Some(engine) = self.engine.get() {
            if let Err(error) = engine.reload().await {
                tracing::warn!(%error, "the sources could not be reloaded");
            }
            engine.flush();
        }
    }
}

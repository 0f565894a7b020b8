//! Runs what the menu of the tray icon and the actions of the desktop entry offer.

use std::sync::Arc;

use tidings_ports::MenuAction;
use tidings_replica::{Mark, Targets};
use tidings_toasts::quiet;

use crate::context::{Context, part};
use crate::error::Result;
use crate::inbox::links::Links;
use crate::notify::silence::Silence;

part! {
    /// The actions of the menu.
    pub(crate) struct Menu {
        context: Arc<Context>,
        links: Arc<Links>,
        silence: Arc<Silence>,
    }
}

impl Menu {
    /// Runs an action; with the desktop's activation token for the window.
    pub(super) async fn run_menu_action(&self, action: MenuAction, token: Option<String>) -> Result<()> {
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
}

//! The tray icon by the toolkit, on macOS and Windows.

use parking_lot::Mutex;
use tauri::image::Image;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Wry};
use tidings_ports::{self as ports, DesktopRequest, MenuAction, MenuLine, TrayView};
use tokio::sync::mpsc;

/// The size of the picture that these desktops scale, in pixels a side.
const PICTURE_SIDE: u32 = 32;

/// The adapter of the tray's port.
pub(crate) struct TrayIcon {
    handle: AppHandle,
    requests: mpsc::UnboundedSender<DesktopRequest>,
    built: Mutex<Option<tauri::tray::TrayIcon>>,
}

impl TrayIcon {
    /// The icon appears with the first view.
    pub(crate) fn new(handle: AppHandle, requests: mpsc::UnboundedSender<DesktopRequest>) -> Self {
        Self { handle, requests, built: Mutex::new(None) }
    }

    fn draw(&self, view: &TrayView) -> tauri::Result<()> {
        let menu = self.menu(view)?;
        let picture = crate::pictures::sizes(&view.badge.picture(), view.faint)
            .find(|(size, _)| *size == PICTURE_SIDE)
            .map(|(size, rgba)| Image::new_owned(rgba, size, size));
        let mut built = self.built.lock();
        if let Some(tray) = built.as_ref() {
            tray.set_menu(Some(menu))?;
            tray.set_icon(picture)?;
            return tray.set_tooltip(Some(&view.tooltip));
        }
        let (clicks, chosen) = (self.requests.clone(), self.requests.clone());
        let mut builder = TrayIconBuilder::with_id("tidings")
            .menu(&menu)
            .tooltip(&view.tooltip)
            .show_menu_on_left_click(false)
            .icon_as_template(true)
            .on_menu_event(move |_, event| {
                if let Some(action) = action_of(&event.id().0) {
                    let _ = chosen.send(DesktopRequest::Menu(action));
                }
            })
            .on_tray_icon_event(move |_, event| {
                if let TrayIconEvent::Click {
                    button: MouseButton::Left,
                    button_state: MouseButtonState::Up,
                    ..
                } = event
                {
                    let _ = clicks.send(DesktopRequest::TrayOpen(None));
                }
            });
        if let Some(picture) = picture {
            builder = builder.icon(picture);
        }
        *built = Some(builder.build(&self.handle)?);
        Ok(())
    }

    fn menu(&self, view: &TrayView) -> tauri::Result<Menu<Wry>> {
        let menu = Menu::new(&self.handle)?;
        for line in &view.menu {
            match line {
                MenuLine::Separator => menu.append(&PredefinedMenuItem::separator(&self.handle)?)?,
                MenuLine::Item { label, action, enabled } => menu.append(&MenuItem::with_id(
                    &self.handle,
                    id_of(*action),
                    label,
                    *enabled,
                    None::<&str>,
                )?)?,
            }
        }
        Ok(menu)
    }
}

impl ports::Tray for TrayIcon {
    fn show(&self, view: TrayView) {
        let works = self.draw(&view);
        if let Err(error) = &works {
            tracing::warn!(%error, "no tray");
        }
        let _ = self.requests.send(DesktopRequest::TrayAvailable(works.is_ok()));
    }
}

fn id_of(action: MenuAction) -> String {
    match action {
        MenuAction::Open => "open".to_owned(),
        MenuAction::Thread(id) => format!("thread:{id}"),
        MenuAction::NewMessage => "new-message".to_owned(),
        MenuAction::MarkAllRead => "read".to_owned(),
        MenuAction::TogglePause => "pause".to_owned(),
        MenuAction::PauseHour => "pause-hour".to_owned(),
        MenuAction::PauseTomorrow => "pause-tomorrow".to_owned(),
        MenuAction::Quit => "quit".to_owned(),
    }
}

fn action_of(id: &str) -> Option<MenuAction> {
    Some(match id {
        "open" => MenuAction::Open,
        "new-message" => MenuAction::NewMessage,
        "read" => MenuAction::MarkAllRead,
        "pause" => MenuAction::TogglePause,
        "pause-hour" => MenuAction::PauseHour,
        "pause-tomorrow" => MenuAction::PauseTomorrow,
        "quit" => MenuAction::Quit,
        _ => MenuAction::Thread(id.strip_prefix("thread:")?.parse().ok()?),
    })
}

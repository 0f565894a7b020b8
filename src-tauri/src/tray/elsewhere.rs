//! The tray icon by the toolkit, on macOS and Windows. Refuses to redraw what did not change.

use std::sync::Mutex;

use tauri::image::Image;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Wry};
use tidings_app::policy::badge::{MenuLine, MenuWish, TrayView};
use tidings_app::ports::{self, Wish};
use tokio::sync::mpsc;

/// The pixels a side that these desktops scale from.
const SIDE: u32 = 32;

/// The port's side of the toolkit.
pub(crate) struct TrayIcon {
    handle: AppHandle,
    wishes: mpsc::UnboundedSender<Wish>,
    built: Mutex<Option<tauri::tray::TrayIcon>>,
}

impl TrayIcon {
    /// Shows the icon with the first view.
    pub(crate) fn new(handle: AppHandle, wishes: mpsc::UnboundedSender<Wish>) -> Self {
        Self { handle, wishes, built: Mutex::new(None) }
    }

    fn draw(&self, view: &TrayView) -> tauri::Result<()> {
        let menu = self.menu(view)?;
        let picture = crate::pictures::sizes(&view.badge.picture(), view.faint)
            .find(|(size, _)| *size == SIDE)
            .map(|(size, rgba)| Image::new_owned(rgba, size, size));
        let mut built = self.built.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(tray) = built.as_ref() {
            tray.set_menu(Some(menu))?;
            tray.set_icon(picture)?;
            return tray.set_tooltip(Some(&view.tooltip));
        }
        let (clicks, chosen) = (self.wishes.clone(), self.wishes.clone());
        let mut builder = TrayIconBuilder::with_id("tidings")
            .menu(&menu)
            .tooltip(&view.tooltip)
            .show_menu_on_left_click(false)
            .icon_as_template(true)
            .on_menu_event(move |_, event| {
                if let Some(wish) = named(&event.id().0) {
                    let _ = chosen.send(Wish::Menu(wish));
                }
            })
            .on_tray_icon_event(move |_, event| {
                if let TrayIconEvent::Click {
                    button: MouseButton::Left,
                    button_state: MouseButtonState::Up,
                    ..
                } = event
                {
                    let _ = clicks.send(Wish::TrayOpen(None));
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
                MenuLine::Item { label, wish, enabled } => menu.append(&MenuItem::with_id(
                    &self.handle,
                    name(*wish),
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
        let _ = self.wishes.send(Wish::TrayWorks(works.is_ok()));
    }
}

fn name(wish: MenuWish) -> String {
    match wish {
        MenuWish::Open => "open".to_owned(),
        MenuWish::Thread(id) => format!("thread:{id}"),
        MenuWish::MarkAllRead => "read".to_owned(),
        MenuWish::TogglePause => "pause".to_owned(),
        MenuWish::PauseHour => "pause-hour".to_owned(),
        MenuWish::PauseTomorrow => "pause-tomorrow".to_owned(),
        MenuWish::Quit => "quit".to_owned(),
    }
}

fn named(id: &str) -> Option<MenuWish> {
    Some(match id {
        "open" => MenuWish::Open,
        "read" => MenuWish::MarkAllRead,
        "pause" => MenuWish::TogglePause,
        "pause-hour" => MenuWish::PauseHour,
        "pause-tomorrow" => MenuWish::PauseTomorrow,
        "quit" => MenuWish::Quit,
        _ => MenuWish::Thread(id.strip_prefix("thread:")?.parse().ok()?),
    })
}

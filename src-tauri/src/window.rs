//! The main window: built when it is opened and destroyed when it is closed, so that its WebView uses no memory in
//! between. It never navigates away from the embedded page.
//!
//! A window that is being built goes before everything that runs beside it, until its page says that it is drawn. Only
//! the own server's port is taken before, so that what is published meanwhile waits for its answer. The document brings
//! the page's data, which is read meanwhile, and the page loads the parts that it does not show at first later.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{
    AppHandle, Manager, PhysicalPosition, PhysicalSize, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    WindowEvent, Wry,
};
use tauri_plugin_window_state::{AppHandleExt as _, StateFlags};
use tidings_ports as ports;

use crate::document::Document;
use crate::main_thread::on_main;
use crate::placement::{self, Area, MonitorArea};

/// The window's label in the capability file.
pub(crate) const LABEL: &str = "main";
/// The properties of the window that are kept, and restored when it opens again.
pub(crate) const SAVED_STATE: StateFlags =
    StateFlags::SIZE.union(StateFlags::POSITION).union(StateFlags::MAXIMIZED);

/// The adapter of the window's port.
pub(crate) struct MainWindow {
    handle: AppHandle,
    document: Arc<Document>,
    /// The folder of the WebView's files; set once the app is open.
    files: OnceLock<PathBuf>,
    /// The file with the window's state.
    state: PathBuf,
    /// The zoom of the page, percent.
    zoom: AtomicU16,
    focused: Arc<AtomicBool>,
    title: parking_lot::Mutex<String>,
    /// The time until which a lost focus is asked back; `None` if it is not.
    keeps_focus_until: parking_lot::Mutex<Option<Instant>>,
}

/// How long another program that was opened in the background may take to come to the front.
const FOCUS_TIME: Duration = Duration::from_secs(2);

impl MainWindow {
    pub(crate) fn new(handle: AppHandle, state: PathBuf) -> Self {
        Self {
            document: Arc::new(Document::new(handle.clone())),
            handle,
            files: OnceLock::new(),
            state,
            zoom: AtomicU16::new(100),
            focused: Arc::default(),
            title: parking_lot::Mutex::new("Tidings".to_owned()),
            keeps_focus_until: parking_lot::Mutex::new(None),
        }
    }

    /// Sets the folder for the WebView's files.
    pub(crate) fn set_files_folder(&self, folder: &Path) {
        let _ = self.files.set(folder.join("webview"));
    }

    /// Handles that the window lost the focus: asks for it back, once, if it was to keep it.
    pub(crate) fn focus_lost(&self) {
        let until = self.keeps_focus_until.lock().take();
        if until.is_some_and(|until| Instant::now() < until)
            && let Some(window) = self.handle.get_webview_window(LABEL)
            && let Err(error) = window.set_focus()
        {
            tracing::debug!(%error, "the window did not keep the focus");
        }
    }
}

impl ports::Window for MainWindow {
    fn show(&self, token: Option<String>) {
        let handle = self.handle.clone();
        let opening = Opening {
            document: Arc::clone(&self.document),
            files: self.files.get().cloned(),
            state: self.state.clone(),
            zoom: self.zoom.load(Ordering::Relaxed),
            focused: Arc::clone(&self.focused),
            title: self.title.lock().clone(),
        };
        on_main(&self.handle, move || {
            let shown = match handle.get_webview_window(LABEL) {
                Some(window) => to_front(&window, token.as_deref()),
                None => build(&handle, opening).and_then(|window| match &token {
                    Some(token) => to_front(&window, Some(token)),
                    None => Ok(()),
                }),
            };
            if let Err(error) = shown {
                tracing::error!(%error, "the window could not be shown");
            }
        });
    }

    fn keep_focus(&self) {
        *self.keeps_focus_until.lock() = Some(Instant::now() + FOCUS_TIME);
    }

    fn set_title(&self, title: &str) {
        title.clone_into(&mut self.title.lock());
        if let Some(window) = self.handle.get_webview_window(LABEL) {
            let _ = window.set_title(title);
        }
    }

    fn set_zoom(&self, percent: u16) {
        self.zoom.store(percent, Ordering::Relaxed);
        if let Some(window) = self.handle.get_webview_window(LABEL)
            && let Err(error) = window.set_zoom(factor(percent))
        {
            tracing::warn!(%error, "the page keeps its zoom");
        }
    }

    fn is_focused(&self) -> bool {
        self.focused.load(Ordering::Relaxed)
    }

    fn toggle(&self) {
        if !self.is_focused() {
            self.show(None);
            return;
        }
        let handle = self.handle.clone();
        on_main(&self.handle, move || {
            save_state(&handle);
            if let Some(window) = handle.get_webview_window(LABEL)
                && let Err(error) = window.destroy()
            {
                tracing::warn!(%error, "the window stays");
            }
        });
    }

    fn quit(&self) {
        let handle = self.handle.clone();
        on_main(&self.handle, move || {
            save_state(&handle);
            handle.exit(0);
        });
    }
}

/// The zoom as the toolkit has it.
fn factor(percent: u16) -> f64 {
    f64::from(percent) / 100.0
}

/// Saves the window's size, position and maximised state.
pub(crate) fn save_state(handle: &AppHandle) {
    if let Err(error) = handle.save_window_state(SAVED_STATE) {
        tracing::debug!(%error, "the window's state was not saved");
    }
}

fn to_front(window: &WebviewWindow, token: Option<&str>) -> tauri::Result<()> {
    #[cfg(target_os = "linux")]
    if let Some(token) = token {
        use gtk::prelude::GtkWindowExt as _;
        window.gtk_window()?.set_startup_id(token);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = token;
    window.unminimize()?;
    window.show()?;
    window.set_focus()
}

/// What a new window needs to know.
struct Opening {
    document: Arc<Document>,
    files: Option<PathBuf>,
    state: PathBuf,
    zoom: u16,
    focused: Arc<AtomicBool>,
    title: String,
}

fn build(handle: &AppHandle, opening: Opening) -> tauri::Result<WebviewWindow<Wry>> {
    let Opening { document, files, state, zoom, focused, title } = opening;
    document.begin();
    let mut builder = WebviewWindowBuilder::new(handle, LABEL, WebviewUrl::App("index.html".into()))
        .title(title)
        .inner_size(1_280.0, 800.0)
        .min_inner_size(420.0, 360.0)
        .disable_drag_drop_handler()
        .on_navigation(is_own_page)
        .on_web_resource_request(move |_, answer| document.fill(answer))
        .on_new_window(|_, _| NewWindowResponse::Deny);
    if let Some(files) = files {
        builder = builder.data_directory(files);
    }
    // Shown until the page is drawn, so that a dark desktop sees no white flash.
    if let Some(theme) = theme() {
        builder = builder.background_color(theme);
    }
    let window = builder.build()?;
    window.on_window_event(move |event| match event {
        WindowEvent::Focused(has) => focused.store(*has, Ordering::Relaxed),
        WindowEvent::Destroyed => focused.store(false, Ordering::Relaxed),
        _ => {}
    });
    // The zoom is set before the page is read in, so that its first paint has it.
    window.set_zoom(factor(zoom))?;
    if let Err(error) = restore(&window, &state) {
        tracing::debug!(%error, "the window opens where the desktop puts it");
    }
    #[cfg(target_os = "linux")]
    {
        let revived = window.clone();
        window.with_webview(move |page| {
            let page = page.inner();
            crate::menus::track_presses(&page);
            crate::given_files::track(&page);
            crate::page_process::revive(revived, &page);
        })?;
    }
    Ok(window)
}

/// Puts a window where the last one was, as far as the monitors of now allow.
fn restore(window: &WebviewWindow, state: &Path) -> tauri::Result<()> {
    let Some(kept) = placement::kept(state, LABEL) else { return Ok(()) };
    let monitors: Vec<MonitorArea> = window.available_monitors()?.iter().map(MonitorArea::from).collect();
    let Some(place) = placement::fitted(kept, &monitors, !on_wayland()) else { return Ok(()) };
    let Area { x, y, width, height } = place.area;
    window.set_position(PhysicalPosition { x, y })?;
    window.set_size(PhysicalSize { width, height })?;
    if place.maximized { window.maximize() } else { Ok(()) }
}

/// Whether the window is shown by Wayland. It shows a program neither where its windows are nor keys that are pressed
/// elsewhere. Must be called on the toolkit's main thread.
pub(crate) fn on_wayland() -> bool {
    #[cfg(target_os = "linux")]
    {
        use gtk::glib::prelude::ObjectExt as _;
        gtk::gdk::Display::default().is_some_and(|display| display.type_().name() == "GdkWaylandDisplay")
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// The background colour of the window, equal to the page's.
fn theme() -> Option<Color> {
    #[cfg(target_os = "linux")]
    {
        use gtk::prelude::GtkSettingsExt as _;
        let settings = gtk::Settings::default()?;
        let name = settings.gtk_theme_name().unwrap_or_default();
        let dark = settings.is_gtk_application_prefer_dark_theme() || name.to_lowercase().contains("dark");
        Some(if dark { Color(0x15, 0x18, 0x1b, 255) } else { Color(0xf2, 0xf4, 0xf5, 255) })
    }
    #[cfg(not(target_os = "linux"))]
    None
}

fn is_own_page(url: &url::Url) -> bool {
    let own = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => url.host_str() == Some("tauri.localhost") || is_development(url),
        _ => false,
    };
    if !own {
        tracing::warn!("the page wanted to leave");
    }
    own
}

/// Whether an address is the development server's, which a build without the embedded page uses.
fn is_development(url: &url::Url) -> bool {
    !cfg!(feature = "custom-protocol") && url.host_str() == Some("localhost")
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
